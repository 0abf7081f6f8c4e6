# SPDX-License-Identifier: Apache-2.0
"""Triangles in a picture: answers worked out by hand, and corners that do not exist."""

from __future__ import annotations

import numpy as np
import pytest

import aclhost

# The left lower half of the picture; corners at the middles of pixels.
CORNERS = np.array([[-1, -1, 0, 1], [-1, 1, 0, 1], [1, 1, 0, 1]], np.float32)
FACE = np.array([[0, 1, 2]], np.int32)


def test_half_a_picture() -> None:
    seen, shares = aclhost.rasterizer(CORNERS, FACE, width=5, height=5)
    np.testing.assert_array_equal(seen, np.tri(5))
    np.testing.assert_allclose(shares.sum(2), np.tri(5), rtol=1e-6)
    for place, corner in (((0, 0), 0), ((4, 0), 1), ((4, 4), 2)):
        np.testing.assert_array_equal(shares[place], np.eye(3)[corner])
    np.testing.assert_allclose(shares[2, 1], [0.5, 0.25, 0.25], rtol=1e-6)
    assert not shares[0, 4].any()


def test_the_nearest_face_is_seen_and_the_first_of_equal_ones() -> None:
    near = CORNERS - np.array([0, 0, 0.5, 0], np.float32)
    corners, faces = np.concatenate([CORNERS, near]), np.array([[0, 1, 2], [3, 4, 5], [5, 4, 3]])
    seen, _ = aclhost.rasterizer(corners, faces.astype(np.int32), width=5, height=5)
    np.testing.assert_array_equal(seen, 2 * np.tri(5))


def test_shares_follow_the_perspective() -> None:
    """A corner that is three times as far away counts a third where the picture shows the half."""
    far = CORNERS * np.array([[1], [3], [3]], np.float32)
    _, shares = aclhost.rasterizer(far, FACE, width=5, height=5)
    np.testing.assert_allclose(shares[2, 0], [0.75, 0.25, 0], atol=1e-7)


def test_corners_that_do_not_exist() -> None:
    out = np.zeros((5, 5), np.int32), np.zeros((5, 5, 3), np.float32)
    faces = np.array([[0, 1, 3], [0, 1, 2]], np.int32)
    with pytest.raises(aclhost.AclnnError, match=r"f\[0, 2\]"):
        aclhost.rasterizer(CORNERS, faces, width=5, height=5, out=out)
    np.testing.assert_array_equal(out[0], 2 * np.tri(5))
