# SPDX-License-Identifier: Apache-2.0
"""Random calls of the written-out operators in random layouts, against golden and torch."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from aclhost import ops
from aclhost.calls import abi
from aclhost.calls.drawn import (
    compare,
    described_results,
    inputs_of,
    python_results,
    sprinkle,
    torch_results,
    valid_draw,
)
from aclhost.calls.values import expected
from aclhost.spec.operator import Operator

DRAWN = [op for op in ops.ALL if op.draw is not None]
EACH = pytest.mark.parametrize("op", DRAWN, ids=lambda op: op.name)
CALLS = 24


@EACH
def test_golden(op: Operator) -> None:
    """Every third call has special values among its numbers."""
    rng = Random(op.name)
    for number in range(CALLS):
        call = valid_draw(op, rng)
        inputs = inputs_of(op, call, number)
        if number % 3 == 0:
            sprinkle(call, inputs, rng)
        for each in compare(op, call, inputs, python_results(op, call, inputs)):
            assert each.ulps <= each.allowed(op), (number, call, each)


@EACH
def test_torch(op: Operator) -> None:
    """The golden, in double precision; factors may have been rounded to float as upstream's are."""
    rng, compared = Random(f"{op.name} torch"), 0
    for number in range(CALLS):
        call = valid_draw(op, rng)
        inputs = inputs_of(op, call, number)
        theirs = torch_results(op, call, inputs) if op.reference else None
        if theirs is None:
            continue
        compared += 1
        for ours, other in zip(expected(op, call, inputs), theirs, strict=True):
            scale = float(np.max(np.abs(ours), initial=op.ulps_from, where=np.isfinite(ours)))
            np.testing.assert_allclose(
                ours.reshape(other.shape), other, rtol=1e-5, atol=1e-5 * scale,
                err_msg=str(call),
            )  # fmt: skip
    assert compared or not op.reference, "torch never had a say"


@EACH
@pytest.mark.usefixtures("no_leaks")
def test_c_abi(op: Operator, stream: int) -> None:
    """The C functions give the bits of the Python function, and touch nothing else."""
    rng = Random(f"{op.name} C")
    for _ in range(4):
        call = valid_draw(op, rng)
        with abi.prepared_call(op, call) as prepared:
            before = {name: storage.view.copy() for name, storage in prepared.storages.items()}
            wanted = python_results(op, call, prepared.inputs())
            abi.run(op, prepared, stream)
            written = list(described_results(op, call))
            for name, bits in zip(written, wanted, strict=True):
                assert prepared.result(name).tobytes() == bits.tobytes(), call
            for name in prepared.storages.keys() - set(written):
                assert prepared.fetch(name).tobytes() == before[name].tobytes(), (name, call)
