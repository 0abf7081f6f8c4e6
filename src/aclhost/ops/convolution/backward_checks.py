# SPDX-License-Identifier: Apache-2.0
"""The checks of aclnnConvolutionBackward, in upstream's order."""

from __future__ import annotations

from aclhost.ops.convolution.backward_shapes import (
    NEWER,
    SOME,
    WHOLE,
    channels,
    empties,
    fitting,
    shapes,
    volumes,
)
from aclhost.ops.convolution.build import (
    FLOATS,
    ONE,
    PLAIN,
    TURNED,
    ZERO,
    both,
    cube_math_type,
    every_axis,
    has_rank,
    item,
    labels,
    plus,
    under,
)
from aclhost.ops.norm.build import if_given, mask_checks
from aclhost.spec.formats import ND
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Rule,
    all_positive,
    as_null,
    at_least,
    dtype_in,
    format_in,
    inside_storage,
    is_given,
    none_negative,
    not_null,
    on_products,
    rank_in,
    requires,
    same_dtype,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import And, AtMost, EveryItem, LargestItem, Term

Rules = tuple[Rule, ...]
INPUTS = ("gradOutput", "input", "weight")
OUTPUTS = ("gradInput", "gradWeight", "gradBias")


def _dtypes() -> Rules:
    on_950 = on_products(A950)
    like = dict(zip(OUTPUTS, ("input", "weight", "gradOutput"), strict=True))
    return (
        *(rule for name in INPUTS for rule in dtype_in(name, *FLOATS)),
        *(
            rule
            for name, other in like.items()
            for rule in if_given(name, dtype_in(name, *FLOATS))
            + under(on_950, if_given(name, same_dtype(name, other)))
        ),
    )


def _label_rules(name: str) -> Rules:
    return (*rank_in(name, 3, 4, 5), *labels(name, ND))


def _formats() -> Rules:
    return (
        *(rule for name in INPUTS for rule in _label_rules(name)),
        *(rule for name in OUTPUTS[:2] for rule in under(is_given(name), _label_rules(name))),
        *under(both(PLAIN, on_products(*NEWER)), if_given("gradBias", format_in("gradBias", ND))),
    )


def _arrays() -> Rules:
    def below_stride(axis: int) -> Term:
        return AtMost(plus(item("outputPadding", axis), ONE), item("stride", axis))

    zeros = And(EveryItem("outputPadding", 0), AtMost(LargestItem("outputPadding"), ZERO))
    shown = (Shown("array", "outputPadding"),)
    return (
        *all_positive("stride"),
        *none_negative("padding"),
        *all_positive("dilation"),
        *when(TURNED, none_negative("outputPadding")),
        *when(
            both(TURNED, has_rank("input", 5)),
            requires(
                "output_padding", "outputPadding", every_axis("input", below_stride),
                "outputPadding must be less than stride", shown, "Reduce outputPadding.",
            ),
        ),
        *when(
            PLAIN,
            requires(
                "no_output_padding", "outputPadding", zeros, "outputPadding must be 0", shown,
                "Pass zeros: only transposed convolutions have one.",
            ),
        ),
        *at_least("groups", 1),
    )  # fmt: skip


def rules() -> tuple[Rules, ...]:
    """All of them."""
    return (
        not_null(*INPUTS, "stride", "padding", "dilation", "outputPadding", "outputMask"),
        as_null(mask_checks(*OUTPUTS)),
        _dtypes(),
        _formats(),
        _arrays(),
        cube_math_type(3, *INPUTS),
        under(WHOLE, shapes(), channels()),
        under(both(WHOLE, has_rank("input", 5)), volumes()),
        supported_on(A950, A3, A2, P310P, T910),
        inside_storage(*INPUTS),
        empties(),
        under(SOME, fitting()),
    )
