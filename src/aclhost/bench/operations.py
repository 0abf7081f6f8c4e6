# SPDX-License-Identifier: Apache-2.0
"""How much arithmetic a call has, for the roofline.

Point-wise operators: the operations of their expression, for each element of a result; exp counts
as one. Matrix products, convolutions and attention: what torch counts for its own call. All others:
one for each element of the largest tensor, which is what a sum needs; sorting needs more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aclhost.bench.workload import Call, Workload
from aclhost.spec.expression import Call as Operation
from aclhost.spec.expression import Domain, walk
from aclhost.spec.operator import Operator


def count(workload: Workload, peer: Call | None) -> int:
    """Of the workload; the peer is torch's call."""
    largest = max(map(_elements, workload.values.values()))
    if workload.operator.kernel is not None:
        return _of_expression(workload.operator) * largest
    return max(0 if peer is None else _counted_by_torch(peer), largest)


def _of_expression(op: Operator) -> int:
    """For one element: of real numbers, where it has any."""
    kernel = op.kernel
    assert kernel is not None
    domain = Domain.REAL if Domain.REAL in kernel.domains else kernel.domains[0]
    nodes = walk(kernel.expressions(domain))
    return max(sum(isinstance(node, Operation) for node in nodes), 1)


def _counted_by_torch(peer: Call) -> int:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        peer()
    return int(counter.get_total_flops())


def _elements(value: Any) -> int:  # noqa: ANN401
    if isinstance(value, list):
        return sum(map(_elements, value))
    return value.size if isinstance(value, np.ndarray) else 0
