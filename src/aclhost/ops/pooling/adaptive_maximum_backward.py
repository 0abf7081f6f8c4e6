# SPDX-License-Identifier: Apache-2.0
"""Gradients of aclnnAdaptiveMaxPool2d and aclnnAdaptiveMaxPool3d."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from aclhost.ops.pooling.adaptive import Sizes, drawn, samples, typical
from aclhost.ops.pooling.max_unpool3d_backward import INDEX_NOTE
from aclhost.ops.pooling.windows import (
    NEW,
    except_on,
    floats_on,
    labelled,
    rank_is,
    same_lengths_before,
    taking,
)
from aclhost.spec.call import Call
from aclhost.spec.dtypes import INT32, INT64, DataType
from aclhost.spec.formats import NCL
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    format_fits_rank,
    format_in,
    inner,
    inside_storage,
    not_null,
    not_private,
    only_on,
    rank_in,
    requires,
    same_dtype,
    same_format,
    same_rank,
    same_shape,
    volume_at_most,
    when,
)
from aclhost.spec.rules.base import Rule, Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import AtMost, Const, DimOf, Times

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_GRADIENT = (
    "For each {space} of self: gradInput starts as 0, then\n\n"
    "`gradInput[indices[p]] += gradOutput[p]`\n\n"
    "for every pooled position p. Sums are taken in float, in the order of p, and rounded once."
)
INDEX_DTYPES = (INT32, only_on(INT64, A950))


def golden_backward(spatial: int) -> Callable[..., Array]:
    """Each plane or volume collects its gradients at their indices."""

    def backward(grad_output: Array, self: Array, indices: Ints, **_: Any) -> Array:  # noqa: ANN401
        from aclhost.reference.pooling import collected

        return collected(grad_output, indices, self.shape, spatial)

    return backward


def reference_backward(spatial: int) -> Callable[..., Any]:
    """Torch's scatter, plane by plane."""

    def backward(torch: Any, grad_output: Any, self: Any, indices: Any, **_: Any) -> Any:  # noqa: ANN401
        size = prod(self.shape[-spatial:])
        flat = torch.zeros(self.numel() // size, size, dtype=grad_output.dtype)
        places = indices.reshape(len(flat), -1).long()
        return flat.scatter_add(1, places, grad_output.reshape(len(flat), -1)).reshape(self.shape)

    return backward


def _backward_call(dtype: DataType, lead: tuple[int, ...], sizes: Sizes) -> Call:
    lengths, pooled = sizes
    return Call(
        {
            "gradOutput": labelled((*lead, *pooled), dtype),
            "self": labelled((*lead, *lengths), dtype),
            "indices": replace(labelled((*lead, *pooled), INT32), span=(0, prod(lengths))),
            "gradInput": labelled((*lead, *lengths), dtype),
        }
    )


def _backward(spatial: int, *checks: tuple[Rule, ...]) -> Operator:
    """The gradients differ in ranks and in the order of a few checks."""
    space = "H * W plane" if spatial == 2 else "D * H * W volume"
    return Operator(
        f"aclnnAdaptiveMaxPool{spatial}dBackward",
        summary=f"Gradient of {'two' if spatial == 2 else 'three'}-dimensional max pooling to a "
        "given size.",
        formula=_GRADIENT.format(space=space),
        params=(
            TensorIn("gradOutput", "Gradient of the maxima."),
            TensorIn("self", "Input of the forward; its values are not used."),
            TensorIn("indices", "Where each maximum was found."),
            TensorOut("gradInput", "Gradient of self.", like="self"),
        ),
        checks=(
            not_null("gradOutput", "self", "indices", "gradInput"),
            same_dtype("gradOutput", "self"),
            same_dtype("gradInput", "self"),
            dtype_in("self", *floats_on(*NEW)),
            dtype_in("indices", *(INT32, INT64) if spatial == 2 else INDEX_DTYPES),
            same_rank("gradInput", "self"),
            same_rank("gradOutput", "self"),
            same_rank("indices", "self"),
            same_shape("indices", "gradOutput"),
            same_shape("gradInput", "self"),
            *checks,
            done_when_empty("gradOutput", "self", "indices"),
            inside_storage("self", "gradOutput", "indices"),
            when(rank_is("self", 3), inner(format_in("self", NCL))) if spatial == 2 else (),
            format_fits_rank("self"),
        ),
        launch_checks=(inner(same_lengths_before("gradOutput", "self", spatial)),),
        golden=taking("grad_output self indices", golden_backward(spatial)),
        reference=reference_backward(spatial),
        summed=("gradOutput",),
        ulps=4,
        gradient=Gradient(
            f"aclnnAdaptiveMaxPool{spatial}d",
            results={"gradInput": "self"},
            given={"gradOutput": "outputOut"},
            saved={"indices": "indicesOut"},
        ),
        samples=samples(_backward_call, spatial),
        draw=drawn(_backward_call, spatial),
        typical=typical(_backward_call, spatial),
        labelled=True,
        formats="The same public label on all, of their rank; without a batch, images are NCL."
        if spatial == 2
        else "The same public label on all, of their rank.",
        notes=(
            INDEX_NOTE,
            "Where gradOutput, self or indices is empty, gradInput is not written.",
        ),
    )


_LABELS = (
    same_format("gradOutput", "self"),
    same_format("gradInput", "self"),
    same_format("indices", "self"),
    not_private("self"),
)
_PLANE = requires(
    "plane_at_most",
    "self",
    AtMost(Times(DimOf("self", Const(-2)), DimOf("self", Const(-1))), Const(2**31 - 1)),
    f"height * width of self must be at most {2**31 - 1}",
    (Shown("shape", ShapeOf("self")),),
    "Split the tensor; only Ascend 950 takes larger ones.",
)
OPS = (
    _backward(2, *_LABELS, rank_in("self", 3, 4), when(except_on(A950), _PLANE)),
    _backward(3, when(except_on(A950), volume_at_most("self")), *_LABELS, rank_in("self", 4, 5)),
)
