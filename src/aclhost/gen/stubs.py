# SPDX-License-Identifier: Apache-2.0
"""python/aclhost/_native.pyi: types and docstrings of the native module."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from aclhost import ops
from aclhost.gen.python_text import docstring, signature
from aclhost.spec.operator import Operator

_HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Generated from src/aclhost/ops: edit those files.
from collections.abc import Sequence
from typing import Any, SupportsComplex, SupportsFloat, SupportsInt, TypeAlias, TypeVar

ArrayT = TypeVar("ArrayT")
ScalarLike: TypeAlias = SupportsFloat | SupportsInt | SupportsComplex
DTypeLike: TypeAlias = object  # NumPy's or torch's, a name, or a number of aclDataType

def select_soc(name: str | None) -> None:
    """Plays another SoC from now on; None goes back to ACLHOST_SOC."""

def soc_name() -> str:
    """The SoC that is being played."""

def live_objects() -> dict[str, int]:
    """How many objects of each kind exist in the runtime."""

def instruction_set() -> str:
    """Which version of the kernels runs here: baseline, avx2 or avx512."""

def thread_count() -> int:
    """How many threads work on one call."""

def describe_blas() -> str:
    """What computes matrix products: OpenBLAS with version and kernel, or plain loops."""

def result_memory() -> dict[str, int]:
    """What waits for the next large results: bytes kept, in how many buffers, and the limit."""

def finish_imports() -> None: ...
def note_python_frames() -> None:
    """For strict mode: the lines of Python that the next call of this thread comes from."""

def forget_python_frames() -> None:
    """The call that was noted has returned."""

def call_counts() -> dict[str, tuple[int, int]]:
    """How often this process called each operator, and how many of these calls were refused."""

def compare_lines(
    actual: object,
    expected: object,
    actual_rounded: object | None,
    expected_rounded: object | None,
    ulps_of: int,
    rtol: float,
    atol: float,
    worst: int,
    start: int,
    cells: object,
    height: int,
    rows: int,
    columns: int,
) -> dict[str, Any]:
    """The sums of aclhost.compare over two lines; cells are raised to the largest errors."""

def stream_add(a: object, b: object, c: object) -> None:
    """The benchmark's streaming limit: c = a + b for aligned, equally long float32 lines."""

class CLoop:
    """The benchmark's loop through both C functions of an operator and a synchronisation.

    Functions and stream are addresses; of phase 1, the words are all arguments that are no
    numbers, without the last two.
    """

    def __init__(
        self,
        phase_one: int,
        phase_two: int,
        words: Sequence[int],
        numbers: Sequence[float],
        stream: int,
    ) -> None: ...
    def run(self, calls: int) -> int:
        """Their last status: of the first that failed, or 0."""
    def free(self) -> None:
        """Gives the workspace back, before the device is reset."""

'''


def _function(op: Operator) -> str:
    doc = textwrap.indent(f'"""{docstring(op)}\n"""', "    ")
    return f"def {signature(op)}:\n{doc}\n"


def emit() -> Iterator[tuple[str, str]]:
    """The stub, and the list of functions that the package re-exports."""
    functions = "\n".join(_function(op) for op in ops.ALL)
    yield "python/aclhost/_native.pyi", _HEAD + functions
    names = [op.snake_name for op in ops.ALL]
    imports = "".join(f"    {name},\n" for name in names)
    exports = "".join(f'    "{name}",\n' for name in names)
    yield (
        "python/aclhost/_functions.py",
        "# SPDX-License-Identifier: Apache-2.0\n"
        "# Generated from src/aclhost/ops: edit those files.\n"
        '"""The operators as Python functions."""\n\n'
        f"from aclhost._native import (\n{imports})\n\n__all__ = [\n{exports}]\n",
    )
