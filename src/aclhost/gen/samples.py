# SPDX-License-Identifier: Apache-2.0
"""Which of an operator's samples its page shows as an example."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from aclhost.spec import products
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.dtypes import FLOAT, INT32, INT64
from aclhost.spec.evaluate import evaluate
from aclhost.spec.operator import Operator

_EASY = (FLOAT, INT64, INT32)  # dtypes that say nothing special


def shown_sample(op: Operator) -> Call | None:
    """The one that needs the fewest numbers, of the default product if it can be."""
    plain = (call for call in op.samples if _is_plain(op, call))
    return min(plain, key=_effort, default=None)


def _is_plain(op: Operator, call: Call) -> bool:
    tensors = list(_tensors(call.arguments.values()))
    return (
        all(t.strides is None and not t.offset and t.backed and t.dtype.numpy for t in tensors)
        and all(t.format is op.python_label(len(t.shape)) for t in tensors)
        and all(math.prod(t.shape) > 0 for t in tensors)
        and evaluate(op, call).rule is None
    )


def _tensors(arguments: Iterable[Argument]) -> Iterator[TensorArg]:
    for argument in arguments:
        if isinstance(argument, TensorArg):
            yield argument
        elif isinstance(argument, tuple):
            yield from _tensors(argument)


def _effort(call: Call) -> tuple[int, ...]:
    tensors = list(_tensors(call.arguments.values()))
    return (
        call.product is not products.DEFAULT,
        sum(tensor.dtype not in _EASY for tensor in tensors),
        sum(not tensor.shape for tensor in tensors),
        sum(math.prod(tensor.shape) for tensor in tensors),
    )
