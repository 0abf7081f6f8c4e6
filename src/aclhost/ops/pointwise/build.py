# SPDX-License-Identifier: Apache-2.0
"""How a point-wise operator is put together from its function, its parameters and its checks."""

from __future__ import annotations

from aclhost.spec.family import LateSamples, derived_samples
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator, Reference
from aclhost.spec.params import Parameter
from aclhost.spec.pointwise import Pointwise
from aclhost.spec.rules import Step

BROADCAST_SHAPES = ((2, 1, 3), (4, 1), (1,))
_ANY_FORMAT = "Any format label is accepted and ignored."
_CHECKED_FORMAT = "Format labels are checked as above and change nothing else."


def pointwise_operator(
    name: str,
    summary: str,
    params: tuple[Parameter, ...],
    checks: tuple[tuple[Step, ...], ...],
    kernel: Pointwise,
    *,
    reference: Reference,
    ulps: float = 2,
    ulps_from: float = 0.0,
    notes: tuple[str, ...] = (),
    shapes: tuple[tuple[int, ...], ...] = (),
    formula: str = "",
    gradient: Gradient | None = None,
) -> Operator:
    """An operator whose formula follows from its function and whose samples follow from its checks.

    `shapes` are those of a sample that broadcasts, one for each input tensor.
    """
    op: Operator = Operator(
        name,
        summary=summary,
        formula=formula or kernel.formula(),
        params=params,
        checks=checks,
        samples=LateSamples(lambda: derived_samples(op, shapes)),
        kernel=kernel,
        reference=reference,
        ulps=ulps,
        ulps_from=ulps_from,
        formats=_CHECKED_FORMAT if _looks_at_formats(checks) else _ANY_FORMAT,
        notes=notes,
        gradient=gradient,
    )
    return op


def _looks_at_formats(checks: tuple[tuple[Step, ...], ...]) -> bool:
    names = (getattr(step, "id", "") for group in checks for step in group)
    return any("format" in name or name == "not_private" for name in names)
