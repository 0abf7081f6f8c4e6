# SPDX-License-Identifier: Apache-2.0
"""The numbers that lists are computed with: their dtypes, and what torch takes for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aclhost.ops.foreach.checks import Dtypes
from aclhost.spec.dtypes import (
    BF16,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    DataType,
)
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import only_on
from aclhost.spec.rules.dtype import Limited

REALS: Dtypes = (FLOAT, FLOAT16, BF16)
WITH_INT32: Dtypes = (*REALS, INT32)
_NARROW = (INT16, INT8, UINT8)
ALL: Dtypes = (*WITH_INT32, *_NARROW)
NARROW_BEFORE_950: Dtypes = (*WITH_INT32, *(only_on(dtype, A3, A2) for dtype in _NARROW))
REALS_ON_950: Dtypes = (*REALS, *(only_on(dtype, A3, A2) for dtype in _NARROW))
_FLOAT_ON_950: Dtypes = (only_on(FLOAT, A950),)

Numbers = dict[DataType, Dtypes]
Torch = Any  # the module, or one of its tensors


def _beside(dtypes: Dtypes, single: Dtypes, half: Dtypes, whole: Dtypes) -> Numbers:
    """Which ones go with FLOAT and BF16, with FLOAT16, and with integers."""
    found: Numbers = {}
    for entry in dtypes:
        dtype = entry.dtype if isinstance(entry, Limited) else entry
        of_floats = half if dtype is FLOAT16 else single
        found[dtype] = of_floats if dtype in REALS else whole
    return found


def in_list(dtypes: Dtypes, *more: DataType) -> Numbers:
    """Of a list of scalars, or of a scalar that upstream's generated phase 1 takes."""
    return _beside(dtypes, (FLOAT, *more), (FLOAT, *more), (INT64,))


def in_tensor(dtypes: Dtypes, *, float_on_950: bool = False) -> Numbers:
    """Of a tensor that holds one."""
    half: Dtypes = (FLOAT16, *(_FLOAT_ON_950 if float_on_950 else ()))
    return _beside(dtypes, (FLOAT,), half, (INT32,))


def stated(dtypes: Dtypes, *, float_on_950: bool = False) -> Numbers:
    """Of those that upstream's phase 1 checks by hand."""
    half: Dtypes = (FLOAT16, DOUBLE, *(_FLOAT_ON_950 if float_on_950 else ()))
    return _beside(dtypes, (FLOAT, DOUBLE), half, (INT32, INT64))


def like_tensors(dtypes: Dtypes) -> Numbers:
    """Of a tensor that holds one for each member: of the members' dtype."""
    return {dtype: (dtype,) for dtype in dtypes if isinstance(dtype, DataType)}


def torch_foreach(name: str) -> Callable[..., Any]:
    """Torch's function on lists, with numbers of the tensors' kind."""

    def reference(torch: Torch, **arguments: Any) -> Torch:  # noqa: ANN401
        tensors = arguments["x"] if "x" in arguments else arguments["x1"]
        whole = not tensors[0].is_floating_point()
        given = {word: _taken(torch, word, each, whole) for word, each in arguments.items()}
        words = {"alpha": given.pop("alpha")} if "alpha" in given else {}
        return getattr(torch, f"_foreach_{name}")(*given.values(), **words)

    return reference


def _taken(torch: Torch, word: str, value: Any, whole: bool) -> Any:  # noqa: ANN401
    if torch.is_tensor(value):
        value = value.tolist() if word == "scalars" else value.item()
    if isinstance(value, list):
        return [each if torch.is_tensor(each) else _plain(each, whole) for each in value]
    return _plain(value, whole)


def _plain(value: float, whole: bool) -> float:
    return int(value) if whole else float(value)
