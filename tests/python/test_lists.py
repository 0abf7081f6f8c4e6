# SPDX-License-Identifier: Apache-2.0
"""Lists of tensors and of scalars: what Python passes for them, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import aclhost

ROWS = np.arange(12, dtype=np.float32).reshape(3, 4)
SEQUENCES: dict[str, Callable[[np.ndarray], Any]] = {
    "list": list,
    "tuple": tuple,
    "array": lambda rows: rows,  # its members are made when they are looked at
    "iterator": iter,
    "columns": lambda rows: [row[::-1] for row in rows[:, ::-1]],
}


@pytest.mark.parametrize("kind", SEQUENCES)
def test_any_sequence_of_arrays(kind: str) -> None:
    total = aclhost.add_n(SEQUENCES[kind](ROWS))
    assert total.tolist() == ROWS.sum(0).tolist()


def test_results_are_like_the_first_member() -> None:
    torch = pytest.importorskip("torch")
    total = aclhost.add_n([torch.ones(3), torch.ones(3)])
    assert isinstance(total, torch.Tensor)
    assert total.tolist() == [2, 2, 2]


def test_a_member_may_be_where_the_result_goes() -> None:
    first, second = ROWS[0].copy(), ROWS[1].copy()
    assert aclhost.add_n([first, second], out=first) is first
    assert first.tolist() == (ROWS[0] + ROWS[1]).tolist()


@pytest.mark.parametrize("given", [3, None, [ROWS[0], 3], [ROWS[0], "x"], {"a": 1}])
def test_what_is_no_list_of_arrays(given: Any) -> None:
    with pytest.raises((TypeError, aclhost.AclnnError), match="tensors"):
        aclhost.add_n(given)


def test_a_missing_member_is_a_null_pointer() -> None:
    with pytest.raises(aclhost.AclnnError) as caught:
        aclhost.add_n([ROWS[0], None])
    assert (caught.value.status, caught.value.parameter) == (161001, "tensors")


def test_no_members_are_no_work() -> None:
    out = np.ones(2, np.float32)
    assert aclhost.add_n([], out=out) is out
    assert out.tolist() == [1, 1]


def test_many_members() -> None:
    members = [np.full(5, i, np.int64) for i in range(100)]
    assert aclhost.add_n(members).tolist() == [4950] * 5


def _each(x: Sequence[Any], scalars: Sequence[Any], **more: Any) -> Any:
    return aclhost.foreach_add_scalar_list(x, scalars, **more)


def test_a_list_of_results() -> None:
    x = [ROWS[0], ROWS[:, 1], np.float32(3).reshape(())]
    results = _each(x, [np.float32(1), np.float32(0.5), np.float32(-2)])
    assert isinstance(results, tuple)
    for result, tensor, scalar in zip(results, x, (1, 0.5, -2), strict=True):
        assert result.shape == tensor.shape
        assert np.array_equal(result, tensor + scalar)


def test_results_go_where_they_are_told() -> None:
    x, out = [ROWS[0], ROWS[1]], [np.zeros(4, np.float32), np.zeros(8, np.float32)[::2]]
    results = _each(x, np.array([1, 2], np.float32), out=out)
    assert all(result is given for result, given in zip(results, out, strict=True))
    assert np.array_equal(out[1], ROWS[1] + 2)


def test_a_list_of_results_of_the_wrong_length() -> None:
    with pytest.raises(aclhost.AclnnError, match="as many members as x") as caught:
        _each([ROWS[0]], [np.float32(1)], out=list(ROWS[:2].copy()))
    assert caught.value.status == 561002
    with pytest.raises(TypeError, match="out: expected a sequence"):
        _each([ROWS[0]], [np.float32(1)], out=3)


def test_scalars_have_dtypes_of_their_own() -> None:
    whole = [np.array([1, 2], np.int32)]
    assert _each(whole, [3])[0].tolist() == [4, 5]
    with pytest.raises(aclhost.AclnnError, match="scalars must have dtype INT64"):
        _each(whole, [2.5])
    with pytest.raises(TypeError, match="scalars"):
        _each(whole, ["three"])


def test_lists_that_are_overwritten() -> None:
    x = [ROWS[0].copy(), ROWS[1:].copy()]
    with aclhost.soc("Ascend950PR_9599"):
        returned = aclhost.foreach_mul_scalar_inplace(x, np.array([2], np.float32))
    assert all(given is got for given, got in zip(x, returned, strict=True))
    assert x[0].tolist() == (2 * ROWS[0]).tolist()
    assert x[1].tolist() == (2 * ROWS[1:]).tolist()


def test_an_overwritten_list_comes_before_an_overwritten_array() -> None:
    x, found = [ROWS[0].copy(), np.array([np.inf], np.float32)], np.zeros(1, np.float32)
    grads, flag = aclhost.foreach_non_finite_check_and_unscale(x, found, np.ones(1, np.float32))
    assert (grads[0] is x[0], flag is found, found.tolist()) == (True, True, [1])
