# SPDX-License-Identifier: Apache-2.0
"""Ones with a probability, zeros otherwise."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.random.build import (
    NEW_BF16,
    NEWER,
    OFFSET,
    SEED,
    SELF,
    SEQUENCES,
    probability,
    random_offset,
    random_seed,
)
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.draw import eighths, random_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter, Scalar, TensorIn, TensorOut
from aclhost.spec.philox import positive_unit, words_of_sequences
from aclhost.spec.products import A950, T910
from aclhost.spec.rules import (
    Rule,
    Step,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    not_private,
    on_products,
    only_on,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.status import Status
from aclhost.spec.terms import Const, Divided, Elements, Equal, Or, Times, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_OLD = (FLOAT, INT32, INT64, FLOAT16, INT16, INT8, UINT8, DOUBLE, BOOL)
_WIDE = (UINT16, UINT32, UINT64)
_ON = (*NEWER, T910)
_DTYPES = (
    *(only_on(dtype, *_ON) for dtype in _OLD),
    NEW_BF16,
    *(only_on(dtype, A950) for dtype in _WIDE),
)
_PROBABILITIES = (*(only_on(dtype, *_ON) for dtype in (FLOAT, FLOAT16, DOUBLE)), NEW_BF16)
_FORMULA = (
    "`out[i] = 1` where `u[i] <= prob`, otherwise 0, in row-major order; u[i] in (0, 1] is word i "
    f"times 2^-32 plus 2^-33, in float. {SEQUENCES}"
)
_NOTES = (
    "Words and numbers are those of upstream's kernel for Ascend 950. A2 and A3 draw for a scalar "
    "prob in hardware, for a tensor, as Atlas training products do, on their CPU; what those draw "
    "is not published. There, distribution and reproducibility are the same, the numbers may not "
    "be.",
    "The values of self are not used, its shape is. The document restricts self to floating "
    "dtypes except on Ascend 950; upstream's code does not.",
    "prob counts as float. Of 2^32 words, those count that give at most prob: 0 never gives a one, "
    "1 always does.",
    "Ascend 950 refuses an offset that is no multiple of 4, in phase 2, and so does aclhost there.",
)
_TENSOR_NOTE = (
    "prob holds one element or as many as self, which are paired in row-major order; upstream "
    "would read outside of a smaller one."
)
_OFFSET_RULE = when(
    on_products(A950),
    requires(
        "multiple_of_4",
        "offset",
        Equal(Times(Divided(ValueOf("offset"), Const(4)), Const(4)), ValueOf("offset")),
        "offset must be a multiple of 4",
        (Shown("integer", ValueOf("offset")),),
        "Round it up.",
        Status.INNER_NULLPTR,
    ),
)


def _drawn(count: int, seed: int, offset: int) -> Array:
    return positive_unit(words_of_sequences(seed, -(-(offset % 2**64) // 4), count))


def _golden(self: Array, prob: Array | float, seed: int, offset: int) -> Array:
    """One number for each element."""
    import numpy as np

    chances = np.asarray(prob, np.float64).astype(np.float32).reshape(-1)
    return np.asarray(_drawn(self.size, seed, offset) <= chances).reshape(self.shape)


def _golden_in_place(self_ref: Array, **others: Any) -> Array:  # noqa: ANN401
    """The same."""
    return _golden(self_ref, **others)


def _torch(_: Any, self: Any = None, self_ref: Any = None, **others: Any) -> Any:  # noqa: ANN401
    prob = others["prob"]
    if self_ref is not None:
        return self_ref.bernoulli_(prob)
    return self.bernoulli(p=prob) if isinstance(prob, float) else prob.bernoulli()


def _one_for_each(name: str) -> tuple[Rule, ...]:
    return requires(
        "one_for_each",
        "prob",
        Or(Equal(Elements("prob"), Const(1)), Equal(Elements("prob"), Elements(name))),
        f"prob must hold one element, or as many as {name}",
        (Shown("shape", ShapeOf("prob")), " for ", Shown("shape", ShapeOf(name))),
        f"Broadcast prob to the shape of {name}.",
        Status.INNER_NULLPTR,
    )


def _checks(name: str, tensor: bool) -> tuple[tuple[Step, ...], ...]:
    outs = () if name == "selfRef" else ("out",)
    tensors = (name, "prob") if tensor else (name,)
    return (
        not_null(name, "prob", *outs),
        dtype_in(name, *_DTYPES),
        dtype_in("prob", *_PROBABILITIES),
        *(same_dtype(name, out) for out in outs),
        *(() if tensor else (probability("prob"),)),
        *(rank_at_most(each, 8) for each in tensors),
        *(same_shape(name, out) for out in outs),
        not_private(*tensors),
        done_when_empty(*tensors),
        inside_storage(*tensors),
        *((_one_for_each(name),) if tensor else ()),
    )


def _call(name: str, x: TensorArg, prob: TensorArg | ScalarArg, seed: int, offset: int) -> Call:
    call = Call({name: x, "prob": prob, "seed": seed, "offset": offset})
    return call if name == "selfRef" else call.passing(out=x)


def _chances(shape: tuple[int, ...], tensor: bool, dtype: DataType) -> TensorArg | ScalarArg:
    return TensorArg(shape, dtype, span=(0, 1)) if tensor else ScalarArg(0.25, dtype)


def _samples(name: str, tensor: bool) -> tuple[Call, ...]:
    def call(shape: tuple[int, ...], dtype: DataType, chances: DataType = FLOAT) -> Call:
        prob = _chances(shape, tensor, chances)
        return _call(name, TensorArg(shape, dtype), prob, 5, 4)

    return (
        call((3,), FLOAT),
        call((), DOUBLE, DOUBLE),
        call((2, 3), FLOAT).changing((name,), strides=(1, 2)),
        *(call((2, 3), dtype, FLOAT16) for dtype in (FLOAT16, *_OLD[1:3], *_OLD[4:7], BOOL)),
        call((7,), BF16, BF16),
        *(call((7,), dtype).on(A950) for dtype in _WIDE),
    )


def _draw(rng: Random, name: str, tensor: bool) -> Call:
    shape, product = random_shape(rng), rng.choice((*NEWER, A950))
    dtype = rng.choice((*_OLD, BF16, *(_WIDE if product is A950 else ())))
    prob: TensorArg | ScalarArg = ScalarArg(eighths(rng, 0, 1))
    if tensor:
        kind = rng.choice((FLOAT, FLOAT16, DOUBLE, BF16))
        prob = TensorArg(rng.choice((shape, shape[::-1], (1,))), kind, span=(0, 1))
    offset = random_offset(rng) + (product is not A950 and rng.randrange(4))
    return _call(name, TensorArg(shape, dtype), prob, random_seed(rng), offset).on(product)


def _typical(elements: int, name: str, tensor: bool) -> Call:
    return _call(name, TensorArg((elements,)), _chances((elements,), tensor, FLOAT), 5, 4)


def _operator(operator: str, in_place: bool, tensor: bool) -> Operator:
    name = "selfRef" if in_place else "self"
    prob: Parameter = Scalar("prob", "Chance of a one.", default=0.5)
    if tensor:
        prob = TensorIn("prob", "Chances of ones.")
    x = SELF if in_place else TensorIn("self", "Tells the shape and the dtype.")
    out = () if in_place else (TensorOut("out", "Result.", like="self"),)
    return Operator(
        operator,
        summary="Ones with a given probability, zeros otherwise.",
        formula=_FORMULA.replace("`out[", "`selfRef[") if in_place else _FORMULA,
        params=(x, prob, SEED, OFFSET, *out),
        checks=_checks(name, tensor),
        launch_checks=(_OFFSET_RULE,),
        golden=_golden_in_place if in_place else _golden,
        peer=_torch,
        draw=lambda rng: _draw(rng, name, tensor),
        typical=lambda elements: _typical(elements, name, tensor),
        samples=_samples(name, tensor),
        notes=(*_NOTES, _TENSOR_NOTE) if tensor else _NOTES,
    )


OPS = (
    _operator("aclnnBernoulli", in_place=False, tensor=False),
    _operator("aclnnBernoulliTensor", in_place=False, tensor=True),
    _operator("aclnnInplaceBernoulli", in_place=True, tensor=False),
    _operator("aclnnInplaceBernoulliTensor", in_place=True, tensor=True),
)
