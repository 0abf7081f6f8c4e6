# SPDX-License-Identifier: Apache-2.0
"""Groups of checks that operators of several operands share, in upstream's order.

Where the result is one of the inputs, what is then true of itself is not asked.
"""

from __future__ import annotations

from aclhost.ops.pointwise.deduction import ON_950, is_bool, is_defined, is_integer
from aclhost.spec import catalogue, dtypes, products
from aclhost.spec.dtypes import DataType
from aclhost.spec.rules import (
    Condition,
    Rule,
    broadcastable,
    cast_exists,
    castable_to,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    rank_at_most,
    requires,
    same_shape,
    shape_is,
    supported_on,
)
from aclhost.spec.rules.base import Shown, Step, listing
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.shapes import Broadcast
from aclhost.spec.status import Status
from aclhost.spec.terms import CanCast, DtypeAllowed, DtypeOf, If, Not, Or, Term

Rules = tuple[Rule, ...]
ONLY_950 = Condition(ON_950, f"the product is {products.A950}")
NOT_950 = Condition(Not(ON_950), f"the product is not {products.A950}")


def given(*parameters: str) -> Rules:
    """None of the pointers is null; one that is named twice is asked once."""
    return not_null(*dict.fromkeys(parameters))


def listed(parameters: tuple[str, ...], *allowed: DataType | Limited) -> Rules:
    """The dtype of each is one of a list."""
    names = dict.fromkeys(parameters)
    return tuple(rule for name in names for rule in dtype_in(name, *allowed))


def ranks(*parameters: str) -> Rules:
    """No tensor has more than eight dimensions."""
    return tuple(rule for name in parameters for rule in rank_at_most(name, 8))


def broadcast_to(out: str, *inputs: str) -> Rules:
    """The inputs broadcast, from left to right, and the result has their common shape."""
    pairs = ((inputs[i], inputs[:i]) for i in range(1, len(inputs)))
    return (
        *(rule for name, others in pairs for rule in broadcastable(name, *others)),
        *shape_is(out, Broadcast(inputs), f"to which {listing(inputs, 'and')} broadcast"),
    )


def shapes_fit(out: str, *inputs: str) -> Rules:
    """Ranks, then broadcasting, then the result."""
    return (*ranks(*inputs), *broadcast_to(out, *inputs))


def pointers_and_shapes(
    out: str, x: str, y: str, *further: str, shapes_first: bool = False
) -> tuple[Rules, Rules]:
    """Checks of two tensors before and after those of dtypes.

    Some in-place operators look at shapes before anything else.
    """
    if out != x or not shapes_first:
        return given(x, y, *further, out), shapes_fit(out, x, y)
    return (*given(x, y), *broadcast_to(out, x, y), *given(*further)), ranks(x)


def shape_of(out: str, tensor: str) -> Rules:
    """The result has the tensor's shape; nothing to ask where both are one."""
    return () if out == tensor else same_shape(out, tensor)


def computes(parameter: str, computed: Term) -> Rules:
    """A dtype to compute in can be deduced."""
    return requires(
        "common_dtype",
        parameter,
        is_defined(computed),
        f"{parameter} must have a dtype that has one in common with the other operands",
        (Shown("dtype", DtypeOf(parameter)),),
        "Unsigned types above 8 bits mix with no other real type: use a signed one.",
    )


def computed_in(parameter: str, computed: Term, *allowed: DataType | Limited) -> Rules:
    """The deduced dtype is one of a list."""
    (rule,) = dtype_in(parameter, *allowed)
    assert isinstance(rule.holds, DtypeAllowed)

    def reworded(text: str) -> str:
        return text.replace(f"{parameter} ", "the operands ").replace("dtype", "a common dtype")

    return requires(
        "dtype_in",
        parameter,
        DtypeAllowed(computed, rule.holds.lists),
        reworded(rule.text),
        (Shown("dtype", computed),),
        "Cast the operands to one of these dtypes.",
    )


def castable_from(out: str, computed: Term) -> Rules:
    """What is computed converts to the result's dtype."""
    return castable_to(out, source=computed, words="what is computed")


def alpha_fits(computed: Term) -> Rules:
    """The factor converts to what is computed; beside BOOL it is no fraction."""
    alpha = DtypeOf("alpha")
    of_bools = Or(is_integer(alpha), is_bool(alpha))
    return requires(
        "castable_scalar",
        "alpha",
        If(is_bool(computed), of_bools, CanCast(alpha, computed)),
        "alpha must have a dtype that converts to the one that is computed in",
        (Shown("dtype", alpha), " for ", Shown("dtype", computed)),
        "Pass an integer for integers and BOOL, a real number for real tensors.",
    )


def not_both_bool(first: str, second: str) -> Rules:
    """At least one of two operands is a number."""
    one, other = DtypeOf(first), DtypeOf(second)
    return requires(
        "not_both_bool",
        second,
        Not(is_bool(If(is_bool(one), other, one))),
        f"{first} and {second} must not both be BOOL",
        (Shown("dtype", one), " and ", Shown("dtype", other)),
        "Cast one of them to an integer.",
    )


def readable(*parameters: str) -> Rules:
    """Tensors whose dtypes are not listed themselves can at least be cast (561103 if not)."""
    rules = (rule for name in parameters for rule in dtype_in(name, *dtypes.CAST_TARGETS))
    return tuple(rule.with_code(Status.INNER_NULLPTR) for rule in rules)


def delivered(
    operator: str, out: str, inputs: tuple[str, ...], computed: Term | None = None
) -> tuple[Step, ...]:
    """The last steps: empty tensors, the product, strides, and the cast to the result.

    No `computed` where every dtype that the result can have exists.
    """
    return (*done_when_empty(*inputs), *feasible(operator, out, inputs, computed))


def feasible(
    operator: str, out: str, inputs: tuple[str, ...], computed: Term | None = None
) -> Rules:
    """The same after an operator's own way with empty tensors."""
    known = catalogue.operator(operator)
    on = known.products if known else products.ALL
    return (
        *(() if set(on) == set(products.ALL) else supported_on(*on)),
        *inside_storage(*inputs),
        *(() if computed is None or out in inputs else cast_exists(out, computed)),
    )
