# SPDX-License-Identifier: Apache-2.0
"""`aclhost compare` on files and directories."""

import json
from html.parser import HTMLParser
from xml.etree import ElementTree

import ml_dtypes
import numpy as np
import pytest

from aclhost.compare import compare
from aclhost.compare.report import Entry, html_report


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
        self.fetched += [
            v for k, v in attrs if k in ("src", "href") and not v.startswith(("#", "data:"))
        ]


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
        for row in json.loads(aclhost_command(*arguments, "--json", status=2).stdout)
    }
    assert {name for name, row in rows.items() if row["passed"]} == {"layer/a", "raw", "both:x"}
    assert "only one side" in rows["alone"]["problem"]
    assert "shapes differ" in rows["shape"]["problem"]
    assert "not a readable .npy file" in rows["broken"]["problem"]
    assert not rows["both:y"]["passed"]
    text = aclhost_command(*arguments, status=2).stdout  # one file cannot be read
    assert "3 of 7 pass" in text
    assert _Parser((files / "all.html").read_text()).tags.count("section") == 4
    assert "layer/a" not in text
    assert "layer/a" in aclhost_command(*arguments, "--all", status=2).stdout


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
        (("text.txt", "expected.npy"), "text.txt: no file of arrays; known are .npy, .npz, .pt"),
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
    status = 1 if reason.startswith("shapes differ") else 2
    assert reason in refusal("compare", *arguments, status=status)
    assert sorted(files.iterdir()) == before


def test_bad_input_leaves_an_old_report_alone(refusal, files):
    (files / "report.html").write_text("old")
    refusal("compare", "none.npy", "expected.npy", "--html", "report.html", status=2)
    assert (files / "report.html").read_text() == "old"


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_results(aclhost_command, files, dtype):
    expected = (np.arange(1, 9) + 1j).astype(dtype)
    np.save("complex.npy", expected)
    np.save("off.npy", (1.2 * expected).astype(dtype))
    assert aclhost_command("compare", "complex.npy", "complex.npy").stdout.startswith("PASS")
    assert aclhost_command("compare", "off.npy", "complex.npy", status=1).stdout.startswith("FAIL")


def test_files_of_one_stem_are_pairs_of_their_own(aclhost_command, files):
    for side, value in (("left", 1.0), ("right", 2.0)):
        (files / side).mkdir()
        np.save(files / side / "a.npy", np.full(3, value))
        np.savez(files / side / "a.npz", np.zeros(3))
    assert "1 of 2 pass" in aclhost_command("compare", "left", "right", status=1).stdout


def test_float64_goldens_need_no_partner(aclhost_command, files):
    for side in ("npu", "golden"):
        (files / side).mkdir()
        np.save(files / side / "out.npy", np.zeros(3, np.float32))
    np.save(files / "golden/out.float64.npy", np.zeros(3))
    aclhost_command("compare", "npu", "golden")


def test_only_raw_files_take_the_other_shape(aclhost_command, refusal, files):
    expected = np.load("expected.npy")
    np.save("flat.npy", expected.ravel())
    expected.tofile("raw.bin")
    assert "shapes differ" in refusal("compare", "flat.npy", "expected.npy")
    aclhost_command("compare", "raw.bin", "expected.npy", "--dtype", "float16")
    aclhost_command("compare", "expected.npy", "raw.bin", "--dtype", "float16")


@pytest.fixture
def dumps(files):
    """Two directories of twelve pairs, of which four fail, the tenth worst."""
    for side in ("npu", "golden"):
        (files / side).mkdir()
    for number in range(12):
        expected = np.arange(1, 65, dtype=np.float32).reshape(8, 8)
        actual = expected.copy()
        actual.reshape(-1)[: {2: 1, 5: 2, 9: 40, 11: 3}.get(number, 0)] += 1
        np.save(f"golden/x{number}.npy", expected)
        np.save(f"npu/x{number}.npy", actual)
    return files


def test_failures_come_first_and_alone(aclhost_command, dumps):
    lines = aclhost_command("compare", "npu", "golden", status=1).stdout.splitlines()
    names = [line.split()[0] for line in lines if line.lstrip().startswith("x")]
    assert names == ["x9", "x11", "x5", "x2"]
    assert lines[-1] == "8 of 12 pass"
    everything = aclhost_command("compare", "npu", "golden", "--all", status=1).stdout
    assert everything.count("pass") == 9


def test_nan_and_infinities_come_before_large_shares(aclhost_command, files):
    expected = np.linspace(-3, 3, 24, dtype=np.float32)
    infinite, nan, short = expected.copy(), expected.copy(), expected[:20]
    infinite[3] = np.inf
    nan[[3, 4]] = np.nan
    results = {"a_bad": expected * 2, "b_infinite": infinite, "c_nan": nan, "d_short": short}
    for name, array in results.items():
        for side, value in (("actual", array), ("golden", expected)):
            (files / side).mkdir(exist_ok=True)
            np.save(files / side / f"{name}.npy", value)
    worst_first = ["d_short", "c_nan", "b_infinite", "a_bad"]
    text = aclhost_command("compare", "actual", "golden", "--html", "r.html", status=1).stdout
    assert sorted(results, key=text.index) == worst_first
    report = (files / "r.html").read_text()
    assert sorted(results, key=report.index) == worst_first


