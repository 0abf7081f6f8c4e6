# SPDX-License-Identifier: Apache-2.0
"""Group norm followed by SiLU."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.norm.build import (
    EPSILON,
    FLOATS,
    NEWER,
    TABLE,
    channel_goldens,
    float_or_same,
    if_given,
    normalized,
    parameter_dtype,
)
from aclhost.ops.norm.group import drawn_images, images
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Flag, Int, TensorIn, TensorOut
from aclhost.spec.products import A950, P310P
from aclhost.spec.rules import (
    Condition,
    Rule,
    done_when,
    dtype_in,
    inside_storage,
    is_given,
    not_null,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, ShapeOf
from aclhost.spec.terms import (
    AtMost,
    DimOf,
    Divided,
    DtypeOf,
    Equal,
    In,
    Not,
    ProductIn,
    RealIs,
    Times,
    ValueOf,
    all_of,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any

_N, _C, _GROUP = DimOf("self", const(0)), DimOf("self", const(1)), ValueOf("group")
_STATISTICS = Lengths((_N, _GROUP))
_NOT_950 = Condition(Not(ProductIn((A950,))), f"the product is not {A950}")
_BOTH = Condition(
    all_of(is_given("gamma").term, is_given("beta").term), "gamma and beta are given"
)  # fmt: skip


def golden(
    self: Array, gamma: Array | None, beta: Array | None, group: int, eps: float,
    activate_silu: bool = True,
) -> tuple[Array, ...]:  # fmt: skip
    """The group norm times its own sigmoid."""
    import numpy as np

    n, c = self.shape[:2]
    xhat, mean, rstd = normalized(self.reshape(n, group, -1), (2,), eps, centred=True)
    y = channel_goldens(xhat.reshape(n, c, -1), gamma, beta).reshape(self.shape)
    y = y / (1 + np.exp(-y)) if activate_silu else y
    return y, mean.reshape(n, group), rstd.reshape(n, group)


def _torch(
    torch: Torch, self: Torch, gamma: Torch, beta: Torch, group: int, eps: float,
    activate_silu: bool = True,
) -> Torch:  # fmt: skip
    if not self.isfinite().all():
        return NotImplemented
    n, c = self.shape[:2]
    pixels = self.numel() // (n * c)
    y, *rest = torch.native_group_norm(self, gamma, beta, n, c, pixels, group, eps)
    return torch.nn.functional.silu(y) if activate_silu else y, *rest


def _if_float(name: str) -> tuple[Rule, ...]:
    """FLOAT inputs have FLOAT weights, whichever there are."""
    term = all_of(_NOT_950.term, In(DtypeOf("self"), (FLOAT,)), is_given(name).term)
    words = f"{_NOT_950.english}, self is FLOAT and {name} is given"
    return when(Condition(term, words), same_dtype(name, "self"))


def _wide(name: str) -> tuple[Rule, ...]:
    """On the Ascend 950 statistics have the dtype of the weights."""
    term = all_of(ProductIn((A950,)), is_given("gamma").term)
    on_950 = Condition(term, f"the product is {A950} and gamma is given")
    return (*when(_NOT_950, same_dtype(name, "self")), *when(on_950, same_dtype(name, "gamma")))


def _positive(words: str, axis: int) -> tuple[Rule, ...]:
    return when(_NOT_950, requires(
        "positive", "self", AtMost(const(1), DimOf("self", const(axis))),
        f"{words} of self must be greater than 0", (Shown("shape", ShapeOf("self")),),
        "Skip the call when there is nothing to compute.",
    ))  # fmt: skip


_CHECKS = (
    not_null("self", "out", "meanOut", "rstdOut"),
    dtype_in("self", *TABLE),
    *(if_given(name, dtype_in(name, *TABLE)) for name in ("gamma", "beta")),
    when(_BOTH, same_dtype("gamma", "beta"), float_or_same("gamma", "self")),
    same_dtype("out", "self"), _wide("meanOut"), _wide("rstdOut"),
    _if_float("gamma"), _if_float("beta"),
    rank_at_least("self", 2), rank_at_most("self", 8), same_shape("out", "self"),
    *(shape_is(name, _STATISTICS, "[N, group]") for name in ("meanOut", "rstdOut")),
    *(if_given(name, shape_is(name, Lengths((_C,)), "[C]")) for name in ("gamma", "beta")),
    _positive("the first dimension", 0), _positive("the channels", 1),
    requires("positive", "eps", RealIs("eps", ">", 0.0), "eps must be greater than 0",
             (Shown("real", "eps"),), "Pass a small positive number."),
    requires("divides", "group", Equal(Times(Divided(_C, _GROUP), _GROUP), _C),
             "group must divide the channels of self", (Shown("integer", _GROUP),),
             "Choose another number of groups."),
    done_when(Condition(Equal(_N, const(0)), "there are no images")),
    supported_on(*NEWER, P310P),
    inside_storage("self", "gamma", "beta"),
)  # fmt: skip


def _call(
    shape: tuple[int, ...], group: int, dtype: DataType, weights: tuple[DataType | None, ...],
    **flags: bool,
) -> Call:  # fmt: skip
    gamma, beta = (TensorArg(shape[1:2], each) if each else None for each in weights)
    return Call(
        {
            "self": TensorArg(shape, dtype),
            "gamma": gamma,
            "beta": beta,
            "group": group,
            "eps": EPSILON,
            **flags,
            "out": TensorArg(shape, dtype),
            "meanOut": TensorArg((shape[0], group), dtype),
            "rstdOut": TensorArg((shape[0], group), dtype),
        }
    )


def _operator(name: str, version: str, flags: tuple[Flag, ...]) -> Operator:
    def drawn_flags(rng: Random) -> dict[str, bool]:
        return {flag.name: rng.random() < 0.5 for flag in flags}

    def draw(rng: Random) -> Call:
        (shape, group), dtype = drawn_images(rng), rng.choice(FLOATS)
        weight = parameter_dtype(rng, dtype)
        weights = rng.choice(((weight, weight), (None, None)))
        return _call(shape, group, dtype, weights, **drawn_flags(rng))

    on = {flag.name: True for flag in flags}
    return Operator(
        name,
        summary=f"Group norm followed by SiLU{version}.",
        formula="`y = (self - mean) * rstd * gamma + beta` as aclnnGroupNorm does it, "
        f"`out = y * sigmoid(y)`{version}",
        params=(
            TensorIn("self", "Images: N, C, and their pixels."),
            TensorIn("gamma", "Factor for each channel; 1 if it is left out.", optional=True),
            TensorIn("beta", "What is added to each channel; 0 if left out.", optional=True),
            Int("group", "Groups of channels that are normalised together."),
            Double("eps", "Added to the variance.", EPSILON),
            *flags,
            TensorOut("out", "Result.", like="self"),
            TensorOut("meanOut", "Mean of each group.", like="self", shape=_STATISTICS),
            TensorOut("rstdOut", "Inverse deviation.", like="self", shape=_STATISTICS),
        ),
        checks=_CHECKS,
        golden=golden,
        reference=_torch,
        ulps=8,
        ulps_from=1.0,
        draw=draw,
        typical=lambda n: _call(images(n), 8, FLOAT, (FLOAT, FLOAT), **on),
        samples=(
            _call((2, 4, 3), 2, FLOAT, (FLOAT, FLOAT), **on),
            _call((2, 4, 3, 2), 4, FLOAT16, (FLOAT16, FLOAT16), **on),
            _call((2, 6), 3, BF16, (BF16, None), **on),
            _call((2, 4, 3), 1, FLOAT, (FLOAT, None), **on),
            _call((2, 4, 3), 1, FLOAT, (None, FLOAT), **on),
        ),
        notes=("Sums are added in an order that follows from the shape.",
               "Of groups without elements the mean is 0 and the inverse deviation NaN."),
    )  # fmt: skip


_ACTIVATES = Flag("activateSilu", "Whether SiLU follows.", default=True)
OPS = (
    _operator("aclnnGroupNormSilu", "", ()),
    _operator("aclnnGroupNormSiluV2", ", if activateSilu", (_ACTIVATES,)),
)
