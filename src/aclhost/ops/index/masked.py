# SPDX-License-Identifier: Apache-2.0
"""Elements put where a mask selects."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import COPIED, NEW_BF16, NEWER, REALS, call_of, drawn_shape
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import BF16, BOOL, FLOAT16, INT64, UINT8
from aclhost.spec.operator import Operator
from aclhost.spec.params import NEVER, TensorIn, TensorInOut
from aclhost.spec.rules import (
    broadcastable,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    rank_at_most,
    same_dtype,
    shape_is,
    supported_on,
)
from aclhost.spec.shapes import Broadcast

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any


def _golden(self_ref: Array, mask: Array, source: Array) -> Array:
    import numpy as np

    result = np.array(self_ref)
    chosen = np.broadcast_to(np.asarray(mask) != 0, result.shape)
    result[chosen] = np.ravel(source)[: np.count_nonzero(chosen)]
    return result


def _torch(torch: Torch, self_ref: Torch, mask: Torch, source: Torch) -> Torch:
    return torch.masked_scatter(self_ref, mask.bool(), source)


def _call(self_ref: TensorArg, mask: TensorArg, source: tuple[int, ...]) -> Call:
    return call_of(selfRef=self_ref, mask=mask, source=TensorArg(source, self_ref.dtype))


def _draw(rng: Random) -> Call:
    shape = drawn_shape(rng)
    mask = tuple(rng.choice((1, length, length)) for length in shape)
    mask = mask[rng.choice((0, 0, rng.randint(0, len(shape)))) :]
    chosen = TensorArg(mask, rng.choice((BOOL, UINT8)), span=(0, 2))
    source = rng.choice((shape, (2, *shape)))
    return _call(TensorArg(shape, rng.choice((*REALS, BF16))), chosen, source)


OP = Operator(
    "aclnnInplaceMaskedScatter",
    summary="Puts elements where a mask selects.",
    formula="The k-th selected element of selfRef, in row-major order, becomes the k-th of source. "
    + COPIED,
    params=(
        TensorInOut("selfRef", "What is changed.", read_if=NEVER),
        TensorIn("mask", "Which elements; what is not 0 selects."),
        TensorIn("source", "At least as many elements as are selected."),
    ),
    checks=(
        not_null("selfRef", "mask", "source"),
        dtype_in("selfRef", *REALS, NEW_BF16),
        dtype_in("mask", UINT8, BOOL),
        same_dtype("source", "selfRef"),
        rank_at_most("selfRef", 8),
        rank_at_most("mask", 8),
        rank_at_most("source", 8),
        broadcastable("mask", "selfRef"),
        shape_is("selfRef", Broadcast(("selfRef", "mask")), "to which mask broadcasts with it"),
        done_when_empty("selfRef", "mask"),
        supported_on(*NEWER),
        inside_storage("selfRef", "mask", "source"),
    ),
    golden=_golden,
    reference=_torch,
    draw=_draw,
    typical=lambda n: _call(
        TensorArg(matrix_shape(n)), TensorArg(matrix_shape(n), BOOL), matrix_shape(n)
    ),
    samples=(
        _call(TensorArg((2, 3)), TensorArg((2, 3), BOOL, (1, 0, 1, 0, 0, 1)), (3,)),
        _call(TensorArg((2, 3), FLOAT16), TensorArg((2, 1), UINT8, (0, 1)), (2, 2)),
        _call(TensorArg((2, 2), INT64), TensorArg((), BOOL, (0,)), (0,)),
        _call(TensorArg((), BF16), TensorArg((), BOOL, (1,)), ()),
        _call(TensorArg((0, 2)), TensorArg((2,), BOOL), (4,)),
    ),
    notes=(
        "A source with fewer elements than are selected changes nothing: the next synchronisation "
        "of the stream returns 507015, and in Python the call raises AclnnError. Upstream does not "
        "look.",
        "A mask of higher rank than selfRef is refused; upstream's code forgets it where all "
        "lengths that both have are equal.",
    ),
)
