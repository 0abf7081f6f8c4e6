# SPDX-License-Identifier: Apache-2.0
"""Cases that a campaign once found wrong."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from aclhost import ops
from aclhost.calls.differences import forward_calls
from aclhost.campaign import again
from aclhost.campaign.difference import difference

FOUND = {
    "a number with more dimensions than the result": (
        'check("aclnnHeaviside", "{route}", Call({{'
        '"input": TensorArg(shape=(1, 1), values=(0.0,)), '
        '"values": TensorArg(shape=(1, 1, 1), values=(65504.0,)), '
        '"out": TensorArg(shape=(1, 1))}}, products.A2))'
    ),
    "a sum of nothing": (
        'check("aclnnKlDivTargetBackward", "{route}", Call({{'
        '"gradOutput": TensorArg(shape=(0,), values=()), '
        '"self": TensorArg(shape=(0,), values=()), '
        '"target": TensorArg(shape=(1,), values=(0.5,)), "reduction": 1, "logTarget": False, '
        '"gradTarget": TensorArg(shape=(1,))}}, products.A2))'
    ),
    "a limit that is met": (
        'check("aclnnSwigluGroupQuantGrad", "{route}", Call({{'
        '"gradY": TensorArg(shape=(1,), values=(-0.5,)), '
        '"x": TensorArg(shape=(2,), values=(1.0, 1.5)), "weightOptional": None, '
        '"yOriginOptional": None, "groupIndexOptional": None, "clampLimit": 1.0, '
        '"gradXOut": TensorArg(shape=(2,)), '
        '"gradWeightOutOptional": TensorArg(shape=())}}, products.A950))'
    ),
}


@pytest.mark.parametrize("route", ["C ABI", "python"])
@pytest.mark.parametrize("text", FOUND.values(), ids=FOUND)
def test_found(text: str, route: str) -> None:
    again.run(again.read_case(text.format(route=route)))


def test_scales_that_the_forward_replaces() -> None:
    """Upstream's forward counts 2.125 as 2 where a small image doubles; its backward does not."""
    gradient = ops.BY_NAME["aclnnUpsampleNearest2dBackward"].gradient
    assert gradient is not None
    assert gradient.where is not None
    forward = ops.BY_NAME[gradient.forward]
    assert forward.draw is not None
    drawn = [forward.draw(Random(seed)).arguments for seed in range(400)]
    replaced = [call for call in drawn if not gradient.where(call)]
    assert replaced
    assert all(2 < call["scalesH"] < 3 or 2 < call["scalesW"] < 3 for call in replaced)
    calls = forward_calls(gradient, Random(1628856374), 200)
    assert calls
    assert all(gradient.where(call.arguments) for call in calls)


def test_names_the_first_element_that_differs() -> None:
    golden, torch = np.zeros((2, 2)), np.array([0.0, 1e-9, np.nan, 1.0])
    assert difference("out", golden, torch, 0.0, 1e-6) == (
        "the golden's out[1, 0] is 0.0; torch: nan (2 of 4 elements differ)"
    )
    assert not difference("out", np.array(np.nan), np.array([np.nan]), 0.0, 0.0)
    assert "shape" in difference("out", golden, torch[:3], 0.0, 0.0)


def test_elements_that_are_repeated_no_times() -> None:
    op = ops.BY_NAME["aclnnRepeatInterleaveGrad"]
    assert op.golden is not None
    found = op.golden(y_grad=np.ones((2, 0)), repeats=np.array([0]), axis=1)
    assert found.shape == (2, 0)