def test_quiet(aclhost_command, dumps):
    assert aclhost_command("compare", "npu", "golden", "-q", status=1).output == ""
    assert aclhost_command("compare", "golden", "golden", "-q").output == ""


@pytest.mark.parametrize("jobs", [1, 3])
def test_json_lines_and_a_baseline(aclhost_command, dumps, jobs):
    call = ("compare", "npu", "golden", "--jobs", jobs)
    aclhost_command(*call, "--jsonl", "last.jsonl", status=1)
    rows = [json.loads(line) for line in (dumps / "last.jsonl").read_text().splitlines()]
    assert [row["name"] for row in rows if row["verdict"] == "fail"] == ["x11", "x2", "x5", "x9"]
    text = aclhost_command(*call, "--baseline", "last.jsonl").stdout
    assert "0 failed that did not before; 4 failed before, too" in text
    np.save("npu/x0.npy", np.load("npu/x0.npy") + 1)
    text = aclhost_command(*call, "--baseline", "last.jsonl", status=1).stdout
    assert "1 failed that did not before; 4 failed before, too" in text
    assert "x9" not in text
    printed = aclhost_command(*call, "--jsonl", "-", status=1).stdout
    assert len([json.loads(line) for line in printed.splitlines()]) == 12


def test_a_baseline_that_is_none(refusal, dumps):
    (dumps / "no.jsonl").write_text("[]\n")
    for name in ("none.jsonl", "no.jsonl"):
        assert name in refusal("compare", "npu", "golden", "--baseline", name, status=2)


def test_junit(aclhost_command, dumps):
    aclhost_command("compare", "npu", "golden", "--junit", "report.xml", status=1)
    suite = ElementTree.parse(dumps / "report.xml").getroot()[0]
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "12", "failures": "4", "errors": "0", "skipped": "0"
    }  # fmt: skip
    failed = {case.get("name") for case in suite if case.find("failure") is not None}
    assert failed == {"x2", "x5", "x9", "x11"}


def test_markdown(aclhost_command, dumps):
    text = aclhost_command("compare", "npu", "golden", "--markdown", "-", status=1).stdout
    lines = text.splitlines()
    assert lines[0] == "## aclhost compare: 8 of 12 pass"
    assert lines[4].startswith("| `x9` | 40 | 1 |")
    assert len(lines) == 8


def test_a_thousand_pairs_in_two_megabytes(dumps):
    """Even if all fail."""
    expected = np.linspace(-1, 1, 4096).reshape(64, 64)
    bad = compare(expected + np.random.default_rng(1).normal(size=(64, 64)), expected)
    text = html_report([Entry(f"layer.{i}/output", bad) for i in range(1000)], "npu", "golden")
    page = _Parser(text)
    assert len(text) < 2_000_000
    assert page.tags.count("tr") >= 1001
    assert page.tags.count("svg") >= 4 * 50
    assert page.tags.count("section") == 1000


def test_pairs_by_expression(aclhost_command, refusal, dumps):
    for number in range(12):
        (dumps / f"npu/x{number}.npy").rename(dumps / f"npu/step{number}.rank0.npy")
    text = aclhost_command(
        "compare", "npu", "golden", "--match", r"(?:x|step)(\d+)", status=1
    ).stdout
    assert "8 of 12 pass" in text
    text = aclhost_command("compare", "npu", "golden", "--match", r"(?:x|step)([01])\b").stdout
    assert text == "2 of 2 pass\n"
    assert "unterminated" in refusal("compare", "npu", "golden", "--match", "(", status=2)
    assert "the same name" in refusal("compare", "npu", "golden", "--match", "x|step", status=2)


def test_pairs_by_a_file(aclhost_command, refusal, dumps):
    (dumps / "pairs.csv").write_text('# dump, golden\nx0.npy, x0.npy\n"x2.npy",x2.npy\n')
    call = ("compare", "npu", "golden", "--map")
    assert "1 of 2 pass" in aclhost_command(*call, "pairs.csv", status=1).stdout
    (dumps / "pairs.jsonl").write_text('{"actual": "x1.npy", "expected": "x1.npy"}\n')
    aclhost_command(*call, "pairs.jsonl")
    (dumps / "bad.csv").write_text("x0.npy\n")
    assert "bad.csv, line 1: write ACTUAL,EXPECTED" in refusal(*call, "bad.csv", status=2)


def test_timestamps_in_names_do_not_count(aclhost_command, files):
    for side, times in (("npu", ("1709876543210123", "20240308_053543")),
                        ("golden", ("1709871111110123", "20240308_000000"))):  # fmt: skip
        (files / side).mkdir()
        np.save(files / side / f"Add.Add_1.5.13.{times[0]}.output.0.npy", np.zeros(3))
        np.save(files / side / f"Mul-{times[1]}.npy", np.ones(3))
    assert aclhost_command("compare", "npu", "golden").stdout == "2 of 2 pass\n"


def test_linear_histograms(aclhost_command, files):
    np.save("long.npy", np.zeros(1000, np.float32))
    off = np.zeros(1000, np.float32)
    off[:250] = 1
    np.save("off.npy", off)
    text = aclhost_command("compare", "off.npy", "long.npy", status=1).stdout
    line = next(each for each in text.splitlines() if each.split()[:1] == ["1e+00"])
    assert line.count("#") == round(40 * 250 / 750)
    assert "25.000%" in line
