# SPDX-License-Identifier: Apache-2.0
"""`aclhost ops`."""

import json

import pytest

from aclhost import ops
from aclhost.spec import catalogue, products


def test_table_names_every_operator_and_product(aclhost_command):
    text = aclhost_command("ops").stdout
    assert all(op.name in text for op in ops.ALL)
    assert all(product.key in text for product in products.ALL)


def test_json_table(aclhost_command):
    rows = json.loads(aclhost_command("ops", "--json").stdout)
    assert [row["name"] for row in rows] == [op.name for op in ops.ALL]
    elu = next(row for row in rows if row["name"] == "aclnnEluBackward")
    assert elu["dtypes"]["gradOutput"]["A2"] == ["FLOAT", "FLOAT16", "BF16"]
    assert elu["dtypes"]["gradOutput"]["P310P"] == ["FLOAT", "FLOAT16"]
    assert "P310B" not in elu["products"]


@pytest.mark.parametrize("op", ops.ALL, ids=lambda op: op.name)
def test_one_operator(aclhost_command, op, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = aclhost_command("ops", op.name).stdout
    assert "\u2026" not in text  # cells wrap, nothing is cut off
    assert all(param.name in text for param in op.params)
    assert all(str(int(rule.code)) in text for rule in op.rules)
    data = json.loads(aclhost_command("ops", op.snake_name, "--json").stdout)
    assert [check["number"] for check in data["checks"]] == list(range(1, len(op.rules) + 1))
    assert [check["status"] for check in data["checks"]] == [int(rule.code) for rule in op.rules]


@pytest.mark.parametrize(
    "name", ["aclnnEluBackward", "elu_backward", "EluBackward", "ACLNNELUBACKWARD",
             "aclnnEluBackwardGetWorkspaceSize"],
)  # fmt: skip
def test_names_people_type(aclhost_command, name):
    assert json.loads(aclhost_command("ops", name, "--json").stdout)["name"] == "aclnnEluBackward"


def test_unknown_operator_gets_a_suggestion(refusal):
    assert refusal("ops", "aclnnEluBackwards") == (
        "no operator 'aclnnEluBackwards'; did you mean aclnnEluBackward?"
    )
    assert refusal("ops", "quux") == "no operator 'quux'; aclhost ops lists them"


def test_unknown_command_gets_a_suggestion(aclhost_command):
    assert "did you mean ops?" in aclhost_command("opps", status=2).stderr


def test_known_operator_that_is_not_computed(refusal):
    known = next(name for name in catalogue.operators() if name not in ops.BY_NAME)
    expected = f"{known}: aclhost knows the name and does not compute it"
    assert refusal("ops", known) == expected
    assert refusal("ops", known.removeprefix("aclnn").lower()) == expected


def test_part_of_names(aclhost_command):
    text = aclhost_command("ops", "pool").stdout
    names = [op.name for op in ops.ALL if "pool" in op.name.lower()]
    assert all(name in text for name in names)
    assert "aclnnElu" not in text
    assert f"\n{len(names)} operators\n" in text
    rows = json.loads(aclhost_command("ops", "pool backward", "--json").stdout)
    assert {row["name"] for row in rows} == {name for name in names if "Backward" in name}
    assert "#include" in aclhost_command("ops", "elu").stdout  # a whole name, and part of others
