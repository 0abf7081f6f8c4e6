# SPDX-License-Identifier: Apache-2.0
"""Operators that upstream runs with a workspace ask for one; phase 2 wants what was asked for."""

import pytest

from aclhost import acl, ops
from aclhost.calls import abi
from aclhost.spec import workspace

LAYER_NORM = next(op for op in ops.ALL if op.name == "aclnnLayerNorm")
ASKING = (
    "aclnnLayerNorm",
    "aclnnLayerNormBackward",
    "aclnnMatmul",
    "aclnnConvolution",
    "aclnnSort",
)
# Clients free the workspace of 3-d pooling with the wrong function; element-wise ones need none.
NOT_ASKING = ("aclnnElu", "aclnnAdd", "aclnnCast", "aclnnMaxPool3dWithArgmax", "aclnnReduceSum")


@pytest.fixture
def prepared(stream):
    with abi.prepared_call(LAYER_NORM, LAYER_NORM.samples[0]) as made:
        yield made


def asked(name):
    return next(op for op in ops.ALL if op.name == name).workspace_bytes


def test_families_decide():
    assert {name: asked(name) for name in ASKING} == dict.fromkeys(ASKING, workspace.BYTES)
    assert {name: asked(name) for name in NOT_ASKING} == dict.fromkeys(NOT_ASKING, 0)


def test_phase_one_says_so(prepared, stream):
    size, executor, status = abi.phase_one(LAYER_NORM, prepared)
    assert (size, status) == (workspace.BYTES, 0)
    with abi.workspace(size) as address:
        abi.ok(abi.phase_two(LAYER_NORM, executor, stream, address, size))
        abi.ok(acl.rt.synchronize_stream(stream))


@pytest.mark.parametrize("size", [0, workspace.BYTES])
def test_a_null_workspace_is_refused(prepared, stream, size):
    _, executor, status = abi.phase_one(LAYER_NORM, prepared)
    abi.ok(status)
    assert abi.phase_two(LAYER_NORM, executor, stream, 0, size) == 161001
    assert "workspace" in acl.get_recent_err_msg()
    # It has used up the executor, as on a card.
    assert abi.phase_two(LAYER_NORM, executor, stream, 0, size) == 561000


def test_less_than_asked_for_is_refused(prepared, stream):
    asked_for, executor, status = abi.phase_one(LAYER_NORM, prepared)
    abi.ok(status)
    with abi.workspace(asked_for) as address:
        code = abi.phase_two(LAYER_NORM, executor, stream, address, asked_for - 1)
    assert code == 161002
    assert f"phase 1 asked for {asked_for} bytes" in acl.get_recent_err_msg()


def test_more_than_asked_for_is_fine(prepared, stream):
    asked_for, executor, status = abi.phase_one(LAYER_NORM, prepared)
    abi.ok(status)
    with abi.workspace(2 * asked_for) as address:
        abi.ok(abi.phase_two(LAYER_NORM, executor, stream, address, 2 * asked_for))
        abi.ok(acl.rt.synchronize_stream(stream))
