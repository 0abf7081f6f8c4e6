# SPDX-License-Identifier: Apache-2.0
"""Gaussian error linear units: exact, by tanh and by the logistic function."""

from __future__ import annotations

from functools import partial
from typing import Any

from aclhost.ops.activation.build import (
    FLOATS,
    GRADIENT,
    TABLE,
    backward,
    differentiated,
    same_dtypes,
    same_shapes,
)
from aclhost.ops.pointwise.checks import (
    broadcast_to,
    computed_in,
    computes,
    delivered,
    feasible,
    given,
    listed,
    ranks,
    readable,
)
from aclhost.ops.pointwise.declare import Row, Torch, declare, with_sample
from aclhost.ops.pointwise.unary import Unary, operators, own
from aclhost.ops.pointwise.unary_checks import (
    BF16_ON_NEW,
    NEW,
    equal_formats,
    gives_same,
    in_order,
    limited_to,
    public_formats,
    rank_then_shape,
    same,
    takes,
)
from aclhost.spec import math
from aclhost.spec.call import Call
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import Choice, Text
from aclhost.spec.rules import (
    done_when_empty,
    dtype_is,
    inside_storage,
    requires,
    same_dtype,
    same_format,
    same_shape,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import Const, DtypeOf, Equal, TextIs, ValueOf, promoted

_ROOT_HALF, _HEIGHT = 0.5**0.5, (2 * math.pi) ** -0.5
_SLOPE, _CUBE = (8 / math.pi) ** 0.5, 0.044715
_FAST = 1.702
_WORDS = ("none", "tanh")
_ON_NEW = limited_to(NEW, FLOAT, FLOAT16, BF16)
_CLOSE: dict[str, Any] = {"ulps": 8, "ulps_from": 1.0}  # the exponent's error grows with it
_CLOSE_TO_SLOPE: dict[str, Any] = {"ulps": 16, "ulps_from": 1.0}


def gelu_exact(x: Element) -> Element:
    """Not by 1 + erf, which loses all digits of what is left far below 0."""
    return x * math.normal_cdf(x)


def gelu_by_tanh(x: Element) -> Element:
    """(1 + tanh(u)) / 2 is the logistic function of 2 u."""
    return x * math.sigmoid(_SLOPE * (x + _CUBE * x * x * x))


def fast_gelu(x: Element) -> Element:
    """The exponent is nearly that of the normal distribution."""
    return x * math.sigmoid(_FAST * x)


def gelu_exact_backward(gradient: Element, x: Element) -> Element:
    """The distribution, and x times its density."""
    density = math.exp(x * x * -0.5) * _HEIGHT
    return gradient * (0.5 * (1 + math.erf(x * _ROOT_HALF)) + x * density)


def gelu_by_tanh_backward(gradient: Element, x: Element) -> Element:
    """Far from 0 the second part is 0, also where its factors overflow."""
    s = math.sigmoid(_SLOPE * (x + _CUBE * x * x * x))
    change = s * (1 - s) * x * (_SLOPE * (1 + 3 * _CUBE * x * x))
    return gradient * (s + math.where(math.isnan(change), 0.0, change))


def fast_gelu_backward(gradient: Element, x: Element) -> Element:
    """The same for the simpler exponent."""
    s = math.sigmoid(_FAST * x)
    return gradient * (s * (1 + _FAST * x * (1 - s)))


def _word(approximate: str | int) -> str:
    return approximate if isinstance(approximate, str) else _WORDS[approximate == 1]


def _torch_gelu(torch: Torch, x: Torch, approximate: str | int = "none") -> Torch:
    return torch.nn.functional.gelu(x, approximate=_word(approximate))


def _torch_gelu_backward(
    torch: Torch, gradient: Torch, x: Torch, approximate: str = "none"
) -> Torch:
    return torch.ops.aten.gelu_backward(gradient, x, approximate=approximate)


def _gelu_v2() -> Operator:
    op = declare(Row(
        "aclnnGeluV2", "Gaussian error linear unit, exact or by tanh.",
        (given("x", "y"), same_dtype("y", "x"), listed(("x",), *TABLE), same_shape("y", "x"),
         delivered("aclnnGeluV2", "y", ("x",))),
        gelu_exact, ("x",), "y", DtypeOf("x"), FLOATS, _torch_gelu,
        variants=(gelu_by_tanh,), variant=Equal(ValueOf("approximate"), Const(1)),
        params=(Choice("approximate", "Whether by tanh; all numbers but 1 mean exact.", _WORDS,
                       _WORDS[0]),),
        cases=("approximate 0", "approximate 1"), docs={"x": "Input.", "y": "Result."}, **_CLOSE,
    ))  # fmt: skip
    return with_sample(op, partial(Call.passing, approximate=1))


def _gelu_backward() -> Operator:
    pair, common = (GRADIENT, "self"), promoted(GRADIENT, "self")
    return backward(
        "aclnnGeluBackward", "aclnnGelu", gelu_by_tanh_backward,
        lambda torch, gradient, x: _torch_gelu_backward(torch, gradient, x, "tanh"),
        (given(*pair, "gradInput"), computes("self", common),
         computed_in("self", common, *TABLE), ranks(*pair), broadcast_to("gradInput", *pair),
         done_when_empty("self", GRADIENT),
         feasible("aclnnGeluBackward", "gradInput", (*pair, "gradInput")),
         readable(*pair, "gradInput")),
        computed=common, broadcasts=True, mixed=(FLOAT16, FLOAT), **_CLOSE_TO_SLOPE,
        notes=("Upstream's document also names the exact form; aclnnGelu and the kernel of its "
               "gradient compute by tanh, and so does aclhost.",
               "gradInput can have any dtype; fractions are cut off for integers."),
    )  # fmt: skip


def _gelu_backward_v2() -> Operator:
    pair, common = (GRADIENT, "self"), promoted(GRADIENT, "self")
    words = requires(
        "one_of", "approximate", TextIs("approximate", _WORDS),
        "approximate must be none or tanh", (Shown("text", "approximate"),),
        'Pass "none" or "tanh".',
    )  # fmt: skip
    op = backward(
        "aclnnGeluBackwardV2", "aclnnGeluV2", gelu_exact_backward, _torch_gelu_backward,
        (given(*pair, "gradInput", "approximate"), computes("self", common),
         computed_in("self", common, *TABLE),
         dtype_is("gradInput", common, f"the common dtype of {GRADIENT} and self"),
         broadcast_to("gradInput", *pair), words, done_when_empty("self", GRADIENT),
         feasible("aclnnGeluBackwardV2", "gradInput", pair), readable(*pair)),
        computed=common, broadcasts=True, mixed=(FLOAT16, FLOAT), **_CLOSE_TO_SLOPE,
        variants=(gelu_by_tanh_backward,), variant=TextIs("approximate", ("tanh",)),
        cases=_WORDS,
        params=(Text("approximate", "Which form: none (exact) or tanh.", _WORDS[0]),),
        derived={"approximate": lambda forward: _word(forward["approximate"])},
    )  # fmt: skip
    return with_sample(op, partial(Call.passing, approximate="tanh"))


def _fast_gelu_backward() -> Operator:
    g, x, out = GRADIENT, "self", "gradInput"
    return backward(
        "aclnnFastGeluBackward", "aclnnFastGelu", fast_gelu_backward,
        differentiated(lambda torch, x: x / (1 + torch.exp(-_FAST * x))),
        (given(g, x, out), same_dtypes(x, out, g), listed((out,), *_ON_NEW),
         same_shapes(x, out, g), ranks(x), same_format(out, x), same_format(g, x),
         done_when_empty(x), inside_storage(g, x)),
        **_CLOSE,
    )  # fmt: skip


OPS = (
    *operators(
        Unary(
            "aclnnGelu", "Gaussian error linear unit, by tanh.", gelu_by_tanh,
            in_order(takes(FLOAT, FLOAT16, BF16_ON_NEW), gives_same, public_formats,
                     rank_then_shape),
            lambda torch, x: _torch_gelu(torch, x, "tanh"), computed=own, result=own, **_CLOSE,
        ),
        Unary(
            "aclnnFastGelu", "Gaussian error linear unit, by the logistic function.", fast_gelu,
            same(_ON_NEW, equal_formats), lambda torch, x: x / (1 + torch.exp(-_FAST * x)),
            computed=own, result=own, checks_product=True, **_CLOSE,
        ),
    ),
    _gelu_backward(),
    _gelu_v2(),
    _gelu_backward_v2(),
    _fast_gelu_backward(),
)  # fmt: skip
