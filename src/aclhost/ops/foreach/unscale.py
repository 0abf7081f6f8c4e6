# SPDX-License-Identifier: Apache-2.0
"""Scaled gradients made gradients again, and whether all of them are numbers."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import random_shape
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorInOut, TensorListInOut
from aclhost.spec.products import A2, A3, A950, P310P
from aclhost.spec.rules import (
    Condition,
    done_when,
    dtype_in,
    each,
    in_tiling,
    inside_storage,
    not_null,
    one_element,
    only_on,
    rank_at_most,
    requires,
    same_dtype,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import MEMBER, AtMost, Const, Empty, Equal, LengthOf, Not

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_GRADS = "scaledGrads"
_MOST = 256


def _golden(scaled_grads: Sequence[Array], found_inf: Array, inv_scale: Array) -> Any:  # noqa: ANN401
    """Found in what is given, not in what comes out."""
    import numpy as np

    is_found = not all(np.isfinite(each).all() for each in scaled_grads)
    found = np.ones_like(found_inf) if is_found else found_inf
    return [each * inv_scale.ravel()[0] for each in scaled_grads], found


def _reference(torch: Any, scaled_grads: Any, found_inf: Any, inv_scale: Any) -> Any:  # noqa: ANN401
    found = found_inf.float().reshape(1)
    grads = [each.clone() for each in scaled_grads]
    torch._amp_foreach_non_finite_check_and_unscale_(grads, found, inv_scale.float().reshape(1))
    return *grads, found.reshape(found_inf.shape)


def _call(shapes: Sequence[tuple[int, ...]], dtype: DataType) -> Call:
    grads = tuple(TensorArg(shape, dtype) for shape in shapes)
    return Call({
        _GRADS: grads,
        "foundInf": TensorArg((1,), FLOAT, span=(0.0, 1.0)),
        "invScale": TensorArg((1,), FLOAT, span=(0.125, 2.0)),
    })  # fmt: skip


def _drawn(rng: Random) -> Call:
    shapes = [random_shape(rng) for _ in range(rng.randint(1, 5))]
    filled = [tuple(length or 1 for length in shape) for shape in shapes]
    return _call(filled, rng.choice((FLOAT, FLOAT16, BF16)))


_COUNT = requires(
    "most_members",
    _GRADS,
    AtMost(LengthOf(_GRADS), Const(_MOST)),
    f"{_GRADS} must have at most {_MOST} members",
    (Shown("integer", LengthOf(_GRADS)),),
    "Pass the tensors in several calls.",
)
_NOT_EMPTY = requires(
    "not_empty", MEMBER, Not(Empty(MEMBER)), f"{MEMBER} must not be empty", (),
    f"Leave {MEMBER} out.",
)  # fmt: skip

OP = Operator(
    "aclnnForeachNonFiniteCheckAndUnscale",
    summary="Multiplies tensors in place by a factor, and says whether any had no number in it.",
    formula="`scaledGrads[i] = scaledGrads[i] * invScale`; `foundInf = 1` if some element of them "
    "was infinite or NaN before, else it stays as it is",
    params=(
        TensorListInOut(_GRADS, "Tensors, overwritten with the results."),
        TensorInOut("foundInf", "Set to 1 if not all elements are finite.", is_const=True),
        TensorIn("invScale", "The factor."),
    ),
    checks=(
        not_null(_GRADS, "foundInf", "invScale"),
        each(_GRADS, not_null(MEMBER)),
        done_when(Condition(Equal(LengthOf(_GRADS), Const(0)), f"{_GRADS} has no members")),
        dtype_in(_GRADS, FLOAT, FLOAT16, only_on(BF16, A950, A3, A2)),
        dtype_in("foundInf", FLOAT),
        dtype_in("invScale", FLOAT),
        supported_on(A950, A3, A2, P310P),
        each(_GRADS, inside_storage(MEMBER)),
        in_tiling(
            _COUNT,
            each(_GRADS, same_dtype(MEMBER, _GRADS), rank_at_most(MEMBER, 8), _NOT_EMPTY),
            one_element("foundInf"),
            one_element("invScale"),
        ),
    ),
    golden=_golden,
    reference=_reference,
    draw=_drawn,
    typical=lambda elements: _call([(max(elements // 4, 1),)] * 4, FLOAT),
    samples=tuple(_call([(2, 3), (4,), ()], dtype) for dtype in (FLOAT, FLOAT16, BF16)),
    notes=("FLOAT16 and BF16 are multiplied in float and rounded once.",),
)
