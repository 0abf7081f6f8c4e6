# SPDX-License-Identifier: Apache-2.0
"""`aclhost golden` on files."""

import json

import ml_dtypes
import numpy as np
import pytest

import aclhost
from aclhost import goldens, ops
from aclhost.arrays import load_one

X = np.linspace(-3, 3, 12, dtype=np.float32).reshape(3, 4)
G = np.linspace(1, 2, 12, dtype=np.float32).reshape(3, 4)
CALL = ("golden", "elu_backward", "--grad-output", "g.npy", "--selfOrResult=x.npy", "--alpha", 2)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    np.save("g.npy", G)
    return tmp_path


def test_writes_both_results(aclhost_command, files):
    assert "gradInput" in aclhost_command(*CALL, "-o", "made/here").stdout
    got = np.load("made/here/gradInput.npy")
    assert np.array_equal(got, aclhost.elu_backward(G, X, alpha=2.0))
    exact = np.load("made/here/gradInput.float64.npy")
    assert exact.dtype == np.float64
    assert np.allclose(got, exact, rtol=1e-6)
    assert not np.array_equal(got, exact)
    assert sorted(p.name for p in (files / "made/here").iterdir()) == [
        "gradInput.float64.npy", "gradInput.npy",
    ]  # fmt: skip


def test_negative_scalars_flags_and_name_value_words(aclhost_command, files):
    aclhost_command("golden", "aclnnElu", "self=x.npy", "--alpha", "-0.5", "--scale=3:INT64")
    assert np.array_equal(np.load("out.npy"), aclhost.elu(X, alpha=-0.5, scale=3))
    aclhost_command(*CALL, "--is-result", "true")
    wanted = aclhost.elu_backward(G, X, alpha=2.0, is_result=True)
    assert np.array_equal(np.load("gradInput.npy"), wanted)


@pytest.mark.parametrize("kind", ["npz", "pt"])
def test_archives_keep_bfloat16(aclhost_command, files, kind):
    if kind == "pt":
        pytest.importorskip("torch")
    np.save("x.npy", X.astype(ml_dtypes.bfloat16))
    aclhost_command("golden", "elu", "--self", "x.npy", "--format", kind)
    got = load_one(files / f"elu.{kind}:out")
    assert got.dtype == ml_dtypes.bfloat16
    assert np.array_equal(got, aclhost.elu(X.astype(ml_dtypes.bfloat16)))
    assert load_one(files / f"elu.{kind}:out.float64").dtype == np.float64


def test_an_input_that_is_overwritten_stays(aclhost_command, files):
    aclhost_command("golden", "inplace_elu", "--self-ref", "x.npy", "-o", "result")
    assert np.array_equal(np.load("x.npy"), X)
    assert np.array_equal(np.load("result/selfRef.npy"), aclhost.elu(X))


def test_json(aclhost_command, files):
    (row,) = json.loads(aclhost_command(*CALL, "--json").stdout)
    assert (row["result"], row["shape"], row["dtype"]) == ("gradInput", [3, 4], "float32")
    assert row["max_ulp_from_float64"] <= 16


@pytest.mark.parametrize("op", ops.ALL, ids=lambda op: op.name)
def test_every_operator_has_as_many_goldens_as_results(op):
    assert goldens.results_of(op)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("ellu",), "no operator 'ellu'; did you mean aclnnElu?"),
        (("elu",), "aclnnElu needs --self FILE.npy"),
        (("elu_backward",), "needs --grad-output FILE.npy --self-or-result FILE.npy"),
        (("elu", "--self"), "--self needs a value"),
        (("elu", "x.npy"), "'x.npy' is not of the form --NAME VALUE"),
        (("elu", "--self", "y.npy"), "y.npy: no such file"),
        (("elu", "--slef", "x.npy"), "aclnnElu has no parameter 'slef'; did you mean self?"),
        (("elu", "--self", "x.npy", "--out", "x.npy"), "out is a result of aclnnElu"),
        (("elu", "--self", "x.npy", "--alpha", "two"), "alpha=two cannot be read as aclScalar"),
        (("elu", "--self", "x.npy", "--self=x.npy"), "--self is given twice"),
        (("elu", "--self", "x.npy", "--soc", "A7"), "no product or SoC 'A7'"),
        (("elu", "--self", "x.npy", "--soc", "P310B"), "561103: aclnnElu: the product must be"),
        (("elu", "--self", "ints.npy"), "161002: aclnnElu: self must have dtype"),
        (("elu", "--self", "x.npy", "-o", "x.npy"), "x.npy: File exists"),
    ],
)
def test_bad_input(refusal, files, arguments, reason):
    np.save("ints.npy", X.astype(np.int32))
    before = sorted(files.iterdir())
    assert reason in refusal("golden", *arguments)
    assert sorted(files.iterdir()) == before


def test_inputs_are_not_overwritten(refusal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("selfRef.npy", np.ones(3, np.float32))
    assert "is an input" in refusal("golden", "inplace_elu", "--self-ref", "selfRef.npy")
    assert np.array_equal(np.load("selfRef.npy"), np.ones(3))


def test_results_that_fit_nowhere(refusal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.ones((1, 1, 1, 1, 1), np.float32))
    size = "100000,100000,100000"
    assert "memory" in refusal(
        "golden", "upsample_nearest3d", "--self", "x.npy", "--output-size", size
    )


def test_raw_files(aclhost_command, refusal, files):
    X.astype(np.float16).tofile("x.bin")
    G.astype(np.float16).tofile("g.bin")
    call = ("golden", "elu_backward", "--grad-output", "g.bin", "--self-or-result", "x.bin")
    aclhost_command(*call, "--dtype", "float16", "--shape", "3,4")
    got = np.load("gradInput.npy")
    assert np.array_equal(got, aclhost.elu_backward(G.astype(np.float16), X.astype(np.float16)))
    own = ("--dtype", "gradOutput=float16", "--dtype", "self-or-result=float16", "-o", "line")
    aclhost_command(*call, *own)
    assert np.load("line/gradInput.npy").shape == (12,)
    reason = refusal(*call, "--dtype", "float16", "--shape", "5,4", "-o", "no")
    assert reason == "g.bin: holds 12 elements, and its shape is 5 x 4"
    assert "a raw file needs its dtype" in refusal(*call, "-o", "no")
    assert "write sizes like 8,16" in refusal(*call, "--dtype", "float16", "--shape", "a")


def test_nothing_is_overwritten_silently(aclhost_command, refusal, files):
    text = aclhost_command(*CALL).stdout
    assert text.endswith("wrote gradInput.npy, gradInput.float64.npy\n")
    before = (files / "gradInput.npy").read_bytes()
    np.save("g.npy", 2 * G)
    reason = refusal(*CALL)
    there = "gradInput.npy, gradInput.float64.npy are there already"
    assert reason == f"{there}; overwrite with --force, or choose -o"
    assert (files / "gradInput.npy").read_bytes() == before
    aclhost_command(*CALL, "--force")
    assert (files / "gradInput.npy").read_bytes() != before


def test_help_lists_the_arguments_of_an_operator(aclhost_command):
    text = aclhost_command("golden", "elu_backward", "--help").stdout
    assert "Arguments of aclnnEluBackward:" in text
    for param in ops.BY_NAME["aclnnEluBackward"].params:
        if param.name != "gradInput":
            assert f"--{param.python_name.replace('_', '-')}" in text
    assert "Results: gradInput" in text
    assert "Arguments of" not in aclhost_command("golden", "--help").stdout
