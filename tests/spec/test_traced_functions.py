# SPDX-License-Identifier: Apache-2.0
"""Functions of declarations become expressions, formulas and NumPy results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from aclhost.spec import math
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX32,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT64,
)
from aclhost.spec.expression import Call, Constant, Convert, Domain, Kind, domain_of, walk
from aclhost.spec.formula import formula
from aclhost.spec.math import cast, exp, isnan, maximum, sigmoid, where
from aclhost.spec.pointwise import NumberFrom, Pointwise, loop_dtype
from aclhost.spec.terms import DtypeOf, const
from aclhost.spec.trace import trace


def traced(function, domain=Domain.REAL, names="x"):
    (result,) = trace(function, domain, [(name, Kind(domain)) for name in names])
    return result


def text(function, domain=Domain.REAL, names="x"):
    return formula([traced(function, domain, names)])[0]


def kernel(function, dtypes, inputs=("x",), **more):
    numbers = more.pop("numbers", ())
    outputs = more.pop("outputs", ("out",))
    return Pointwise(inputs, outputs, numbers, DtypeOf("x"), function, dtypes, **more)


def golden(function, dtype, **values):
    (result,) = kernel(function, (dtype,), tuple(values)).golden(values, dtype)
    return result


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x, y: x / (1 + exp(-x)), "x / (1 + exp(-x))"),
        (lambda x, y: x - (y - x) - y, "x - (y - x) - y"),
        (lambda x, y: (x - y) * -(x + y), "(x - y) * -(x + y)"),
        (lambda x, y: -(x**2) + (-x) ** 2, "-x ** 2 + (-x) ** 2"),
        (lambda x, y: (x**y) ** 2, "(x ** y) ** 2"),
        (lambda x, y: x ** (y**2), "x ** y ** 2"),
        (lambda x, y: 2.0**-x, "2 ** -x"),
        (lambda x, y: where((x > 0) & (y < 0.5), x, -y), "where(x > 0 and y < 0.5, x, -y)"),
        (lambda x, y: abs(x) * maximum(x, -1), "abs(x) * max(x, -1)"),
        (lambda x, y: cast(x, "bool"), "bool(x)"),
    ],
)
def test_formulas_have_the_parentheses_they_need(function, wanted):
    assert text(function, names="xy") == wanted


def test_long_repeated_expressions_get_letters():
    def silu_backward(g, x):
        s = sigmoid(x)
        return g * s * (1 + x * (1 - s))

    assert text(silu_backward, names="gx") == "g * s * (1 + x * (1 - s)) with s = sigmoid(x)"
    assert text(lambda s: sigmoid(s) * sigmoid(s), names="s") == "t * t with t = sigmoid(s)"
    assert text(lambda x: -x * exp(-x)) == "-x * exp(-x)"


def test_equal_expressions_are_one():
    result = traced(lambda x, y: exp(x * y + 1) / exp(x * y + 1), names="xy")
    assert sum(isinstance(node, Call) for node in walk([result])) == 4


def test_constants_keep_their_signs():
    zeros = traced(lambda x: where(x > 0, -0.0, 0.0))
    found = {repr(node.value) for node in walk([zeros]) if isinstance(node, Constant)}
    assert {"-0.0", "0.0"} <= found


@pytest.mark.parametrize(
    ("dtype", "name"),
    [(INT8, "is_integer"), (UINT64, "is_unsigned"), (BOOL, "is_bool"), (FLOAT, "is_real"),
     (COMPLEX64, "is_complex")],
)  # fmt: skip
def test_symbols_tell_their_domain(dtype, name):
    asked = []
    traced(lambda x: asked.append(getattr(x, name)) or x, domain_of(dtype))
    asked_of_others = []
    for other in (BOOL, FLOAT, COMPLEX128):
        traced(lambda x: asked_of_others.append(getattr(x, name)) or x, domain_of(other))
    assert asked == [True]
    assert sum(asked_of_others) == (dtype in (BOOL, FLOAT, COMPLEX64))


def test_symbols_have_no_truth():
    with pytest.raises(TypeError, match="where"):
        traced(lambda x: x if x > 0 else -x)


@pytest.mark.parametrize(
    ("function", "domain"),
    [(lambda x: x << 1, Domain.REAL), (lambda x: x < 1, Domain.COMPLEX),
     (lambda x: -x, Domain.BOOL), (math.erf, Domain.COMPLEX),
     (lambda x: math.gcd(x, x), Domain.REAL)],
)  # fmt: skip
def test_operations_know_their_domains(function, domain):
    with pytest.raises(TypeError, match=f"not defined for {domain.name.lower()}"):
        traced(function, domain)


@pytest.mark.parametrize(
    ("function", "domain", "kind"),
    [
        (lambda x: x / 2, Domain.INTEGER, Kind(Domain.REAL)),
        (lambda x: x * 2, Domain.INTEGER, Kind(Domain.INTEGER)),
        (lambda x: x * 0.5, Domain.INTEGER, Kind(Domain.REAL)),
        (lambda x: x == 0, Domain.COMPLEX, Kind(Domain.BOOL)),
        (abs, Domain.COMPLEX, Kind(Domain.REAL)),
        (lambda x: math.complex_(x, 1), Domain.REAL, Kind(Domain.COMPLEX)),
        (lambda x: where(x > 0, 1, 0), Domain.REAL, Kind(Domain.REAL)),
        (lambda x: where(x, 1, 0), Domain.BOOL, Kind(Domain.BOOL)),
        (exp, Domain.BOOL, Kind(Domain.REAL)),
        (lambda x: cast(x, "int32") + 1, Domain.REAL, Kind(Domain.INTEGER, INT32)),
        (lambda x: x + cast(x, "int64"), Domain.REAL, Kind(Domain.REAL)),
    ],
)
def test_kinds_of_results(function, domain, kind):
    assert traced(function, domain).kind == kind


def test_bools_add_as_or():
    flags = np.array([False, True])
    table = {"x": flags[:, None], "y": flags[None, :]}
    assert golden(lambda x, y: x + y, BOOL, **table).tolist() == [[False, True], [True, True]]
    assert golden(lambda x, y: x * y, BOOL, **table).tolist() == [[False, False], [False, True]]
    assert golden(lambda x, y: x - y, BOOL, **table).tolist() == [[False, True], [True, False]]


def test_integers_wrap_in_their_type():
    values = np.array([-128, 127, 100], np.int8)
    assert golden(lambda x: x + 1, INT8, x=values).tolist() == [-127, -128, 101]
    assert golden(lambda x: -x, INT8, x=values).tolist() == [-128, -127, -100]
    assert golden(lambda x: x * x, INT8, x=values).dtype == np.int8
    assert golden(lambda x: x * x, INT16, x=values).tolist() == [16384, 16129, 10000]
    large = np.array([2**64 - 1], np.uint64)
    assert golden(lambda x: x + 2, UINT64, x=large).tolist() == [1]
    assert golden(lambda x: x >> 1, UINT64, x=large).tolist() == [2**63 - 1]


def test_quotients_and_remainders_of_integers():
    x, y = np.array([7, -7, 7, -7, 5, -128], np.int8), np.array([2, 2, -2, -2, 0, -1], np.int8)
    assert golden(lambda x, y: x // y, INT8, x=x, y=y).tolist() == [3, -4, -4, 3, -1, -128]
    assert golden(math.trunc_divide, INT8, x=x, y=y).tolist() == [3, -3, -3, 3, -1, -128]
    assert golden(lambda x, y: x % y, INT8, x=x, y=y).tolist() == [1, 1, -1, -1, 5, 0]
    assert golden(math.fmod, INT8, x=x, y=y).tolist() == [1, -1, 1, -1, 5, 0]
    none = np.array([3], np.uint8), np.array([0], np.uint8)
    assert golden(lambda x, y: x // y, UINT8, x=none[0], y=none[1]).tolist() == [255]


def test_powers_of_integers():
    x, y = np.array([3, -1, 1, 2, 0, 3], np.int32), np.array([4, -3, -2, -1, 0, 40], np.int32)
    wrapped = (3**40 + 2**31) % 2**32 - 2**31
    assert golden(lambda x, y: x**y, INT32, x=x, y=y).tolist() == [81, -1, 1, 0, 1, wrapped]


def test_reals_are_computed_in_float64():
    x = np.array([1e-3, 20.0], np.float32)
    result = golden(lambda x: exp(-x) - 1, FLOAT, x=x)
    assert result.dtype == np.float64
    np.testing.assert_allclose(result, np.expm1(-x.astype(np.float64)), rtol=1e-12)
    complex_result = golden(lambda x: x * x, COMPLEX64, x=np.array([1 + 2j], np.complex64))
    assert complex_result.dtype == np.complex128
    assert complex_result[0] == -3 + 4j


def test_nan_wins_and_nothing_warns():
    x = np.array([np.nan, 1.0, np.inf, 0.0])
    assert np.isnan(golden(lambda x: maximum(x, 2.0), FLOAT, x=x)).tolist() == [1, 0, 0, 0]
    assert golden(lambda x: isnan(1 / x - 1 / x), FLOAT, x=x).tolist() == [1, 0, 0, 1]
    assert golden(lambda x: 1 / x, DOUBLE, x=x)[3] == np.inf


@pytest.mark.parametrize("name", ["erf", "erfc", "erfinv", "digamma", "sigmoid", "lgamma"])
def test_functions_that_numpy_lacks(name):
    """Against torch, an implementation of its own."""
    x = np.array([-0.999, -0.7, -1e-5, 1e-9, 0.3, 0.5, 0.99999, -2.5, 0.9, 4.0, 30.0, 1e6])
    reference = getattr(torch, name)(torch.from_numpy(x)).numpy()
    result = golden(getattr(math, name), DOUBLE, x=x)
    np.testing.assert_allclose(result, reference, rtol=1e-12, atol=1e-15)


def test_functions_take_arrays_as_they_are():
    x = np.array([0.0, 1.0])
    np.testing.assert_array_equal(exp(x), np.exp(x))
    np.testing.assert_array_equal(where(x > 0, x, -1.0), [-1.0, 1.0])
    np.testing.assert_array_equal(cast([0.5, np.nan, -7.9], "int32"), [0, 0, -7])
    np.testing.assert_array_equal(math.floor_divide(np.array([-7]), np.array([2])), [-4])
    assert math.logical_xor(x, 1.0).tolist() == [True, False]


def test_functions_without_work_are_left_out():
    same = [math.floor, math.ceil, math.trunc, math.round, math.real, math.conj]
    assert {text(each, Domain.INTEGER) for each in same} == {"x"}
    assert text(math.isfinite, Domain.INTEGER) == "True"
    assert text(abs, Domain.UNSIGNED) == "x"


def test_numbers_have_the_dtype_they_are_given():
    scaled = kernel(lambda x, n: x * n, (FLOAT, INT8), numbers=(NumberFrom("n", const(INT64)),))
    (real,) = scaled.expressions(Domain.REAL)
    assert any(
        isinstance(node, Convert) and node.kind == Kind(Domain.REAL) for node in walk([real])
    )
    x = np.array([100], np.int8)
    assert scaled.golden({"x": x, "n": 3}, INT8)[0].tolist() == [44]
    same = kernel(lambda x, n: x * n, (INT8,), numbers=(NumberFrom("n"),))
    assert same.golden({"x": x, "n": 2.9}, INT8)[0].tolist() == [-56]


def test_a_formula_for_each_domain_that_differs():
    halves = kernel(lambda x: x >> 1 if x.is_integer else x / 2, (FLOAT, INT32, UINT8))
    assert halves.formula().splitlines() == [
        "- floating-point types: `out = x / 2`",
        "- signed integers, unsigned integers: `out = x >> 1`",
    ]
    both = kernel(lambda x: (x + 1, -x), (FLOAT,), outputs=("a", "b"))
    assert both.formula() == "`a = x + 1`, `b = -x`"


def test_results_and_outputs_are_as_many():
    with pytest.raises(ValueError, match="2 results"):
        kernel(lambda x: (x, x), (FLOAT,)).expressions(Domain.REAL)


def test_tests_are_stored_as_bool():
    assert kernel(lambda x: x > 0, (FLOAT, INT8)).result_dtype(0) == const(BOOL)
    assert kernel(lambda x: -x, (FLOAT, INT8)).result_dtype(0) is None


@pytest.mark.parametrize(
    ("function", "dtype", "results"),
    [(abs, COMPLEX64, None), (lambda x: x / 2, INT32, None), (lambda x: x, DOUBLE, const(FLOAT))],
)
def test_results_are_what_loops_store(function, dtype, results):
    with pytest.raises(ValueError, match=f"out computed in {dtype}"):
        kernel(function, (dtype,), results=results).check()
    kernel(function, (dtype,), results=DtypeOf("out")).check()
    kernel(lambda x: x, (FLOAT16,), results=const(BF16)).check()


def test_loops_for_few_types():
    add = kernel(lambda x: x, (FLOAT, DOUBLE, INT8))
    assert add.loop_dtypes == (FLOAT, DOUBLE, INT8)
    assert [loop_dtype(each) for each in (BF16, FLOAT16, COMPLEX32)] == [FLOAT, FLOAT, COMPLEX64]


def test_only_functions_of_bits_have_loops_on_16_bits():
    halves = (FLOAT, FLOAT16, BF16)
    for function in (abs, lambda x: -abs(x), math.isnan, math.logical_not):
        assert kernel(function, halves).narrow_dtypes == (FLOAT16, BF16)
    for function in (math.exp, lambda x: x + x, lambda x: math.where(x > 0, x, -x)):
        assert kernel(function, halves).narrow_dtypes == ()
    assert kernel(abs, (FLOAT, DOUBLE)).narrow_dtypes == ()


def test_brief_functions_convert_16_bits_on_the_way():
    halves = (FLOAT, FLOAT16, BF16)
    for function in (lambda x: x * x + 1, math.sin, lambda x: math.pow(x, 2)):
        assert kernel(function, halves).half_dtypes == (FLOAT16, BF16)
    for function in (math.lgamma, lambda x: math.pow(x, 4), math.isnan, lambda x: x > 1):
        assert kernel(function, halves).half_dtypes == ()
    assert kernel(math.sin, (FLOAT, DOUBLE)).half_dtypes == ()


def test_integers_that_stay_in_place_need_no_loop():
    both = (FLOAT, INT32)
    in_place = kernel(math.floor, both, outputs=("x",))
    assert in_place.keeps(INT32)
    assert not in_place.keeps(FLOAT)
    assert not kernel(abs, both, outputs=("x",)).keeps(INT32)
    assert not kernel(math.floor, both).keeps(INT32)


def test_declarations_need_no_numpy():
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "from aclhost.spec.math import exp\n"
        "from aclhost.spec.pointwise import Pointwise\n"
        "from aclhost.spec.dtypes import FLOAT\n"
        "from aclhost.spec.terms import DtypeOf\n"
        "k = Pointwise(('x',), ('y',), (), DtypeOf('x'), lambda x: exp(x), (FLOAT,))\n"
        "assert k.formula() == '`y = exp(x)`'\n"
    )
    source = str(Path(__file__).resolve().parents[2] / "src")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env={"PYTHONPATH": source},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
