# SPDX-License-Identifier: Apache-2.0
"""The independent reference of point-wise operators: the function of torch that they name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from aclhost.spec.operator import Operator
from aclhost.spec.params import Choice, Parameter


def torch_arguments(op: Operator) -> tuple[Parameter, ...]:
    """What the reference takes: tensors and numbers of the function, and what selects a variant."""
    kernel = op.kernel
    assert kernel is not None
    names = {*kernel.inputs, *(number.parameter for number in kernel.numbers)}
    selects = kernel.variant is not None and not isinstance(op.reference, str)
    return tuple(
        param
        for param in op.params
        if param.name in names or (selects and isinstance(param, Choice))
    )


def torch_reference(op: Operator) -> Callable[..., Any]:
    """A function of the arguments by Python names, in the order of torch_arguments()."""
    import torch

    named = op.reference
    if not isinstance(named, str):
        return partial(named, torch)
    function: Any = reduce(getattr, named.split("."), torch)
    return lambda **arguments: function(*arguments.values())
