# SPDX-License-Identifier: Apache-2.0
"""Every declared check, violated once through the C ABI and once through Python.

The calls come from the declarations: each rule breaks itself in a valid sample.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
import pytest
from support import abi
from support.python_call import NotExpressible, call_function
from support.values import SENTINEL

import aclhost
from aclhost import _capi, acl, ops
from aclhost.spec.call import Call
from aclhost.spec.operator import Operator
from aclhost.spec.rules.base import Rule


@dataclass(frozen=True)
class Case:
    op: Operator
    number: int
    rule: Rule
    call: Call
    variant: int

    def __str__(self) -> str:
        rule = f"{self.number}-{self.rule.id}-{self.rule.parameter or 'product'}"
        return f"{self.op.name}-{rule}-{self.variant}"


CASES = [
    Case(op, number, rule, call, variant)
    for op in ops.ALL
    for number, rule in enumerate(op.rules, 1)
    for variant, call in enumerate(rule.broken(op, op.samples[0]))
]


@pytest.mark.parametrize("op", ops.ALL, ids=lambda op: op.name)
def test_every_rule_can_be_broken(op: Operator) -> None:
    broken = {case.number for case in CASES if case.op is op}
    assert broken == set(range(1, len(op.rules) + 1))


def assert_nothing_written(case: Case, prepared: abi.Prepared) -> None:
    for output in case.op.outputs:
        if output.name in prepared.storages:
            prepared.fetch(output.name)
            assert set(prepared.storages[output.name].memory.tobytes()) <= {SENTINEL}


def assert_explained(case: Case) -> None:
    message = acl.get_recent_err_msg() or ""
    assert case.op.name in message
    assert case.rule.sentence(case.call.product) in message
    assert case.rule.parameter in message
    assert case.call.product.title in message


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.usefixtures("no_leaks")
def test_c_abi_refuses(case: Case, stream: int) -> None:
    with abi.prepared_call(case.op, case.call) as prepared:
        acl.get_recent_err_msg()
        if case.rule in case.op.late_rules:
            _, executor, status = abi.phase_one(case.op, prepared)
            abi.ok(status)
            assert abi.phase_two(case.op, executor, stream) == case.rule.code
            abi.ok(acl.rt.synchronize_stream(stream))
        else:
            workspace = ctypes.c_uint64(12345)
            executor = ctypes.c_void_p(67890)
            handles = [prepared.handles[param.name] for param in case.op.params]
            function = getattr(_capi.library(), f"{case.op.name}GetWorkspaceSize")
            status = function(*handles, ctypes.byref(workspace), ctypes.byref(executor))
            assert status == case.rule.code, acl.get_recent_err_msg()
            assert (workspace.value, executor.value) == (12345, 67890)
        assert_explained(case)
        assert_nothing_written(case, prepared)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.usefixtures("no_leaks")
def test_python_refuses(case: Case) -> None:
    with aclhost.soc(case.call.product.default_soc):
        try:
            function, arguments, outputs = call_function(case.op, case.call)
        except NotExpressible as reason:
            pytest.skip(f"Python arrays cannot express it: {reason}")
        before = [np.array(output, copy=True) for output in outputs]
        with pytest.raises(aclhost.AclnnError) as caught:
            function(**arguments)
    error = caught.value
    assert error.status == case.rule.code
    assert error.parameter == case.rule.parameter
    assert error.rule == case.rule.id
    assert case.rule.sentence(case.call.product) in str(error)
    for output, old in zip(outputs, before, strict=True):
        assert output.tobytes() == old.tobytes()
