# SPDX-License-Identifier: Apache-2.0
"""Sums, differences and products of tensors, and of tensors with scalars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aclhost.ops.pointwise.checks import (
    NOT_950,
    ONLY_950,
    alpha_fits,
    broadcast_to,
    castable_from,
    computes,
    delivered,
    given,
    listed,
    pointers_and_shapes,
    ranks,
    shape_of,
    shapes_fit,
)
from aclhost.ops.pointwise.declare import (
    COMPLEX,
    INTEGERS,
    NEW_BF16,
    NUMBERS,
    Row,
    Torch,
    declare,
    with_sample,
    with_twin,
)
from aclhost.ops.pointwise.deduction import (
    NO_DTYPE,
    ON_950,
    add_scalar,
    add_to_scalar,
    by_product,
    combined_keeping,
    combined_with_default,
    is_complex,
    is_floating,
    multiply_scalar,
    subtract_from_scalar,
)
from aclhost.spec.call import ScalarArg
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, INT8, INT32
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.products import A950
from aclhost.spec.rules import inner, when
from aclhost.spec.terms import And, DtypeOf, If, In, Not, Or, RealIs, Term, all_of, const, promoted

_TABLE = (FLOAT, FLOAT16, DOUBLE, *INTEGERS, BOOL, NEW_BF16, *COMPLEX)
_NO_BOOL = tuple(each for each in _TABLE if each is not BOOL)
_EXACT = "Integers are computed exactly; upstream's A2 takes some of them through FLOAT."
_SCALARS = "Scalars are not rounded to FLOAT16 or BF16 before they are used; upstream's A2 does so."
_ANY_OUT = "The documented rule that what is computed converts to the result is not enforced"


def add(x: Element, y: Element, alpha: Element) -> Element:
    """Also of BOOL: or, and."""
    return x + alpha * y


def subtract(x: Element, y: Element, alpha: Element) -> Element:
    """Of BOOL: exclusive or."""
    return x - alpha * y


def subtract_from(x: Element, y: Element, alpha: Element) -> Element:
    """The operands exchanged."""
    return y - alpha * x


def multiply(x: Element, y: Element) -> Element:
    """Of BOOL: and."""
    return x * y


def _torch(name: str) -> Callable[..., Any]:
    """With scalars of the tensor's dtype: torch would compute integers and fractions as floats."""

    def reference(torch: Torch, x: Torch, y: Torch, alpha: Torch) -> Torch:
        y = y if torch.is_tensor(y) else x.new_tensor(y).item()
        return getattr(torch, name)(x, y, alpha=x.new_tensor(alpha).item())

    return reference


def _torch_multiply(torch: Torch, x: Torch, y: Torch) -> Torch:
    return torch.mul(x, y)


_ADD = ("Adds a multiple of the second operand.", add, _torch("add"))
_SUBTRACT = ("Subtracts a multiple of the second operand.", subtract, _torch("sub"))
_SUBTRACT_FROM = (
    "Subtracts a multiple of the first operand from the second.", subtract_from, _torch("rsub"),
)  # fmt: skip


def _unrounded(common: Term) -> Term:
    """FLOAT for 16-bit floats where a multiple is subtracted: a FLOAT result shows all of it."""
    multiple = Or(RealIs("alpha", "<", 1.0), RealIs("alpha", ">", 1.0))
    short = In(common, (FLOAT16, BF16))
    return If(all_of(Not(ON_950), multiple, short), const(FLOAT), common)


def _tensors(
    name: str, x: str, out: str, kind: tuple[str, Any, Any], table: tuple[Any, ...] = _TABLE
) -> Operator:
    """Two tensors and a factor."""
    summary, function, reference = kind
    common = promoted(x, "other")
    pointers, shapes = pointers_and_shapes(out, x, "other", "alpha", shapes_first=function is add)
    return declare(Row(
        name, summary,
        (pointers, listed((x, "other"), *table), alpha_fits(common), castable_from(out, common),
         shapes, delivered(name, out, (x, "other"), common)),
        function, (x, "other"), out, _unrounded(common) if function is subtract else common,
        tuple(each for each in NUMBERS if each is not BOOL or BOOL in table), reference,
        numbers=("alpha",), result=common, mixed=(FLOAT16, INT32), notes=(_EXACT, _SCALARS),
    ))  # fmt: skip


def _scalar(name: str, x: str, out: str, kind: tuple[str, Any, Any]) -> Operator:
    """A tensor, a scalar and a factor; the scalar's dtype is not listed."""
    summary, function, reference = kind

    tensor, other = DtypeOf(x), DtypeOf("other")
    on_950 = combined_keeping(tensor, "other", "alpha")
    computed = by_product(on_950, add_scalar(tensor, other, DtypeOf(out)))
    new = by_product(combined_with_default(tensor, other), add_scalar(tensor, other, NO_DTYPE))
    return declare(Row(
        name, summary,
        (given(x, "other", "alpha", out), listed((x,), *_TABLE), computes("other", computed),
         alpha_fits(computed), castable_from(out, computed), ranks(x), shape_of(out, x),
         delivered(name, out, (x,), computed)),
        function, (x,), out, computed, NUMBERS, reference,
        numbers=("other", "alpha"), result=new, notes=(_EXACT, _SCALARS),
    ))  # fmt: skip


