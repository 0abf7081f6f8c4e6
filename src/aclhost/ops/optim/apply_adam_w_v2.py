# SPDX-License-Identifier: Apache-2.0
"""A step of AdamW."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import random_shape
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT64, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Float, TensorIn, TensorInOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    Rule,
    done_when_empty,
    dtype_in,
    inside_storage,
    is_given,
    is_set,
    not_null,
    one_element,
    only_on,
    same_shape,
    supported_on,
    when,
)
from aclhost.spec.status import Status

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DTYPES = (FLOAT, FLOAT16, BF16)
_LARGEST = "maxGradNormOptionalRef"
_GIVEN = is_given(_LARGEST)
_TENSORS = ("varRef", "mRef", "vRef", "grad")


def _moved(
    var_ref: Array, m_ref: Array, v_ref: Array, max_grad_norm_optional_ref: Array | None,
    grad: Array, step: Array, lr: float, beta1: float, beta2: float, weight_decay: float,
    eps: float, amsgrad: bool, maximize: bool, sign: int = -1,
) -> Any:  # fmt: skip  # noqa: ANN401
    """With the other sign, the sums of what errors go by."""
    import numpy as np

    count = float(np.ravel(step)[0]) + 1
    gradient = -grad if maximize and sign < 0 else grad
    first = m_ref + (1 - beta1) * (gradient + sign * m_ref)
    second = beta2 * v_ref + (1 - beta2) * gradient * gradient
    largest = max_grad_norm_optional_ref
    if amsgrad and largest is not None:
        largest = np.maximum(largest, second)
    root = np.sqrt((largest if amsgrad else second) / (1 - beta2**count))
    change = lr / (1 - beta1**count) * (first / (root + eps))
    return var_ref * (1 - lr * weight_decay) + sign * change, first, second, largest


def _golden(*, amsgrad: bool, maximize: bool, **values: Any) -> Any:  # noqa: ANN401
    """The step that follows so many."""
    return _moved(**values, amsgrad=amsgrad, maximize=maximize)


def _terms(**values: Any) -> Any:  # noqa: ANN401
    return _moved(**values, sign=1)


def _torch(
    torch: Any, var_ref: Any, m_ref: Any, v_ref: Any, grad: Any, step: Any, lr: float,  # noqa: ANN401
    beta1: float, beta2: float, weight_decay: float, eps: float, amsgrad: bool, maximize: bool,
    max_grad_norm_optional_ref: Any,  # noqa: ANN401
) -> Any:  # fmt: skip  # noqa: ANN401
    variable, largest = torch.nn.Parameter(var_ref.clone()), max_grad_norm_optional_ref
    optimizer = torch.optim.AdamW(
        [variable], lr, (beta1, beta2), eps, weight_decay, amsgrad,
        maximize=maximize, foreach=False,
    )  # fmt: skip
    state = {"step": step.double().reshape(()).clone(), "exp_avg": m_ref.clone(),
             "exp_avg_sq": v_ref.clone()}  # fmt: skip
    if amsgrad:
        state["max_exp_avg_sq"] = largest = largest.clone()
    optimizer.state[variable] = state
    variable.grad = grad.clone()
    optimizer.step()
    moved = (variable.detach(), state["exp_avg"], state["exp_avg_sq"])
    return moved if largest is None else (*moved, largest)


def _call(
    shape: tuple[int, ...], dtypes: tuple[DataType, ...] = (FLOAT,) * 4, step: DataType = INT64,
    *, amsgrad: bool = False, maximize: bool = False, given: bool = False,
) -> Call:  # fmt: skip
    var, m, v, grad = dtypes
    return Call({
        "varRef": TensorArg(shape, var), "mRef": TensorArg(shape, m),
        "vRef": TensorArg(shape, v, span=(0.0, 3.0)),
        _LARGEST: TensorArg(shape, v, span=(0.0, 3.0)) if given or amsgrad else None,
        "grad": TensorArg(shape, grad), "step": TensorArg((1,), step, span=(0, 9)),
        "lr": 0.0625, "beta1": 0.875, "beta2": 0.96875, "weightDecay": 0.03125, "eps": 0.0009765625,
        "amsgrad": amsgrad, "maximize": maximize,
    })  # fmt: skip


def _drawn(rng: Random) -> Call:
    dtype = rng.choice(_DTYPES)
    mixed = (FLOAT, FLOAT, FLOAT, rng.choice(_DTYPES))
    flags = {name: rng.random() < 0.5 for name in ("amsgrad", "maximize", "given")}
    dtypes = rng.choice(((dtype,) * 4, mixed))
    return _call(random_shape(rng), dtypes, rng.choice((INT64, FLOAT)), **flags)


def _allowed(name: str) -> tuple[Rule, ...]:
    return dtype_in(name, FLOAT, FLOAT16, only_on(BF16, A950, A3, A2))


OP = Operator(
    "aclnnApplyAdamWV2",
    summary="A step of the optimiser AdamW, in place.",
    formula="with `t = step + 1` and `g = -grad` if maximize, else `grad`:\n\n"
    "- `m = beta1 * m + (1 - beta1) * g`, `v = beta2 * v + (1 - beta2) * g * g`\n"
    "- if amsgrad, `max = max(max, v)`, which stands for v below\n"
    "- `var = var * (1 - lr * weightDecay) - lr / (1 - beta1 ** t) * m / "
    "(sqrt(v / (1 - beta2 ** t)) + eps)`",
    params=(
        TensorInOut("varRef", "Variables, overwritten."),
        TensorInOut("mRef", "First moments, overwritten."),
        TensorInOut("vRef", "Second moments, not negative, overwritten."),
        TensorInOut(
            _LARGEST, "Largest second moments; overwritten if amsgrad, which needs them.",
            optional=True,
        ),
        TensorIn("grad", "Gradients."),
        TensorIn("step", "How many steps were made."),
        Float("lr", "Learning rate."),
        Float("beta1", "Decay of the first moments."),
        Float("beta2", "Decay of the second moments."),
        Float("weightDecay", "Decay of the variables."),
        Float("eps", "Added to the divisor."),
        Flag("amsgrad", "Whether the largest second moments count."),
        Flag("maximize", "Whether to go the other way."),
    ),
    checks=(
        not_null("varRef", "mRef", "vRef"),
        when(is_set("amsgrad"), not_null(_LARGEST)),
        not_null("grad", "step"),
        *(_allowed(name) for name in ("varRef", "mRef", "vRef")),
        when(_GIVEN, _allowed(_LARGEST)),
        _allowed("grad"),
        dtype_in("step", FLOAT, INT64),
        same_shape("mRef", "varRef"),
        same_shape("vRef", "varRef"),
        when(_GIVEN, same_shape(_LARGEST, "varRef")),
        same_shape("grad", "varRef"),
        tuple(rule.with_code(Status.PARAM_INVALID) for rule in one_element("step")),
        done_when_empty("varRef"),
        supported_on(A950, A3, A2),
        inside_storage(*_TENSORS),
        when(_GIVEN, inside_storage(_LARGEST)),
    ),
    golden=_golden,
    terms=_terms,
    summed=("varRef", "mRef", "grad"),
    reference=_torch,
    ulps=4,
    elementwise=("grad",),
    draw=_drawn,
    typical=lambda elements: _call((elements,)),
    samples=(
        *(_call((2, 3), (dtype,) * 4) for dtype in _DTYPES),
        _call((4,), (FLOAT, FLOAT, FLOAT, BF16), FLOAT, amsgrad=True, maximize=True),
        _call((2, 2), given=True),
    ),
    notes=(
        "Everything is computed in float, and each result rounded once to its dtype; the factors "
        "that all elements share are computed in double.",
        "The document wants all tensors of one dtype; upstream's code, and so aclhost, takes any "
        "combination.",
        "The document calls step the number t of this step; upstream's kernels add 1 to it.",
    ),
)  # fmt: skip
