# SPDX-License-Identifier: Apache-2.0
"""The logistic function and its logarithm. The gradient of tanh."""

from __future__ import annotations

from aclhost.ops.activation.build import (
    FLOATS,
    GRADIENT,
    TABLE,
    aten,
    backward,
    differentiated,
    readable_161001,
    same_dtypes,
    same_shapes,
)
from aclhost.ops.pointwise.checks import (
    broadcast_to,
    castable_from,
    delivered,
    given,
    listed,
    ranks,
    shapes_fit,
)
from aclhost.ops.pointwise.declare import COMPLEX, NEW_BF16, REALS, Row, declare, known
from aclhost.ops.pointwise.unary import Unary, operators, own, own_or_result
from aclhost.ops.pointwise.unary_checks import (
    FLOATS_BY_PRODUCT,
    NUMBERS,
    REAL_PART,
    gives,
    gives_same,
    gives_same_shape,
    in_order,
    takes,
)
from aclhost.ops.pointwise.unary_checks import listed as both_listed
from aclhost.spec import math
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn
from aclhost.spec.rules import done_when_empty, same_dtype, same_format_unless_nd, supported_on
from aclhost.spec.terms import DtypeOf, promoted

_PAIR = (GRADIENT, "self")
ONE_DTYPE = in_order(takes(*TABLE), gives(*TABLE), gives_same, gives_same_shape)
ANY_RANK = ("Tensors of more than 8 dimensions are accepted, as in upstream's code.",)


def sigmoid_backward(gradient: Element, y: Element) -> Element:
    """Complex derivatives are conjugated, as torch does."""
    return gradient * math.conj((1 - y) * y)


def tanh_backward(gradient: Element, y: Element) -> Element:
    """Of the forward's result; products of sums are exact near 1, squares are not."""
    return gradient * ((1 - y) * (1 + y))


def log_sigmoid(x: Element) -> Element:
    """Without overflow."""
    return 0.0 - math.log1p_exp(-x)


def log_sigmoid_backward(gradient: Element, x: Element) -> Element:
    """What the logistic function lacks of 1, without cancellation."""
    return gradient * math.sigmoid(-x)


def _sigmoid_backward() -> Operator:
    pair, out = (GRADIENT, "output"), "gradInput"
    common, table = promoted(*pair), (FLOAT, FLOAT16, DOUBLE, *COMPLEX)
    return backward(
        "aclnnSigmoidBackward", "aclnnSigmoid", sigmoid_backward, aten("sigmoid_backward"),
        (given(*pair, out), listed((GRADIENT,), *table, NEW_BF16),
         listed(("output", out), *table, BF16), ranks(*pair), castable_from(out, common),
         broadcast_to(out, *pair), delivered("aclnnSigmoidBackward", out, pair)),
        inputs=pair, computed=common, dtypes=(*REALS, *COMPLEX), broadcasts=True,
        mixed=(FLOAT16, FLOAT),
    )  # fmt: skip


def _tanh_backward() -> Operator:
    pair, out = (GRADIENT, "output"), "gradInput"
    return backward(
        "aclnnTanhBackward", "aclnnTanh", tanh_backward, aten("tanh_backward"),
        (given(*pair, out), listed((*pair, out), FLOAT, FLOAT16, DOUBLE, NEW_BF16),
         same_dtypes("output", out, GRADIENT), shapes_fit(out, *pair),
         delivered("aclnnTanhBackward", out, pair), same_format_unless_nd(out, GRADIENT)),
        inputs=pair, dtypes=REALS, broadcasts=True,
    )  # fmt: skip


def _log_sigmoid_forward() -> Operator:
    return declare(Row(
        "aclnnLogSigmoidForward", "Logarithm of the logistic function.",
        (given("self", "out"), listed(("self", "out"), *TABLE), same_dtype("out", "self"),
         same_shapes("out", "self"), delivered("aclnnLogSigmoidForward", "out", ("self",))),
        log_sigmoid, ("self",), "out", DtypeOf("self"), FLOATS,
        lambda torch, x: torch.nn.functional.logsigmoid(x), docs={"self": "Input."},
        params=(TensorIn("buffer", "Neither read nor written; may be null.", optional=True,
                         is_const=False),),
        notes=("buffer is an output upstream, which leaves it alone, too.", *ANY_RANK),
    ))  # fmt: skip


def _log_sigmoid_backward() -> Operator:
    g, x, out = *_PAIR, "gradInput"
    return backward(
        "aclnnLogSigmoidBackward", "aclnnLogSigmoid", log_sigmoid_backward,
        differentiated(lambda torch, x: torch.nn.functional.logsigmoid(x)),
        (given(g, x, "buffer", out), listed((g, x), *TABLE), same_dtypes(g, x, out),
         same_shapes(g, x, out), done_when_empty(x),
         supported_on(*known("aclnnLogSigmoidBackward").products), readable_161001(g, x)),
        derived={"buffer": lambda forward: forward["self"]}, notes=ANY_RANK, ulps=4,
    )  # fmt: skip


OPS = (
    *operators(
        Unary(
            "aclnnSigmoid", "The logistic function.", math.sigmoid,
            both_listed(NUMBERS, (*REALS, *COMPLEX)), "sigmoid",
            computed=own_or_result, twin=(*FLOATS_BY_PRODUCT, *COMPLEX),
            notes_on_out=(REAL_PART,),
        ),
        Unary(
            "aclnnLogSigmoid", "Logarithm of the logistic function.", log_sigmoid, ONE_DTYPE,
            "nn.functional.logsigmoid", computed=own, result=own, notes=ANY_RANK,
        ),
    ),
    _sigmoid_backward(),
    _tanh_backward(),
    _log_sigmoid_forward(),
    _log_sigmoid_backward(),
)  # fmt: skip
