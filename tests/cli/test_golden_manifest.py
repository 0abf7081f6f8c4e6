# SPDX-License-Identifier: Apache-2.0
"""`aclhost golden --manifest`: many calls from one file."""

import json

import numpy as np
import pytest

import aclhost
from aclhost import ops
from aclhost.compare.pairs import Pair
from aclhost.compare.rows import Entry, compare_pair, pack, unpack
from aclhost.compare.rows import Settings as CompareSettings

X = np.linspace(-3, 3, 12, dtype=np.float32).reshape(3, 4)
OWN_COLUMNS = {"operator", "name", "soc", "tolerance"}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    np.save("in/x.npy", X)
    np.save("in/y.npy", 2 * X)
    X.astype(np.float16).tofile("in/x.bin")
    return tmp_path


def manifest(files, *lines, name="in/cases.csv"):
    (files / name).write_text("\n".join(lines) + "\n")
    return ("golden", "--manifest", name, "-o", "out")


def test_csv(aclhost_command, files):
    call = manifest(
        files,
        "operator, name, self, other, alpha, gradOutput, selfOrResult",
        "# a comment, and an empty line",
        "",
        "elu, first, x.npy, , 2, ,",
        "aclnnEluBackward, , , , 0.5, x.bin:float16[3x4], x.bin:float16[3x4]",
        "add, deep/er, x.npy, y.npy",
    )
    text = aclhost_command(*call).stdout
    assert "3 of 3 pass" in text
    assert "results of 3 calls are in out" in text
    assert np.array_equal(np.load("out/first/out.npy"), aclhost.elu(X, alpha=2))
    assert np.load("out/first/out.float64.npy").dtype == np.float64
    half = X.astype(np.float16)
    wanted = aclhost.elu_backward(half, half, alpha=0.5)
    assert np.array_equal(np.load("out/elu_backward-5/gradInput.npy"), wanted)
    assert np.array_equal(np.load("out/deep/er/out.npy"), 3 * X)


def test_json_lines_lists_and_socs(aclhost_command, files):
    lines = [
        {"operator": "cat", "tensors": ["x.npy", "y.npy"], "dim": 1, "name": "cat"},
        {"operator": "split_with_size", "self": "x.npy", "splitSize": [1, 3], "dim": 1},
        {"operator": "elu", "self": "x.npy", "alpha": -0.5, "soc": "A2"},
    ]
    call = manifest(files, *map(json.dumps, lines), name="in/cases.jsonl")
    rows = json.loads(aclhost_command(*call, "--json").stdout)
    assert [row["name"] for row in rows] == [
        "cat:out", "split_with_size-2:out.0", "split_with_size-2:out.1", "elu-3:out",
    ]  # fmt: skip
    assert all(row["passed"] for row in rows)
    assert np.array_equal(np.load("out/cat/out.npy"), np.concatenate((X, 2 * X), 1))
    assert np.array_equal(np.load("out/split_with_size-2/out.1.npy"), X[:, 1:])


def test_directories_with_commas(aclhost_command, files):
    (files / "in").rename(files / "in, or out")
    line = {"operator": "cat", "tensors": ["x.npy", "../in, or out/y.npy"], "dim": 1, "name": "cat"}
    call = manifest(files, json.dumps(line), name="in, or out/cases.jsonl")
    assert "1 of 1 pass" in aclhost_command(*call).stdout
    assert np.array_equal(np.load("out/cat/out.npy"), np.concatenate((X, 2 * X), 1))
    rows = ("operator, name, tensors, dim, self", 'cat, both, "x.npy,y.npy", 0,', "elu,,,,x.npy")
    call = manifest(files, *rows, name="in, or out/cases.csv")
    assert "2 of 2 pass" in aclhost_command(*call).stdout
    assert np.array_equal(np.load("out/both/out.npy"), np.concatenate((X, 2 * X), 0))


@pytest.mark.parametrize("key", ["operator", "name", "soc", "tolerance"])
def test_what_is_one_text_is_no_list(aclhost_command, files, key):
    line = {"operator": "elu", "self": "x.npy", key: ["elu", "relu"]}
    call = manifest(files, json.dumps(line), name="in/cases.jsonl")
    assert f"{key} is one text, not a list" in aclhost_command(*call, status=2).stderr


