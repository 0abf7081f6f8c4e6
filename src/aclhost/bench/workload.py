# SPDX-License-Identifier: Apache-2.0
"""A call that is ready to be made, with all of its arrays in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

import aclhost
from aclhost import ops
from aclhost.spec.operator import Operator

if TYPE_CHECKING:
    import torch

    from aclhost.spec import call as described

Array: TypeAlias = npt.NDArray[np.generic]
Call: TypeAlias = Callable[[], object]

CONTIGUOUS, TRANSPOSED, BROADCAST = LAYOUTS = ("contiguous", "transposed", "broadcast")
BY_PYTHON_NAME = {op.snake_name: op for op in ops.ALL}
_PATTERN_LENGTH = 1 << 16
_PATTERNS = 128  # kept, as most cases want the same few


@dataclass(frozen=True)
class Workload:
    """The same work for aclhost and for others, on the same arrays.

    `values` are arrays and plain values by parameter; `moved` counts the bytes that have to be read
    or written once; `peer` makes torch's call, so that it is only looked at where torch is
    installed; `ufuncs` makes NumPy's, with its buffers.
    """

    operator: Operator
    values: Mapping[str, Any]
    moved: int
    peer: Callable[[], Call]
    ufuncs: Callable[[], Call] | None = None
    described: described.Call | None = None  # says more about scalars and formats

    @property
    def call(self) -> Call:
        """Of the Python function, with its results given."""
        function = getattr(aclhost, self.operator.snake_name)
        given = [self.values[param.name] for param in self.operator.python_params()]
        results = tuple(self.values[output.name] for output in self.operator.outputs)
        if not results:
            return written_out(function, *given)
        return written_out(function, *given, out=results if len(results) > 1 else results[0])


def written(
    operator: str,
    *arguments: object,
    moved: int,
    peer: Callable[[], Call],
    out: tuple[Array, ...] = (),
    ufuncs: Callable[[], Call] | None = None,
) -> Workload:
    """From the arguments of the Python function."""
    op = BY_PYTHON_NAME[operator]
    given = zip(op.python_params(), arguments, strict=True)
    results = zip(op.outputs, out, strict=True)
    values = {param.name: value for param, value in (*given, *results)}
    return Workload(op, values, moved, peer, ufuncs)


def dtype_of(name: str) -> np.dtype[np.generic]:
    """A NumPy dtype, bfloat16 and 8-bit floats included."""
    import ml_dtypes

    found: np.dtype[np.generic] = np.dtype(getattr(ml_dtypes, name, name))
    return found


def random_array(
    shape: tuple[int, ...], dtype: str, seed: int = 0, span: tuple[float, float] | None = None
) -> Array:
    """Values of the span [first, last), without one on both sides of 0.

    They repeat: drawing 1e8 of them would take longer than a case.
    """
    return np.resize(_pattern(dtype, seed, span), shape)


@lru_cache(_PATTERNS)
def _pattern(dtype: str, seed: int, span: tuple[float, float] | None) -> Array:
    rng, count, kind = np.random.default_rng(seed), _PATTERN_LENGTH + seed, dtype_of(dtype).kind

    def drawn() -> npt.NDArray[np.float64]:
        return rng.normal(0, 2, count) if span is None else rng.uniform(*span, count)

    pattern: npt.NDArray[np.number] = drawn()
    if kind == "c":
        pattern = pattern + 1j * drawn()
    elif kind in "iu":
        pattern = np.abs(pattern * 10) if span is None else np.floor(pattern)
    return pattern.astype(dtype_of(dtype))


def new_array(shape: tuple[int, ...], dtype: str) -> Array:
    """Room for a result, written once so that its pages exist."""
    return np.full(shape, 0, dtype_of(dtype))


def reversed_axes(array: Array, axes: int) -> Array:
    """The same values, with the last axes laid out in memory the other way round."""
    kept = array.ndim - axes
    order = (*range(kept), *range(array.ndim - 1, kept - 1, -1))
    return np.ascontiguousarray(array.transpose(order)).transpose(order)


def line(elements: int, dtype: str, seed: int, layout: str) -> Array:
    """One axis; otherwise two of them, transposed the other way round."""
    if layout == CONTIGUOUS:
        return random_array((elements,), dtype, seed)
    rows = int(elements**0.5)
    made = random_array((rows, elements // rows), dtype, seed)
    return reversed_axes(made, 2) if layout == TRANSPOSED else made


def tensor(array: Array) -> torch.Tensor:
    """The same memory as a tensor."""
    import torch

    if array.dtype.isbuiltin == 1:  # not of ml_dtypes
        return torch.from_numpy(array)
    bits = torch.from_numpy(array.view(f"u{array.itemsize}"))
    return bits.view(getattr(torch, array.dtype.name))


def written_out(function: Callable[..., object], *arguments: object, **keywords: object) -> Call:
    """The call as a program has it. partial() would copy its keywords every time, for 0.1 us."""
    values = {f"argument{i}": value for i, value in enumerate(arguments)}
    call = ", ".join([*values, *(f"{name}={name}" for name in keywords)])
    made: Call = eval(f"lambda: function({call})", {"function": function, **values, **keywords})
    return made


def aten(name: str, overload: str, *arguments: object, **outputs: object) -> Call:
    """Torch's own operator, without what `torch.nn.functional` adds."""
    import torch

    return written_out(getattr(getattr(torch.ops.aten, name), overload), *arguments, **outputs)
