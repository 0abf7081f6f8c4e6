# SPDX-License-Identifier: Apache-2.0
"""What torch says, where it has the operator and the same rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

Arguments = Mapping[str, Any]  # by upstream's names; floating arrays are float64
Results = list[np.ndarray] | None  # None: torch has another rule, or none
aten = torch.ops.aten


def _tensor(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array)).reshape(array.shape)


def _elu(x: np.ndarray, a: Arguments) -> Results:
    if not np.isfinite([a["alpha"], a["inputScale"]]).all():
        return None
    return [aten.elu(_tensor(x), a["alpha"], a["scale"], a["inputScale"]).numpy()]


def _elu_backward(a: Arguments) -> Results:
    result = aten.elu_backward(
        _tensor(a["gradOutput"]),
        a["alpha"],
        a["scale"],
        a["inputScale"],
        a["isResult"],
        _tensor(a["selfOrResult"]),
    )
    return [result.numpy()]


def _smooth_l1_loss(a: Arguments) -> Results:
    x, target = torch.broadcast_tensors(_tensor(a["self"]), _tensor(a["target"]))
    return [aten.smooth_l1_loss(x, target, a["reduction"], a["beta"]).numpy()]


def _smooth_l1_loss_backward(a: Arguments) -> Results:
    if a["beta"] == 0:  # torch gives -1 where both are equal
        return None
    x, target = torch.broadcast_tensors(_tensor(a["self"]), _tensor(a["target"]))
    shape = torch.broadcast_shapes(x.shape, a["gradOut"].shape)
    if shape != x.shape:  # torch would count the elements of the broadcast of all three
        return None
    grad = _tensor(a["gradOut"]).expand(shape)
    return [aten.smooth_l1_loss_backward(grad, x, target, a["reduction"], a["beta"]).numpy()]


def _window(a: Arguments) -> list[Any]:
    return [a[name] for name in ("kernelSize", "stride", "padding", "dilation", "ceilMode")]


def _max_pool3d(a: Arguments) -> Results:
    if a["self"].size == 0:
        return None
    pooled, indices = aten.max_pool3d_with_indices(_tensor(a["self"]), *_window(a))
    return [pooled.numpy(), indices.numpy()]


def _max_pool3d_backward(a: Arguments) -> Results:
    if a["self"].size == 0:
        return None
    grad, x, indices = (_tensor(a[name]) for name in ("gradOutput", "self", "indices"))
    result = aten.max_pool3d_with_indices_backward(grad, x, *_window(a), indices.long())
    return [result.numpy()]


def _max_unpool3d(a: Arguments) -> Results:
    x = a["self"]
    if x.dtype.kind in "iu" or x.size == 0:
        return None
    indices = _tensor(a["indices"]).long()
    return [aten.max_unpool3d(_tensor(x), indices, a["outputSize"], [1] * 3, [0] * 3).numpy()]


def _max_unpool3d_backward(a: Arguments) -> Results:
    grad, indices = _tensor(a["gradOutput"]), _tensor(a["indices"]).long()
    return [grad.flatten(-3).gather(-1, indices.flatten(-3)).reshape(indices.shape).numpy()]


def _scales(a: Arguments) -> list[float | None]:
    """Torch decides axis by axis whether a scale counts; here it is all or none."""
    scales = [a[name] for name in ("scalesD", "scalesH", "scalesW")]
    return scales if all(scale > 0 for scale in scales) else [None] * 3


def _upsample_nearest3d(a: Arguments) -> Results:
    x = a["self"]
    if x.size == 0 or not np.array_equal(x, x.astype(np.float32), equal_nan=True):
        return None  # torch computes positions in double for double tensors
    result = aten.upsample_nearest3d(_tensor(x).float(), a["outputSize"], *_scales(a))
    return [result.double().numpy()]


def _upsample_nearest3d_backward(a: Arguments) -> Results:
    """Only where torch's map from outputs to inputs is the one that the windows describe."""
    if a["gradOut"].size == 0:
        return None
    scales, lengths = _scales(a), a["inputSize"][2:]
    for length, size, scale in zip(lengths, a["outputSize"], scales, strict=True):
        factor = np.float32(size / length if scale is None else scale)
        starts = np.minimum(np.ceil(np.arange(length + 1, dtype=np.float32) * factor), size)
        step = np.float32(length / size if scale is None else 1 / scale)
        sources = np.floor(np.arange(size, dtype=np.float32) * step)
        counts = np.bincount(np.minimum(sources, length - 1).astype(int), minlength=length)
        if starts[0] != 0 or not np.array_equal(np.diff(starts), counts):
            return None
        if scale is not None and size in (length, 2 * length) and scale != size / length:
            return None  # torch takes a short cut and ignores the scale
    grad = _tensor(a["gradOut"])
    result = aten.upsample_nearest3d_backward(grad, a["outputSize"], a["inputSize"], *scales)
    return [result.numpy()]


_KNOWN: dict[str, Callable[[Arguments], Results]] = {
    "aclnnElu": lambda a: _elu(a["self"], a),
    "aclnnInplaceElu": lambda a: _elu(a["selfRef"], a),
    "aclnnEluBackward": _elu_backward,
    "aclnnSmoothL1Loss": _smooth_l1_loss,
    "aclnnSmoothL1LossBackward": _smooth_l1_loss_backward,
    "aclnnMaxPool3dWithArgmax": _max_pool3d,
    "aclnnMaxPool3dWithArgmaxBackward": _max_pool3d_backward,
    "aclnnMaxUnpool3d": _max_unpool3d,
    "aclnnMaxUnpool3dBackward": _max_unpool3d_backward,
    "aclnnUpsampleNearest3d": _upsample_nearest3d,
    "aclnnUpsampleNearest3dBackward": _upsample_nearest3d_backward,
}


def torch_says(name: str, arguments: Arguments) -> Results:
    """Results in float64 (indices in int64) by an independent implementation, or None."""
    function = _KNOWN.get(name)
    return function(arguments) if function else None