def test_results_of_a_device_and_tolerances(aclhost_command, files):
    off = aclhost.elu(X) * np.float32(1.001)
    np.save("in/npu.npy", off)
    line = "elu, {}, x.npy, npu.npy, {}"
    call = manifest(
        files,
        "operator, name, self, out, tolerance",
        line.format("strict", ""),
        line.format("loose", "rtol=0.01 atol=1e-6"),
        line.format("ulps", "rtol=0.01 max_ulp=4"),
    )
    rows = json.loads(aclhost_command(*call, "--json", status=1).stdout)
    assert [row["passed"] for row in rows] == [False, True, False]
    assert "ulp apart" in rows[2]["failures"][0]
    assert np.array_equal(np.load("out/strict/out.npy"), aclhost.elu(X))  # not the device's
    reports = ("--junit", "j.xml", "--html", "r.html", "--jsonl", "r.jsonl", "--markdown", "-")
    shown = aclhost_command(*call, *reports, "--force", status=1).stdout
    assert "strict:out" in shown
    assert "strict:out" in (files / "r.html").read_text()
    assert (files / "j.xml").read_text().count("<testcase") == 3


def test_every_mistake_is_named_with_its_line(aclhost_command, files):
    call = manifest(
        files,
        "operator,name,self,alpha,tolerance,soc",
        "ellu,a,x.npy",
        "elu,b,nothing.npy",
        "elu,c",
        "elu,d,x.npy,two",
        "elu,e,x.npy,1,rtl=1",
        "elu,f,x.npy,1,,A7",
        "elu,../g,x.npy",
        "elu,h,x.npy,1,,,,more",
        ",i,x.npy",
        "elu,good,x.npy",
        "elu,good,x.npy",
        "elu,./good/,x.npy",
        "elu,j,x.npy,1,rtol=-1",
        "elu,k,x.npy,1,cosine=nan",
    )
    result = aclhost_command(*call, status=2)
    reasons = [
        "no operator 'ellu'; did you mean aclnnElu?",
        "nothing.npy: no such file",
        "aclnnElu needs self",
        "alpha=two cannot be read as aclScalar",
        "tolerance rtl=1: write NAME=NUMBER with one of rtol, atol, outliers, max_ulp, cosine",
        "no product or SoC 'A7'",
        "the name '../g' leaves the directory",
        "8 cells, and the first line names 6 columns",
        "names no operator",
        None,
        "line 11 has the name 'good', too",
        "line 11 has the name 'good', too",
        "tolerance rtol is -1; it must be 0 or more",
        "tolerance cosine is nan; it must be 1 or less",
    ]
    said = result.stderr.splitlines()
    wanted = [(number, reason) for number, reason in enumerate(reasons, 2) if reason]
    assert len(said) == len(wanted)
    for line, (number, reason) in zip(said, wanted, strict=True):
        assert line.startswith(f"aclhost: in/cases.csv, line {number}: ")
        assert reason in line
    assert not (files / "out").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no line has a call"),
        ("self,alpha\nx.npy,1\n", "line 1: the first line names the columns, and none is operator"),
        ('{"operator": "elu", "self": "x.npy"}\n{"oper', "line 2: not JSON"),
        ('{"operator": "elu", "self": "x.npy"}\n[1]', "line 2: write {"),
        ('{"operator": ' + "[" * 100_000, "line 1: not JSON"),
        ('operator,self\nelu,"x.npy\n', "line 2: not CSV: unexpected end of data"),
        ("operator,self\nelu," + "x" * 200_000, "line 2: not CSV: field larger"),
        ("operator,self,alpha,self\nelu,x.npy", "line 1: the first line names self more than once"),
    ],
)
def test_files_that_are_no_manifest(refusal, files, text, reason):
    (files / "in/cases.csv").write_text(text)
    assert reason in refusal("golden", "--manifest", "in/cases.csv", "-o", "out", status=2)


def test_a_missing_manifest_and_a_wrong_use(refusal, aclhost_command, files):
    assert "No such file" in refusal("golden", "--manifest", "no.csv", status=2)
    assert "--manifest FILE" in aclhost_command("golden", status=2).stderr
    assert "--manifest FILE" in aclhost_command("golden", "elu", "--manifest", "m", status=2).stderr


def test_a_call_that_is_refused_is_one_row(aclhost_command, files):
    np.save("in/ints.npy", X.astype(np.int32))
    call = manifest(files, "operator,self", "elu,ints.npy", "elu,x.npy")
    rows = json.loads(aclhost_command(*call, "--json", status=2).stdout)
    assert [row["verdict"] for row in rows] == ["error", "pass"]
    assert rows[0]["problem"].startswith("in/cases.csv, line 2: 161002: aclnnElu: self must have")


