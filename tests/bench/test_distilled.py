# SPDX-License-Identifier: Apache-2.0
"""Torch is timed for the work that a result needs, not for what its reference does for tests."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from aclhost.bench import distilled  # noqa: E402
from aclhost.bench.distilled import _Log  # noqa: E402

X = torch.arange(12.0).reshape(3, 4) - 5


def names(call):
    with _Log() as log:
        result = call()
    return [step.name for step in log.steps if not step.is_view], result


def check(reference, expected):
    """What is left of the reference's calls, and that it gives the same."""
    call, _ = distilled.distilled(reference, (X,))
    found, (result,) = names(call)
    assert found == expected
    assert torch.allclose(result.double(), reference().detach().double())
    assert result.dtype in (X.dtype, reference().dtype)


def test_a_call_without_detours_stays_itself():
    def reference():
        return torch.nn.functional.gelu(X)

    assert distilled.distilled(reference, (X,))[0] is reference


def test_checks_are_left_out():
    def reference():
        if bool(torch.isinf(X).any()):
            return NotImplemented
        return X.exp()

    check(reference, ["exp"])


def test_float64_becomes_the_dtype_of_the_arguments():
    check(lambda: X.double().sum(1).float(), ["sum"])
    check(lambda: torch.sum(X, 1, dtype=torch.float64).float(), ["sum"])
    wide = X.double()

    def reference():
        return wide.sum(1) * 2

    assert distilled.distilled(reference, (wide,))[0] is reference


def test_a_gradient_needs_no_forward_call():
    def reference():
        x = X.clone().requires_grad_()
        torch.nn.functional.avg_pool2d(x[None], 2).backward(torch.ones(1, 1, 2))
        return x.grad

    found, _ = names(reference)
    assert found.count("avg_pool2d") == 1
    kept, (result,) = names(distilled.distilled(reference, (X,))[0])
    assert "avg_pool2d" not in kept
    assert "copy_" not in kept
    assert torch.equal(result, reference())


def test_what_is_written_through_views_stays():
    def reference():
        made = torch.zeros(3, 8)
        made[:, :4].copy_(X)
        made[:, 4:].add_(X.abs())
        bool(X.isnan().any())
        return made

    check(reference, ["zeros", "copy_", "abs", "add_"])


def test_each_call_computes_anew():
    x = X.clone()
    call, _ = distilled.distilled(lambda: x.double().mul(2).float(), (x,))
    first = call()[0].clone()
    x.add_(1)
    assert torch.equal(call()[0], first + 2)


def test_another_rule():
    with pytest.raises(NotImplementedError, match="another rule"):
        distilled.distilled(lambda: NotImplemented, ())
