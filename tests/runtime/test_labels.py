# SPDX-License-Identifier: Apache-2.0
"""Labels: a number in device memory says where a stream of a model goes on."""

from ctypes import byref, c_uint32, c_void_p

import pytest
from building import DEFAULT, Building
from c_library import (
    INVALID_PARAM,
    RT_INTERNAL_ERROR,
    RT_INVALID_HANDLE,
    RT_LABEL_CONTEXT,
    RT_MODEL_EXECUTE,
    RT_PARAM_INVALID,
    RT_STREAM_MODEL,
    text,
)


@pytest.fixture
def build(lib, device):
    made = Building(lib)
    yield made
    made.close()


def test_a_number_chooses_the_label(lib, build):
    stream, index = build.stream(), build.number(0)
    labels, chosen = build.label_list(3)
    assert lib.aclrtSwitchLabelByIndex(index, 3, chosen, stream) == 0
    build.note(stream, "never")
    for number, label in enumerate(labels):
        assert lib.aclrtSetLabel(label, stream) == 0
        build.note(stream, number)
    build.end(stream)
    for value, expected in ((0, [0, 1, 2]), (1, [1, 2]), (2, [2]), (3, [2]), (2**32 - 1, [2])):
        build.store(index, value, c_uint32)
        assert build.run() == expected


def test_labels_of_another_stream(lib, build):
    """The stream that jumps stops; the other one begins behind its label."""
    stream, other, index = build.stream(), build.stream(DEFAULT), build.number(0)
    (label,), chosen = build.label_list(1)
    build.note(stream, "first")
    assert lib.aclrtSwitchLabelByIndex(index, 1, chosen, stream) == 0
    build.note(stream, "never")
    build.note(other, "before the label")
    assert lib.aclrtSetLabel(label, other) == 0
    build.note(other, "behind it")
    build.end(other)
    assert build.run() == ["first", "behind it"]


def test_a_label_before_the_jump_is_a_loop(lib, build):
    stream, index = build.stream(), build.number(0)
    (again, out), chosen = build.label_list(2)
    assert lib.aclrtSetLabel(again, stream) == 0
    build.note(stream, "body", lambda: build.store(index, len(build.seen) // 3))
    assert lib.aclrtSwitchLabelByIndex(index, 2, chosen, stream) == 0
    assert lib.aclrtSetLabel(out, stream) == 0
    build.end(stream)
    assert build.run() == ["body"] * 3


def test_a_label_that_is_nowhere(lib, build):
    stream, index = build.stream(), build.number(0)
    _, chosen = build.label_list(1)
    assert lib.aclrtSwitchLabelByIndex(index, 1, chosen, stream) == 0
    build.end(stream)
    assert build.run() == RT_MODEL_EXECUTE
    assert "aclrtSetLabel" in text(lib)


def test_labels_and_lists_may_go_before_the_run(lib, build):
    stream, index = build.stream(), build.number(0)
    labels, chosen = build.label_list(1)
    assert lib.aclrtSwitchLabelByIndex(index, 1, chosen, stream) == 0
    build.note(stream, "never")
    assert lib.aclrtSetLabel(labels[0], stream) == 0
    build.end(stream)
    assert lib.aclrtDestroyLabelList(build.lists.pop()) == 0
    assert lib.aclrtDestroyLabel(build.labels.pop()) == 0
    assert build.run() == []


def test_a_label_has_one_place_and_one_list(lib, build):
    stream, alone = build.stream(), c_void_p()
    assert lib.aclrtCreateLabel(byref(alone)) == 0
    build.labels.append(alone)
    assert lib.aclrtSetLabel(alone, stream) == RT_INTERNAL_ERROR
    assert "aclrtCreateLabelList" in text(lib)
    labels, _ = build.label_list(1)
    listed = (c_void_p * 2)(alone.value, labels[0].value)
    assert lib.aclrtCreateLabelList(listed, 2, byref(c_void_p())) == RT_INTERNAL_ERROR
    assert lib.aclrtSetLabel(alone, stream) == RT_INTERNAL_ERROR  # in no list still
    assert lib.aclrtSetLabel(labels[0], stream) == 0
    assert lib.aclrtSetLabel(labels[0], stream) == RT_INTERNAL_ERROR


def test_bad_arguments(lib, build, stream):
    bound, index = build.stream(), build.number(0)
    (label,), chosen = build.label_list(1)
    unknown, array = c_void_p(77), (c_void_p * 1)(label.value)
    assert lib.aclrtCreateLabel(None) == INVALID_PARAM
    for call in (lib.aclrtDestroyLabel, lib.aclrtDestroyLabelList):
        assert (call(None), call(unknown)) == (INVALID_PARAM, RT_INVALID_HANDLE)
    assert lib.aclrtSetLabel(None, bound) == lib.aclrtSetLabel(label, None) == INVALID_PARAM
    assert lib.aclrtSetLabel(unknown, bound) == RT_INVALID_HANDLE
    assert lib.aclrtSetLabel(label, unknown) == RT_INVALID_HANDLE
    assert lib.aclrtSetLabel(label, stream) == RT_STREAM_MODEL
    create = lib.aclrtCreateLabelList
    assert create(None, 1, byref(c_void_p())) == create(array, 1, None) == INVALID_PARAM
    assert create(array, 0, byref(c_void_p())) == RT_PARAM_INVALID
    assert create(array, 65536, byref(c_void_p())) == RT_PARAM_INVALID
    assert create((c_void_p * 1)(77), 1, byref(c_void_p())) == RT_INVALID_HANDLE
    jump = lib.aclrtSwitchLabelByIndex
    assert jump(None, 1, chosen, bound) == jump(index, 1, None, bound) == INVALID_PARAM
    assert jump(index, 1, unknown, bound) == RT_INVALID_HANDLE
    assert jump(index, 0, chosen, bound) == jump(index, 2, chosen, bound) == RT_PARAM_INVALID
    assert jump(c_void_p(64), 1, chosen, bound) == RT_PARAM_INVALID
    assert jump(index, 1, chosen, stream) == RT_STREAM_MODEL


def test_labels_belong_to_a_context(lib, build):
    (label,), _ = build.label_list(1)
    own, other = c_void_p(), c_void_p()
    assert lib.aclrtGetCurrentContext(own) == 0
    assert lib.aclrtCreateContext(other, 0) == 0
    assert lib.aclrtDestroyLabel(label) == RT_LABEL_CONTEXT
    assert lib.aclrtSetCurrentContext(own) == 0
    assert lib.aclrtDestroyContext(other) == 0


def test_labels_end_with_their_context(lib, device):
    """So that they do not count against those that a process may have."""
    context, label = c_void_p(), c_void_p()
    for _ in range(3):
        assert lib.aclrtCreateContext(byref(context), 0) == 0
        for _ in range(30000):
            assert lib.aclrtCreateLabel(byref(label)) == 0
        assert lib.aclrtDestroyContext(context) == 0
    assert lib.aclrtDestroyLabel(label) == RT_INVALID_HANDLE
    assert lib.aclrtSetDevice(0) == lib.aclrtResetDevice(0) == 0
