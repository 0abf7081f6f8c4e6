# SPDX-License-Identifier: Apache-2.0
"""Functions of three operands: products and quotients added, interpolation, masks."""

from __future__ import annotations

from functools import partial
from typing import Any

from aclhost.ops.pointwise.checks import (
    Rules,
    broadcast_to,
    castable_from,
    delivered,
    feasible,
    given,
    listed,
    ranks,
    shape_of,
)
from aclhost.ops.pointwise.declare import (
    NEW_BF16,
    REALS,
    Row,
    Torch,
    declare,
    with_sample,
    with_twin,
)
from aclhost.spec import math
from aclhost.spec.call import Call
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    Condition,
    done_when_empty,
    inside_storage,
    not_private,
    only_on,
    requires,
    same_dtype,
    same_format,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import Contiguous, DtypeOf, In, Not, Promote, all_of, const

_VALUE = (
    "value is converted to what is computed without a check: 0.5 counts as 0 among integers.",
)
_DOCS = {
    "tensor1": "First factor.",
    "tensor2": "Second factor.",
    "end": "Where weight is 1.",
    "weight": "Weight of end.",
    "self": "First operand.",
}


def add_quotient(x: Element, first: Element, second: Element, value: Element) -> Element:
    """Integers are divided towards zero."""
    quotient = math.trunc_divide(first, second) if x.is_integer else first / second
    return x + value * quotient


def add_product(x: Element, first: Element, second: Element, value: Element) -> Element:
    """Integers wrap."""
    return x + value * first * second


def interpolate(x: Element, end: Element, weight: Element) -> Element:
    """From the nearer end, so that weights 0 and 1 are exact."""
    way = end - x
    return math.where(weight < 0.5, x + weight * way, end - way * (1 - weight))


def scale(x: Element, mask: Element, factor: Element) -> Element:
    """The mask is a number, not a truth value."""
    return x * mask * factor


def _torch(name: str) -> Any:  # noqa: ANN401
    def reference(torch: Torch, x: Torch, first: Torch, second: Torch, value: Torch) -> Torch:
        return getattr(torch, name)(x, first, second, value=value)

    return reference


def _torch_lerp(torch: Torch, x: Torch, end: Torch, weight: Torch) -> Torch:
    return torch.lerp(x, end, weight)


def _addc(prefix: str, x: str, out: str, quotient: bool) -> Operator:
    name = f"{prefix}{'Addcdiv' if quotient else 'Addcmul'}"
    factors = ("tensor1", "tensor2")
    common = Promote(DtypeOf(x), Promote(*map(DtypeOf, factors)))
    integers = (INT64,) if quotient else (INT32, INT64, INT8, UINT8)
    computable = () if quotient else requires(
        "dtype_in", "tensor2", Not(In(common, (INT16,))),
        "the operands must have a common dtype other than INT16", (Shown("dtype", common),),
        "Cast INT8 or UINT8 to the other.",
    )  # fmt: skip
    tensors = (x, *factors)
    return declare(Row(
        name, f"Adds a multiple of a {'quotient' if quotient else 'product'} of two tensors.",
        (given(*tensors, "value", out),
         listed(tensors, FLOAT, FLOAT16, DOUBLE, *integers, NEW_BF16), computable,
         castable_from(out, common),
         () if quotient else not_private(*dict.fromkeys((*tensors, out))),
         ranks(*tensors), broadcast_to(out, *factors, x),
         delivered(name, out, tensors, common)),
        add_quotient if quotient else add_product, tensors, out, common, (*REALS, *integers),
        _torch("addcdiv" if quotient else "addcmul"), numbers=("value",), docs=_DOCS,
        mixed=(FLOAT, FLOAT16, FLOAT16),
        notes=(*_VALUE, "INT64 is divided towards zero, and by 0 to -1; torch refuses integers.")
        if quotient else _VALUE,
    ))  # fmt: skip


def _lerp(prefix: str, x: str, out: str, scalar: bool) -> Operator:
    """Ranks past 8 are only refused where a tensor is strided."""
    name = f"{prefix}{'Lerps' if scalar else 'Lerp'}"
    inputs = (x, "end") if scalar else (x, "end", "weight")
    table = (FLOAT16, FLOAT, NEW_BF16)
    if scalar:
        results = () if x == out else listed((out,), *table, DOUBLE)
        types: tuple[Rules, ...] = (listed((x, "end"), *table), same_dtype("end", x), results)
    else:
        same = ("end", "weight") if x == out else ("end", "weight", out)
        types = (listed((x,), *table), *(same_dtype(each, x) for each in same))
    everything = tuple(dict.fromkeys((*inputs, out)))
    strided = Condition(Not(all_of(*map(Contiguous, everything))), "a tensor is strided")
    op = declare(Row(
        name, "Interpolates linearly between two tensors.",
        (given(x, "end", "weight", out), *types, broadcast_to(out, *inputs),
         when(strided, ranks(*inputs) if x != out else ranks(x)),
         done_when_empty(x), feasible(name, out, inputs)),
        interpolate, inputs, out, DtypeOf(x), (FLOAT16, FLOAT, BF16), _torch_lerp,
        numbers=("weight",) if scalar else (), docs=_DOCS,
        notes=("More than 8 dimensions are accepted where all tensors are contiguous, as in "
               "upstream's code.",),
    ))  # fmt: skip
    for each in inputs if x != out else (x,):
        op = with_sample(op, partial(_of_rank_9, inputs, each))
    return op


def _of_rank_9(inputs: tuple[str, ...], which: str, call: Call) -> Call:
    return call.reshaped((1,), *inputs).reshaped((2, *(1,) * 8), which)


def _masked_scale() -> Operator:
    floats = tuple(only_on(each, A950) for each in (FLOAT, FLOAT16, BF16))
    masks = tuple(only_on(each, A950) for each in (FLOAT, FLOAT16, UINT8, INT8))
    return declare(Row(
        "aclnnMaskedScale", "Multiplies a tensor by a mask and a factor.",
        (given("self", "mask", "out"), same_dtype("out", "self"), listed(("self",), *floats),
         listed(("mask",), *masks), shape_of("out", "self"), shape_of("mask", "out"),
         ranks("self"), same_format("self", "out"), done_when_empty("self"),
         inside_storage("self", "mask")),
        scale, ("self", "mask"), "out", const(FLOAT), (FLOAT,),
        lambda torch, x, mask, factor: x * mask * factor,
        numbers=("scale",), broadcasts=False, result=DtypeOf("self"), mixed=(FLOAT16, UINT8),
        docs={"mask": "Factor of each element.", "scale": "Factor of all."},
    ))  # fmt: skip


OPS = (
    *with_twin(lambda prefix, x, out: _addc(prefix, x, out, quotient=True)),
    *with_twin(lambda prefix, x, out: _addc(prefix, x, out, quotient=False)),
    *with_twin(lambda prefix, x, out: _lerp(prefix, x, out, scalar=False)),
    *with_twin(lambda prefix, x, out: _lerp(prefix, x, out, scalar=True)),
    _masked_scale(),
)
