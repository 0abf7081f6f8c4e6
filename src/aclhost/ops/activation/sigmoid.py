# SPDX-License-Identifier: Apache-2.0
"""The logistic function, its logarithm, and what it gates: SiLU and swish. The gradient of tanh."""

from __future__ import annotations

from functools import partial

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
    ONLY_950,
    broadcast_to,
    castable_from,
    delivered,
    given,
    listed,
    ranks,
    shapes_fit,
)
from aclhost.ops.pointwise.declare import (
    COMPLEX,
    NEW_BF16,
    REALS,
    Row,
    Torch,
    declare,
    known,
    with_sample,
)
from aclhost.ops.pointwise.deduction import ON_950
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
from aclhost.spec.call import Call
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import Scalar, TensorIn
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    Condition,
    castable_scalars,
    done_when_empty,
    dtype_is,
    is_given,
    same_dtype,
    same_format_unless_nd,
    supported_on,
    when,
)
from aclhost.spec.terms import And, Const, DtypeOf, Equal, If, Not, Present, const, promoted

_PAIR = (GRADIENT, "self")
_ONE_DTYPE = in_order(takes(*TABLE), gives(*TABLE), gives_same, gives_same_shape)
_ANY_RANK = ("Tensors of more than 8 dimensions are accepted, as in upstream's code.",)
_BETA = "betaOptional"
_BETA_PARAM = Scalar(_BETA, "Factor inside the logistic function; 1 where it is left out.",
                     optional=True)  # fmt: skip
_BETA_GIVEN = is_given(_BETA)


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
        notes=("buffer is an output upstream, which leaves it alone, too.", *_ANY_RANK),
    ))  # fmt: skip


def _log_sigmoid_backward() -> Operator:
    g, x, out = *_PAIR, "gradInput"
    return backward(
        "aclnnLogSigmoidBackward", "aclnnLogSigmoid", log_sigmoid_backward,
        differentiated(lambda torch, x: torch.nn.functional.logsigmoid(x)),
        (given(g, x, "buffer", out), listed((g, x), *TABLE), same_dtypes(g, x, out),
         same_shapes(g, x, out), done_when_empty(x),
         supported_on(*known("aclnnLogSigmoidBackward").products), readable_161001(g, x)),
        derived={"buffer": lambda forward: forward["self"]}, notes=_ANY_RANK, ulps=4,
    )  # fmt: skip


def silu(x: Element, beta: Element = None) -> Element:
    """X times its logistic function."""
    return x * math.sigmoid(x)


def silu_backward(gradient: Element, x: Element, beta: Element = None) -> Element:
    """By the product rule."""
    s = math.sigmoid(x)
    return gradient * (s * (1 + x * (1 - s)))


def swish(x: Element, beta: Element) -> Element:
    """The same with a steeper or flatter gate."""
    return x * math.sigmoid(beta * x)


def swish_backward(gradient: Element, x: Element, beta: Element) -> Element:
    """By the product rule."""
    s = math.sigmoid(beta * x)
    return gradient * (s * (1 + beta * x * (1 - s)))


def _torch_swish(torch: Torch, x: Torch, beta: float = 1.0) -> Torch:
    return x * torch.sigmoid(beta * x)


def _with_and_without_beta(op: Operator) -> Operator:
    return with_sample(op, partial(Call.passing, **{_BETA: None}))


def _swish() -> Operator:
    return _with_and_without_beta(declare(Row(
        "aclnnSwish", "Each element times the logistic function of a multiple of it.",
        (given("self", "out"), listed(("self", "out"), *TABLE), same_dtype("out", "self"),
         when(_BETA_GIVEN, castable_scalars(FLOAT, _BETA)), ranks("self", "out"),
         same_shapes("out", "self"), delivered("aclnnSwish", "out", ("self",))),
        swish, ("self",), "out", DtypeOf("self"), FLOATS, _torch_swish, numbers=(_BETA,),
        variants=(silu,), variant=If(Present(_BETA), Const(0), Const(1)),
        cases=("with betaOptional", "without"), params=(_BETA_PARAM,), ulps=4,
        docs={"self": "Input."},
    )))  # fmt: skip


def _swish_backward() -> Operator:
    g, x, out = *_PAIR, "gradInput"
    return _with_and_without_beta(backward(
        "aclnnSwishBackward", "aclnnSwish", swish_backward, differentiated(_torch_swish),
        (given(g, x, out), listed((g, x), *TABLE),
         when(_BETA_GIVEN, castable_scalars(FLOAT, _BETA)), same_dtypes(g, x, out),
         ranks(g, x, out), same_shapes(g, x, out), done_when_empty(x),
         supported_on(*known("aclnnSwishBackward").products), readable_161001(g, x)),
        numbers=(_BETA,), variants=(silu_backward,),
        variant=If(Present(_BETA), Const(0), Const(1)), cases=("with betaOptional", "without"),
        params=(_BETA_PARAM,), ulps=8, ulps_from=1.0,
    ))  # fmt: skip


def _silu_backward() -> Operator:
    """The Ascend 950 broadcasts and mixes dtypes."""
    g, x, out = *_PAIR, "gradInput"
    is_mixed = And(ON_950, Not(Equal(DtypeOf(g), DtypeOf(x))))
    mixed = Condition(is_mixed, f"{g} and {x} differ in dtype on Ascend 950")
    plain = Condition(Not(is_mixed), f"{g} and {x} have one dtype or the product is another")
    old = Condition(Not(ON_950), "the product is not Ascend 950")
    op = backward(
        "aclnnSiluBackward", "aclnnSilu", silu_backward, aten("silu_backward"),
        (given(g, x, out), listed((g, x, out), *TABLE),
         when(mixed, dtype_is(out, const(FLOAT), "FLOAT where the other dtypes differ")),
         when(plain, same_dtypes(g, x, out)), ranks(g, x), when(old, same_shapes(g, x, out)),
         when(ONLY_950, broadcast_to(out, g, x)), done_when_empty(g, x),
         supported_on(*known("aclnnSiluBackward").products), readable_161001(g, x)),
        computed=promoted(g, x), ulps=8, ulps_from=1.0,
    )  # fmt: skip
    op = with_sample(op, lambda call: call.on(A950).retyped(BF16, g))
    return with_sample(op, lambda call: call.on(A950).reshaped((2, 1), g))


OPS = (
    *operators(
        Unary(
            "aclnnSigmoid", "The logistic function.", math.sigmoid,
            both_listed(NUMBERS, (*REALS, *COMPLEX)), "sigmoid", ulps=4,
            computed=own_or_result, twin=(*FLOATS_BY_PRODUCT, *COMPLEX),
            notes_on_out=(REAL_PART,),
        ),
        Unary(
            "aclnnLogSigmoid", "Logarithm of the logistic function.", log_sigmoid, _ONE_DTYPE,
            "nn.functional.logsigmoid", computed=own, result=own, notes=_ANY_RANK,
        ),
    ),
    _sigmoid_backward(),
    _tanh_backward(),
    _log_sigmoid_forward(),
    _log_sigmoid_backward(),
    *operators(
        Unary(
            "aclnnSilu", "Each element times its logistic function.", silu, _ONE_DTYPE,
            "nn.functional.silu", computed=own, result=own, ulps=4, notes=_ANY_RANK,
        ),
    ),
    _silu_backward(),
    _swish(),
    _swish_backward(),
)  # fmt: skip
