# SPDX-License-Identifier: Apache-2.0
"""The independent reference of operators: the function of torch that they name."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable
from functools import cache, partial, reduce
from typing import Any

import numpy as np

from aclhost.spec.operator import Operator, Reference
from aclhost.spec.params import Choice, Flag, Parameter


@cache
def has_torch() -> bool:
    """Whether it is installed: nothing here needs it."""
    return importlib.util.find_spec("torch") is not None


def torch_arguments(op: Operator) -> tuple[Parameter, ...]:
    """What the reference takes: all that is no result.

    Of a point-wise operator on whole tensors, tensors and numbers of the function, a word that
    selects a variant or a reduction, and flags that the reference names.
    """
    kernel = op.kernel
    if kernel is None or kernel.views:
        return op.python_params()
    names = {*kernel.inputs, *(number.parameter for number in kernel.numbers)}
    if isinstance(op.reference, str):
        return tuple(param for param in op.params if param.name in names)
    terms = (kernel.variant, kernel.reduction, *(number.value for number in kernel.numbers))
    kinds = Choice if any(term is not None for term in terms) else ()
    named = inspect.signature(op.reference).parameters
    return tuple(
        param
        for param in op.params
        if param.name in names
        or isinstance(param, kinds)
        or (isinstance(param, Flag) and param.python_name in named)
    )


def torch_reference(op: Operator) -> Callable[..., Any]:
    """A function of the arguments by Python names, in the order of torch_arguments().

    It returns NotImplemented where torch has another rule.
    """
    return torch_function(op.reference)


def torch_function(named: Reference) -> Callable[..., Any]:
    """The same of any that an operator names."""
    import torch

    if not isinstance(named, str):
        return partial(named, torch)
    function: Any = reduce(getattr, named.split("."), torch)
    return lambda **arguments: function(*arguments.values())


def torch_attribute(value: Any) -> Any:  # noqa: ANN401
    """An argument that is no tensor, as torch takes it."""
    if isinstance(value, np.dtype):
        import torch

        return getattr(torch, value.name)
    if isinstance(value, list | tuple):
        return [*map(torch_attribute, value)]
    return value if value is None or isinstance(value, str) else np.asarray(value).item()
