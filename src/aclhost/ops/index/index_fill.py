# SPDX-License-Identifier: Apache-2.0
"""Slices along a dimension that become one number."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import (
    INDICES,
    NEW_BF16,
    NEWER,
    Rules,
    as_in_place,
    call_of,
    drawn_axis,
    drawn_shape,
    in_place,
    indices,
    placed,
)
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.draw import eighths, matrix_shape
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
    Category,
    DataType,
)
from aclhost.spec.indexed import PlacesFit
from aclhost.spec.operator import Operator
from aclhost.spec.params import (
    NEVER,
    Int,
    IntArray,
    Parameter,
    Scalar,
    TensorIn,
    TensorInOut,
    TensorOut,
)
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    Step,
    axis_in_rank,
    done_when_empty,
    dtype_in,
    has_elements,
    inside_storage,
    not_null,
    only_on,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import Const, DimOf, DtypeOf, If, InCategory, Not, RankOf, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
Steps = tuple[tuple[Step, ...], ...]
_PLAIN = (INT32, FLOAT16, FLOAT, INT64, BOOL)
_NEWEST = tuple(only_on(dtype, A950) for dtype in (INT8, UINT8, INT16, DOUBLE))
_VALUE = Scalar("value", "The number, as an element of the tensor.")
_ALONG = Int("dim", "The dimension that index points into.")


def _shape_rules(self: str, out: str, *last: Rules) -> Rules:
    rules = (
        *(same_shape(out, self) if out != self else ()),
        *rank_at_most(self, 8),
        *axis_in_rank("dim", self, of_scalars=True),
        *(rule for group in last for rule in group),
    )
    return when(has_elements(self), rules)


def _tensor_checks(self: str, out: str) -> Steps:
    """An index in a tensor; only three products have a dtype at all."""
    return (
        not_null(*dict.fromkeys((self, "index", "value", out))),
        dtype_in(self, *(only_on(dtype, *NEWER) for dtype in _PLAIN), NEW_BF16, *_NEWEST),
        same_dtype(out, self) if out != self else (),
        dtype_in("index", *INDICES),
        _shape_rules(self, out),
        done_when_empty(self),
        inside_storage(self, "index"),
    )


def _array_checks(self: str, out: str) -> Steps:
    """An index in an array, which phase 1 can look into."""
    length = If(RankOf(self), DimOf(self, ValueOf("dim")), Const(1))
    places = requires(
        "places_fit",
        "index",
        PlacesFit("index", length),
        f"all values of index must be places along dimension dim of {self}",
        (Shown("array", "index"), " for length ", Shown("integer", length)),
        "Pass -1 for the last place.",
    )
    return (
        not_null(*dict.fromkeys((self, "index", "value", out))),
        dtype_in(self, *_PLAIN, NEW_BF16, *_NEWEST),
        same_dtype(out, self) if out != self else (),
        _shape_rules(self, out, places),
        requires(
            "real_value",
            "value",
            Not(InCategory(DtypeOf("value"), Category.COMPLEX)),
            "value must be a real number",
            (Shown("dtype", DtypeOf("value")),),
            "Create value from a real number.",
        ),
        done_when_empty(self),
        supported_on(*NEWER),
        inside_storage(self),
    )


def _golden(self: Array, dim: int, index: Ints, value: float) -> Array:
    import numpy as np

    table, axis, places = placed(self, dim, np.asarray(index, np.int64).ravel())
    np.moveaxis(table, axis, 0)[places] = value
    return table.reshape(np.shape(self))


def _torch(torch: Torch, self: Torch, dim: int, index: Torch, value: float) -> Torch:
    places = torch.as_tensor(index, dtype=torch.long).reshape(-1)
    if self.dtype is torch.bool:
        return torch.index_fill(self, dim, places, bool(value))
    whole = not self.dtype.is_floating_point
    return torch.index_fill(self, dim, places, int(value) if whole else value)


def _call(
    self: tuple[int, ...], dim: int, index: Argument, value: ScalarArg, dtype: DataType = FLOAT
) -> Call:
    tensor = TensorArg(self, dtype)
    return call_of(self=tensor, dim=dim, index=index, value=value, out=tensor)


def _drawn(rng: Random, *, in_tensor: bool) -> Call:
    product = rng.choice(NEWER)
    dtypes = (*_PLAIN, BF16, *(INT8, UINT8, INT16, DOUBLE)) if product is A950 else (*_PLAIN, BF16)
    self, dtype = drawn_shape(rng), rng.choice(dtypes)
    dim, length = drawn_axis(rng, self)
    index: Argument = tuple(rng.randrange(-length, length) for _ in range(rng.randint(0, 5)))
    if in_tensor:
        index = indices(rng, drawn_shape(rng, 0, 2), length, negative=True)
    floating = dtype.category is Category.FLOATING
    value = ScalarArg(eighths(rng, -4, 4)) if floating else ScalarArg(rng.randint(0, 1), INT64)
    return _call(self, dim, index, value, dtype).on(product)


def _typical(n: int, *, in_tensor: bool) -> Call:
    shape = matrix_shape(n)
    half = shape[0] // 2 + 1
    places: Argument = tuple(range(0, shape[0], 2))
    if in_tensor:
        places = TensorArg((half,), INT64, span=(0, shape[0]))
    return _call(shape, 0, places, ScalarArg(1.5))


def _samples(*, in_tensor: bool) -> tuple[Call, ...]:
    def index(*values: int, dtype: DataType = INT64) -> Argument:
        return TensorArg((len(values),), dtype, values) if in_tensor else values

    return (
        _call((3, 2, 2), 1, index(1, 1), ScalarArg(0.5)),
        _call((4, 3), -1, index(2, -3, dtype=INT32), ScalarArg(2, INT64), FLOAT16),
        _call((2, 3), 0, index(), ScalarArg(1.0), BF16),
        _call((), -1, index(0), ScalarArg(1, BOOL), BOOL),
        _call((2,), 0, index(1), ScalarArg(3.0, DOUBLE), INT8).on(A950),
        _call((3,), 0, index(0, 2), ScalarArg(7, INT64), INT64),
    )


_TENSOR_NOTES = (
    "An index out of range is passed over, here as upstream. Negative ones count from the end.",
)
_ARRAY_NOTES = (
    "The number goes through FLOAT, as upstream's does but on Ascend 950.",
    "Negative indices count from the end.",
)


def _fill(*, in_tensor: bool, is_in_place: bool) -> Operator:
    """One of the four."""
    self, out = ("selfRef", "selfRef") if is_in_place else ("self", "out")
    index = (
        TensorIn("index", "Places along dim, in any shape.")
        if in_tensor
        else IntArray("index", "Places along dim.")
    )
    tensors: tuple[Parameter, ...] = (TensorIn("self", "What is there first."),)
    results: tuple[Parameter, ...] = (TensorOut("out", "Result.", like="self"),)
    if is_in_place:
        doc = "What is there first, and where the number is put."
        tensors = (TensorInOut("selfRef", doc, read_if=NEVER),)
        results = ()

    def own(call: Call) -> Call:
        return as_in_place(call) if is_in_place else call

    return Operator(
        f"aclnn{'Inplace' if is_in_place else ''}IndexFill{'' if in_tensor else 'Tensor'}",
        summary=f"Puts a number at indices along a dimension{', in place' * is_in_place}.",
        formula=f"`{out}[..., index[i], ...] = value` at dimension dim.",
        params=(*tensors, _ALONG, index, _VALUE, *results),
        checks=(_tensor_checks if in_tensor else _array_checks)(self, out),
        golden=in_place(_golden) if is_in_place else _golden,
        reference=in_place(_torch) if is_in_place else _torch,
        draw=lambda rng: own(_drawn(rng, in_tensor=in_tensor)),
        typical=lambda n: own(_typical(n, in_tensor=in_tensor)),
        samples=tuple(map(own, _samples(in_tensor=in_tensor))),
        notes=_TENSOR_NOTES if in_tensor else _ARRAY_NOTES,
    )


OPS = tuple(
    _fill(in_tensor=in_tensor, is_in_place=is_in_place)
    for in_tensor in (True, False)
    for is_in_place in (False, True)
)
