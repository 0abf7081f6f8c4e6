# SPDX-License-Identifier: Apache-2.0
"""Special functions of one tensor."""

from __future__ import annotations

from aclhost.ops.pointwise.unary import Unary, operators
from aclhost.ops.pointwise.unary_checks import (
    BF16_ON_NEW,
    FLOATS_BY_PRODUCT,
    WHOLE,
    castable,
    delivers,
    equal_formats,
    same,
)
from aclhost.spec import math
from aclhost.spec.dtypes import BOOL, DOUBLE, FLOAT, FLOAT16, INT64

_POLES = "Upstream's kernel is not public: at the poles it is {}, as in torch."

OPS = operators(
    Unary(
        "aclnnDigamma", "Derivative of the logarithm of the gamma function.", math.digamma,
        same((DOUBLE, FLOAT, FLOAT16), equal_formats), "digamma",
        ulps=4, ulps_from=1.0,
        notes=(_POLES.format("infinite at 0 and NaN at negative whole numbers"),
               "The largest error seen in DOUBLE, of 18,000 numbers, is 10.2 ulp of the result or "
               "of 1, whichever is more."),
    ),
    Unary(
        "aclnnErf", "Error function.", math.erf,
        castable((*FLOATS_BY_PRODUCT, BOOL, INT64)), "erf",
        late=delivers(), twin=FLOATS_BY_PRODUCT,
    ),
    Unary(
        "aclnnErfc", "One less the error function, exact where that is nearly 1.", math.erfc,
        castable((*FLOATS_BY_PRODUCT, BOOL, INT64)), "erfc",
        late=delivers(), twin=FLOATS_BY_PRODUCT, early=2,
    ),
    Unary(
        "aclnnErfinv", "Inverse of the error function.", math.erfinv,
        castable((FLOAT, FLOAT16, *WHOLE, BF16_ON_NEW)), "erfinv", late=delivers(),
    ),
    Unary(
        "aclnnLgamma", "Logarithm of the gamma function's absolute value.", math.lgamma,
        same((DOUBLE, FLOAT, FLOAT16), equal_formats), "lgamma",
        ulps=8, ulps_from=1.0,
        notes=(_POLES.format("infinite"),
               "The largest error seen in DOUBLE, of 4.8 million numbers, is 6.4 ulp."),
    ),
)  # fmt: skip
