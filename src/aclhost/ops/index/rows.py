# SPDX-License-Identifier: Apache-2.0
"""Places that rows of an index name, each of which points into the first dimensions."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import (
    COPIED,
    INDEX_NOTE,
    INDICES,
    NEW_BF16,
    NEWER,
    NOTES,
    WIDE,
    Rules,
    call_of,
    drawn_shape,
    indices,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT16,
    HIFLOAT8,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    DataType,
)
from aclhost.spec.indexed import SelectedByRows
from aclhost.spec.operator import Operator
from aclhost.spec.params import NEVER, Flag, TensorIn, TensorInOut, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    inner,
    inside_storage,
    not_null,
    only_on,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import And, AtMost, Const, DimOf, DtypeOf, RankOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
Shape = tuple[int, ...]
_INDEX = TensorIn("indices", "Rows along the last dimension; each names a place.")
_UPDATES = TensorIn("updates", "What is put there.")
_WORDS = "of indices without its last dimension, and then that of {} without the first ones"
_LAST_STAYS = "Of several that go to one place, the last one stays."
_PLAIN = (FLOAT, INT32, INT64, FLOAT16, INT8, UINT8, BOOL)
_KNOWN = (A950, A3, A2, P310P, T910)


def _rows_fit(self: str, least: int = 1) -> Rules:
    """A row is not longer than the tensor has dimensions."""
    length = DimOf("indices", Const(-1))
    return requires(
        "rows_fit",
        "indices",
        And(AtMost(Const(least), length), AtMost(length, RankOf(self))),
        f"the last dimension of indices must be from {least} to the number of {self}'s dimensions",
        (Shown("shape", ShapeOf("indices")), " for ", Shown("shape", ShapeOf(self))),
        "Put one index into a row for each of the first dimensions.",
    )


def _ranks(*tensors: str) -> tuple[Rules, ...]:
    return (
        *(rank_at_least(tensor, 1) for tensor in tensors),
        *(rank_at_most(tensor, 8) for tensor in tensors),
    )


def _key(places: Ints) -> tuple[Any, ...]:
    """As NumPy and torch want it."""
    return tuple(places[..., k] for k in range(places.shape[-1]))


def _golden_gather(self: Array, indices: Ints, negative_index_support: bool) -> Array:
    taken: Array = self[_key(indices)]
    return taken


def _torch_gather(torch: Torch, self: Torch, indices: Torch, negative_index_support: bool) -> Torch:
    if self.dtype in (torch.uint16, torch.uint32, torch.uint64):
        return NotImplemented
    return self[_key(indices.long())]


def _drawn_rows(rng: Random, *, negative: bool) -> tuple[Shape, TensorArg, Shape]:
    """A shape, an index into it, and what that selects; one span fits all of its columns."""
    self = drawn_shape(rng, 1, 4)
    count = rng.randint(1, len(self))
    index = indices(rng, (*drawn_shape(rng, 0, 2), count), min(self[:count]), negative=negative)
    return self, index, (*index.shape[:-1], *self[count:])


def _gather_call(
    self: Shape, index: TensorArg, dtype: DataType = FLOAT, *, negative: bool = False
) -> Call:
    out = TensorArg((*index.shape[:-1], *self[index.shape[-1] :]), dtype)
    return call_of(
        self=TensorArg(self, dtype), indices=index, negativeIndexSupport=negative, out=out
    )


def _drawn_gather(rng: Random) -> Call:
    negative = rng.random() < 0.5
    self, index, _ = _drawn_rows(rng, negative=negative)
    return _gather_call(self, index, rng.choice((*_PLAIN, BF16)), negative=negative)


def _typical_rows(n: int) -> tuple[Shape, TensorArg]:
    shape = matrix_shape(n)
    return shape, TensorArg((n, 2), INT64, span=(0, min(shape)))


_GATHER_ND = Operator(
    "aclnnGatherNd",
    summary="Takes what rows of indices name.",
    formula=f"`out[i] = self[indices[i, 0], indices[i, 1], ...]`. {COPIED}",
    params=(
        TensorIn("self", "What is read.", chosen=True),
        _INDEX,
        Flag("negativeIndexSupport", "Whether negative indices count from the end.", default=False),
        TensorOut("out", "Result.", shape=SelectedByRows("self", "indices"), dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "indices", "out"),
        same_dtype("self", "out"),
        dtype_in(
            "self",
            *(only_on(dtype, *_KNOWN) for dtype in _PLAIN),
            NEW_BF16,
            *(only_on(dtype, A950) for dtype in (DOUBLE, INT16, *WIDE)),
        ),
        dtype_in("indices", *INDICES),
        rank_at_least("self", 1),
        rank_at_most("self", 8),
        rank_at_least("indices", 1),
        rank_at_most("indices", 8),
        _rows_fit("self"),
        shape_is("out", SelectedByRows("self", "indices"), _WORDS.format("self")),
        done_when_empty("self", "indices"),
        supported_on(*NEWER),
        inside_storage("self", "indices"),
    ),
    golden=_golden_gather,
    reference=_torch_gather,
    draw=_drawn_gather,
    typical=lambda n: _gather_call(*_typical_rows(n)),
    samples=(
        _gather_call((3, 2), TensorArg((2, 1), INT64, (2, 0))),
        _gather_call((3, 2), TensorArg((2,), INT32, (2, 1)), BF16),
        _gather_call((2, 2, 3), TensorArg((1, 2, 2), INT64, (1, 0, -1, -2)), INT8, negative=True),
        _gather_call((4,), TensorArg((2, 1), INT32, (3, 1)), DOUBLE).on(A950),
    ),
    notes=(INDEX_NOTE,),
)


def _golden_put(data: Array, indices: Ints, updates: Array) -> Array:
    import numpy as np

    result = np.array(data)
    result[_key(indices)] = updates
    return result


def _torch_put(torch: Torch, data: Torch, indices: Torch, updates: Torch) -> Torch:
    return torch.index_put(data, _key(indices.long()), updates)


def _nd_call(data: Shape, index: TensorArg, dtype: DataType = FLOAT) -> Call:
    updates = TensorArg((*index.shape[:-1], *data[index.shape[-1] :]), dtype)
    tensor = TensorArg(data, dtype)
    return call_of(data=tensor, indices=index, updates=updates, out=tensor)


def _of_variable(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function for an operator whose data is called varRef."""
    return lambda *head, var_ref, **others: function(*head, data=var_ref, **others)


