# SPDX-License-Identifier: Apache-2.0
"""Numbers at equal distances."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.draw import eighths
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
    Category,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Int, Parameter, Scalar, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    Rule,
    at_least,
    done_when,
    dtype_in,
    fits_shape,
    inner,
    not_null,
    only_on,
    rank_in,
    requires,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, ShapeOf
from aclhost.spec.terms import (
    AtMost,
    Const,
    DtypeOf,
    Elements,
    Equal,
    InCategory,
    Leads,
    Not,
    RankOf,
    ValueOf,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NEWER = (A950, A3, A2)
_NUMBERS = (FLOAT, INT32, INT64, FLOAT16, INT16, INT8, UINT8, DOUBLE, BOOL)
_BY_STEPS = Lengths((ValueOf("steps"),))
_SEVERAL = Condition(AtMost(Const(2), ValueOf("steps")), "steps is more than 1")
_NO_STEPS = Condition(Equal(ValueOf("steps"), Const(0)), "steps is 0")

_SEQUENCE: tuple[Parameter, ...] = (
    Scalar("start", "The first number."),
    Scalar("end", "Where the numbers end."),
    Scalar("step", "The distance of two numbers."),
    TensorOut("out", "Result, filled in row-major order."),
)
_DTYPES = (
    *(
        rule
        for name in ("start", "end", "step")
        for rule in dtype_in(name, *_NUMBERS, only_on(BF16, *_NEWER))
    ),
    *dtype_in("out", FLOAT16, FLOAT, DOUBLE, INT64, INT32, only_on(BF16, *_NEWER)),
)
_STEP = requires(
    "leads",
    "step",
    Leads("step", "start", "end", DtypeOf("out")),
    "step, converted as for out, must not be 0 and must lead from start to end",
    (Shown("real", "step"), " from ", Shown("real", "start"), " to ", Shown("real", "end")),
    "Change the sign of step, or exchange start and end; an integer out needs a step of 1 or more.",
)
_VALUES = (
    "`out[i] = start + i * step`, row by row for every element that out has. Integers are computed "
    "in the dtype of out, after a conversion that drops fractions, and wrap; DOUBLE in double, all "
    "others in float with one rounding to out."
)
_SIZES = (
    "The size of out is not checked, by upstream neither: elements past the last number go on by "
    "the same formula here and are undefined there.",
    "start = end is accepted, though the document asks for less.",
)


def _arange(start: float, end: float, step: float) -> Array:
    """Without the end."""
    import numpy as np

    return np.arange(start, end, step)


def _range(start: float, end: float, step: float) -> Array:
    """With the end."""
    import numpy as np

    return start + step * np.arange(int((end - start) / step) + 1)


def _linspace(start: float, end: float, steps: int) -> Array:
    """Both ends are exact."""
    import numpy as np

    return np.linspace(start, end, steps)


def _log_space(start: float, end: float, steps: int, base: float) -> Array:
    """Powers of the same."""
    import numpy as np

    return base ** np.linspace(start, end, steps)


def _sequence(out: TensorArg, start: ScalarArg, end: ScalarArg, step: ScalarArg) -> Call:
    return Call({"start": start, "end": end, "step": step, "out": out})


def _counted(count: int, end: int) -> Call:
    """0, 1, 2..."""
    start, end_at, step = (ScalarArg(value, INT64) for value in (0, end, 1))
    return _sequence(TensorArg((count,)), start, end_at, step)


def _drawn_sequence(rng: Random, *, with_end: bool) -> Call:
    """Numbers that every dtype but BF16 holds, so that the count is no matter of rounding."""
    dtype, count = rng.choice((FLOAT, DOUBLE, INT64, INT32, BF16)), rng.randint(1, 1500)
    parts = 1 if dtype.category is Category.INTEGER else 8
    start = rng.randint(-99, 99) / parts
    step = (rng.randint(-99, 99) or 1) / parts
    end = start + step * (count - with_end)
    numbers = (ScalarArg(value, rng.choice((FLOAT, DOUBLE))) for value in (start, end, step))
    return _sequence(TensorArg((count,), dtype), *numbers)


def _drawn_line(rng: Random) -> Call:
    """Both ends are positive: next to 0, the errors of larger numbers would show."""
    dtype = rng.choice((FLOAT, FLOAT16, DOUBLE, BF16, INT32, INT8, UINT8, INT16, INT64))
    if dtype.category is not Category.INTEGER:
        return _spaced(dtype, eighths(rng, 1, 30), eighths(rng, 1, 30), rng.randint(1, 1500))
    steps, start = rng.randint(1, 12), rng.randint(56, 70)  # steps that float holds
    return _spaced(dtype, start, start + rng.randint(-5, 5) * (steps - 1), steps)


def _not_complex(parameter: str) -> tuple[Rule, ...]:
    return requires(
        "not_complex",
        parameter,
        Not(InCategory(DtypeOf(parameter), Category.COMPLEX)),
        f"{parameter} must not be complex",
        (Shown("dtype", DtypeOf(parameter)),),
        f"Create {parameter} from a real number.",
    )


ARANGE = Operator(
    "aclnnArange",
    summary="Numbers from start, in steps, up to but without the end.",
    formula=_VALUES,
    params=_SEQUENCE,
    checks=(
        not_null("start", "end", "step", "out"),
        _DTYPES,
        _STEP,
        supported_on(*_NEWER, P310P, T910),
    ),
    golden=_arange,
    reference="arange",
    draw=lambda rng: _drawn_sequence(rng, with_end=False),
    typical=lambda elements: _counted(elements, elements),
    samples=(
        _counted(5, 5),
        _sequence(TensorArg((4,), INT32), ScalarArg(9), ScalarArg(-3), ScalarArg(-3)),
        _sequence(TensorArg((3,), DOUBLE, strides=(2,)), *map(ScalarArg, (0.5, 1.25, 0.25))),
        _sequence(TensorArg((7,), BF16), *(ScalarArg(v, DOUBLE) for v in (1, 8, 1))),
    ),
    notes=("It has ceil((end - start) / step) numbers, computed in double.", *_SIZES),
)
RANGE = Operator(
    "aclnnRange",
    summary="Numbers from start, in steps, up to and with the end.",
    formula=_VALUES,
    params=_SEQUENCE,
    checks=(
        inner(not_null("start", "end", "step", "out")),
        _DTYPES,
        requires(
            "rank_at_least",
            "out",
            AtMost(Const(1), RankOf("out")),
            "out must have at least 1 dimension",
            ("rank ", Shown("integer", RankOf("out"))),
            "Create out with shape [1].",
        ),
        _STEP,
    ),
    golden=_range,
    reference="ops.aten.range",
    draw=lambda rng: _drawn_sequence(rng, with_end=True),
    typical=lambda elements: _counted(elements, elements - 1),
    samples=(
        _counted(6, 5),
        _sequence(TensorArg((5,), INT64), ScalarArg(9), ScalarArg(-3), ScalarArg(-3)),
        _sequence(TensorArg((4,), FLOAT16), *map(ScalarArg, (0.5, 1.25, 0.25))),
    ),
    notes=("It has (end - start) / step + 1 numbers, fractions dropped.", *_SIZES),
)


def _spaced(
    dtype: DataType, start: float, end: float, steps: int, out: tuple[int, ...] | None = None
) -> Call:
    return Call(
        {
            "start": ScalarArg(start),
            "end": ScalarArg(end, DOUBLE),
            "steps": steps,
            "out": TensorArg((steps,) if out is None else out, dtype),
        }
    )


_ON_LINE: tuple[Parameter, ...] = (
    Scalar("start", "The first number."),
    Scalar("end", "The last number."),
    Int("steps", "How many numbers."),
)
LINSPACE = Operator(
    "aclnnLinspace",
    summary="So many numbers at equal distances between two.",
    formula=(
        "With `step = (end - start) / (steps - 1)`:\n\n"
        "- i < steps / 2: `out[i] = start + step * i`\n"
        "- otherwise: `out[i] = end - step * (steps - 1 - i)`\n\n"
        "start and end are converted to the dtype of out first. DOUBLE is computed in double, as "
        "`start + step * i` but for the last, all others in float; integers drop the fraction. One "
        "step gives start."
    ),
    params=(
        *_ON_LINE,
        TensorOut("out", "Result.", shape=_BY_STEPS, dtype=const(FLOAT)),
    ),
    checks=(
        inner(not_null("start", "end", "out")),
        _not_complex("start"),
        _not_complex("end"),
        dtype_in(
            "out",
            *(
                only_on(dtype, *_NEWER, P310P, T910)
                for dtype in (FLOAT, FLOAT16, INT32, INT8, UINT8, DOUBLE)
            ),
            *(only_on(dtype, *_NEWER) for dtype in (BF16, INT16, INT64)),
        ),
        at_least("steps", 0),
        requires(
            "holds_steps",
            "out",
            Equal(Elements("out"), ValueOf("steps")),
            "out must have as many elements as steps says",
            (Shown("shape", ShapeOf("out")), " for ", Shown("integer", ValueOf("steps"))),
            "Create out with shape [steps].",
        ),
        done_when(_NO_STEPS),
        when(_SEVERAL, inner(rank_in("out", 1))),
    ),
    golden=_linspace,
    reference="linspace",
    draw=_drawn_line,
    typical=lambda elements: _spaced(FLOAT, 0, 1, elements),
    samples=(
        _spaced(FLOAT, 1, 2, 5),
        _spaced(DOUBLE, -1, 3, 9),
        _spaced(INT32, 0, 10, 11),
        _spaced(BF16, 3, 1, 8),
        _spaced(FLOAT16, 3, 1, 1, ()),
    ),
    notes=(
        "Upstream takes several steps into an out of rank 1 only; its document allows others.",
        "FLOAT16 and BF16 are rounded once, to nearest even; upstream keeps FLOAT16 in between and "
        "rounds halves of BF16 away from zero.",
        "The document omits INT64 for out.",
    ),
)


def _powers(dtype: DataType, start: float, steps: int, base: float) -> Call:
    return Call(
        {
            "start": ScalarArg(start),
            "end": ScalarArg(2, INT64),
            "steps": steps,
            "base": base,
            "result": TensorArg((steps,), dtype),
        }
    )


LOG_SPACE = Operator(
    "aclnnLogSpace",
    summary="Powers of a base, with exponents at equal distances.",
    formula=(
        "`result[i] = base ** linspace(start, end, steps)[i]`, in float with one rounding. start, "
        "end and base are rounded to the dtype of result first; to FLOAT where one of start and "
        "end is FLOAT16 and the other BF16."
    ),
    params=(
        *_ON_LINE,
        Double("base", "What is raised to a power.", default=10.0),
        TensorOut("result", "Result.", shape=_BY_STEPS, dtype=const(FLOAT), is_const=True),
    ),
    checks=(
        inner(not_null("start", "end", "result")),
        dtype_in("result", FLOAT, FLOAT16, BF16),
        at_least("steps", 0),
        done_when(_NO_STEPS),
        supported_on(*_NEWER),
        inner(fits_shape("result", _BY_STEPS, "[steps]")),
    ),
    golden=_log_space,
    reference="logspace",
    ulps=16,  # a power multiplies the error of its exponent
    draw=lambda rng: _powers(
        rng.choice((FLOAT, FLOAT16, BF16)),
        eighths(rng, -2, 2),
        rng.randint(1, 1500),
        rng.choice((10.0, 2.0, 0.5)),
    ),
    typical=lambda elements: _powers(FLOAT, -1, elements, 10.0),
    samples=(
        _powers(FLOAT, -1, 7, 10.0),
        _powers(BF16, 0, 4, 2.0),
        _powers(FLOAT16, 1, 1, 3.0),
    ),
    notes=(
        "The document asks for 2 to 8 dimensions of result; upstream's code, and so aclhost, takes "
        "the shape [steps].",
        "A complex start or end counts as 0.",
    ),
)
OPS = (ARANGE, LINSPACE, LOG_SPACE, RANGE)
