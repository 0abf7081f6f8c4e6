# SPDX-License-Identifier: Apache-2.0
"""Paddings by hand: which element shows where, imaginary parts, in place."""

from __future__ import annotations

import numpy as np
import pytest

import aclhost

ROW = np.arange(4.0, dtype=np.float32).reshape(1, 4)


@pytest.mark.parametrize(
    ("function", "padding", "wanted"),
    [
        (aclhost.reflection_pad1d, (3, 2), "3 2 1 0 1 2 3 2 1"),
        (aclhost.reflection_pad1d, (-1, 3), "1 2 3 2 1 0"),
        (aclhost.replication_pad1d, (5, 2), "0 0 0 0 0 0 1 2 3 3 3"),
        (aclhost.replication_pad1d, (-3, 1), "3 3"),
    ],
)
def test_places(function, padding, wanted) -> None:  # type: ignore[no-untyped-def]
    assert function(ROW, padding).ravel().tolist() == [float(each) for each in wanted.split()]


def test_circular_goes_round_more_than_once() -> None:
    out = aclhost.circular_pad2d(ROW[None], (6, 5, 0, 1))
    assert out[0, 0].tolist() == [(i - 6) % 4 for i in range(15)]
    assert (out[0, 0] == out[0, 1]).all()


def test_gradient_of_circular_goes_round_more_than_once() -> None:
    gradient, row = np.ones((1, 2, 15), np.float32), np.zeros((1, 1, 4), np.float32)
    shown = aclhost.circular_pad2d_backward(gradient, row, (6, 5, 0, 1))
    assert shown.ravel().tolist() == [8.0, 6.0, 8.0, 8.0]


def test_gradient_counts_how_often_an_element_is_shown() -> None:
    shown = aclhost.replication_pad2d_backward(
        np.ones((1, 5, 7), np.float32), np.ones((1, 2, 3), np.float32), (1, 3, 2, 1)
    )
    assert shown.tolist() == [[[6.0, 3.0, 12.0], [4.0, 2.0, 8.0]]]


def test_complex_numbers_keep_both_parts() -> None:
    self = (ROW + 1j * ROW[:, ::-1]).astype(np.complex64)
    out = aclhost.reflection_pad1d(self, (1, 1))
    assert out.tolist() == [[1 + 2j, 0 + 3j, 1 + 2j, 2 + 1j, 3 + 0j, 2 + 1j]]
    gradient = aclhost.reflection_pad1d_backward(out, self, (1, 1))
    assert gradient.tolist() == [[3j, 2 + 4j, 4 + 2j, 3 + 0j]]


@pytest.mark.parametrize("shift", [0, 1, 3])
def test_results_where_the_input_is(shift: int) -> None:
    """A result may be written over what is still to be read."""
    memory = np.arange(40.0, dtype=np.float32)
    self, out = memory[4:28].reshape(1, 4, 6), memory[shift : shift + 40 - 8].reshape(1, 4, 8)
    wanted = aclhost.reflection_pad2d(self.copy(), (1, 1, 0, 0))
    aclhost.reflection_pad2d(self, (1, 1, 0, 0), out=out)
    assert np.array_equal(out, wanted)


def test_constant_border_over_the_input() -> None:
    memory = np.arange(12.0, dtype=np.float32)
    self = memory[:4].reshape(1, 4)
    out = aclhost.constant_pad_nd(self, (4, 4), 9.0, out=memory.reshape(1, 12))
    assert out.tolist() == [[9.0] * 4 + [0.0, 1.0, 2.0, 3.0] + [9.0] * 4]


def test_last_of_shared_places_wins() -> None:
    """Many rows in one place: threads must not race for it."""
    self = np.arange(64 * 512.0, dtype=np.float32).reshape(64, 512)
    out = np.lib.stride_tricks.as_strided(np.zeros(514, np.float32), (64, 514), (0, 4))
    aclhost.replication_pad1d(self, (1, 1), out=out)
    assert np.array_equal(out[0], np.pad(self[-1], 1, mode="edge"))


def test_rows_in_pieces_that_go_round_often() -> None:
    """Pieces of a long row begin in the middle of a round."""
    x = np.arange(21, dtype=np.float32).reshape(1, 3, 7)
    padded = aclhost.circular_pad2d(x, (20000, 30001, 0, 0))
    assert np.array_equal(padded, np.pad(x, ((0, 0), (0, 0), (20000, 30001)), mode="wrap"))


@pytest.mark.parametrize("length", [4, 2000])
def test_gradients_of_minus_zero_are_zero(length: int) -> None:
    """Short rows are not added up as long ones are."""
    gradient, row = np.full((1, length + 2), -0.0, np.float32), np.zeros((1, length), np.float32)
    shown = aclhost.replication_pad1d_backward(gradient, row, (1, 1))
    assert not np.signbit(shown).any()