def test_nothing_is_overwritten_silently(aclhost_command, refusal, files):
    call = manifest(files, "operator,name,self", "elu,one,x.npy", "elu,two,x.npy")
    (files / "out/two").mkdir(parents=True)
    (files / "out/two/out.npy").write_bytes(b"mine")
    assert "out/two/out.npy is there already" in refusal(*call, status=2)
    assert (files / "out/two/out.npy").read_bytes() == b"mine"
    assert not (files / "out/one").exists()
    aclhost_command(*call, "--force")
    assert np.array_equal(np.load("out/two/out.npy"), aclhost.elu(X))


def test_members_of_lists_are_not_overwritten_silently(aclhost_command, refusal, files):
    call = manifest(files, "operator,name,x", 'foreach_abs,one,"x.npy,y.npy"')
    aclhost_command(*call)
    assert "out/one/out.0.npy" in refusal(*call, status=2)


def test_a_result_of_a_device_may_be_null_and_a_name_hold_any_sign(aclhost_command, files):
    line = {"operator": "elu", "self": "x.npy", "out": None, "name": "a\u2028b"}
    text = json.dumps(line, ensure_ascii=False)
    aclhost_command(*manifest(files, text, name="in/cases.jsonl"))
    assert (files / "out/a\u2028b/out.npy").exists()


def test_what_a_journal_has_and_nobody_finds_is_computed_again(aclhost_command, files):
    lines = ("operator,name,self", "elu,one,x.npy", "elu,two,y.npy")
    call = (*manifest(files, *lines), "--journal", "run.jsonl")
    aclhost_command(*call)
    (files / "out/two").rename(files / "gone")
    aclhost_command(*call)
    assert (files / "out/two/out.npy").exists()


def test_what_could_not_be_written_is_tried_again(aclhost_command, files):
    call = (*manifest(files, "operator,name,self", "elu,one,x.npy"), "--journal", "run.jsonl")
    (files / "out").write_text("no directory")
    assert "Not a directory" in aclhost_command(*call, status=2).stdout
    (files / "out").unlink()
    assert "results of 1 call are in out" in aclhost_command(*call).stdout


def test_a_file_that_is_no_journal_stays_as_it_was(aclhost_command, refusal, files):
    call = manifest(files, "operator,name,self", "elu,one,x.npy")
    before = (files / "in/cases.csv").read_bytes(), (files / "in/x.npy").read_bytes()
    assert "is not a journal" in refusal(*call, "--journal", "in/cases.csv", status=2)
    compare = ("compare", "in/x.npy", "in/x.npy", "--journal", "in/x.npy")
    assert "in/x.npy is not a journal" in refusal(*compare, status=2)
    assert before == ((files / "in/cases.csv").read_bytes(), (files / "in/x.npy").read_bytes())


def test_a_journal_goes_on_and_knows_its_own_files(aclhost_command, refusal, files):
    header, *lines = ("operator,name,self", "elu,one,x.npy", "elu,two,y.npy")
    first = (*manifest(files, header, lines[0]), "--journal", "run.jsonl")
    aclhost_command(*first)
    times = (files / "out/one/out.npy").stat().st_mtime_ns
    aclhost_command(*manifest(files, header, *lines), "--journal", "run.jsonl")
    assert (files / "out/one/out.npy").stat().st_mtime_ns == times  # not computed again
    assert "there already" in refusal(*first[:-1], "other.jsonl", status=2)
    np.save("in/x.npy", X + 1)
    aclhost_command(*first)
    assert np.array_equal(np.load("out/one/out.npy"), aclhost.elu(X + 1))


def test_two_processes_give_the_same(aclhost_command, files):
    lines = [f"elu,{number},x.npy,{number}" for number in range(5)]
    call = manifest(files, "operator,name,self,alpha", *lines)
    one = aclhost_command(*call, "--json").stdout
    assert aclhost_command(*call[:-1], "again", "--json", "--jobs", 2).stdout == one


def test_no_parameter_is_called_as_a_column_is():
    for op in ops.ALL:
        for param in op.params:
            assert not {param.name, param.python_name} & OWN_COLUMNS


def test_entries_survive_json(files):
    np.save("other.npy", X * np.float32(1.5))
    pair = Pair("x", files / "in/x.npy", files / "other.npy")
    (entry,) = compare_pair(pair, CompareSettings())
    assert unpack(json.loads(json.dumps(pack(entry)))) == entry
    missing = Entry("x", problem="gone", readable=False)
    assert unpack(json.loads(json.dumps(pack(missing)))) == missing
