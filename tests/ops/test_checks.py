# SPDX-License-Identifier: Apache-2.0
"""Every declared check, violated through the C ABI and through Python.

The calls are found by search (support/broken.py); library and evaluator must say the same.
"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from support.broken import Broken, broken_calls

import aclhost
from aclhost import acl, ops
from aclhost.acl import _capi
from aclhost.calls import abi
from aclhost.calls.python_call import NotExpressibleError, call_function
from aclhost.calls.values import SENTINEL, flat
from aclhost.spec.evaluate import evaluate
from aclhost.spec.operator import Operator

EACH = pytest.mark.parametrize("op", ops.ALL, ids=lambda op: op.name)


def cases(op: Operator) -> list[Broken]:
    return [case for calls in broken_calls(op).values() for case in calls]


@EACH
def test_every_rule_can_be_broken(op: Operator) -> None:
    unbroken = set(range(1, len(op.rules) + 1)) - broken_calls(op).keys()
    rules = [(number, op.rules[number - 1].sentence()) for number in sorted(unbroken)]
    assert not rules, "no call breaks these first, so nobody can meet them"


@EACH
def test_samples_break_nothing(op: Operator) -> None:
    for call in op.samples:
        assert evaluate(op, call).rule is None


def assert_nothing_written(case: Broken, prepared: abi.Prepared) -> None:
    for output in case.op.outputs:
        if output.name in prepared.storages:
            prepared.fetch(output.name)
            assert set(prepared.storages[output.name].memory.tobytes()) <= {SENTINEL}


def assert_refused_early(case: Broken, prepared: abi.Prepared) -> None:
    workspace, executor = ctypes.c_uint64(12345), ctypes.c_void_p(67890)
    handles = [prepared.handles[param.name] for param in case.op.params]
    function = getattr(_capi.library(), f"{case.op.name}GetWorkspaceSize")
    status = function(*handles, ctypes.byref(workspace), ctypes.byref(executor))
    assert status == case.outcome.status, acl.get_recent_err_msg()
    assert (workspace.value, executor.value) == (12345, 67890)


def assert_refused_late(case: Broken, prepared: abi.Prepared, stream: int) -> None:
    size, executor, status = abi.phase_one(case.op, prepared)
    abi.ok(status)
    with abi.workspace(size) as address:
        refused = abi.phase_two(case.op, executor, stream, address, size)
    assert refused == case.outcome.status
    abi.ok(acl.rt.synchronize_stream(stream))


@EACH
@pytest.mark.usefixtures("no_leaks")
def test_c_abi_refuses(op: Operator, stream: int) -> None:
    for case in cases(op):
        with abi.prepared_call(op, case.call) as prepared:
            acl.get_recent_err_msg()
            if case.outcome.phase == 2:
                assert_refused_late(case, prepared, stream)
            else:
                assert_refused_early(case, prepared)
            assert case.outcome.message in (acl.get_recent_err_msg() or "")
            assert_nothing_written(case, prepared)


@EACH
@pytest.mark.usefixtures("no_leaks")
def test_python_refuses(op: Operator) -> None:
    for calls in broken_calls(op).values():
        _assert_python_refuses(calls[0])


def _assert_python_refuses(case: Broken) -> None:
    with aclhost.soc(case.call.product.default_soc):
        try:
            function, arguments, outputs = call_function(case.op, case.call)
        except NotExpressibleError:
            return
        before = [np.array(output, copy=True) for output in flat(outputs)]
        with pytest.raises(aclhost.AclnnError) as caught:
            function(**arguments)
    error = caught.value
    assert str(error) == case.outcome.message
    assert (error.status, error.parameter, error.rule) == (
        case.outcome.status, case.rule.parameter, case.rule.id,
    )  # fmt: skip
    for output, old in zip(flat(outputs), before, strict=True):
        assert output.tobytes() == old.tobytes()
