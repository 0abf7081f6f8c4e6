# SPDX-License-Identifier: Apache-2.0
"""Lists of tensors that become one."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.shape.build import (
    DIM,
    REALS,
    known_to_torch,
    some_shape,
)
from aclhost.ops.shape.join_checks import (
    CAT_CHECKS,
    CAT_SHAPE,
    COMMON,
    COMMON_OF_ALL,
    STACK_CHECKS,
    STACK_SHAPE,
)
from aclhost.spec import dtypes
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT32,
    INT64,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorList, TensorOut
from aclhost.spec.products import A950

if TYPE_CHECKING:
    from aclhost.spec.golden import Array


def _cat(tensors: Sequence[Array], dim: int) -> Array:
    import numpy as np

    joined = [each for each in tensors if each.shape != (0,)]
    return np.concatenate(joined, dim) if joined else np.array(tensors[0])


def _torch_cat(torch: Any, tensors: Sequence[Any], dim: int) -> Any:  # noqa: ANN401
    return torch.cat(list(tensors), dim) if known_to_torch(torch, *tensors) else NotImplemented


def _stack(tensors: Sequence[Array], dim: int) -> Array:
    import numpy as np

    return np.stack(list(tensors), dim)


def _torch_stack(torch: Any, tensors: Sequence[Any], dim: int) -> Any:  # noqa: ANN401
    if len({each.dtype for each in tensors}) > 1 or not known_to_torch(torch, *tensors):
        return NotImplemented
    return torch.stack(list(tensors), dim)


def _call(members: Sequence[TensorArg], dim: int, *, stacked: bool = False) -> Call:
    call = Call({"tensors": tuple(members), "dim": dim})
    common, shape = (COMMON_OF_ALL, STACK_SHAPE) if stacked else (COMMON, CAT_SHAPE)
    dtype = dtypes.BY_VALUE[common.evaluate(call)]
    return call.passing(out=TensorArg(shape.evaluate(call), dtype))


def _member(shape: tuple[int, ...], rng: Random, choices: Sequence[DataType]) -> TensorArg:
    return TensorArg(shape, rng.choice(choices))


def _mixture(rng: Random) -> Sequence[DataType]:
    """One dtype, or several that have one in common."""
    one = rng.choice((*REALS, BF16, COMPLEX64))
    return rng.choice(((one,), (one,), (INT8, INT32, FLOAT, BOOL), (FLOAT16, BF16, INT64, BOOL)))


def _draw_cat(rng: Random) -> Call:
    shape = list(some_shape(rng, least=1))
    dim, choices, members = rng.randrange(-len(shape), len(shape)), _mixture(rng), []
    for _ in range(rng.randint(1, 5)):
        shape[dim] = rng.choice((0, 1, 2, 3, 7))
        members.append(_member(tuple(shape), rng, choices))
    if len(members) > 1 and rng.random() < 0.2:
        members[rng.randrange(len(members))] = TensorArg((0,), DOUBLE)
    return _call(members, dim)


def _draw_stack(rng: Random) -> Call:
    shape, choices = some_shape(rng), _mixture(rng)
    members = [_member(shape, rng, choices) for _ in range(rng.randint(1, 5))]
    return _call(members, rng.randint(-len(shape) - 1, len(shape)), stacked=True)


_TENSORS = TensorList("tensors", "What is joined.")


def _typical(n: int, *, stacked: bool = False) -> Call:
    return _call([TensorArg((max(n // 768, 1), 256))] * 3, -1, stacked=stacked)


CAT = Operator(
    "aclnnCat",
    summary="Joins tensors along a dimension.",
    formula="`out` is `tensors[0]`, `tensors[1]`, ... one after the other along `dim`.",
    params=(_TENSORS, DIM, TensorOut("out", "Result.", shape=CAT_SHAPE, dtype=COMMON)),
    checks=CAT_CHECKS,
    golden=_cat,
    reference=_torch_cat,
    samples=(
        _call((TensorArg((2, 3)), TensorArg((2, 1))), 1),
        _call((TensorArg((2, 3), INT32), TensorArg((1, 3), FLOAT16)), -2),
        _call((TensorArg((0,), DOUBLE), TensorArg((2, 2)), TensorArg((0,))), 0),
        _call((TensorArg((3,), COMPLEX64), TensorArg((0,)), TensorArg((2,), BOOL)), 0),
        _call((TensorArg((1, 2)), TensorArg((0, 2))), 0),
        _call((TensorArg((0,)),), 0),
        _call((TensorArg((2, 2), DOUBLE),) * 40, 0),
        _call((TensorArg((2,), dtypes.UINT64),) * 2, 0).on(A950),
        _call((TensorArg((2,), dtypes.FLOAT8_E5M2), TensorArg((1,), BF16)), 0).on(A950),
    ),
    draw=_draw_cat,
    typical=_typical,
    formats="All tensors and out carry the same label, which is no private one.",
    notes=(
        "Tensors of shape [0] are left out before anything else is looked at.",
        "Elements are converted to the common dtype, then to that of out; a single tensor with "
        "elements is converted to that of out at once.",
        "Ascend 950 knows FLOAT4_E1M2 and FLOAT4_E2M1, too; aclhost refuses them.",
    ),
)

STACK = Operator(
    "aclnnStack",
    summary="Joins tensors of one shape along a new dimension.",
    formula="Index `i` along the new dimension `dim` of `out` is `tensors[i]`.",
    params=(_TENSORS, DIM, TensorOut("out", "Result.", shape=STACK_SHAPE, dtype=COMMON_OF_ALL)),
    checks=STACK_CHECKS,
    golden=_stack,
    reference=_torch_stack,
    samples=(
        _call((TensorArg((2, 3)),) * 2, 0, stacked=True),
        _call((TensorArg((2, 3), INT32), TensorArg((2, 3), BF16)), -1, stacked=True),
        _call((TensorArg(()),) * 3, 0, stacked=True),
        _call((TensorArg((2,), COMPLEX128),) * 40, 1, stacked=True),
        _call((TensorArg((0, 2)),) * 2, 1, stacked=True),
        _call((TensorArg((2,), dtypes.UINT16),) * 2, 1, stacked=True),
    ),
    draw=_draw_stack,
    typical=lambda n: _typical(n, stacked=True),
    notes=(
        "Elements are converted to the common dtype, then to that of out.",
        "Upstream reads the first of a list that has none; aclhost refuses it.",
    ),
)

OPS = (CAT, STACK)
