# SPDX-License-Identifier: Apache-2.0
"""What norms share: dtypes, checks of weights and statistics, and NumPy's row norms."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.params import BoolArray, TensorOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    Condition,
    Rule,
    Step,
    done_when,
    is_given,
    not_null,
    only_on,
    requires,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ElementsOf, LastReduced, ShapeOf, ShapeTerm
from aclhost.spec.terms import (
    DtypeOf,
    Elements,
    Empty,
    Equal,
    FlagAt,
    In,
    LengthOf,
    Not,
    Or,
    Term,
    all_of,
    any_of,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

NEWER = (A950, A3, A2)
FLOATS = (FLOAT, FLOAT16, BF16)
TABLE = (FLOAT, FLOAT16, only_on(BF16, *NEWER))
EPSILON = 1e-5
MASK = "outputMask"
MASKS = ((True, True, True), (True, False, True), (False, True, False), (True, False, False))


def float_or_same(parameter: str, other: str) -> tuple[Rule, ...]:
    """The tensor is FLOAT or of the other's dtype."""
    own, dtype = DtypeOf(parameter), DtypeOf(other)
    return requires(
        "float_or_same", parameter, Or(In(own, (FLOAT,)), Equal(own, dtype)),
        f"{parameter} must have dtype FLOAT or that of {other}",
        (Shown("dtype", own), " and ", Shown("dtype", dtype)), f"Cast {parameter} to FLOAT.",
    )  # fmt: skip


def if_given(parameter: str, *rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Rules about a tensor that may be left out."""
    return when(is_given(parameter), *rules)


def elements_are(parameter: str, expected: Term, words: str) -> tuple[Rule, ...]:
    """The tensor has so many elements."""
    return requires(
        "elements_are", parameter, Equal(Elements(parameter), expected),
        f"{parameter} must have {words}",
        (Shown("shape", ShapeOf(parameter)),), f"Create {parameter} with that many elements.",
    )  # fmt: skip


def rows_of(x: str, count: Term) -> Term:
    """How many rows there are, each of the last dimensions."""
    return ElementsOf(LastReduced(x, count))


def wanted(place: int) -> Condition:
    """One of the gradients is asked for."""
    return Condition(FlagAt(MASK, place), f"{MASK}[{place}] is true")


def mask_param() -> BoolArray:
    """Which gradients are computed."""
    return BoolArray(MASK, "Which of the three gradients are computed.")


def gradient_out(
    name: str, doc: str, place: int, like: str, shape: ShapeTerm | None = None,
    dtype: Term | None = None,
) -> TensorOut:  # fmt: skip
    """An output that the mask asks for."""
    asked = FlagAt(MASK, place)
    return TensorOut(name, doc, like=like, shape=shape, dtype=dtype, optional=True, made_if=asked)


def mask_checks(*outputs: str) -> tuple[Rule, ...]:
    """There are three bools, and a tensor for each that is true."""
    length = LengthOf(MASK)
    three = requires(
        "mask_length", MASK, In(length, (3,)), f"{MASK} must have 3 values",
        (Shown("integer", length), " values"), "Pass one bool for each gradient.",
    )  # fmt: skip
    asked = (rule for i, name in enumerate(outputs) for rule in when(wanted(i), not_null(name)))
    return (*three, *asked)


def nothing_wanted() -> tuple[Step, ...]:
    """No gradient is asked for."""
    none = Not(any_of(*(FlagAt(MASK, place) for place in range(3))))
    return done_when(Condition(none, f"no value of {MASK} is true"))


def not_empty(name: str) -> Condition:
    """The tensor is there and has elements."""
    some = Not(Equal(Elements(name), const(0)))
    return Condition(all_of(is_given(name).term, some), f"{name} is given and not empty")


def unless_empty(name: str, *groups: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Rules that nobody looks at where the tensor has no elements."""
    some = Not(Empty(name))

    def under(rule: Rule) -> Rule:
        old = rule.condition
        if old is None:
            return rule.under(Condition(some, f"{name} is not empty"))
        both = Condition(all_of(some, old.term), f"{name} is not empty and {old.english}")
        return rule.under(both)

    return tuple(under(rule) for group in groups for rule in group)


def masked(mask: tuple[bool, ...], *tensors: TensorArg) -> list[TensorArg | None]:
    """Outputs, null where they are not asked for."""
    return [tensor if flag else None for flag, tensor in zip(mask, tensors, strict=True)]


def only_wanted(mask: tuple[bool, ...], *arrays: Array) -> tuple[Array | None, ...]:
    """Results, None where they are not asked for."""
    return tuple(array if flag else None for flag, array in zip(mask, arrays, strict=True))


def parameter_dtype(rng: Random, dtype: DataType) -> DataType:
    """Of weights: the input's or FLOAT."""
    return rng.choice((dtype, FLOAT))


def normalized(x: Array, axes: tuple[int, ...], epsilon: float, centred: bool) -> tuple[Array, ...]:
    """What is normalised over axes, the mean and the inverse root of the variance."""
    import numpy as np

    if 0 in (x.shape[axis] for axis in axes):
        shape = [1 if axis in axes else length for axis, length in enumerate(x.shape)]
        return x, np.zeros(shape), np.full(shape, np.nan)
    mean = x.mean(axes, keepdims=True) if centred else np.zeros(())
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + epsilon)
    return (x - mean) * rstd, mean, rstd


def any_infinite(*tensors: Any) -> bool:  # noqa: ANN401 (torch's)
    """Whether torch, which folds mean and scale into one product, subtracts infinities here."""
    return any(bool(each.isinf().any()) for each in tensors if each is not None)


def norm_gradient(g: Array, xhat: Array, rstd: Array, axes: tuple[int, ...]) -> Array:
    """Of x, where g is the gradient of xhat and the mean was subtracted."""
    result: Array = rstd * (
        g - g.mean(axes, keepdims=True) - xhat * (g * xhat).mean(axes, keepdims=True)
    )
    return result


def channel_goldens(xhat: Array, weight: Array | None, bias: Array | None) -> Array:
    """Images scaled and shifted by numbers of their channels."""
    scaled = xhat if weight is None else xhat * weight[None, :, None]
    return scaled if bias is None else scaled + bias[None, :, None]
