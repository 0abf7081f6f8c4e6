# SPDX-License-Identifier: Apache-2.0
"""Calls of about 1e5 elements for the operators that declare no common one."""

from __future__ import annotations

import numpy as np

from aclhost import ops
from aclhost.spec.call import Argument, Call

_LINE = (100_000,)
_LARGE, _SMALL = (1, 4, 16, 32, 48), (1, 4, 8, 16, 24)
_WINDOW = {
    "kernelSize": (2, 2, 2),
    "stride": (2, 2, 2),
    "padding": (0, 0, 0),
    "dilation": (1, 1, 1),
}
_UNPOOLED = {"outputSize": _LARGE[2:]}

# By operator: arguments to pass, and the shape of each tensor.
_CALLS: dict[str, tuple[dict[str, Argument], dict[str, tuple[int, ...]]]] = {
    "elu": ({}, dict.fromkeys(("self", "out"), _LINE)),
    "inplace_elu": ({}, {"selfRef": _LINE}),
    "elu_backward": ({}, dict.fromkeys(("gradOutput", "selfOrResult", "gradInput"), _LINE)),
    "smooth_l1_loss": ({}, dict.fromkeys(("self", "target", "result"), _LINE)),
    "smooth_l1_loss_backward": (
        {},
        dict.fromkeys(("gradOut", "self", "target", "gradInput"), _LINE),
    ),
    "upsample_nearest3d": ({"outputSize": _LARGE[2:]}, {"self": _SMALL, "out": _LARGE}),
    "upsample_nearest3d_backward": (
        {"outputSize": _LARGE[2:], "inputSize": _SMALL},
        {"gradOut": _LARGE, "gradInput": _SMALL},
    ),
    "max_pool3d_with_argmax": (
        {**_WINDOW},
        {"self": _LARGE, "out": _SMALL, "indices": _SMALL},
    ),
    "max_pool3d_with_argmax_backward": (
        {**_WINDOW},
        {"gradOutput": _SMALL, "self": _LARGE, "indices": _SMALL, "gradInput": _LARGE},
    ),
    "max_unpool3d": ({**_UNPOOLED}, {"self": _SMALL, "indices": _SMALL, "outRef": _LARGE}),
    "max_unpool3d_backward": (
        {**_UNPOOLED},
        {"gradOutput": _LARGE, "self": _SMALL, "indices": _SMALL, "out": _SMALL},
    ),
}
NAMES = tuple(_CALLS)


def common_call(name: str) -> Call:
    """In the dtype of the first sample, with the indices of a pool where it reads any."""
    op = next(op for op in ops.ALL if op.snake_name == name)
    arguments, shapes = _CALLS[name]
    call = op.samples[0].passing(**arguments)
    for tensor, shape in shapes.items():
        call = call.reshaped(shape, tensor)
    if "indices" in shapes and name != "max_pool3d_with_argmax":
        call = call.changing(("indices",), values=tuple(_corners().tolist()))
    return call


def _corners() -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The first element of every window of 2, in each volume."""
    places = np.arange(np.prod(_LARGE[2:])).reshape(_LARGE[2:])
    return np.tile(places[::2, ::2, ::2].ravel(), _LARGE[0] * _LARGE[1])
