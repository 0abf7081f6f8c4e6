# SPDX-License-Identifier: Apache-2.0
"""Every operator that is measured can be called through both doors; times are not looked at."""

from __future__ import annotations

import ctypes
import shutil
from contextlib import ExitStack

import pytest
from rich.console import Console

from aclhost import aclnn
from aclhost.bench import derived
from aclhost.bench.cases import BY_HAND
from aclhost.spec.evaluate import evaluate
from benchmarks import common_calls, doors

needs_compiler = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


def test_operators_without_a_common_call_have_one_here():
    assert set(common_calls.NAMES) == set(BY_HAND) - set(derived.BY_PYTHON_NAME)


@pytest.mark.parametrize("name", common_calls.NAMES)
def test_common_calls_are_allowed(name):
    op = next(op for op in doors.ops.ALL if op.snake_name == name)
    outcome = evaluate(op, common_calls.common_call(name))
    assert outcome.rule is None
    assert not outcome.idle


@needs_compiler
def test_a_table_of_both_doors():
    names = ("elu_backward", "max_unpool3d", "cat", "sort")
    found = list(doors.measure(names, seconds=0.001, rounds=1))
    assert [one.operator for one in found] == list(names)
    assert all(one.python > 0 and one.c > 0 and one.ratio > 0 for one in found)
    console = Console(record=True, width=120)
    console.print(doors.table(found))
    text = console.export_text()
    assert all(word in text for word in (*names, "Python", "C ABI"))
    assert [figure.unit for figure in doors.figures(found)] == ["ratio", "ratio"]


@needs_compiler
def test_the_loop_computes_what_python_does():
    op = next(op for op in doors.ops.ALL if op.snake_name == "elu_backward")
    call = common_calls.common_call(op.snake_name)
    values = derived.values_of(op, call)
    loop = doors.compiled_loop()
    with doors.a_stream() as stream, ExitStack() as end:
        arguments = [
            doors.c_argument(param, call.arguments[param.name], values[param.name], end)
            for param in op.params
        ]
        given = (doors.CArgument * len(arguments))(*arguments)
        assert loop(doors.ops.ALL.index(op), given, len(given), 2, stream) == 0
        result = arguments[[param.name for param in op.params].index("gradInput")].tensor
        address, status = aclnn.aclGetRawTensorAddr(result)
        assert status == 0
        derived.own_call(op, values)()
        expected = values["gradInput"]
        assert expected.any()
        assert ctypes.string_at(address, expected.nbytes) == expected.tobytes()
