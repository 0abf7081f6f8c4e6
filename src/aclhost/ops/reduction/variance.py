# SPDX-License-Identifier: Apache-2.0
"""Variances and standard deviations, with means where both are asked for."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import (
    BF16_NEWER,
    NEWER,
    SELF,
    SOME,
    SUPPORTED,
    axes,
    complete,
    drawn_dims,
    drawn_shape,
    keep_param,
    reduced,
    typical_rows,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Int, IntArray, Parameter, TensorOut
from aclhost.spec.products import A2, A950, T910
from aclhost.spec.rules import (
    Condition,
    Rule,
    Step,
    axes_in_rank,
    distinct_axes,
    dtype_in,
    fits_shape,
    inner,
    inside_storage,
    not_null,
    only_on,
    rank_at_most,
    same_dtype,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.terms import LengthOf, Not, ProductIn

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_FLOATS = (FLOAT, FLOAT16, BF16_NEWER)
_SHAPE = reduced("dim", "keepdim")
_WORDS = "of self without what is reduced"
_DIM = IntArray(
    "dim",
    "Dimensions that are reduced, in any order; none or a null pointer: all.",
    length=1,
    default=(),
    optional=True,
)
_CORRECTION = Int("correction", "What is taken from n in the divisor.", default=1)
_WITHOUT_310P = supported_on(*NEWER, T910)
_AXES = (axes_in_rank("dim", "self"), distinct_axes("dim", "self"))
_LAST = inside_storage("self")
_NOTES = (
    "Sums are made in double, of a few values in float, and rounded once. Of nothing the result "
    "is NaN.",
    "Where correction is above 1 and not below n the result is infinite, of a single value "
    "without correction NaN; torch divides by 0 in both cases.",
)


def _variance(self: Array, dim: Ints, keepdim: bool, correction: int) -> tuple[Array, Array]:
    """With the mean."""
    import numpy as np

    axis = axes(dim)
    count = np.ones(self.shape).sum(axis=axis, keepdims=True).max(initial=0)
    with np.errstate(all="ignore"):
        mean = self.mean(axis=axis, keepdims=True) if self.size else np.nan
        squares = ((self - mean) ** 2).sum(axis=axis, keepdims=keepdim)
        if count <= correction:
            variance = np.full_like(squares, np.inf if correction > 1 < count else np.nan)
        else:
            variance = squares / (count - correction)
        if not self.size:
            return np.full_like(squares, np.nan), np.full_like(squares, np.nan)
        return variance, self.mean(axis=axis, keepdims=keepdim)


def _torch(torch: Any, root: bool, self: Any, dim: Any, correction: int, keepdim: bool) -> Any:  # noqa: ANN401
    """Torch's running mean of what is infinite is NaN."""
    count = 1
    for axis in dim or range(self.dim()):
        count *= self.shape[axis] if self.dim() else 1
    if count <= correction or not self.isfinite().all():
        return NotImplemented
    function = torch.std_mean if root else torch.var_mean
    return function(self.double(), dim=dim or None, correction=correction, keepdim=keepdim)


def _draw(outs: tuple[str, ...], attribute: str, mixed: bool) -> Any:  # noqa: ANN401
    """With `mixed` on the product where outputs may have another dtype."""

    def draw(rng: Random) -> Call:
        shape, product = drawn_shape(rng), A950 if mixed else A2
        types = (FLOAT, FLOAT16, BF16) if attribute == "unbiased" or mixed else (FLOAT, FLOAT16)
        own = rng.choice(types)
        value: Any = rng.random() < 0.5 if attribute == "unbiased" else rng.choice((1, 1, 0, 2, -1))
        call = Call(
            {
                "self": TensorArg(shape, own),
                "dim": drawn_dims(rng, len(shape)),
                attribute: value,
                "keepdim": rng.random() < 0.5,
            },
            product,
        )
        wanted = rng.choice((FLOAT, FLOAT16)) if own is FLOAT and mixed else own
        return complete(*((name, _SHAPE, wanted) for name in outs))(call)

    return draw


_ALL_AXES = Condition(Not(LengthOf("dim")), "dim names no dimension")
_SOME_AXES = Condition(LengthOf("dim"), "dim names dimensions")
_OLDER = Condition(Not(ProductIn((A950,))), f"the product is not {A950}")


def _late_shapes(*outs: str) -> tuple[tuple[Rule, ...], ...]:
    """Where all dimensions go, only the last copy looks at the shape."""
    early = (rank_at_most("self", 8), *(rank_at_most(out, 8) for out in outs))
    named = when(_SOME_AXES, *(shape_is(out, _SHAPE, _WORDS) for out in outs))
    return (*early, named)


def _copied(*outs: str) -> tuple[Rule, ...]:
    rules = when(_ALL_AXES, *(fits_shape(out, _SHAPE, _WORDS) for out in outs))
    return inner(when(SOME, rules))


def _early_shapes(*outs: str) -> tuple[tuple[Rule, ...], ...]:
    return (rank_at_most("self", 8), *(shape_is(out, _SHAPE, _WORDS) for out in outs))


def _same_unless_950(*outs: str) -> tuple[Rule, ...]:
    return when(_OLDER, *(same_dtype(out, "self") for out in outs))


