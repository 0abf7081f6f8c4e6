# SPDX-License-Identifier: Apache-2.0
"""What resizing gives in NumPy: places and weights in float32, sums in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

# Places and weights, a row of both for each target; a weight of 0 does not count.
Table = tuple[Any, Any]
Weights = Callable[[int, int, Any, bool], Table]  # of sources, targets, step and align_corners


def step(sources: int, targets: int, scale: float, *, align_corners: bool = False) -> Any:  # noqa: ANN401
    """Sources per target, as float32."""
    import numpy as np

    if align_corners:
        return np.float32(sources - 1) / np.float32(targets - 1) if targets > 1 else np.float32(0)
    if scale > 0:
        with np.errstate(over="ignore"):
            return np.float32(1.0 / scale)
    return np.float32(sources) / np.float32(targets)


def nearest_places(sources: int, targets: int, step: Any, shift: float) -> Array:  # noqa: ANN401
    """The source that each target is a copy of."""
    import numpy as np

    with np.errstate(invalid="ignore"):
        places = np.floor((np.arange(targets, dtype=np.float32) + np.float32(shift)) * step)
    if shift == 0:
        places[:1] = 0  # whatever the step is
    found: Array = np.minimum(places, sources - 1).astype(int)
    return found


def window_starts(sources: int, targets: int, factor: Any, shift: float) -> Array:  # noqa: ANN401
    """Where the targets begin that are summed for each source; one more than there are sources."""
    import numpy as np

    places = np.arange(sources + 1, dtype=np.float32) * factor - np.float32(shift)
    starts: Array = np.clip(np.ceil(places), 0, targets).astype(int)
    starts[0] = 0
    return starts


def window_sums(x: Array, axis: int, starts: Array) -> Array:
    """Sums over neighbours along an axis."""
    import numpy as np

    parts = [x.take(range(*starts[k : k + 2]), axis) for k in range(len(starts) - 1)]
    return np.stack([part.sum(axis) for part in parts], axis)


def linear(sources: int, targets: int, step: Any, align_corners: bool) -> Table:  # noqa: ANN401
    """Two neighbours."""
    import numpy as np

    middle = np.maximum(_middles(targets, step, align_corners=align_corners), np.float32(0))
    first = np.minimum(middle.astype(int), sources - 1)
    second = np.minimum(first + 1, sources - 1)
    part = np.clip(middle - first.astype(np.float32), np.float32(0), np.float32(1))
    part[first == second] = 0
    return np.stack([first, second], 1), np.stack([np.float32(1) - part, part], 1)


def cubic(sources: int, targets: int, step: Any, align_corners: bool) -> Table:  # noqa: ANN401
    """Four neighbours; those beyond an end are the end itself."""
    import numpy as np

    middle = _middles(targets, step, align_corners=align_corners)
    base = np.floor(middle)
    distances = [np.abs(middle - base - np.float32(place)) for place in range(-1, 3)]
    weights = [_cubic(distance, np.float32(-0.75)) for distance in distances]
    places = [np.clip(base.astype(int) + place, 0, sources - 1) for place in range(-1, 3)]
    return np.stack(places, 1), np.stack(weights, 1)


def smooth_linear(sources: int, targets: int, step: Any, align_corners: bool) -> Table:  # noqa: ANN401
    """All neighbours under a triangle."""
    import numpy as np

    def triangle(distance: Array) -> Array:
        return np.maximum(np.float32(1) - np.abs(distance), np.float32(0))

    return _smooth(sources, targets, step, triangle, np.float32(1))


def smooth_cubic(sources: int, targets: int, step: Any, align_corners: bool) -> Table:  # noqa: ANN401
    """All neighbours under a cubic filter."""
    import numpy as np

    def filter_of(distance: Array) -> Array:
        return _cubic(np.abs(distance), np.float32(-0.5))

    return _smooth(sources, targets, step, filter_of, np.float32(2))


def _middles(targets: int, step: Any, *, align_corners: bool) -> Array:  # noqa: ANN401
    import numpy as np

    half, places = np.float32(0.5), np.arange(targets, dtype=np.float32)
    middles: Array = step * places if align_corners else step * (places + half) - half
    return middles


def _cubic(x: Array, a: Any) -> Array:  # noqa: ANN401
    """The cubic convolution of distances."""
    import numpy as np

    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x < 1, near, np.where(x < 2, far, np.float32(0)))


def _smooth(
    sources: int,
    targets: int,
    step: Any,  # noqa: ANN401
    filter_of: Callable[[Array], Array],
    reach: Any,  # noqa: ANN401
) -> Table:
    """Weights of a filter that widens where the axis shrinks; together they are 1."""
    import numpy as np

    half, one = np.float32(0.5), np.float32(1)
    support = reach * max(step, one)
    middle = step * (np.arange(targets, dtype=np.float32) + half)
    first = np.clip(np.floor(middle + (half - support)), 0, sources).astype(int)
    end = np.clip(np.floor(middle + (half + support)), first, sources).astype(int)
    width = max(int(np.max(end - first)), 1)
    number = np.arange(width)
    lead = first.astype(np.float32) - middle + half
    distance = (number.astype(np.float32) + lead[:, None]) * (one / max(step, one))
    weights = np.where(number < (end - first)[:, None], filter_of(distance), np.float32(0))
    total = weights.sum(1, dtype=np.float32, keepdims=True)
    places = np.minimum(first[:, None] + number, sources - 1)
    return places, np.divide(weights, total, out=np.zeros_like(weights), where=total != 0)


def absolute(weights: Weights) -> Weights:
    """The same without signs, for sums of magnitudes."""

    def of(sources: int, targets: int, step: Any, align_corners: bool) -> Table:  # noqa: ANN401
        places, values = weights(sources, targets, step, align_corners)
        return places, abs(values)

    return of


def resized(x: Array, axis: int, table: Table) -> Array:
    """Weighted sums of neighbours along an axis."""
    import numpy as np

    places, weights = table
    result = np.zeros((*x.shape[:axis], len(places), *x.shape[axis + 1 :]))
    for tap in range(places.shape[1]):
        weight = _along(weights[:, tap], axis, x.ndim)
        result += np.where(weight == 0, 0.0, x.take(places[:, tap], axis) * weight)
    return result


def gradient(g: Array, axis: int, table: Table, sources: int) -> Array:
    """Every target's gradient, handed back to the neighbours that it was made of."""
    import numpy as np

    places, weights = table
    result = np.zeros((*g.shape[:axis], sources, *g.shape[axis + 1 :]))
    moved = np.moveaxis(result, axis, 0)
    for tap in range(places.shape[1]):
        weight = _along(weights[:, tap], axis, g.ndim)
        part = np.where(weight == 0, 0.0, g * weight)
        np.add.at(moved, places[:, tap], np.moveaxis(part, axis, 0))
    return result


def _along(weights: Any, axis: int, rank: int) -> Array:  # noqa: ANN401
    import numpy as np

    shape = [1] * rank
    shape[axis] = -1
    return np.asarray(weights, np.float64).reshape(shape)
