# SPDX-License-Identifier: Apache-2.0
"""Choices by a mask: between two tensors, or between a tensor and a number."""

from __future__ import annotations

from dataclasses import replace

from aclhost.ops.pointwise.build import pointwise_operator
from aclhost.ops.pointwise.checks import (
    Rules,
    broadcast_to,
    computes,
    delivered,
    feasible,
    given,
    listed,
    ranks,
)
from aclhost.ops.pointwise.declare import NEW_BF16, NUMBERS, Torch
from aclhost.ops.pointwise.deduction import is_bool
from aclhost.spec import math
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    FLOAT,
    FLOAT16,
    INT8,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    DataType,
)
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import NEVER, Parameter, Scalar, TensorIn, TensorInOut, TensorOut
from aclhost.spec.pointwise import NumberFrom, Pointwise
from aclhost.spec.rules import Condition, done_when_empty, dtype_in, inner, rank_in, when
from aclhost.spec.shapes import Broadcast
from aclhost.spec.terms import And, DtypeOf, Promote, const

_UNSIGNED = (UINT16, UINT32, UINT64)
_CHOSEN = tuple(dtype for dtype in (*NUMBERS, *_UNSIGNED) if dtype is not BF16)
_FILLED = (FLOAT, INT32, INT64, FLOAT16, INT8, BOOL)
_FILL_SHAPES = (((2, 4, 3), (4, 1)), ((3,), ()))


def choose(condition: Element, x: Element, y: Element) -> Element:
    """Bit by bit."""
    return math.where(condition, x, y)


def fill(x: Element, mask: Element, value: Element) -> Element:
    """Bit by bit."""
    return math.where(mask, value, x)


def _torch_where(torch: Torch, condition: Torch, self: Torch, other: Torch) -> Torch:
    return torch.where(condition.bool(), self, other)


def _torch_fill(torch: Torch, self_ref: Torch, mask: Torch, value: Torch) -> Torch:
    return torch.where(mask, value, self_ref)


def _choice(shapes: tuple[tuple[int, ...], ...], mask: DataType, *dtypes: DataType) -> Call:
    tensors = (
        TensorArg(shape, dtype, span=(0, 2) if dtype is UINT8 else None)
        for shape, dtype in zip(shapes, (mask, *dtypes[:2]), strict=True)
    )
    call = Call(dict(zip(("condition", "self", "other"), tensors, strict=True)))
    shape = Broadcast(("condition", "self", "other")).evaluate(call)
    return call.passing(out=TensorArg(shape, dtypes[2]))


def _s_where() -> Operator:
    common = Promote(DtypeOf("self"), DtypeOf("other"))
    tensors = ("self", "other", "condition")
    both_bool = Condition(
        And(is_bool(DtypeOf("self")), is_bool(DtypeOf("other"))), "self and other are BOOL"
    )
    plain = ((2, 3),) * 3
    op = pointwise_operator(
        "aclnnSWhere", "Chooses from two tensors by a condition.",
        (TensorIn("condition", "Which elements come from self; what is not 0 counts as true."),
         TensorIn("self", "Elements where the condition holds."),
         TensorIn("other", "Elements elsewhere."),
         TensorOut("out", "Result.", shape=Broadcast(tensors), dtype=common)),
        (given(*tensors, "out"), listed(("self", "other", "out"), *_CHOSEN, NEW_BF16),
         dtype_in("condition", BOOL, UINT8), ranks(*tensors), broadcast_to("out", *tensors),
         done_when_empty(*tensors), feasible("aclnnSWhere", "out", ("self", "condition", "other")),
         inner(computes("other", common)), when(both_bool, inner(dtype_in("out", BOOL)))),
        Pointwise(
            ("condition", "self", "other"), ("out",), (), common, choose, (*_CHOSEN, BF16),
            input_dtypes=(const(BOOL), None, None),
        ),
        reference=_torch_where,
        notes=("Where both tensors are BOOL, out must be, too: upstream casts nothing there.",),
    )  # fmt: skip
    samples = (
        *(_choice(plain, BOOL, dtype, dtype, dtype) for dtype in (*_CHOSEN, BF16)),
        _choice(((4, 1), (2, 1, 3), (1,)), UINT8, FLOAT, FLOAT, FLOAT),
        _choice(plain, BOOL, FLOAT16, INT32, FLOAT),
        _choice(plain, UINT8, FLOAT, COMPLEX64, COMPLEX64),
        _choice(((), (), ()), BOOL, INT64, INT8, INT64),
    )
    return replace(op, samples=samples)


def _masked_fill(kind: str, value: Parameter, checks_of_value: Rules, of_tensor: bool) -> Operator:
    name = f"aclnnInplaceMaskedFill{kind}"
    tensors = ("selfRef", "mask")
    inputs = (*tensors, "value") if of_tensor else tensors
    own = DtypeOf("selfRef")
    op = pointwise_operator(
        name, "Overwrites the elements that a mask selects.",
        (TensorInOut("selfRef", "What is changed.", read_if=NEVER),
         TensorIn("mask", "Which elements."), value),
        (given(*tensors, "value"), listed(("selfRef",), *_FILLED, NEW_BF16),
         listed(("value",), *_FILLED, BF16) if of_tensor else (), dtype_in("mask", BOOL),
         ranks(*tensors), checks_of_value, broadcast_to("selfRef", *tensors),
         delivered(name, "selfRef", tensors)),
        Pointwise(
            inputs, ("selfRef",), () if of_tensor else (NumberFrom("value"),), own, fill,
            (*_FILLED, BF16), input_dtypes=(None, const(BOOL), None)[: len(inputs)],
        ),
        reference=_torch_fill,
        notes=("value is converted to the dtype of selfRef without a check.",),
    )  # fmt: skip
    argument = TensorArg((), FLOAT) if of_tensor else ScalarArg(1.5)
    samples = (
        *(
            Call({"selfRef": TensorArg((2, 3), dtype), "mask": TensorArg((2, 3), BOOL),
                  "value": TensorArg((), dtype) if of_tensor else ScalarArg(1, dtype)})
            for dtype in (*_FILLED, BF16)
        ),
        *(
            Call({"selfRef": TensorArg(shape), "mask": TensorArg(mask, BOOL), "value": argument})
            for shape, mask in _FILL_SHAPES
        ),
    )  # fmt: skip
    return replace(op, samples=samples, typical=_common_fill if of_tensor else None)


def _common_fill(elements: int) -> Call:
    return Call({
        "selfRef": TensorArg((elements,)), "mask": TensorArg((elements,), BOOL),
        "value": TensorArg(()),
    })  # fmt: skip


OPS = (
    _s_where(),
    _masked_fill("Scalar", Scalar("value", "The number."), (), of_tensor=False),
    _masked_fill(
        "Tensor", TensorIn("value", "The number, as a tensor."), rank_in("value", 0), of_tensor=True
    ),
)