_MEAN_FLOATS: tuple[DataType | Limited, ...] = (FLOAT, FLOAT16, only_on(BF16, A950))
_CHECKS: dict[str, tuple[tuple[Step, ...], ...]] = {
    "aclnnVar": (
        not_null("self", "out"),
        *(dtype_in(name, *_FLOATS) for name in ("self", "out")),
        *_AXES,
        *_early_shapes("out"),
        _WITHOUT_310P,
        _LAST,
    ),
    "aclnnVarCorrection": (
        not_null("self", "out"),
        *(dtype_in(name, *_FLOATS) for name in ("self", "out")),
        *_AXES,
        *_early_shapes("out"),
        SUPPORTED,
        _LAST,
    ),
    "aclnnVarMean": (
        not_null("self", "meanOut", "varOut"),
        *(dtype_in(name, *_MEAN_FLOATS) for name in ("self", "meanOut", "varOut")),
        *_AXES,
        *_early_shapes("meanOut", "varOut"),
        _WITHOUT_310P,
        _LAST,
    ),
    "aclnnStd": (
        not_null("self", "out"),
        *(dtype_in(name, *_FLOATS) for name in ("self", "out")),
        *_AXES,
        *_late_shapes("out"),
        SUPPORTED,
        _LAST,
        _copied("out"),
    ),
    "aclnnStdMeanCorrection": (
        not_null("self", "stdOut", "meanOut"),
        *(dtype_in(name, *_FLOATS) for name in ("self", "stdOut", "meanOut")),
        _same_unless_950("stdOut", "meanOut"),
        *_AXES,
        *_late_shapes("stdOut", "meanOut"),
        _WITHOUT_310P,
        _LAST,
        _copied("stdOut", "meanOut"),
    ),
}


def _golden(root: bool, pair: bool) -> Callable[..., Any]:
    def golden(self: Array, dim: Ints, keepdim: bool, **rest: Any) -> Any:  # noqa: ANN401
        import numpy as np

        variance, mean = _variance(self, dim, keepdim, _correction(rest))
        result = np.sqrt(variance) if root else variance
        return (result, mean) if pair else result

    return golden


def _terms(root: bool) -> Callable[..., Any]:
    def terms(self: Array, dim: Ints, keepdim: bool, **rest: Any) -> Any:  # noqa: ANN401
        """Of sizes: about 0, for their mean is not that of the values."""
        import numpy as np

        variance, mean = _variance(self, dim, keepdim, _correction(rest))
        _, square = _variance(self * self, dim, keepdim, 0)
        scale = np.maximum(variance, square)
        return np.sqrt(scale) if root else scale, mean

    return terms


def _correction(rest: dict[str, Any]) -> int:
    """Whatever the attribute is called."""
    return int(next(iter(rest.values())))


def _samples(finish: Callable[[Call], Call], attribute: Parameter) -> tuple[Call, ...]:
    def call(shape: tuple[int, ...], dtype: DataType, dim: Any, value: int, keep: bool) -> Call:  # noqa: ANN401
        own = bool(value) if isinstance(attribute, Flag) else value
        given = {"self": TensorArg(shape, dtype), "dim": dim, attribute.name: own, "keepdim": keep}
        return finish(Call(given))

    return (
        call((2, 3), FLOAT, (1,), 1, False),
        call((2, 3, 4), FLOAT16, (-1, 0), 0, True),
        call((2, 3), FLOAT, None, 1, False),
        call((5,), FLOAT, (), 1, True),
        call((3, 0), FLOAT, (1,), 1, False),
        call((), FLOAT, (), 1, False),
    )


def _result(name: str, word: str) -> TensorOut:
    doc = "Means." if name == "meanOut" else f"{word.capitalize()}s."
    return TensorOut(name, doc, like="self", shape=_SHAPE)


def _operator(name: str, outs: tuple[str, ...], attribute: Parameter) -> Operator:
    root, pair = "Std" in name, len(outs) > 1
    word = "standard deviation" if root else "variance"

    def reference(torch: Any, self: Any, dim: Any, keepdim: bool, **rest: Any) -> Any:  # noqa: ANN401
        found = _torch(torch, root, self, dim, _correction(rest), keepdim)
        return found if pair or found is NotImplemented else found[0]

    finish = complete(*((out, _SHAPE, None) for out in outs))
    usual = {attribute.name: True if isinstance(attribute, Flag) else 1, "keepdim": False}
    results = (_result(out, word) for out in outs)
    return Operator(
        name,
        summary=f"{word.capitalize()}s over dimensions{', and means' if pair else ''}.",
        formula=f"`{outs[0]} = {'sqrt(' if root else ''}sum((self - mean)^2) / (n - correction)"
        f"{')' if root else ''}` over the n values of dim",
        params=(SELF, _DIM, attribute, keep_param("keepdim"), *results),
        checks=_CHECKS[name],
        golden=_golden(root, pair),
        reference=reference,
        summed=("self",) if pair else (),
        terms=_terms(root) if pair else None,
        ulps=4,  # of differences, squares and their sum
        draw=_draw(outs, attribute.name, name == "aclnnStdMeanCorrection"),
        typical=typical_rows(finish, dim=(1,), **usual),
        samples=_samples(finish, attribute),
        notes=_NOTES,
    )


_UNBIASED = Flag("unbiased", "Whether 1 is taken from n in the divisor.", default=True)
OPS = (
    _operator("aclnnVar", ("out",), _UNBIASED),
    _operator("aclnnVarCorrection", ("out",), _CORRECTION),
    _operator("aclnnVarMean", ("varOut", "meanOut"), _CORRECTION),
    _operator("aclnnStd", ("out",), _CORRECTION),
    _operator("aclnnStdMeanCorrection", ("stdOut", "meanOut"), _CORRECTION),
)
