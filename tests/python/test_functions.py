# SPDX-License-Identifier: Apache-2.0
"""The operators' functions as Python objects, their arguments, and what importing costs."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from support.interpreter import said

import aclhost
from aclhost import ops

X = np.array([-1, 0, 2], np.float32)


@pytest.mark.parametrize("op", ops.ALL, ids=lambda op: op.snake_name)
def test_every_function(op: Any) -> None:
    """Its signature is the declared one, it can be pickled, and it documents itself."""
    function = getattr(aclhost, op.snake_name)
    parameters = inspect.signature(function).parameters
    params = op.python_params()
    assert list(parameters) == [p.python_name for p in params] + ["out"] * bool(op.outputs)
    for param in params:
        shown = parameters[param.python_name]
        assert shown.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        if param.python_default is None:
            assert shown.default is inspect.Parameter.empty
        else:
            assert repr(shown.default) == param.python_default
    if op.outputs:
        assert parameters["out"].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters["out"].default is None
    assert pickle.loads(pickle.dumps(function)) is function
    assert function.__name__ == function.__qualname__ == op.snake_name
    assert function.__doc__.startswith(op.summary)
    assert "Args:" in function.__doc__


def test_arguments_by_keyword_in_any_order() -> None:
    wanted = aclhost.elu_backward(X, X, 2.0, 3.0, 0.5, True)
    given = {"is_result": True, "input_scale": 0.5, "scale": 3.0, "alpha": 2.0}
    assert np.array_equal(aclhost.elu_backward(X, **given, self_or_result=X), wanted)
    assert np.array_equal(aclhost.elu_backward(**given, self_or_result=X, grad_output=X), wanted)


def test_keywords_that_are_not_interned() -> None:
    name = "".join(["al", "pha"])
    assert np.array_equal(aclhost.elu(X, **{name: 2.0}), aclhost.elu(X, 2.0))


@pytest.mark.parametrize(
    ("arguments", "keywords", "text"),
    [
        ((), {}, r"^elu\(\) missing required argument 'self' \(pos 1\)$"),
        ((X, 1, 1, 1, X), {}, r"^elu\(\) takes at most 4 positional arguments \(5 given\)$"),
        ((X,), {"self": X}, r"^elu\(\) got multiple values for argument 'self'$"),
        ((X,), {"inputScale": 1}, r"^elu\(\) got an unexpected keyword argument 'inputScale'$"),
        ((X,), {"\u00e9": 1}, r"^elu\(\) got an unexpected keyword argument '\u00e9'$"),
    ],
)
def test_calls_that_do_not_match(arguments: Any, keywords: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        aclhost.elu(*arguments, **keywords)


@pytest.mark.parametrize("number", [2, np.float32(2), np.array(2.0), True + True])
def test_numbers_of_any_kind(number: Any) -> None:
    wanted = aclhost.smooth_l1_loss(X, X + 1, beta=2.0)
    assert np.array_equal(aclhost.smooth_l1_loss(X, X + 1, beta=number), wanted)


@pytest.mark.parametrize("number", ["2", None, 2j, [2.0]])
def test_what_is_no_number(number: Any) -> None:
    with pytest.raises(TypeError, match=r"^beta: expected a number, got \w+$"):
        aclhost.smooth_l1_loss(X, X, beta=number)
    with pytest.raises(OverflowError):
        aclhost.smooth_l1_loss(X, X, beta=10**400)


def test_importing_the_package_imports_little_else() -> None:
    program = "import sys, numpy; before = set(sys.modules); import aclhost; "
    program += "print(*sorted(set(sys.modules) - before))"
    own = {"aclhost", "aclhost._functions", "aclhost._native"}
    assert set(said(program).split()) - {"__future__", "atexit"} == own
