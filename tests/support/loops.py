# SPDX-License-Identifier: Apache-2.0
"""Operators of every shape that loops come in, and a library with their loops."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
from pathlib import Path

import numpy as np

from aclhost.gen import emit_all
from aclhost.gen.loops import kernel_source
from aclhost.spec import dtypes, math
from aclhost.spec.dtypes import BOOL, COMPLEX64, COMPLEX128, DOUBLE, FLOAT, INT64
from aclhost.spec.math import cast, complex_, exp, maximum, minimum, sigmoid, where
from aclhost.spec.operator import Operator
from aclhost.spec.params import Scalar, TensorIn, TensorOut
from aclhost.spec.pointwise import NumberFrom, Pointwise
from aclhost.spec.terms import DtypeOf, Equal, const, promoted
from aclhost.spec.trace import Function

ROOT = Path(__file__).resolve().parents[2]
FLOATS = (FLOAT, dtypes.FLOAT16, dtypes.BF16, DOUBLE)
SIGNED = (dtypes.INT8, dtypes.INT16, dtypes.INT32, INT64)
UNSIGNED = (dtypes.UINT8, dtypes.UINT16, dtypes.UINT32, dtypes.UINT64)
COMPLEX = (COMPLEX64, COMPLEX128)
NUMBERS = (*FLOATS, *SIGNED, *UNSIGNED, *COMPLEX)
DOMAINS = {"b": (BOOL,), "u": UNSIGNED, "i": SIGNED, "r": FLOATS, "c": COMPLEX}
COMPUTED = promoted("self", "other")
ARITY = {"where": 3} | dict.fromkeys(
    ("atan2", "power", "fmod", "remainder", "floor_divide", "trunc_divide", "gcd", "minimum",
     "maximum", "copysign", "make_complex"), 2
)  # fmt: skip


def operator(name, function, types, inputs=("self", "other"), numbers=(), outputs=("out",), **more):
    """An operator with nothing but a kernel."""
    numbers = tuple(NumberFrom(n) if isinstance(n, str) else n for n in numbers)
    params = (
        *(TensorIn(each, "") for each in inputs),
        *(Scalar(each.parameter, "") for each in numbers),
        *(TensorOut(each, "", like=inputs[0]) for each in outputs),
    )
    kernel = Pointwise(inputs, outputs, numbers, COMPUTED, function, types, **more)
    return Operator(
        name=f"aclnn{name}", summary="", formula="", params=params, checks=(),
        golden=lambda: None, samples=(), kernel=kernel,
    )  # fmt: skip


def silu_backward(g, x):
    """The example of the design."""
    s = sigmoid(x)
    return g * s * (1 + x * (1 - s))


def halves(x):
    """Branches while it is traced."""
    return x >> 1 if x.is_integer else x / 2


ONE = ("self",)
OPERATORS = (
    operator("Silu", lambda x: x / (1 + exp(-x)), FLOATS, ONE),
    operator("InplaceSilu", lambda x: x / (1 + exp(-x)), FLOATS, ONE, outputs=ONE),
    operator("SiluBackward", silu_backward, FLOATS),
    operator("Add", lambda x, y, a: x + a * y, (*NUMBERS, BOOL), numbers=("alpha",)),
    operator("Rsub", lambda x, y, a: y - a * x, (*NUMBERS, BOOL), numbers=("alpha",)),
    operator("Div", lambda x, y: x / y, (*FLOATS, *COMPLEX, dtypes.INT32), results=COMPUTED),
    operator("Negated", lambda x: (-x, abs(x)), (*FLOATS, *SIGNED), ONE, outputs=("a", "b")),
    operator("Butterfly", lambda x, y: (x + y, x - y), NUMBERS, outputs=("a", "b")),
    operator("Less", lambda x, y: x < y, (*FLOATS, *SIGNED, *UNSIGNED, BOOL)),
    operator("NotEqual", lambda x, y: x != y, (*NUMBERS, BOOL)),
    operator("And", math.logical_and, (*NUMBERS, BOOL)),
    operator("Not", math.logical_not, (*NUMBERS, BOOL), ONE),
    operator("IsFinite", math.isfinite, (*NUMBERS, BOOL), ONE),
    operator("BitAnd", lambda x, y: x & y, (*SIGNED, *UNSIGNED, BOOL)),
    operator("BitXor", lambda x, y: x ^ y | ~x, (*SIGNED, *UNSIGNED, BOOL)),
    operator("Left", lambda x, y: x << y, (*SIGNED, *UNSIGNED)),
    operator("Right", lambda x, y: x >> y, (*SIGNED, *UNSIGNED)),
    operator("Modulo", lambda x, y: (x // y, x % y), (*FLOATS, *SIGNED, *UNSIGNED),
             outputs=("a", "b")),
    operator("Powers", lambda x: x**3 + x**2 + 1, NUMBERS, ONE),
    operator("Halves", halves, (*FLOATS, *SIGNED, *UNSIGNED), ONE),
    operator("Clamp", lambda x, low, high: minimum(maximum(x, low), high), (*FLOATS, *SIGNED), ONE,
             (NumberFrom("low", absent="least"), NumberFrom("high", absent="most"))),
    operator("Masked", lambda mask, x, y, scale: where(mask, x * scale, y), (*FLOATS, *SIGNED),
             ("mask", "self", "other"), (NumberFrom("scale", const(FLOAT)),),
             input_dtypes=(const(BOOL), None, None), results=COMPUTED),
    operator("Decimals", lambda x, d: x * 10.0 ** cast(d, "real"), (FLOAT, DOUBLE), ONE,
             (NumberFrom("decimals", const(INT64)),)),
    operator("Rotate", lambda x: complex_(math.cos(x), math.sin(x)), (FLOAT, DOUBLE), ONE,
             results=COMPUTED),
    operator("Round", math.trunc, FLOATS, variants=(), inputs=ONE),
    operator("Modes", lambda x, y: x / y, FLOATS, variant=Equal(DtypeOf("self"), const(FLOAT)),
             variants=(math.floor_divide, math.trunc_divide)),
)  # fmt: skip


def vocabulary():
    """An operator for every function that declarations can call."""
    for name, function in vars(math).items():
        if isinstance(function, Function):
            inputs = ("self", "other", "third")[: ARITY.get(function.name, 1)]
            types = tuple(dtype for letter in function.on for dtype in DOMAINS[letter])
            title = f"Function{name.strip('_').title().replace('_', '')}"
            yield operator(title, function, types, inputs, results=COMPUTED)


ALL = {op.name: op for op in (*OPERATORS, *vocabulary())}
_FLAGS = (
    "-std=c++17", "-shared", "-fPIC", "-O3", "-march=native", "-Wall", "-Wextra", "-Werror",
    "-Wno-psabi", "-Wno-uninitialized", "-ffp-contract=off", "-fno-math-errno",
    "-fno-trapping-math", "-fopt-info-vec-optimized", "-DACLHOST_ISA=tested",
)  # fmt: skip


class Loops:
    """The compiled loops of all operators."""

    def __init__(self, folder: Path) -> None:
        self.terms = []
        self.source = kernel_source("a test", list(ALL.values()), self._position)
        cases = "".join(f'{{"{name}", aclhost::kernel_{name}}},\n' for name in ALL)
        headers = {name: text for name, text in emit_all() if name.endswith(".h")}
        files = {"kernels.cc": self.source, "cases.inc": cases, **headers}
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        native = ("base/status.cc", "simd/math_complex.cc")
        sources = (ROOT / "tests/support/loop_runner.cc", *(ROOT / "native" / n for n in native))
        folders = (folder, folder / "include", folder / "native", ROOT / "native")
        library = folder / "loops.so"
        compiler = os.environ.get("CXX", "g++")
        command = [compiler, *_FLAGS, *(f"-I{each}" for each in folders), *sources, "-o", library]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self.report = done.stderr
        self.library = ctypes.CDLL(str(library))
        self.library.find_loop.restype = ctypes.c_void_p

    def _position(self, op, term):
        if term not in self.terms:
            self.terms.append(term)
        return self.terms.index(term)

    def tables(self, name):
        """The kernel's own numbers, then its inputs, outputs and numbers."""
        values = (ctypes.c_int * 64)()
        count = self.library.table_values(name.encode(), values)
        rows = " ".join(map(str, values[:count])).split("-9")
        return [[int(value) for value in row.split()] for row in rows]

    def run(self, name, dtype, inputs, outputs, numbers=(), variant=0):
        """One loop on arrays as they are."""
        address = self.library.find_loop(name.encode(), variant, dtype.value)
        assert address, f"{name} has no loop for {dtype}"
        loop = ctypes.CFUNCTYPE(
            None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p
        )(address)
        stored = np.zeros(16 * max(1, len(numbers)), np.uint8)
        for i, number in enumerate(numbers):
            stored[16 * i : 16 * i + number.nbytes] = np.atleast_1d(number).view(np.uint8)
        loop(_pointers(inputs), _pointers(outputs), len(inputs[0]), stored.ctypes.data)

    def vectorized_lines(self):
        """Lines of the generated source at which the compiler reports vectors."""
        found = re.findall(r"kernels\.cc:(\d+):\d+: optimized: loop vectorized", self.report)
        return {int(line) for line in found}


def _pointers(arrays):
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
