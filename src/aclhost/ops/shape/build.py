# SPDX-License-Identifier: Apache-2.0
"""What declarations of operators that merely move elements share."""

from __future__ import annotations

from random import Random
from typing import Any

from aclhost.spec.call import Argument, Call
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
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
    UINT16,
    UINT32,
    UINT64,
    DataType,
)
from aclhost.spec.params import Int, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import only_on
from aclhost.spec.rules.base import Rule
from aclhost.spec.rules.dtype import Limited

Rules = tuple[Rule, ...]
Dtypes = tuple[DataType | Limited, ...]

NEWER = (A950, A3, A2)
NEW_BF16 = only_on(BF16, *NEWER)
SIGNED = (INT8, INT16, INT32, INT64)
UNSIGNED = (UINT16, UINT32, UINT64)
COMPLEX = (COMPLEX64, COMPLEX128)
PLAIN = (FLOAT, FLOAT16, *SIGNED, UINT8, BOOL)
EIGHT_BITS = tuple(only_on(dtype, A950) for dtype in (HIFLOAT8, FLOAT8_E5M2, FLOAT8_E4M3FN))
REALS = (*PLAIN, DOUBLE)

SAME_FORMAT = "Any label. When the input is not labelled ND, out must carry the same one."
SELF = TensorIn("self", "Input.")
LIKE_SELF = TensorOut("out", "Result.", like="self")
DIM = Int("dim", "The dimension; below 0 from the end.", default=0)


def on_newer(*dtypes: Any) -> tuple[Limited, ...]:  # noqa: ANN401
    """Dtypes that only A950, A3 and A2 know."""
    return tuple(only_on(dtype, *NEWER) for dtype in dtypes)


def call_like(like: str = "", **arguments: Argument) -> Call:
    """A call whose result is like another tensor, if it has one."""
    call = Call(arguments)
    return call.passing(out=call.tensor(like)) if like else call


def some_shape(rng: Random, least: int = 0, most: int = 4, longest: int = 5) -> tuple[int, ...]:
    """Of a rank between two; seldom empty."""
    shape = [rng.randint(1, longest) for _ in range(rng.randint(least, most))]
    if shape and rng.random() < 0.04:
        shape[rng.randrange(len(shape))] = 0
    return tuple(shape)


def known_to_torch(torch: Any, *tensors: Any) -> bool:  # noqa: ANN401
    """Whether torch moves elements of these dtypes."""
    unsigned = (torch.uint16, torch.uint32, torch.uint64)
    return all(each.dtype not in unsigned for each in tensors)