def _as_update(call: Call) -> Call:
    """The same call of the twin."""
    names = {"data": "varRef"}
    arguments = {
        names.get(name, name): each for name, each in call.arguments.items() if name != "out"
    }
    return Call(arguments, call.product)


def _drawn_nd(rng: Random, *dtypes: DataType) -> Call:
    while True:
        data, index, updates = _drawn_rows(rng, negative=False)
        if updates:
            return _nd_call(data, index, rng.choice(dtypes))


_ND_SAMPLES = (
    _nd_call((3, 2), TensorArg((2, 1), INT64, (2, 0))),
    _nd_call((2, 2, 3), TensorArg((2, 2), INT32, (1, 0, 1, 1)), BF16),
    _nd_call((4,), TensorArg((3, 1), INT64, (3, 1, 3)), FLOAT16),
    _nd_call((2, 2), TensorArg((2, 2), INT32, (0, 1, 1, 1)), BOOL),
)

_SCATTER_ND = Operator(
    "aclnnScatterNd",
    summary="Puts updates where rows of indices say.",
    formula=f"`out = data`, then `out[indices[i, 0], ...] = updates[i]`. {COPIED} {_LAST_STAYS}",
    params=(
        TensorIn("data", "What is there first."),
        _INDEX,
        _UPDATES,
        TensorOut("out", "Result.", like="data"),
    ),
    checks=(
        not_null("data", "indices", "updates", "out"),
        dtype_in("data", FLOAT16, FLOAT, BOOL, NEW_BF16),
        dtype_in("indices", *INDICES),
        same_dtype("updates", "data"),
        same_dtype("out", "data"),
        *_ranks("data", "indices", "updates"),
        same_shape("out", "data"),
        _rows_fit("data", 0),
        shape_is("updates", SelectedByRows("data", "indices"), _WORDS.format("data")),
        done_when_empty("data", "indices"),
        supported_on(*NEWER),
        inside_storage("data", "indices", "updates"),
    ),
    golden=_golden_put,
    reference=_torch_put,
    draw=lambda rng: _drawn_nd(rng, FLOAT, FLOAT16, BOOL, BF16),
    typical=lambda n: _nd_call(*_typical_rows(n)),
    samples=_ND_SAMPLES,
    notes=NOTES,
)

_NEW = (BF16, INT64, INT8)
_SCATTER_ND_UPDATE = Operator(
    "aclnnScatterNdUpdate",
    summary="Puts updates where rows of indices say, in place.",
    formula=f"`varRef[indices[i, 0], indices[i, 1], ...] = updates[i]`. {COPIED} {_LAST_STAYS}",
    params=(
        TensorInOut("varRef", "What is there first, and where updates are put.", read_if=NEVER),
        _INDEX,
        _UPDATES,
    ),
    checks=(
        not_null("varRef", "indices", "updates"),
        dtype_in(
            "varRef",
            FLOAT,
            FLOAT16,
            BOOL,
            *(only_on(dtype, *NEWER) for dtype in _NEW),
            *(only_on(dtype, A3, A2) for dtype in (INT16, INT32)),
            *(only_on(dtype, A950) for dtype in (FLOAT8_E5M2, FLOAT8_E4M3FN, HIFLOAT8, UINT8)),
        ),
        dtype_in("indices", *INDICES),
        same_dtype("updates", "varRef"),
        done_when_empty("varRef", "indices", "updates"),
        supported_on(*NEWER),
        inside_storage("varRef", "indices", "updates"),
        inner(
            rank_at_most("varRef", 8),
            _rows_fit("varRef"),
            shape_is("updates", SelectedByRows("varRef", "indices"), _WORDS.format("varRef")),
        ),
    ),
    golden=_of_variable(_golden_put),
    reference=_of_variable(_torch_put),
    draw=lambda rng: _as_update(_drawn_nd(rng, FLOAT, FLOAT16, BOOL, BF16, INT64, INT8, INT16)),
    typical=lambda n: _as_update(_nd_call(*_typical_rows(n))),
    samples=(
        *map(_as_update, _ND_SAMPLES),
        _as_update(_nd_call((3,), TensorArg((1, 1), INT64, (2,)), UINT8)).on(A950),
    ),
    notes=(*NOTES, "The document wants at least two dimensions of indices; nobody checks."),
)

OPS = (_GATHER_ND, _SCATTER_ND, _SCATTER_ND_UPDATE)
