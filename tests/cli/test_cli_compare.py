# SPDX-License-Identifier: Apache-2.0
"""`aclhost compare` on files and directories."""

import json
from html.parser import HTMLParser

import ml_dtypes
import numpy as np
import pytest


@pytest.fixture
def files(tmp_path, monkeypatch):
    """An expected result, an equal one and a bad one, in the current directory."""
    monkeypatch.chdir(tmp_path)
    expected = np.linspace(-3, 3, 24, dtype=np.float16).reshape(4, 6)
    bad = expected.copy()
    bad[2, 3] = 7
    bad[0, 0] = np.nan
    for name, array in (("expected", expected), ("same", expected), ("bad", bad)):
        np.save(f"{name}.npy", array)
    return tmp_path


class _Parser(HTMLParser):
    """Counts elements and remembers what a browser would fetch."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.fetched, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.fetched += [v for k, v in attrs if k in ("src", "href") and not v.startswith("#")]


def test_equal_files_pass(aclhost_command, files):
    text = aclhost_command("compare", "same.npy", "expected.npy").stdout
    assert text.startswith("PASS  4 x 6, float16: 24 of 24 equal")


def test_bad_file_fails_and_names_the_element(aclhost_command, files):
    text = aclhost_command("compare", "bad.npy", "expected.npy", status=1).stdout
    assert text.startswith("FAIL")
    assert "1 NaN on one side only" in text
    assert "[2, 3]" in text
    assert "cosine similarity" in text
    assert text.count("#") > 40  # the histogram


def test_json(aclhost_command, files):
    result = aclhost_command("compare", "bad.npy", "expected.npy", "--json", status=1)
    (data,) = json.loads(result.stdout)
    assert data["nan_mismatches"] == 1
    assert data["worst"][1]["index"] == [2, 3]
    assert data["worst"][0]["actual"] == "nan"  # JSON has no NaN
    assert data["standard"]["max_ulp"] == "inf"


def test_tolerances(aclhost_command, files):
    np.save("near.npy", np.load("expected.npy") * np.float16(1.01))
    aclhost_command("compare", "near.npy", "expected.npy", status=1)
    aclhost_command("compare", "near.npy", "expected.npy", "--rtol", "0.02")
    aclhost_command("compare", "near.npy", "expected.npy", "--outliers", "1")
    aclhost_command("compare", "near.npy", "expected.npy", "--rtol", 1, "--max-ulp", 1, status=1)
    aclhost_command("compare", "near.npy", "expected.npy", "--rtol", 1, "--cosine", 0.99)


def test_tolerances_by_dtype(aclhost_command, files):
    np.save("near.npy", np.load("expected.npy") * np.float16(1.01))
    call = ("compare", "near.npy", "expected.npy")
    aclhost_command(*call, "--rtol", "float16=0.02", "--rtol", "0")
    aclhost_command(*call, "--rtol", "float16=0", "--rtol", "0.02", status=1)
    aclhost_command(*call, "--rtol", "float32=0.02", status=1)


def test_html_needs_nothing_else(aclhost_command, files):
    aclhost_command("compare", "bad.npy", "expected.npy", "--html", "report.html", status=1)
    text = (files / "report.html").read_text()
    page = _Parser(text)
    assert page.tags.count("svg") == 4
    assert page.fetched == []
    assert "prefers-color-scheme: dark" in text
    assert "[2, 3]" in text


def test_names_in_a_report_are_text(aclhost_command, files):
    (files / "<b>.npy").write_bytes((files / "same.npy").read_bytes())
    aclhost_command("compare", "<b>.npy", "expected.npy", "--html", "report.html")
    assert "<b>" not in (files / "report.html").read_text()


def test_directories_pair_by_name(aclhost_command, files):
    for side in ("npu", "golden"):
        (files / side / "layer").mkdir(parents=True)
    expected = np.load("expected.npy")
    np.save("npu/layer/a.npy", expected)
    np.save("golden/layer/a.npy", expected)
    expected.tofile("npu/raw.bin")
    np.save("golden/raw.npy", expected)
    np.savez("npu/both.npz", x=expected, y=expected)
    np.savez("golden/both.npz", x=expected, y=np.load("bad.npy"))
    np.save("npu/alone.npy", expected)
    np.save("npu/shape.npy", expected)
    np.save("golden/shape.npy", expected.T)
    (files / "npu/broken.npy").write_bytes(b"nothing")
    np.save("golden/broken.npy", expected)
    arguments = ("compare", "npu", "golden", "--dtype", "float16", "--html", "all.html")
    rows = {
        row["name"]: row
        for row in json.loads(aclhost_command(*arguments, "--json", status=1).stdout)
    }
    assert {name for name, row in rows.items() if row["passed"]} == {"layer/a", "raw", "both:x"}
    assert "only one side" in rows["alone"]["problem"]
    assert "shapes differ" in rows["shape"]["problem"]
    assert "not a readable .npy file" in rows["broken"]["problem"]
    assert not rows["both:y"]["passed"]
    text = aclhost_command(*arguments, status=1).stdout
    assert "3 of 7 pass" in text
    assert _Parser((files / "all.html").read_text()).tags.count("section") == 7


def test_torch_and_bfloat16(aclhost_command, files):
    torch = pytest.importorskip("torch")
    values = torch.linspace(-1, 1, 12).to(torch.bfloat16)
    torch.save(values, "a.pt")
    torch.save({"x": values, "y": values + 1}, "b.pt")
    np.save("c.npy", values.float().numpy().astype(ml_dtypes.bfloat16))
    assert "bfloat16: 12 of 12" in aclhost_command("compare", "a.pt", "c.npy").stdout
    aclhost_command("compare", "b.pt:x", "c.npy")
    aclhost_command("compare", "b.pt:y", "c.npy", status=1)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("none.npy", "expected.npy"), "none.npy: no such file"),
        (("empty.npy", "expected.npy"), "empty.npy: not a readable .npy file"),
        (("text.txt", "expected.npy"), "text.txt: known are .npy, .npz, .pt"),
        (("raw.bin", "expected.npy"), "raw.bin: a raw file needs its dtype; add --dtype"),
        (("pickle.npy", "expected.npy"), "pickle.npy: not a readable .npy file"),
        (("words.npy", "expected.npy"), "is not numeric"),
        (("small.npy", "expected.npy"), "shapes differ: [3] and [4, 6]"),
        (("several.npz:z", "expected.npy"), "holds no array 'z'; it has x, y"),
        ((".", "expected.npy"), "is a directory and expected.npy is a file"),
        (("same.npy", "expected.npy", "--dtype", "flaot"), "did you mean FLOAT?"),
        (("same.npy", "expected.npy", "--rtol", "-1"), "--rtol is -1; it must be 0 or more"),
        (("same.npy", "expected.npy", "--rtol", "x"), "--rtol x: write a number, or DTYPE=NUMBER"),
        (("same.npy", "expected.npy", "--rtol", "half16=1"), "no dtype 'half16'"),
        (("same.npy", "expected.npy", "--html", "no/dir.html"), "No such file or directory"),
    ],
)
def test_bad_input(refusal, files, arguments, reason):
    (files / "empty.npy").write_bytes(b"")
    (files / "text.txt").write_text("1")
    (files / "raw.bin").write_bytes(b"1234")
    np.save("pickle.npy", np.array([{}]), allow_pickle=True)
    np.save("words.npy", np.array(["a"]))
    np.save("small.npy", np.ones(3, np.float16))
    np.savez("several.npz", x=np.ones(3), y=np.ones(3))
    before = sorted(files.iterdir())
    assert reason in refusal("compare", *arguments)
    assert sorted(files.iterdir()) == before


def test_bad_input_leaves_an_old_report_alone(refusal, files):
    (files / "report.html").write_text("old")
    refusal("compare", "none.npy", "expected.npy", "--html", "report.html")
    assert (files / "report.html").read_text() == "old"
