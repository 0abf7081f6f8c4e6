# SPDX-License-Identifier: Apache-2.0
"""The largest errors of the mathematical functions of float, in units of the last place.

Written by `python tests/sweep/run.py --store`.
Functions of one argument: every 50003th float, with instruction set avx512.
Functions of two: every 800048th float, each with a partner.
Checksums of the results of every 800048th float are equal with baseline, avx2, avx512.
"""

MAX_ULPS: dict[str, float] = {
    "acos": 0.4999,
    "acosh": 0.5,
    "asin": 0.4995,
    "asinh": 0.5,
    "atan": 0.5,
    "atan2": 0.5,
    "atanh": 0.4999,
    "ceil": 0.0,
    "cos": 0.5002,
    "cosh": 0.4997,
    "digamma": 0.5,
    "erf": 0.8871,
    "erfc": 0.5002,
    "erfinv": 0.5003,
    "exp": 0.8101,
    "exp2": 0.5003,
    "expm1": 0.5008,
    "floor": 0.0,
    "fmod": 0.0,
    "lgamma": 0.5,
    "log": 0.6993,
    "log10": 0.5,
    "log1p": 0.5002,
    "log1p_exp": 0.5001,
    "log2": 0.4999,
    "pow": 0.5,
    "remainder": 0.5,
    "round": 0.0,
    "rsqrt": 1.4411,
    "sigmoid": 1.4495,
    "sin": 0.5003,
    "sinc": 0.5001,
    "sinh": 0.4998,
    "sqrt": 0.5,
    "tan": 0.5003,
    "tanh": 0.8865,
    "trunc": 0.0,
}
