# SPDX-License-Identifier: Apache-2.0
"""One number that goes to places along a dimension."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import (
    INDEX_NOTE,
    INDICES,
    NEGATIVE_NOTE,
    NEW_BF16,
    NEWER,
    VALUES,
    as_in_place,
    call_of,
    in_place,
)
from aclhost.ops.index.scatter import (
    DIM,
    INDEX,
    ORDER,
    REDUCE,
    REDUCE_NOTES,
    RESULT,
    SAMPLES,
    SELF_IN,
    SELF_REF,
    SOME,
    drawn_reduction,
    golden_elements,
    shape_rules,
    torch_elements,
    typical_elements,
)
from aclhost.spec.call import Argument, Call, ScalarArg
from aclhost.spec.draw import eighths
from aclhost.spec.dtypes import BOOL, DOUBLE, FLOAT, INT64, Category
from aclhost.spec.operator import Operator
from aclhost.spec.params import Scalar
from aclhost.spec.rules import (
    Condition,
    Step,
    done_when_empty,
    dtype_in,
    fits_shape,
    inner,
    inside_storage,
    not_null,
    requires,
    same_dtype,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import DtypeOf, Empty, InCategory, Not, Or

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
_FORMULA = (
    "`{0}[index[i, j, k], j, k] = value` for dim 0 of three dimensions, and so on; or what is "
    "there and value are combined by reduce. {1}"
)
_VALUE = Scalar("value", "What is written, as an element of the tensor.")
_NONE = Condition(Empty("index"), "index is empty")


def _checks(self: str, out: str) -> tuple[tuple[Step, ...], ...]:
    """Without an index only the copy can go wrong."""
    written = out != self

    def is_complex(name: str) -> InCategory:
        return InCategory(DtypeOf(name), Category.COMPLEX)

    return (
        not_null(*dict.fromkeys((self, "index", "value", out))),
        requires(
            "complex_value",
            "value",
            Or(is_complex(self), Not(is_complex("value"))),
            f"value must be a real number unless {self} is complex",
            (Shown("dtype", DtypeOf("value")), " for ", Shown("dtype", DtypeOf(self))),
            "Create value from a real number.",
        ),
        () if written else done_when_empty("index"),
        when(SOME, dtype_in(self, *VALUES, NEW_BF16)),
        when(SOME, same_dtype(out, self)) if written else (),
        when(SOME, dtype_in("index", *INDICES)),
        inside_storage(self),
        shape_rules(self, "", out),
        supported_on(*NEWER),
        inside_storage("index"),
        when(_NONE, inner(same_dtype(out, self))) if written else (),
        inner(fits_shape(out, ShapeOf(self), f"of {self}")) if written else (),
    )


def _golden(self: Array, dim: int, index: Ints, value: float, reduce: int) -> Array:
    import numpy as np

    return golden_elements(self, dim, index, np.array(value).astype(self.dtype), reduce)


def _torch(torch: Torch, self: Torch, dim: int, index: Torch, value: float, reduce: int) -> Torch:
    source = torch.full(index.shape, value).to(self.dtype)
    return torch_elements(torch, self, dim, index, source, reduce)


def _of(call: Call, value: ScalarArg) -> Call:
    """A call of the scatter with a number in place of src."""
    arguments: dict[str, Argument] = {
        "value" if name == "src" else name: value if name == "src" else each
        for name, each in call.arguments.items()
    }
    return call_of(**arguments).on(call.product)


def _drawn(rng: Random) -> Call:
    call = drawn_reduction(rng)
    floating = call.tensor("self").dtype.category is Category.FLOATING
    value = ScalarArg(eighths(rng, -3, 3)) if floating else ScalarArg(rng.randint(0, 3), INT64)
    return _of(call, value)


_NUMBERS = (
    ScalarArg(0.5),
    ScalarArg(3, INT64),
    ScalarArg(-1.5),
    ScalarArg(2.0, DOUBLE),
    ScalarArg(1.0),
    ScalarArg(1, BOOL),
    ScalarArg(-1.0, FLOAT),
)
_CALLS = tuple(_of(call, value) for call, value in zip(SAMPLES, _NUMBERS, strict=True))
_NOTES = (INDEX_NOTE, NEGATIVE_NOTE, *REDUCE_NOTES)

_SCATTER_VALUE = Operator(
    "aclnnScatterValue",
    summary="Writes a number to indices along a dimension.",
    formula=_FORMULA.format("out", ORDER),
    params=(SELF_IN, DIM, INDEX, _VALUE, REDUCE, RESULT),
    checks=_checks("self", "out"),
    golden=_golden,
    reference=_torch,
    summed=("self",),
    ulps=16,
    draw=_drawn,
    typical=lambda n: _of(typical_elements(n, reduce=0), ScalarArg(1.5)),
    samples=_CALLS,
    notes=_NOTES,
)

_INPLACE_SCATTER_VALUE = Operator(
    "aclnnInplaceScatterValue",
    summary="Writes a number to indices along a dimension, in place.",
    formula=_FORMULA.format("selfRef", ORDER),
    params=(SELF_REF, DIM, INDEX, _VALUE, REDUCE),
    checks=_checks("selfRef", "selfRef"),
    golden=in_place(_golden),
    reference=in_place(_torch),
    summed=("selfRef",),
    ulps=16,
    draw=lambda rng: as_in_place(_drawn(rng)),
    typical=lambda n: as_in_place(_of(typical_elements(n, reduce=0), ScalarArg(1.5))),
    samples=tuple(map(as_in_place, _CALLS)),
    notes=_NOTES,
)

OPS = (_SCATTER_VALUE, _INPLACE_SCATTER_VALUE)
