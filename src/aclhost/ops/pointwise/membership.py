# SPDX-License-Identifier: Apache-2.0
"""Comparisons of whole tensors: a single truth comes out."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.pointwise.checks import computed_in, computes, readable
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.draw import random_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    Category,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Scalar, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    dtype_in,
    inside_storage,
    not_null,
    only_on,
    rank_at_most,
    rank_in,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.shapes import Lengths, SameShape, ShapeOf
from aclhost.spec.terms import And, Const, Empty, Not, const, promoted

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NEWER = (A950, A3, A2)
_ONE = Lengths((Const(1),))
_ALIKE = (
    *(FLOAT, INT32, INT64, FLOAT16, INT16, INT8, UINT8, BOOL, DOUBLE, UINT16, UINT32, UINT64),
    only_on(BF16, *_NEWER),
)
_SCALARS = (FLOAT, FLOAT16, INT8, INT32, INT64, UINT8, DOUBLE, INT16)
_SEARCHED = (*_SCALARS, only_on(BF16, *_NEWER))
_COMMON = promoted("self", "other")
_COMPARED = Condition(
    And(SameShape(ShapeOf("self"), ShapeOf("other")), Not(Empty("self"))),
    "self and other have one shape and elements",
)
_NO_ELEMENTS = Condition(Not(Empty("testElements")), "testElements has elements")


def _equal(self: Array, other: Array) -> Array:
    """Another shape is never equal, nothing always is."""
    import numpy as np

    return np.array([self.shape == other.shape and bool(np.all(self == other))])


def _torch_equal(torch: Any, self: Any, other: Any) -> Any:  # noqa: ANN401
    return torch.tensor([torch.equal(self.double(), other.double())])


def _is_in(element: float, test_elements: Array, assume_unique: bool, invert: bool) -> Array:
    """Whether one of them is the number."""
    import numpy as np

    return np.asarray(bool(np.any(test_elements == element)) != invert)


def _torch_is_in(
    torch: Any,  # noqa: ANN401
    element: float,
    test_elements: Any,  # noqa: ANN401
    assume_unique: bool,
    invert: bool,
) -> Any:  # noqa: ANN401
    return torch.isin(element, test_elements, assume_unique=assume_unique, invert=invert)


def _pair(shape: tuple[int, ...], dtypes: tuple[DataType, DataType], **more: Any) -> Call:  # noqa: ANN401
    tensors = (TensorArg(shape, dtype, **more) for dtype in dtypes)
    return Call(dict(zip(("self", "other"), tensors, strict=True)) | {"out": TensorArg((1,), BOOL)})


def _drawn_pair(rng: Random) -> Call:
    """Few different numbers, so that small tensors are often equal."""
    dtypes = (FLOAT, INT32, INT64, FLOAT16, INT8, DOUBLE, BF16)
    call = _pair(random_shape(rng), (rng.choice(dtypes), rng.choice(dtypes)))
    if rng.random() < 0.2:
        return call.passing(other=TensorArg(random_shape(rng), rng.choice(dtypes)))
    shape, zeros = call.shape("self"), (0.0,) * prod(call.shape("self"))
    place = rng.randrange(len(zeros) or 1)
    other = (*zeros[:place], 1.0, *zeros[place + 1 :])[: len(zeros)]
    values = {"self": zeros, "other": other if rng.random() < 0.5 else zeros}
    return call.passing(
        **{name: TensorArg(shape, call.tensor(name).dtype, given) for name, given in values.items()}
    )


def _search(
    element: ScalarArg, shape: tuple[int, ...], dtype: DataType, *, invert: bool = False
) -> Call:
    return Call(
        {
            "element": element,
            "testElements": TensorArg(shape, dtype, span=(0, 9)),
            "assumeUnique": False,
            "invert": invert,
            "out": TensorArg((), BOOL),
        }
    )


def _drawn_search(rng: Random) -> Call:
    dtype = rng.choice((FLOAT, FLOAT16, INT8, INT32, INT64, UINT8, DOUBLE, INT16, BF16))
    number = rng.randint(0, 12)
    whole = dtype.category is Category.INTEGER
    scalar = ScalarArg(number, rng.choice((INT64, INT32) if whole else (FLOAT, DOUBLE)))
    return _search(scalar, random_shape(rng), dtype, invert=rng.random() < 0.5)


EQUAL = Operator(
    "aclnnEqual",
    summary="Whether two tensors have one shape and the same numbers.",
    formula="`out[0]` is true where the shapes are the same and `self[i] = other[i]` for all i",
    params=(
        TensorIn("self", "One tensor."),
        TensorIn("other", "The other one."),
        TensorOut("out", "Result.", shape=_ONE, dtype=const(BOOL)),
    ),
    checks=(
        not_null("self", "other", "out"),
        computes("other", _COMMON),
        computed_in("other", _COMMON, *_ALIKE),
        dtype_in("out", BOOL),
        rank_at_most("self", 8),
        rank_at_most("other", 8),
        shape_is("out", _ONE, "[1]"),
        supported_on(*_NEWER, P310P, T910),
        when(_COMPARED, inside_storage("self"), readable("self"), inside_storage("other"),
             readable("other")),
    ),
    golden=_equal,
    reference=_torch_equal,
    peer=lambda torch, self, other: torch.tensor([torch.equal(self, other)]),
    draw=_drawn_pair,
    typical=lambda elements: _pair((elements,), (FLOAT, FLOAT), span=(1, 1.5)),
    samples=(
        _pair((2, 3), (FLOAT, FLOAT)),
        _pair((3,), (INT32, FLOAT16)),
        _pair((2,), (BOOL, BOOL), values=(1, 0)),
        _pair((4,), (DOUBLE, DOUBLE), strides=(2,)),
        _pair((0, 2), (FLOAT, FLOAT)),
        _pair((2, 3), (FLOAT, FLOAT)).passing(other=TensorArg((3, 2))),
    ),
    notes=(
        "NaN is not equal to itself. Numbers of two dtypes are compared in their common one.",
        "The document asks for an out of one element; its shape has to be [1].",
    ),
)  # fmt: skip
IS_IN = Operator(
    "aclnnIsInScalarTensor",
    summary="Whether a tensor has a number among its elements.",
    formula=(
        "`out` is true where some element equals `element`, or, with invert, where none does. "
        "Fewer than 10 elements are compared in their own dtype, unless only element is floating; "
        "otherwise the common dtype counts."
    ),
    params=(
        Scalar("element", "What is looked for."),
        TensorIn("testElements", "Where it is looked for."),
        Flag("assumeUnique", "Whether no element occurs twice; it changes nothing.", default=False),
        Flag("invert", "Whether the answer is turned round.", default=False),
        TensorOut("out", "Result.", shape=Lengths(()), dtype=const(BOOL)),
    ),
    checks=(
        not_null("element", "testElements", "out"),
        dtype_in("element", *_SEARCHED),
        dtype_in("testElements", *_SEARCHED),
        dtype_in("out", BOOL),
        rank_at_most("testElements", 8),
        rank_in("out", 0),
        supported_on(A3, A2, T910),
        when(_NO_ELEMENTS, inside_storage("testElements")),
    ),
    golden=_is_in,
    reference=_torch_is_in,
    draw=_drawn_search,
    typical=lambda elements: _search(ScalarArg(100.0), (elements,), FLOAT),
    samples=(
        _search(ScalarArg(3, INT64), (2, 3), INT32),
        _search(ScalarArg(3.0), (12,), FLOAT, invert=True),
        _search(ScalarArg(0.1, DOUBLE), (4,), FLOAT16),
        _search(ScalarArg(2, INT64), (0, 3), INT64),
    ),
    notes=("NaN is not found, not even by itself.",),
)
OPS = (EQUAL, IS_IN)
