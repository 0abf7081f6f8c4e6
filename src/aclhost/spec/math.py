# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of point-wise declarations: functions of symbols, and of arrays.

Each is defined once, as C++ (native/simd/math.h and native/engines/loops.h), as NumPy and as the
page shows it. On symbols of other domains than a function is made for, what it would do without
work is left out: `floor` of an integer is the integer.
"""

from __future__ import annotations

import math as _math

from aclhost.spec import dtypes
from aclhost.spec import operations as _op
from aclhost.spec.expression import Domain, Element, Kind, Operation, constant, convert
from aclhost.spec.trace import Function, Symbol, apply

TRUE = Symbol(constant(True, Kind(Domain.BOOL)))
FALSE = Symbol(constant(False, Kind(Domain.BOOL)))
pi, e, inf, nan = _math.pi, _math.e, _math.inf, _math.nan


def _function(
    name: str,
    on: str = "r",
    numpy: str = "",
    result: str = "float",
    brief: bool = False,
    half: str = "",
) -> Function:
    cpp, numpy = f"math::{name}", numpy or name
    return Function(name, cpp, numpy, name, result, on, brief=brief, half_cpp=half)


def _helper(
    name: str,
    on: str,
    cpp: str = "",
    result: str = "same",
    shown: str = "",
    of_bools: Operation | None = None,
    of_bits: bool = False,
    brief: bool = True,
) -> Function:
    cpp, shown = f"loops::{cpp or name}", shown or name
    return Function(
        name, cpp, name, shown, result, on, of_bools=of_bools, of_bits=of_bits, brief=brief
    )


exp = _function("exp", "rc", brief=True)
exp2 = _function("exp2", brief=True)
expm1 = _function("expm1")
log = _function("log", "rc")
log1p = _function("log1p")
log1p_exp = _function("log1p_exp")  # log(1 + e^x)
sqrt = _function("sqrt", "rc", brief=True)
sin = _function("sin", "rc", half="loops::half_sin")
cos = _function("cos", "rc", half="loops::half_cos")
tan = _function("tan", "rc")
asin = _function("asin", "rc", "arcsin", half="math::half_asin")
acos = _function("acos", "rc", "arccos", half="math::half_acos")
atan = _function("atan", "rc", "arctan", half="math::half_atan")
atan2 = _function("atan2", "r", "arctan2")
sinh = _function("sinh", "rc")
cosh = _function("cosh", "rc")
tanh = _function("tanh", "rc", brief=True)
asinh = _function("asinh", "rc", "arcsinh")
acosh = _function("acosh", "rc", "arccosh")
atanh = _function("atanh", "rc", "arctanh")
erf = _function("erf", half="math::half_erf")
erfc = _function("erfc")
erfinv = _function("erfinv")
normal_cdf = _function("normal_cdf", half="math::half_normal_cdf")
lgamma = _function("lgamma")
digamma = _function("digamma")
sinc = _helper("sinc", "r", result="float", brief=False)
reciprocal = _helper("reciprocal", "rc", result="float")
copysign = _helper("copysign", "r", result="float")

pow = _helper("power", "uirc", shown="pow", brief=False)
fmod = _helper("fmod", "uir", brief=False)  # with the sign of the dividend
remainder = _helper("remainder", "uir", brief=False)  # with the sign of the divisor
floor_divide = _helper("floor_divide", "uir")
trunc_divide = _helper("trunc_divide", "uir")
gcd = _helper("gcd", "ui")
where = _helper("where", "buirc", cpp="select", result="select", of_bits=True)
complex_ = _helper("make_complex", "r", result="complex", shown="complex")
# NaN wins.
minimum = _helper("minimum", "uir", shown="min", of_bools=_op.LOGICAL_AND)
maximum = _helper("maximum", "uir", shown="max", of_bools=_op.LOGICAL_OR)

_log2 = _function("log2", half="math::half_log2")
_log10 = _function("log10", half="math::half_log10")
_rsqrt, _sigmoid = _function("rsqrt", brief=True), _function("sigmoid", brief=True)
_floor = _function("floor", result="same", brief=True)
_ceil = _function("ceil", result="same", brief=True)
_trunc = _function("trunc", result="same", brief=True)
_round = _function("round", result="same", numpy="rint", brief=True)
_sign = _helper("sign", "irc")
_real = _helper("real", "c", cpp="real_part", result="part")
_imag = _helper("imag", "c", cpp="imaginary_part", result="part")
_conj = _helper("conj", "c", cpp="conjugate")
_isnan = _helper("isnan", "rc", cpp="is_nan", result="bool", of_bits=True)
_isinf = _helper("isinf", "rc", cpp="is_infinite", result="bool", of_bits=True)
_isfinite = _helper("isfinite", "rc", cpp="is_finite", result="bool", of_bits=True)
_signbit = _helper("signbit", "ir", cpp="sign_bit", result="bool", of_bits=True)


def _below(x: Element, domain: Domain) -> bool:
    return isinstance(x, Symbol) and x.domain < domain


def _complex(x: Element) -> bool:
    return isinstance(x, Symbol) and x.is_complex


def _over_real(x: Element, divisor: float) -> Element:
    """Part by part: a complex quotient makes NaN of an infinite part."""
    return complex_(_real(x) / divisor, _imag(x) / divisor)


def log2(x: Element) -> Element:
    """The logarithm to base 2."""
    return _over_real(log(x), _math.log(2)) if _complex(x) else _log2(x)


def log10(x: Element) -> Element:
    """The logarithm to base 10."""
    return _over_real(log(x), _math.log(10)) if _complex(x) else _log10(x)


def rsqrt(x: Element) -> Element:
    """1 / sqrt(x)."""
    return reciprocal(sqrt(x)) if _complex(x) else _rsqrt(x)


def sigmoid(x: Element) -> Element:
    """1 / (1 + exp(-x))."""
    return reciprocal(1 + exp(-x)) if _complex(x) else _sigmoid(x)


def floor(x: Element) -> Element:
    """The next whole number below."""
    return x if _below(x, Domain.REAL) else _floor(x)


def ceil(x: Element) -> Element:
    """The next whole number above."""
    return x if _below(x, Domain.REAL) else _ceil(x)


def trunc(x: Element) -> Element:
    """The next whole number towards zero."""
    return x if _below(x, Domain.REAL) else _trunc(x)


def round(x: Element) -> Element:
    """The nearest whole number, a half to even."""
    return x if _below(x, Domain.REAL) else _round(x)


def sign(x: Element) -> Element:
    """-1, 0 or 1, also for NaN 0; x / |x| of complex numbers."""
    if _below(x, Domain.INTEGER):
        return x if x.is_bool else where(x != 0, 1, 0)
    return _sign(x)


def real(x: Element) -> Element:
    """The real part."""
    return x if _below(x, Domain.COMPLEX) else _real(x)


def imag(x: Element) -> Element:
    """The imaginary part."""
    return x * 0 if _below(x, Domain.COMPLEX) else _imag(x)


def conj(x: Element) -> Element:
    """The complex conjugate."""
    return x if _below(x, Domain.COMPLEX) else _conj(x)


def isnan(x: Element) -> Element:
    """Whether it is not a number."""
    return FALSE if _below(x, Domain.REAL) else _isnan(x)


def isinf(x: Element) -> Element:
    """Whether it is infinite."""
    return FALSE if _below(x, Domain.REAL) else _isinf(x)


def isfinite(x: Element) -> Element:
    """Whether it is neither infinite nor NaN."""
    return TRUE if _below(x, Domain.REAL) else _isfinite(x)


def signbit(x: Element) -> Element:
    """Whether the sign is set, -0.0 included."""
    return FALSE if _below(x, Domain.INTEGER) else _signbit(x)


_CASTS = {
    "bool": Kind(Domain.BOOL),
    "int32": Kind(Domain.INTEGER, dtypes.INT32),
    "int64": Kind(Domain.INTEGER, dtypes.INT64),
    "real": Kind(Domain.REAL),
    "complex": Kind(Domain.COMPLEX),
}


def cast(x: Element, to: str) -> Element:
    """As bool, int32, int64, real (of the computed precision) or complex."""
    if isinstance(x, Symbol):
        return Symbol(convert(x.expression, _CASTS[to], shown=True))
    import numpy as np

    from aclhost.spec import numpy_functions

    return numpy_functions.cast(np.asarray(x), to)


def logical_not(x: Element) -> Element:
    """True for 0."""
    return apply(_op.LOGICAL_NOT, _truth(x)) if isinstance(x, Symbol) else _truth(x) == 0


def logical_and(x: Element, y: Element) -> Element:
    """Neither is 0."""
    return _truth(x) & _truth(y)


def logical_or(x: Element, y: Element) -> Element:
    """Not both are 0."""
    return _truth(x) | _truth(y)


def logical_xor(x: Element, y: Element) -> Element:
    """Just one is 0."""
    return _truth(x) ^ _truth(y)


def _truth(x: Element) -> Element:
    if isinstance(x, Symbol):
        return Symbol(convert(x.expression, Kind(Domain.BOOL)))
    return cast(x, "bool")
