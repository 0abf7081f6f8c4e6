# SPDX-License-Identifier: Apache-2.0
"""Runs one case and looks at every byte that it could have touched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import aclhost
from aclhost.arrays import NDArray, finfo
from aclhost.calls import abi
from aclhost.calls.drawn import described_results
from aclhost.calls.python_call import call_function
from aclhost.calls.values import (
    ULPS,
    computed_dtype,
    expected,
    flat,
    grouped,
    make_output,
    named,
    ulp_distance,
)
from aclhost.campaign import declared, pointwise_check
from aclhost.campaign.case import KNOWN, Case
from aclhost.goldens.torch_reference import has_torch
from aclhost.spec import dtypes
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.family import with_results
from aclhost.spec.formats import NDHWC
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter, TensorInOut

# Operators that copy: no tolerance, and zeros keep their sign.
EXACT = (
    "aclnnMaxUnpool3d",
    "aclnnMaxUnpool3dBackward",
    "aclnnUpsampleNearest3d",
    "aclnnMaxPool3dWithArgmax",
)
Arrays = dict[str, Any]  # by parameter; of a list, a list of arrays
Distance = Callable[[NDArray, NDArray, Any], float]  # got, wanted, where


class MismatchError(AssertionError):
    """A case that came out differently."""


@dataclass(frozen=True)
class Outcome:
    """How far the worst element was off, and whether torch had a say as well."""

    ulps: float
    with_torch: bool


def check(case: Case, stream: int) -> Outcome:
    """Runs the case.

    Raises:
        MismatchError: something is not as it should be; the message says what.

    """
    return judge(case, *(_run_abi(case, stream) if case.route == "C ABI" else _run_python(case)))


def judge(case: Case, inputs: Arrays, results: Arrays) -> Outcome:
    """Compares results, wherever they come from.

    Raises:
        MismatchError: something is not as it should be; the message says what.

    """
    if not any(result.size for result in results.values()):
        return Outcome(0.0, with_torch=False)
    derived = _derived_comparison(case.op)
    if derived is not None:
        call = described(case.op, case.call, results)
        worst, wrong, with_torch = derived(case.op, call, inputs, results)
        if wrong:
            raise MismatchError(wrong)
        return Outcome(worst, with_torch)
    with np.errstate(all="ignore"):
        wanted = _reference(case, inputs)
        sums = _sums(case, inputs, wanted[0])
        ulps = _compare(case, results, wanted, sums, "golden")
        theirs = _by_torch(case, inputs)
        if theirs is not None:
            _compare(case, results, theirs, sums, "torch")
    return Outcome(ulps, with_torch=theirs is not None)


def _by_torch(case: Case, inputs: Arrays) -> list[NDArray] | None:
    """None where torch has another rule, or is not installed."""
    if not has_torch():
        return None
    from aclhost.campaign.torch_goldens import GOLDENS, OtherRuleError

    try:
        op = replace(case.op, golden=GOLDENS[case.op.snake_name])
        return _reference(replace(case, op=op), inputs)
    except (KeyError, OtherRuleError):
        return None


def _derived_comparison(op: Operator) -> Callable[..., tuple[float, str, bool]] | None:
    """What follows from the declaration; operators with functions of their own here have none."""
    if op.kernel is not None:
        return pointwise_check.compare
    return None if op.draw is None or op.snake_name in KNOWN else declared.compare


def described(op: Operator, call: Call, results: Arrays) -> Call:
    """The call with results as they came out: a new one has its own dtype."""
    tensors = {
        name: TensorArg(got.shape, dtypes.BY_NUMPY[got.dtype.name]) for name, got in results.items()
    }
    for output in op.outputs:
        made = grouped(tensors).get(output.name)
        call = call.passing(**{output.name: tuple(made) if isinstance(made, list) else made})
    return call


def written(case: Case) -> list[str]:
    """Outputs, and inputs that the operator replaces; members of lists by their own names."""
    return list(described_results(case.op, case.call))


def read(case: Case) -> list[Parameter]:
    """Inputs, also those that the operator replaces."""
    return [
        param
        for param in case.op.params
        if (case.op.reads(param) or isinstance(param, TensorInOut))
        and case.call.arguments[param.name] is not None
    ]


def _run_abi(case: Case, stream: int) -> tuple[Arrays, Arrays]:
    with abi.prepared_call(case.op, case.call) as prepared:
        storages = prepared.storages
        everything = prepared.inputs()
        inputs = {param.name: everything.get(param.name, []) for param in read(case)}
        before = {name: storage.memory.copy() for name, storage in storages.items()}
        abi.run(case.op, prepared, stream)
        for name in storages:
            prepared.fetch(name)
        results = {name: prepared.result(name) for name in written(case)}
        for name, storage in storages.items():
            check_memory(case, name, before[name], storage.memory, results.get(name))
    return inputs, results


def _run_python(case: Case) -> tuple[Arrays, Arrays]:
    with aclhost.soc(case.call.product.default_soc):
        function, arguments, outputs = call_function(case.op, case.call)
        given = named({param.name: arguments[param.python_name] for param in read(case)})
        if case.route == "new result" and _can_be_made(case):
            arguments.pop("out", None)
        else:
            names = (param.name for param in case.op.outputs)
            made = {name: out for name, out in zip(names, outputs, strict=True) if out is not None}
            given |= named(made)
        read_ones = {param.name for param in read(case)}
        copies = {name: array.copy() for name, array in given.items()}
        inputs = {name: each for name, each in grouped(copies).items() if name in read_ones}
        before = {name: _memory(array).copy() for name, array in given.items()}
        returned: Any = function(**arguments)
    results = dict(zip(written(case), flat(returned), strict=True))
    for name, array in given.items():
        check_memory(case, name, before[name], _memory(array), results.get(name))
    return inputs, results


def _can_be_made(case: Case) -> bool:
    """Whether a new result has the shape of the one that is described: masks may select fewer."""
    outputs = case.op.outputs
    if not outputs or not all(output.can_be_made for output in outputs):
        return False
    made = with_results(case.op, case.call)
    shapes = [
        [each.shape for name, each in named(call.arguments).items()
         if name.partition("[")[0] in {output.name for output in outputs} and each is not None]
        for call in (made, case.call)
    ]  # fmt: skip
    return shapes[0] == shapes[1]


def _memory(array: NDArray) -> NDArray:
    return array if array.base is None else array.base


def check_memory(
    case: Case, name: str, before: NDArray, after: NDArray, result: NDArray | None
) -> None:
    """Inputs stay as they were, and so does what lies between the elements of outputs."""
    if result is None:
        if before.tobytes() != after.tobytes():
            raise MismatchError(f"{name} is only read, but has changed")
        return
    only_result = make_output(named(case.call.arguments)[name])
    if only_result.view.shape != result.shape:  # its size and place depend on the data
        return
    only_result.view[...] = result
    if only_result.memory.tobytes() != after.tobytes():
        raise MismatchError(f"memory around the elements of {name} has changed")


def _reference(case: Case, inputs: Arrays) -> list[NDArray]:
    """Results of the golden, which knows only N, C, D, H, W."""
    op = case.op
    if case.call.tensor(op.tensors[0].name).format is not NDHWC:
        return expected(op, case.call, inputs)
    first = {name: np.moveaxis(array, -1, 1) for name, array in inputs.items()}
    return [np.moveaxis(result, 1, -1) for result in expected(op, case.call, first)]


@dataclass(frozen=True)
class Sums:
    """Of the operators that add up: what their errors are measured against, and how many terms."""

    sizes: NDArray
    terms: float


def _sums(case: Case, inputs: Arrays, wanted: NDArray) -> Sums:
    summed = case.op.summed
    if not summed:
        return Sums(wanted, 1)

    def with_each(change: Callable[[NDArray], NDArray]) -> NDArray:
        changed = {n: change(array) if n in summed else array for n, array in inputs.items()}
        return _reference(case, changed)[0]

    return Sums(with_each(np.abs), float(with_each(np.ones_like).max()))


def _compare(case: Case, results: Arrays, wanted: list[NDArray], sums: Sums, who: str) -> float:
    """The distance of the worst element of all results."""
    worst = 0.0
    for (name, got), each in zip(results.items(), wanted, strict=True):
        if got.shape != each.shape and not got.size == each.size == 1:
            raise MismatchError(f"{name} has shape {got.shape}; {who}: {each.shape}")
        distance, limit = _measure(case, got, sums)
        right = each.reshape(got.shape)
        ulps = distance(got, right, ...)
        worst = max(worst, ulps)
        if ulps > limit:
            at = next(at for at in np.ndindex(got.shape) if distance(got, right, at) > limit)
            raise MismatchError(
                f"{name}{list(at)} is {got[at]}; {who}: {right[at]} ({ulps:.3g} ulp off)"
            )
    return worst


def _measure(case: Case, got: NDArray, sums: Sums) -> tuple[Distance, float]:
    """How to tell a result from another, and how much is too much."""
    if got.dtype.kind in "biu" or case.op.name in EXACT:
        return _exactly, 0.0
    computed, real = computed_dtype(case.op, case.call), got.real.dtype
    coarser = min(computed, real, key=lambda dtype: int(finfo(dtype).nmant))
    sizes = sums.sizes.reshape(got.shape)

    def distance(got: NDArray, wanted: NDArray, at: Any) -> float:
        part = got[at]
        if coarser == computed and not _same(part.real.astype(computed).astype(got.dtype), part):
            return np.inf  # not a value of the dtype that it should have been rounded to
        rounded = np.asarray(wanted[at]).astype(computed).astype(real).astype(np.float64)
        return ulp_distance(part.real, rounded, coarser, sizes[at])

    limit = ULPS[coarser.name]
    return distance, limit if limit == 1 else max(limit, sums.terms)


def _same(a: NDArray, b: NDArray) -> bool:
    return np.array_equal(a, b, equal_nan=True)


def _exactly(got: NDArray, wanted: NDArray, at: Any) -> float:
    right = np.asarray(wanted[at]).astype(got.dtype)
    if got.dtype.kind in "biu":
        return 0.0 if np.array_equal(got[at], right) else np.inf
    pair = [np.asarray(each).astype(np.float64) for each in (got[at], right)]
    ours, theirs = (np.signbit(np.where(np.isnan(each), 0, each)) for each in pair)
    return 0.0 if _same(*pair) and np.array_equal(ours, theirs) else np.inf
