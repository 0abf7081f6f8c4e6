# SPDX-License-Identifier: Apache-2.0
"""Random calls of point-wise operators, which follow from their samples and checks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from aclhost.arrays import numpy_dtype
from aclhost.calls.pointwise_cases import samples, values_for
from aclhost.campaign.tensors import SEEDS, broadcasting, placed, rarely, shapes
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.evaluate import evaluate
from aclhost.spec.family import with_results
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorInOut


def is_valid(op: Operator, call: Call) -> bool:
    """Whether the checks accept the call; that there is nothing to do is fine."""
    return evaluate(op, call).rule is None


def _inputs(op: Operator, call: Call) -> list[str]:
    names = {output.name for output in op.outputs}
    return [
        name
        for name, argument in call.arguments.items()
        if isinstance(argument, TensorArg) and name not in names
    ]


def _broadcasts(op: Operator) -> bool:
    return any(
        len({call.tensor(name).shape for name in _inputs(op, call)}) > 1 for call in op.samples
    )


def _retyped(draw: st.DrawFn, op: Operator, call: Call) -> Call:
    """One input of a dtype that some sample has for it, if the checks allow the mixture."""
    name = draw(st.sampled_from(_inputs(op, call)))
    others = [sample.first(name) for sample in samples(op)]
    dtypes = dict.fromkeys(each.dtype for each in others if isinstance(each, TensorArg))
    changed = with_results(op, call.retyped(draw(st.sampled_from(list(dtypes))), name))
    outputs = [changed.tensor(output.name) for output in op.outputs]
    usable = all(output.dtype.numpy for output in outputs)
    return changed if usable and is_valid(op, changed) else call


def _reshaped(draw: st.DrawFn, op: Operator, call: Call) -> Call:
    """Inputs of any shapes that broadcast to one; the call as it is where they may not."""
    shape, changed = shapes(draw), call
    spread = _broadcasts(op)
    for name in _inputs(op, call):
        whole = not spread or isinstance(op.parameter(name), TensorInOut)
        changed = changed.reshaped(shape if whole else broadcasting(draw, shape), name)
    given = [changed.tensor(name).shape for name in _inputs(op, call)]
    for output in op.outputs:
        follows = op.kernel is not None and op.kernel.reduction is not None
        every = np.broadcast_shapes(*given)
        changed = changed.reshaped(
            output.shape_term.evaluate(changed) if follows else every, output.name
        )
    return changed if is_valid(op, changed) else call


def _filled(draw: st.DrawFn, op: Operator, call: Call) -> Call:
    """With values and places in memory."""
    for name, tensor in call.arguments.items():
        if not isinstance(tensor, TensorArg):
            continue
        is_input = name in _inputs(op, call)
        written = not is_input or isinstance(op.parameter(name), TensorInOut)
        given = None
        if is_input:
            rng = np.random.default_rng(draw(SEEDS))
            given = tuple(values_for(op, tensor, rng).flat)
            given = tuple(np.asarray(given, numpy_dtype(tensor.dtype)).astype(_wide(tensor)))
            given = tuple(value.item() for value in given)
        put = placed(draw, tensor.shape, tensor.dtype, given, written=written)
        moved = call.passing(**{name: replace(put, format=tensor.format)})
        call = moved if is_valid(op, moved) else call.changing((name,), values=given)
    return call


def _wide(tensor: TensorArg) -> np.dtype[np.generic]:
    """A type of NumPy's own that holds every value."""
    kind = numpy_dtype(tensor.dtype)
    return kind if kind.kind in "biuc" else np.dtype(np.float64)


def pointwise(draw: st.DrawFn, op: Operator) -> Call:
    """A sample with other dtypes, shapes, places and values."""
    call = draw(st.sampled_from(samples(op)))
    if not rarely(draw):
        call = _reshaped(draw, op, call)
    if draw(st.booleans()):
        call = _retyped(draw, op, call)
    return _filled(draw, op, call)
