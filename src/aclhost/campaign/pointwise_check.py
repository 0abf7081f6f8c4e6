# SPDX-License-Identifier: Apache-2.0
"""Results of point-wise operators against their traced functions, and those against torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from aclhost import goldens
from aclhost.arrays import NDArray
from aclhost.calls.pointwise_cases import allowed, delivered, distance, fitted
from aclhost.campaign.difference import difference
from aclhost.goldens.torch_reference import has_torch, torch_arguments, torch_reference
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.operator import Operator
from aclhost.spec.params import Choice, Flag

Arrays = dict[str, NDArray]
RELATIVE = 1e-6  # numbers may have been rounded to float, as upstream's are


def compare(op: Operator, call: Call, inputs: Arrays, results: Arrays) -> tuple[float, str, bool]:
    """The worst distance in ulps, what is wrong or nothing, and whether torch had a say."""
    named: dict[str, Any] = {name: goldens.plain(each) for name, each in call.arguments.items()
                             if not isinstance(each, TensorArg)}  # fmt: skip
    values = {**named, **inputs}
    exact, sizes = goldens.pointwise(op, call, values), goldens.magnitudes(op, call, values)
    worst = 0.0
    for position, (name, got) in enumerate(results.items()):
        wanted, rounded = delivered(op, call, position, exact[position])
        terms = fitted(sizes[position], got.shape)

        def off(at: Any) -> float:
            return distance(got[at], wanted[at], rounded, terms[at], op.ulps_from)  # noqa: B023

        worst, most = max(worst, off(...)), allowed(op, rounded)
        if off(...) > most:
            at = next(at for at in np.ndindex(got.shape) if off(at) > most)
            shown = f"{name}{list(at)} is {got[at]}; golden: {wanted[at]} ({off(at):.3g} ulp off)"
            return worst, shown, False
    if not has_torch() or _is_other(op, call):
        return worst, "", False
    computed = goldens.as_computed(op, call, values)
    seen = {name: each for name, each in computed.items() if values.get(name, each) is not None}
    return worst, *_against_torch(op, {**values, **seen}, exact)


def _is_other(op: Operator, call: Call) -> bool:
    """Whether the call selects a variant that the reference is not told of."""
    kernel = op.kernel
    assert kernel is not None
    told = any(
        isinstance(param, Choice | Flag) or param.is_optional for param in torch_arguments(op)
    )
    return kernel.variant is not None and not told and kernel.variant.evaluate(call) != 0


def _against_torch(
    op: Operator, values: dict[str, Any], exact: tuple[NDArray, ...]
) -> tuple[str, bool]:
    """In double precision, and of finite numbers: what is special differs from type to type."""
    tensors = [
        values[p.name] for p in torch_arguments(op) if isinstance(values[p.name], np.ndarray)
    ]
    if not all(array.dtype.kind not in "biuc" for array in tensors):
        return "", False
    are_finite = [np.isfinite(array.astype(np.float64)) for array in tensors]
    kernel = op.kernel
    assert kernel is not None
    if kernel.reduction is not None or kernel.views:
        are_finite = [np.all(each) for each in are_finite]  # elements have no partners
    finite = np.logical_and.reduce(np.broadcast_arrays(*are_finite))
    arguments = {
        param.python_name: _torch_value(values[param.name]) for param in torch_arguments(op)
    }
    try:
        theirs = torch_reference(op)(**arguments)
    except (RuntimeError, TypeError, NotImplementedError):
        return "", False
    if theirs is NotImplemented:
        return "", False
    given = theirs if isinstance(theirs, tuple) else (theirs,)
    for name, result, each in zip(kernel.written, exact, given, strict=True):
        wanted = each.double().numpy() if not each.is_complex() else each.numpy()
        ours = np.broadcast_to(result, wanted.shape)
        where = np.broadcast_to(finite, wanted.shape) & np.isfinite(ours)
        scale = float(np.max(np.abs(ours[where]), initial=0.0))
        told = np.where(where, wanted, ours)
        wrong = difference(name, ours, told, RELATIVE, RELATIVE * scale + 1e-12)
        if wrong:
            return wrong, True
    return "", True


def _torch_value(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        import torch

        return torch.from_numpy(np.ascontiguousarray(value.astype(np.float64))).reshape(value.shape)
    return None if value is None else np.asarray(value).item()