def _rsubs() -> Operator:
    x, other = DtypeOf("self"), DtypeOf("other")
    on_950 = combined_keeping(x, "other", "alpha")
    computed = by_product(on_950, subtract_from_scalar(x, other))
    new = by_product(combined_with_default(x, other), subtract_from_scalar(x, other))
    summary, function, reference = _SUBTRACT_FROM
    return declare(Row(
        "aclnnRsubs", summary,
        (given("self", "other", "alpha", "out"), listed(("self", "other"), *_NO_BOOL),
         alpha_fits(computed), castable_from("out", computed), ranks("self"),
         shape_of("out", "self"), delivered("aclnnRsubs", "out", ("self",), computed)),
        function, ("self",), "out", computed, NUMBERS, reference, numbers=("other", "alpha"),
        result=new,
        notes=(_EXACT, _SCALARS, "A complex other counts as 0 beside a real tensor, as upstream's "
               "code reads it, except on Ascend 950."),
    ))  # fmt: skip


def _mul(prefix: str, x: str, out: str) -> Operator:
    name, common = f"{prefix}Mul", promoted(x, "other")
    shapes = shapes_fit(out, x, "other") if x != out else broadcast_to(out, x, "other")
    return declare(Row(
        name, "Multiplies two tensors.",
        (given(x, "other", out), listed((x, "other", out), *_TABLE),
         when(NOT_950, castable_from(out, common)), shapes,
         delivered(name, out, (x, "other"))),
        multiply, (x, "other"), out, common, NUMBERS, _torch_multiply, mixed=(FLOAT16, INT32),
        notes=(f"{_ANY_OUT} on Ascend 950, as in upstream's code.",),
    ))  # fmt: skip


def _muls(prefix: str, x: str, out: str) -> Operator:
    name, tensor, other = f"{prefix}Muls", DtypeOf(x), DtypeOf("other")
    on_950 = combined_keeping(tensor, "other")
    computed = by_product(on_950, multiply_scalar(tensor, other, DtypeOf(out)))
    rounded_950 = If(And(In(tensor, (FLOAT16, BF16)), is_floating(other)), tensor, on_950)
    rounded = If(all_of(In(tensor, (BF16,)), In(other, (DOUBLE,))), tensor, computed)
    kept = And(is_floating(tensor), Not(is_complex(other)))
    op = declare(Row(
        name, "Multiplies a tensor by a scalar.",
        (given(x, "other", out), listed((x, out), *_TABLE),
         when(ONLY_950, computes("other", on_950), castable_from(out, on_950)),
         shape_of(out, x), delivered(name, out, (x,)),
         inner(computes("other", computed))),
        multiply, (x,), out, computed, NUMBERS, _torch_multiply, numbers=("other",),
        result=If(kept, tensor, by_product(on_950, multiply_scalar(tensor, other, NO_DTYPE))),
        rounded=by_product(rounded_950, rounded),
        notes=(f"{_ANY_OUT} except on Ascend 950, nor is the documented limit of 8 dimensions.",
               _SCALARS),
    ))  # fmt: skip
    flags = {"other": ScalarArg(True, BOOL)}
    return with_sample(op, lambda call: call.retyped(BOOL, x).passing(**flags).on(A950))


def _add_v3(name: str, self_scalar: str, out: str) -> Operator:
    """A scalar and a multiple of a tensor; the in-place operator overwrites the tensor."""

    def deduced(out_dtype: Term) -> Term:
        return add_to_scalar(DtypeOf("other"), DtypeOf(self_scalar), out_dtype)

    computed = deduced(DtypeOf(out))
    return declare(Row(
        name, "Adds a multiple of a tensor to a scalar.",
        (given(self_scalar, "other", "alpha", out),
         listed(("other",), FLOAT, INT32, FLOAT16, BF16, INT8), alpha_fits(computed),
         castable_from(out, computed), ranks("other"), shape_of(out, "other"),
         delivered(name, out, ("other",), computed)),
        lambda y, x, alpha: x + alpha * y, ("other",), out, computed,
        (FLOAT, INT32, INT8, *COMPLEX),
        lambda torch, y, x, alpha: y * alpha + x,
        numbers=(self_scalar, "alpha"), result=deduced(NO_DTYPE),
        docs={"selfRef": "First operand, a scalar that stays as it is.",
              "other": "Second operand, overwritten with the result."} if out == "other" else {},
    ))  # fmt: skip


OPS = (
    *with_twin(lambda prefix, x, out: _tensors(f"{prefix}Add", x, out, _ADD), early=4),
    *with_twin(lambda prefix, x, out: _scalar(f"{prefix}Adds", x, out, _ADD)),
    *with_twin(lambda prefix, x, out: _tensors(f"{prefix}Sub", x, out, _SUBTRACT)),
    *with_twin(lambda prefix, x, out: _scalar(f"{prefix}Subs", x, out, _SUBTRACT)),
    _tensors("aclnnRsub", "self", "out", _SUBTRACT_FROM, _NO_BOOL),
    _rsubs(),
    *with_twin(_mul),
    *with_twin(_muls),
    _add_v3("aclnnAddV3", "self", "out"),
    _add_v3("aclnnInplaceAddV3", "selfRef", "other"),
)
