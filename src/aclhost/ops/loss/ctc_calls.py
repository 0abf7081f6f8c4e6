# SPDX-License-Identifier: Apache-2.0
"""Calls of the connectionist temporal classification: samples and random ones."""

from __future__ import annotations

from random import Random

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64, DataType


def _tensors(
    times: int, lengths: tuple[int, ...], classes: int, dtype: DataType, index: DataType,
    flat: bool, line: bool,
) -> dict[str, TensorArg]:  # fmt: skip
    samples = len(lengths)
    shape = (sum(lengths),) if line else (samples, max(lengths))
    most = 2 if index is BOOL else classes
    return {
        "logProbs": TensorArg(
            (times, classes) if flat else (times, samples, classes), dtype, span=(-4.0, -0.5)
        ),
        "targets": TensorArg(shape, index, span=(1, most)),
    }


def loss_call(
    times: int = 6, lengths: tuple[int, ...] = (2, 3, 1), classes: int = 5,
    dtype: DataType = FLOAT, index: DataType = INT64, *, flat: bool = False, line: bool = False,
    zero: bool = False, inputs: tuple[int, ...] | None = None,
) -> Call:  # fmt: skip
    """A call with a sample for each length of a target."""
    samples = len(lengths)
    return Call(
        {
            **_tensors(times, lengths, classes, dtype, index, flat, line),
            "inputLengths": inputs or (times,) * samples,
            "targetlengths": lengths,
            "blank": 0,
            "zeroInfinity": zero,
            "negLogLikelihoodOut": TensorArg(() if flat else (samples,), dtype),
            "logAlphaOut": TensorArg((samples, times, (2 * max(lengths) + 8) // 8 * 8), dtype),
        }
    )


def backward_call(
    times: int = 6, lengths: tuple[int, ...] = (2, 3, 1), classes: int = 5,
    dtype: DataType = FLOAT, index: DataType = INT64, *, line: bool = False, zero: bool = False,
    inputs: tuple[int, ...] | None = None,
) -> Call:  # fmt: skip
    """The same of the gradient."""
    samples = len(lengths)
    tensors = _tensors(times, lengths, classes, dtype, index, False, line)
    return Call(
        {
            "gradOut": TensorArg((samples,), dtype),
            **tensors,
            "inputLengths": inputs or (times,) * samples,
            "targetLengths": lengths,
            "negLogLikelihood": TensorArg((samples,), dtype, span=(4.0, 6.0)),
            "logAlpha": TensorArg(
                (samples, times, (2 * max(lengths) + 8) // 8 * 8), dtype, span=(-9.0, -3.0)
            ),
            "blank": 0,
            "zeroInfinity": zero,
            "out": tensors["logProbs"],
        }
    )


def drawn(random: Random) -> dict[str, object]:
    """What a small random call of either is made of."""
    lengths = tuple(random.randint(1, 5) for _ in range(random.randint(1, 4)))
    times = random.randint(2 * max(lengths) + 1, 16)
    return {
        "times": times,
        "lengths": lengths,
        "classes": random.randint(2, 9),
        "dtype": random.choice((FLOAT, FLOAT16, BF16, DOUBLE)),
        "index": random.choice((INT32, INT64, FLOAT)),
        "line": random.random() < 0.5,
        "zero": random.random() < 0.5,
        "inputs": tuple(random.randint(2 * most + 1, times) for most in lengths),
    }
