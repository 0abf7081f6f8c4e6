# SPDX-License-Identifier: Apache-2.0
"""`aclhost explain`: codes, and calls that are only described."""

import json
import re
from pathlib import Path

import pytest

import aclhost
from aclhost import ops
from aclhost.spec import error_codes, products
from aclhost.spec.error_advice import ADVICE

NATIVE = Path(__file__).resolve().parents[2] / "native"


@pytest.mark.parametrize("code", error_codes.ALL, ids=lambda code: code.name)
def test_every_code_is_explained(aclhost_command, code):
    assert code.meaning[1:] in aclhost_command("explain", code.name).stdout
    rows = json.loads(aclhost_command("explain", code.value, "--json").stdout)
    assert code.name in {row["name"] for row in rows}


def test_codes_that_the_library_returns_come_with_advice():
    sources = "".join(path.read_text() for path in NATIVE.rglob("*.[ch]*"))
    names = set(re.findall(r"\b(?:ACL_ERROR|ACLNN_ERR)_\w+", sources))
    returned = {error_codes.BY_NAME[name].value for name in names}
    returned |= {int(rule.code) for op in ops.ALL for rule in op.rules}
    assert returned - set(ADVICE) == set(), "add them to spec/error_advice.py"


def test_a_code_of_all_operators_fits_a_screen(aclhost_command):
    text = aclhost_command("explain", 161002).stdout
    assert len(text.splitlines()) < 24
    assert "dtype_in (" in text
    assert "aclhost ops NAME lists the checks of one operator." in text


def test_code_lists_the_rules_behind_it(aclhost_command):
    (row,) = json.loads(aclhost_command("explain", "161002", "--json").stdout)
    assert "same_dtype" in row["rules"]["aclnnEluBackward"]
    assert "not_null" not in row["rules"]["aclnnEluBackward"]
    assert "a device does" in aclhost_command("explain", "507010").stdout


def test_unknown_codes(refusal):
    assert "did you mean 161002 (ACLNN_ERR_PARAM_INVALID)?" in refusal("explain", "161020")
    assert "did you mean ACLNN_ERR_PARAM_INVALID" in refusal("explain", "ACLNN_ERR_PARAM_INVALD")


BF16_CALL = ("explain", "elu_backward", "grad_output=bf16[2,3]", "selfOrResult=bfloat16[2,3]")


def test_call_on_all_products(aclhost_command):
    before = aclhost.soc_name()
    rows = json.loads(aclhost_command(*BF16_CALL, "--json", status=1).stdout)
    assert {row["product"] for row in rows if row["accepted"]} == {"A950", "A3", "A2"}
    assert {row["rule"] for row in rows if row["accepted"] is False} == {"dtype_in"}
    assert [row["product"] for row in rows] == [product.key for product in products.ALL]
    assert aclhost.soc_name() == before
    text = aclhost_command(*BF16_CALL, status=1).stdout
    assert text.count("got BF16") == 1
    assert "Cast gradOutput" in text


def test_defaults_are_those_of_python(aclhost_command):
    aclhost_command("explain", "add", "self=int32[3]", "other=int32[3]", "--soc", "A2")
    aclhost_command("explain", "add", "self=float16[3]", "other=float16[3]", "--soc", "A2")


