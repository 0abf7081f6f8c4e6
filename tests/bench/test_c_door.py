# SPDX-License-Identifier: Apache-2.0
"""The compiled loop through the C functions computes what the Python functions do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from aclhost._native import CLoop

from aclhost import acl, aclnn, live_objects
from aclhost.bench import c_door, cases, rounds
from aclhost.goldens import results_of

_DEVICE_TO_HOST = 2
# Scalars, floats, doubles, words, lists, texts, dtypes, flags, more than six and sixteen words.
OPERATORS = (
    "add", "elu", "elu_backward", "smooth_l1_loss", "upsample_nearest3d", "max_unpool3d", "cat",
    "sort", "gelu_v2", "cast", "matmul", "layer_norm", "foreach_add_list", "convolution",
    "apply_adam_w_v2", "softmax",
)  # fmt: skip


@pytest.fixture
def tensors(monkeypatch):
    """Every tensor that is made, by the number of the array it copies."""
    made, make = {}, c_door._tensor

    def recorded(op, given, array, end):
        handle = made[id(array)] = make(op, given, array, end)
        return handle

    monkeypatch.setattr(c_door, "_tensor", recorded)
    return made


def arrays(value):
    return value if isinstance(value, list) else [value]


def in_device_memory(handle, like):
    address, status = aclnn.aclGetRawTensorAddr(handle)
    assert status == 0
    copy = np.empty(like.shape, like.dtype)
    size = copy.nbytes
    assert acl.rt.memcpy(copy.ctypes.data, size, address, size, _DEVICE_TO_HOST) == 0
    return copy


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("layout", ["contiguous", "transposed"])
def test_it_computes_what_python_does(operator, layout, tensors):
    case = next(case for case in cases.full(operator) if case.size == "tiny")
    workload = replace(case, layout=layout).prepare()
    written = results_of(workload.operator)
    with c_door.c_call(workload) as call:
        call()
        workload.call()
        for param in written:
            for array in arrays(workload.values[param.name]):
                if array is not None and array.flags.c_contiguous:
                    copy = in_device_memory(tensors[id(array)], array)
                    assert array.tobytes() == copy.tobytes()


def test_nothing_is_left_behind():
    before = live_objects()
    for operator in ("add", "foreach_add_list", "convolution"):
        with c_door.c_call(next(cases.full(operator)).prepare()) as call:
            call()
    assert live_objects() == before


def test_a_call_that_is_refused_raises():
    workload = next(cases.full("add")).prepare()
    workload.values["out"] = np.zeros(3, np.float32)
    described = workload.described.reshaped((3,), "out")
    with (
        c_door.c_call(replace(workload, described=described)) as call,
        pytest.raises(RuntimeError, match="aclnnAdd through C gives 161002"),
    ):
        call()


def test_repetitions_are_made_without_python_in_between(monkeypatch):
    counts = []
    monkeypatch.setattr(c_door.CCall, "repeated", lambda self, count: counts.append(count))
    call = c_door.CCall("aclnnAdd", None)
    rounds.time_once(call, 100)
    assert counts == [100]


def test_too_many_parameters():
    with pytest.raises(ValueError, match="so many parameters"):
        CLoop(0, 0, [0] * 47, [], 0)
    with pytest.raises(ValueError, match="so many parameters"):
        CLoop(0, 0, [], [0.0] * 9, 0)
