# SPDX-License-Identifier: Apache-2.0
"""The declarations are complete, and usable without anything compiled."""

from __future__ import annotations

import inspect
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from aclhost import ops
from aclhost.gen import pages
from aclhost.spec import dtypes, products
from aclhost.spec.evaluate import evaluate
from aclhost.spec.operator import Operator

ROOT = Path(__file__).resolve().parents[2]
EACH = pytest.mark.parametrize("op", ops.ALL, ids=lambda op: op.name)


@EACH
def test_declaration_is_complete(op: Operator) -> None:
    assert_has_all_its_places(op)
    assert_golden_is_short_and_takes_the_parameters(op)
    assert_samples_name_every_parameter(op)
    assert_rules_name_real_parameters(op)
    assert_every_pointer_is_checked_for_null(op)


@cache
def joined(directory: str, pattern: str) -> str:
    """The text of all files there."""
    return "".join(path.read_text() for path in (ROOT / directory).rglob(pattern))


def assert_has_all_its_places(op: Operator) -> None:
    assert (ROOT / op.source).is_file()
    if op.kernel is None and op.each is None:
        assert f'#include "ops/{op.snake_name}.h"' in joined("native/kernels", "*.cc")
        assert op.draw is not None or op.snake_name in joined("tests/ops", "*.py")


@EACH
def test_page_is_fresh(op: Operator) -> None:
    committed = (ROOT / "docs/ops" / op.page).read_text()
    assert committed == pages.page(op), "run make docs"


def test_index_is_fresh() -> None:
    assert (ROOT / "docs/ops/index.md").read_text() == pages.index(), "run make docs"


def assert_golden_is_short_and_takes_the_parameters(op: Operator) -> None:
    if op.kernel is not None:
        assert op.golden is None
        return
    source = inspect.getsource(op.golden)
    body = [line for line in source.split('"""')[-1].splitlines() if line.strip()]
    assert len(body) <= 20
    wanted = [param.python_name for param in op.params if param not in op.outputs]
    inspect.signature(op.golden).bind(**dict.fromkeys(wanted))


def assert_samples_name_every_parameter(op: Operator) -> None:
    assert op.samples
    for call in op.samples:
        assert sorted(call.arguments) == sorted(param.name for param in op.params)


def assert_rules_name_real_parameters(op: Operator) -> None:
    names = {param.name for param in op.params} | {""}
    for rule in op.rules:
        assert rule.parameter in names
        for product in products.ALL:
            assert rule.sentence(product)
        assert rule.advice.endswith(".")


def assert_every_pointer_is_checked_for_null(op: Operator) -> None:
    checked = {rule.parameter for rule in op.rules if rule.id == "not_null"}
    pointers = {param.name for param in op.params if "*" in param.c_type}
    optional = {param.name for param in op.params if param.is_optional}
    assert checked <= pointers
    for name in pointers - optional - checked:  # nothing happens without it
        assert evaluate(op, op.samples[0].passing(**{name: None})).idle


def test_declarations_import_without_numpy_or_the_native_module() -> None:
    program = (
        "import sys; sys.modules['numpy'] = None; sys.modules['aclhost._native'] = None;"
        "from aclhost import ops; print(len(ops.ALL))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert int(done.stdout) == len(ops.ALL)


def test_names_lead_to_the_same_operators() -> None:
    assert [*ops.BY_NAME] == [op.name for op in ops.ALL]
    assert all(ops.BY_NAME[op.name] is op for op in ops.ALL)
    assert "aclnnNothing" not in ops.BY_NAME


def test_calls_of_one_operator_import_no_others() -> None:
    """The library has typed functions, yet no program waits for declarations it does not use."""
    program = (
        "import sys; from aclhost import acl; from aclhost.acl import _capi; acl.init();"
        "print(len(_capi.library().aclnnEluGetWorkspaceSize.argtypes),"
        " *(name for name in sys.modules if name.startswith('aclhost.ops.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    count, *imported = done.stdout.split()
    assert int(count) == len(ops.BY_NAME["aclnnElu"].functions[0].parameters)
    assert "aclhost.ops.activation.elu" in imported
    assert "aclhost.ops.pooling" not in imported


def test_conversions_that_are_prohibited() -> None:
    assert not dtypes.can_cast(dtypes.COMPLEX64, dtypes.FLOAT)
    assert not dtypes.can_cast(dtypes.FLOAT, dtypes.INT32)
    assert not dtypes.can_cast(dtypes.INT32, dtypes.BOOL)
    assert dtypes.can_cast(dtypes.BOOL, dtypes.BOOL)
    assert dtypes.can_cast(dtypes.INT32, dtypes.FLOAT)
    assert dtypes.can_cast(dtypes.FLOAT, dtypes.COMPLEX64)


@pytest.mark.parametrize(
    ("soc", "product"),
    [
        ("Ascend910B1", products.A2), ("Ascend910B4-1", products.A2),
        ("Ascend910_9391", products.A3), ("Ascend910A", products.T910),
        ("Ascend910ProB", products.T910), ("Ascend310P3", products.P310P),
        ("Ascend310B1", products.P310B), ("Ascend950PR_9599", products.A950),
    ],
)  # fmt: skip
def test_soc_names(soc: str, product: products.Product) -> None:
    assert products.of_soc(soc) is product


def test_unknown_soc_name() -> None:
    with pytest.raises(ValueError, match="unknown SoC 'Ascend1'.*Ascend910B1"):
        products.of_soc("Ascend1")
