# SPDX-License-Identifier: Apache-2.0
"""What products of matrices have in common."""

from __future__ import annotations

from random import Random

from aclhost.ops.pointwise.declare import NEW_BF16, known
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.draw import eighths
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.formats import FRACTAL_NZ
from aclhost.spec.matrices import DenseTransposed
from aclhost.spec.params import Int
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    Condition,
    Rule,
    dtype_in,
    inside_storage,
    not_null,
    on_products,
    one_of,
    requires,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, ShapeOf, ShapeTerm
from aclhost.spec.terms import (
    And,
    Const,
    DimOf,
    DtypeOf,
    Empty,
    Equal,
    FormatOf,
    In,
    Not,
    Or,
    Term,
    ValueOf,
    const,
)

Rules = tuple[Rule, ...]
Shape = tuple[int, ...]

FLOATS = (FLOAT, FLOAT16, BF16)
NEWER = (A950, A3, A2)
OLDER = (P310B, P310P, T910)
CUBE = Int(
    "cubeMathType",
    "How precise upstream's matrix unit is: 0 as the inputs, 1 less where that is faster, "
    "2 FLOAT16, 3 HFLOAT32, 4 more.",
    default=0,
    bits=8,
)
NOTES = (
    "cubeMathType allows upstream to round the factors; here products are computed in FLOAT and "
    "rounded once to the result's dtype, whatever it says.",
    "Larger products of BF16 use the processor's instruction for pairs of them where it has one "
    "(amx_bf16, avx512_bf16), which takes subnormal numbers for 0; those of FLOAT16 use amx_fp16, "
    "which does not.",
    "Memory with the label FRACTAL_NZ is read as its shape and strides tell: "
    "aclnnTransMatmulWeight leaves it in that order.",
)


def given(*names: str) -> Rules:
    """None of the pointers is null."""
    return not_null(*dict.fromkeys(names))


def cube(first: str, second: str, *others: str, late: bool = False) -> Rules:
    """Dtypes and cubeMathType, as upstream's matrix unit takes them.

    With `late`, sums in more precision are refused on older products.
    """
    names = dict.fromkeys((first, second, *others))
    dtypes = (rule for name in names for rule in dtype_in(name, FLOAT, FLOAT16, NEW_BF16))
    return (*dtypes, *cube_math_type(first, second), *(_no_groups() if late else ()))


def cube_math_type(first: str, second: str) -> Rules:
    """What cubeMathType may be for factors of their dtypes."""
    is_float = Or(_has_dtype(first, FLOAT), _has_dtype(second, FLOAT))
    return (
        *when(on_products(A950), one_of("cubeMathType", 0, 1, 2, 3, 4)),
        *when(on_products(*NEWER[1:], *OLDER), one_of("cubeMathType", -1, 0, 1, 2, 3, 4)),
        *when(
            on_products(*OLDER),
            requires(
                "cube_math_type",
                "cubeMathType",
                Not(And(is_float, In(ValueOf("cubeMathType"), (-1, 0, 3)))),
                f"cubeMathType must be 1, 2 or 4 for {first} or {second} of dtype FLOAT",
                (Shown("integer", ValueOf("cubeMathType")),),
                "Pass 1: the product multiplies in FLOAT16.",
            ),
        ),
    )


def _no_groups() -> Rules:
    return when(on_products(*OLDER), one_of("cubeMathType", -1, 0, 1, 2, 3))


def _has_dtype(parameter: str, dtype: DataType) -> Term:
    return Equal(DtypeOf(parameter), const(dtype))


def is_nz(parameter: str) -> Term:
    """The label of a weight in the order of the matrix unit."""
    return In(FormatOf(parameter), (FRACTAL_NZ,))


def not_nz(*parameters: str) -> Rules:
    """Only weights may be labelled so."""
    return tuple(
        rule
        for name in parameters
        for rule in requires(
            "format_in", name, Not(is_nz(name)), f"{name} must not have the format FRACTAL_NZ",
            (Shown("format", FormatOf(name)),), f"Create {name} with ND.",
        )
    )  # fmt: skip


def same_length(first: str, first_axis: Term, second: str, second_axis: Term) -> Rules:
    """The dimensions over which is summed are equal."""
    return requires(
        "same_length",
        second,
        Equal(DimOf(first, first_axis), DimOf(second, second_axis)),
        f"rows of {second} must be as many as columns of {first}",
        (Shown("shape", ShapeOf(first)), " and ", Shown("shape", ShapeOf(second))),
        "Transpose one of them, or correct its shape.",
    )


def result_shape(first: str, second: str) -> ShapeTerm:
    """Rows of the first and columns of the second."""
    return Lengths((DimOf(first, Const(-2)), DimOf(second, Const(-1))))


def readable(name: str, *factors: str, others: tuple[str, ...] = ()) -> Rules:
    """The last checks: the product, and strides of what upstream makes dense.

    Transposed factors it reads where they are.
    """
    return (
        *supported_on(*known(name).products),
        *(
            rule
            for each in factors
            for rule in when(
                Condition(Not(DenseTransposed(each)), f"{each} is not just transposed"),
                inside_storage(each),
            )
        ),
        *inside_storage(*others),
    )


def is_empty(*parameters: str) -> Condition:
    """One of the tensors has no elements."""
    term: Term = Empty(parameters[0])
    for name in parameters[1:]:
        term = Or(term, Empty(name))
    return Condition(term, f"{' or '.join(parameters)} is empty")


def drawn_length(rng: Random) -> int:
    """Seldom 0."""
    return 0 if rng.random() < 0.04 else rng.choice((1, rng.randint(2, 9), rng.randint(2, 40)))


def drawn_tensor(rng: Random, shape: Shape) -> TensorArg:
    """Of a floating dtype."""
    return TensorArg(shape, rng.choice(FLOATS))


def drawn_factor(rng: Random) -> ScalarArg:
    """Often 0 or 1."""
    return ScalarArg(rng.choice((0.0, 1.0, eighths(rng, -3, 3))), FLOAT)


def call_of(**arguments: object) -> Call:
    """Arguments by upstream's names."""
    return Call(arguments)  # type: ignore[arg-type]