def test_call_on_one_product(aclhost_command):
    assert "ok" in aclhost_command(*BF16_CALL, "--soc", "A2").stdout
    assert "161002" in aclhost_command(*BF16_CALL, "--soc", "Ascend310P3", status=1).stdout


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (("alpha=null",), "not_null"),
        (("alpha=1j:COMPLEX64",), "castable_scalar"),
        (("alpha=1j",), "castable_scalar"),
        (("out=int32[2,3]",), "castable"),
        (("out=float[3,2]",), "same_shape"),
        (("self=float[1,1,1,1,1,1,1,1,1]",), "rank_at_most"),
        (("self=float[2,3]:strides=1,9:storage=6", "out=float[2,3]"), "inside_storage"),
        (("alpha=inf", "self=float[1,2,3,4]:NCHW", "out=float[1,2,3,4]:NHWC"),
         "same_format_unless_nd"),
    ],
)  # fmt: skip
def test_ways_to_describe(aclhost_command, words, rule):
    given = (
        words if any(word.startswith("self=") for word in words) else ("self=float[2,3]", *words)
    )
    result = aclhost_command("explain", "elu", *given, "--soc", "A2", "--json", status=1)
    assert json.loads(result.stdout)[0]["rule"] == rule


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("self",), "'self' is not of the form NAME=VALUE"),
        (("slef=float[2]",), "aclnnElu has no parameter 'slef'; did you mean self?"),
        (("self=flaot[2]",), "no dtype 'flaot'; did you mean FLOAT?"),
        (("self=float",), "self=float: write a tensor as DTYPE[SIZES], for example float32[2,3]"),
        (("self=float[-1]",), "self=float[-1]: sizes are 0 or more"),
        (("self=float[2]:NCDWH",), "no format 'NCDWH'; did you mean NCDHW?"),
        (("self=float[2]:strides=1,2",), "self: 1 sizes need as many strides"),
        (("self=float[2]:stride=1",), "self: no tensor property 'stride'; did you mean strides?"),
        (("self=float[2]", "alpha=x"), "alpha=x cannot be read as aclScalar"),
        (("self=float[2]", "self=float[3]"), "self is given twice"),
        (("alpha=1",), "aclnnElu needs self; add self='float32[2,3]'"),
        (("self=float[99999999999999999999]",), "99999999999999999999 does not fit 64 bits"),
        (("self=float[9223372036854775807,4]",), "more elements than 64 bits can count"),
        (("self=float[2]", "alpha=300:INT8"), "alpha=300:INT8: 300 does not fit INT8"),
        (("self=float[2]", "alpha=-1:UINT8"), "alpha=-1:UINT8: -1 does not fit UINT8"),
        (("self=float[2]", "alpha=0.5:INT32"), "alpha=0.5:INT32: 0.5 does not fit INT32"),
    ],
)
def test_descriptions_that_cannot_be_read(refusal, words, reason):
    assert refusal("explain", "elu", *words).endswith(reason)


def test_words_that_stand_for_numbers(aclhost_command, refusal):
    call = ("explain", "smooth_l1_loss", "self=float[2]", "target=float[2]", "--soc", "A2")
    aclhost_command(*call, "result=float[]", "reduction=mean")
    reason = refusal(*call, "result=float[2]", "reduction=summ")
    assert reason == "reduction=summ: write none, mean, sum or a number"


def test_unknown_product(refusal):
    assert "did you mean Ascend910B1?" in refusal(*BF16_CALL, "--soc", "Ascend90B1")
    assert "there are A950 (Ascend950PR_9599)" in refusal(*BF16_CALL, "--soc", "xyz")


def test_operator_without_arguments_says_what_it_needs(refusal):
    assert refusal("explain", "elu_backward").endswith(
        "aclnnEluBackward 'gradOutput=float32[2,3]' 'selfOrResult=float32[2,3]'"
    )


def test_results_are_worked_out(aclhost_command):
    words = ("self=float[2,3,8,8,8]", "kernelSize=2,2,2", "stride=2,2,2", "padding=0,0,0",
             "dilation=1,1,1", "ceilMode=false")  # fmt: skip
    text = aclhost_command("explain", "max_pool3d_with_argmax", *words, "--soc", "A2").stdout
    assert "ok" in text


def test_all_missing_arguments_are_listed_at_once(refusal):
    reason = refusal("explain", "elu_backward", "alpha=1")
    assert reason == (
        "aclnnEluBackward needs gradOutput, selfOrResult; "
        "add gradOutput='float32[2,3]' selfOrResult='float32[2,3]'"
    )


@pytest.mark.parametrize("every", [(), ("--soc", "all")])
def test_products_without_the_operator_do_not_count(aclhost_command, every):
    op = ops.BY_NAME["aclnnEluBackward"]
    absent = {product.key for product in products.ALL} - {each.key for each in op.products}
    assert absent
    words = ("gradOutput=float[2,3]", "selfOrResult=float[2,3]")
    rows = json.loads(aclhost_command("explain", op.name, *words, "--json", *every).stdout)
    assert {row["product"] for row in rows if not row["exists"]} == absent
    assert "does not have" in aclhost_command("explain", op.name, *words).stdout  # then it may wrap
    aclhost_command("explain", op.name, *words, "--soc", min(absent), status=1)


def test_codes_of_error_texts(aclhost_command, refusal):
    rows = json.loads(aclhost_command("explain", "EZ1001", "--json").stdout)
    assert {161001, 161002} <= {row["value"] for row in rows}
    assert all(row["value"] // 1000 == 161 for row in rows)
    assert refusal("explain", "EZ4711").startswith("no code EZ4711; aclhost writes EZ1001")


@pytest.mark.parametrize(
    ("code", "hint"),
    [("161020", "did you mean 161002"), ("161003", "did you mean 161001"), ("12345", "errors.md"),
     ("999999", "errors.md"), ("7", "errors.md")],
)  # fmt: skip
def test_unknown_codes_get_no_far_fetched_neighbour(refusal, code, hint):
    reason = refusal("explain", code)
    assert reason.startswith(f"no status code {code}; ")
    assert hint in reason
