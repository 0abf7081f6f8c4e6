# SPDX-License-Identifier: Apache-2.0
"""What operators on random numbers have in common."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.dtypes import BF16, INT64
from aclhost.spec.params import Int, TensorIn, TensorInOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import Rule, inside_storage, only_on, requires
from aclhost.spec.rules.base import Shown
from aclhost.spec.status import Status
from aclhost.spec.terms import Not, RealIs, all_of

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

NEWER = (A950, A3, A2)
NEW_BF16 = only_on(BF16, *NEWER)
SELF = TensorInOut("selfRef", "What is overwritten.", is_const=True, reads=False)
SEED = Int("seed", "Key of the random numbers.", default=0)
OFFSET = Int("offset", "Where in the random numbers to begin.", default=0)
ON_DEVICE = (
    TensorIn("seedTensor", "Key of the random numbers: one element."),
    TensorIn("offsetTensor", "Where in the random numbers to begin: one element."),
    Int("offset", "Added to offsetTensor.", default=0),
)
WORDS = (
    "Word i is word i mod 4 of Philox 4x32-10 with the key seed and the counter i div 4 + 2^64 "
    "offset."
)
SEQUENCES = (
    "Word i is word i mod 4 of Philox 4x32-10 with the key seed and the counter "
    "ceil(offset / 4) + 2^64 (i div 4)."
)
THREADS = (
    "With T = 256 min(ceil(N / 256), 624) threads for N elements, word w of thread t is word w mod "
    "4 of Philox 4x32-10 with the key seed and the counter ceil(offset / 4) + w div 4 + 2^64 t."
)
SUM_OF_OFFSETS = "The key is the element of seedTensor, the offset that of offsetTensor + offset."
HALVES_NOTE = (
    "So do A2 and A3. On Ascend 950, i div 4 is counted from the element of offsetTensor on, too."
)
SAME_ON_950 = (
    "Words and numbers are those of upstream's kernel for Ascend 950 in its usual mode, which "
    "upstream calls compatible with A2 and A3. Those two have a generator in hardware of which "
    "nothing else is published; Atlas training products use one on their CPU. There, distribution "
    "and reproducibility are the same, the numbers may not be."
)
ONE_ROUNDING = (
    "FLOAT16 and BF16 are computed in float and rounded once; upstream rounds each step of FLOAT16."
)


def contiguous_input(parameter: str) -> tuple[Rule, ...]:
    """The view stays inside its storage, with the status that upstream gives here (161001)."""
    return tuple(rule.with_code(Status.PARAM_NULLPTR) for rule in inside_storage(parameter))


def probability(parameter: str) -> tuple[Rule, ...]:
    """The number is between 0 and 1; NaN is accepted."""
    return requires(
        "probability",
        parameter,
        all_of(_not(parameter, ">", 1), _not(parameter, "<", 0)),
        f"{parameter} must be between 0 and 1",
        (Shown("real", parameter),),
        "Pass a probability.",
    )


def _not(parameter: str, relation: str, bound: float) -> Not:
    return Not(RealIs(parameter, relation, bound))


def converted(numbers: Array, like: Array) -> Array:
    """Floats as a tensor of that dtype holds them."""
    import numpy as np

    if like.dtype.kind == "b":
        return np.asarray(numbers != 0)
    if like.dtype.kind in "iu":
        return np.trunc(numbers).astype(np.int64)
    return np.asarray(numbers)


def first_of(tensor: Array) -> int:
    """The element of a seed or an offset."""
    return int(tensor.reshape(-1)[0])


def on_device(call: Call) -> Call:
    """The same call with seed and offset in tensors."""
    kept = {name: given for name, given in call.arguments.items() if name != "seed"}
    return Call(kept, call.product).passing(
        seedTensor=one_integer(call.arguments["seed"]),
        offsetTensor=one_integer(call.arguments["offset"]),
        offset=3,
    )


def one_integer(value: Argument) -> TensorArg:
    """A tensor that holds a seed or an offset."""
    assert isinstance(value, int)
    return TensorArg((1,), INT64, values=(value,))


def random_seed(rng: Random) -> int:
    """Any of 64 bits."""
    return rng.choice((rng.randrange(100), rng.randrange(-(2**63), 2**63)))


def random_offset(rng: Random) -> int:
    """Often a small one; a multiple of 4."""
    return rng.choice((0, 4, 8, 4 * rng.randrange(2**40)))
