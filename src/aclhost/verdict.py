# SPDX-License-Identifier: Apache-2.0
"""What the library says about a described call, without memory and without running it.

The operator's own C functions decide; nothing here knows a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import aclhost
from aclhost import acl, aclnn
from aclhost.golden import plain
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.operator import Operator
from aclhost.spec.products import Product
from aclhost.spec.rules.base import Rule

# Phase 2 looks at its own rules before it looks at the stream; this one never exists.
_NO_STREAM = 1
_RUNTIME_ERROR = 361001


@dataclass(frozen=True)
class Verdict:
    """The outcome of one call on one product."""

    product: Product
    status: int
    message: str = ""  # as in aclGetRecentErrMsg
    rule: Rule | None = None  # the declared rule that failed
    number: int = 0  # its position on the operator's page, counted from 1
    phase: int = 1

    @property
    def accepted(self) -> bool:
        return self.status == 0


def check(op: Operator, call: Call) -> Verdict:
    """Passes the call through phase 1, and through the rules that only phase 2 reports."""
    product = call.product
    with aclhost.soc(product.default_soc), _handles(op, call) as handles:
        acl.get_recent_err_msg()
        _, executor, status = getattr(aclnn, f"{op.name}GetWorkspaceSize")(*handles)
        if status:
            return _refused(op, product, status, 1)
        status = getattr(aclnn, op.name)(0, 0, executor, _NO_STREAM)
        if status in (0, _RUNTIME_ERROR):
            acl.get_recent_err_msg()
            return Verdict(product, 0)
        return _refused(op, product, status, 2)


def _refused(op: Operator, product: Product, status: int, phase: int) -> Verdict:
    # Without process, time and error class, which stand in front.
    text = (acl.get_recent_err_msg() or "").strip()
    message = text[text.find(f"{op.name}: ") :] if f"{op.name}: " in text else text
    for number, rule in enumerate(op.rules, 1):
        if message.startswith(f"{op.name}: {rule.sentence(product)}; got "):
            return Verdict(product, status, message, rule, number, phase)
    return Verdict(product, status, message, phase=phase)


@contextmanager
def _handles(op: Operator, call: Call) -> Iterator[list[Any]]:
    with ExitStack() as stack:
        yield [_handle(call.arguments[param.name], param.name, stack) for param in op.params]


def _handle(argument: Argument, name: str, stack: ExitStack) -> Any:  # noqa: ANN401
    destroy: Callable[[int], int]
    if isinstance(argument, TensorArg):
        handle, destroy = _tensor(argument), aclnn.aclDestroyTensor
    elif isinstance(argument, ScalarArg):
        handle = aclnn.aclCreateScalar(plain(argument).tobytes(), argument.dtype.value)
        destroy = aclnn.aclDestroyScalar
    elif isinstance(argument, tuple):
        handle = aclnn.aclCreateIntArray(argument, len(argument))
        destroy = aclnn.aclDestroyIntArray
    else:
        return argument
    if not handle:
        raise ValueError(f"{name} cannot be created: {acl.get_recent_err_msg()}")
    stack.callback(destroy, handle)
    return handle


def _tensor(argument: TensorArg) -> int:
    return aclnn.aclCreateTensor(
        argument.shape,
        len(argument.shape),
        argument.dtype.value,
        argument.element_strides,
        argument.offset,
        argument.format.value,
        (argument.storage_elements,),
        1,
        0,
    )
