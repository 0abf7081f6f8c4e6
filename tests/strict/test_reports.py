# SPDX-License-Identifier: Apache-2.0
"""The end of a report, its formats, what is passed over, and lines of Python."""

import json
import os
import sys
import sysconfig
from pathlib import Path
from xml.etree import ElementTree

import pytest
import strict_corpus as corpus
from support.programs import clean_environment, run

from aclhost.cli.strict_report import CHECKS

ACLHOST = Path(sysconfig.get_path("scripts")) / "aclhost"
PROGRAM = """#include "acl/acl.h"
void twice(void* memory) {
  aclrtFree(memory);
  aclrtFree(memory);
}
int main(int count, char**) {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void *first = nullptr, *second = nullptr;
  aclrtMalloc(&first, 100, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&second, 100, ACL_MEM_MALLOC_HUGE_FIRST);
  twice(first);
  if (count > 1) aclFinalize();
}
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "sample.cpp"
    path.write_text(PROGRAM)
    return path


def strict(source, *options, status=66, env=None):
    return run([ACLHOST, "run", source, "--strict", *options], status=status, env=env).stderr


def test_the_last_line_says_how_many_and_what_was_not_checked(source):
    last = strict(source).splitlines()[-1]
    unchecked = "leaks were not checked: aclFinalize was never called"
    assert last == f"aclhost strict: 1 finding; {unchecked}"
    text = strict(source, "finalize")
    assert text.splitlines()[-1] == "aclhost strict: 2 findings"
    assert corpus.titles(text) == ["double free", "leak"]


def test_no_findings_are_said(tmp_path):
    program = corpus.built("correct.cpp", tmp_path)
    text = run([program, "everyday", 0], env=corpus.environment()).stderr
    assert text.splitlines()[-1].startswith("aclhost strict: 0 findings")


def test_json(source, tmp_path):
    data = json.loads(strict(source, "finalize", "--strict-format", "json"))
    assert [each["title"] for each in data["findings"]] == ["double free", "leak"]
    assert (data["suppressed"], data["leaks_checked"], data["ended"]) == (0, True, True)
    frames = data["findings"][0]["places"][-1]["frames"]
    assert [(f["function"], f["file"], f["line"]) for f in frames] == [
        ("twice", str(source), 4), ("main", str(source), 12)
    ]  # fmt: skip
    path = tmp_path / "report.json"
    assert strict(source, "--strict-format", "json", "--strict-output", path) == ""
    assert len(json.loads(path.read_text())["findings"]) == 1


def test_sarif(source):
    data = json.loads(strict(source, "--strict-format", "sarif"))
    assert data["version"] == "2.1.0"
    (sarif,) = data["runs"]
    (result,) = sarif["results"]
    assert result["ruleId"] in {rule["id"] for rule in sarif["tool"]["driver"]["rules"]}
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("sample.cpp")
    assert place["region"]["startLine"] == 4


def test_junit(source):
    suite = ElementTree.fromstring(strict(source, "f", "--strict-format", "junit"))[0]
    assert suite.get("failures") == "2"
    assert [case.get("name") for case in suite] == ["double free", "leak"]
    assert "twice (sample.cpp:4)" in suite[0][0].text
    passing = strict(source, "--strict-checks", "race", "--strict-format", "junit", status=0)
    assert ElementTree.fromstring(passing)[0].get("failures") == "0"


def test_text_into_a_file(source, tmp_path):
    assert strict(source, "--strict-output", tmp_path / "report") == ""
    assert corpus.titles((tmp_path / "report").read_text()) == ["double free"]


@pytest.mark.parametrize(
    ("line", "suppressed"),
    [("double-free: twice", 1), ("double free: sample.cpp:4", 1), ("*: allocated at main", 1),
     ("double free: t?ice*:3", 1), ("leak: twice", 0), ("double free: thrice", 0),
     ("# double free: *", 0)],
)  # fmt: skip
def test_suppressions(source, tmp_path, line, suppressed):
    (tmp_path / "known").write_text(f"# known mistakes\n\n{line}\n")
    text = strict(source, "--suppress", tmp_path / "known", status=0 if suppressed else 66)
    assert len(corpus.titles(text)) == 1 - suppressed
    assert ("0 findings, 1 suppressed" in text) == bool(suppressed)


def test_suppressions_that_cannot_be_read(source, tmp_path):
    (tmp_path / "known").write_text("nonsense\n")
    text = strict(source, "--suppress", tmp_path / "known")
    assert f"{tmp_path / 'known'}, line 1: write TITLE: PATTERN" in text
    assert "no such file" in strict(source, "--suppress", tmp_path / "none", status=2)
    environment = clean_environment(ACLHOST_STRICT_SUPPRESS=tmp_path / "none")
    correct = corpus.built("correct.cpp", tmp_path)
    done = run([correct, "everyday", 0], status=66, env={**corpus.environment(), **environment})
    assert f"cannot read {tmp_path / 'none'}" in done.stderr


@pytest.mark.parametrize(
    ("checks", "titles"),
    [("leak", ["leak"]), ("-leak", ["double free"]), ("double-free,leak", ["double free", "leak"]),
     ("race", []), ("-leak,-double-free", [])],
)  # fmt: skip
def test_choice_of_checks(source, checks, titles):
    status = 66 if titles else 0
    text = strict(source, "finalize", f"--strict-checks={checks}", status=status)
    assert corpus.titles(text) == titles


def test_an_unknown_check(source):
    assert "did you mean race?" in strict(source, "--strict-checks", "rase", status=2)


def test_all_titles_are_checks():
    folder = Path(__file__).parents[2] / "native/observe"
    sources = "".join(path.read_text() for path in folder.glob("*.cc"))
    assert {program.title for program in corpus.programs("MISTAKE")} <= set(CHECKS)
    assert all(f'"{check}"' in sources for check in CHECKS)


def test_annotations_for_github(source, tmp_path):
    environment = {**os.environ, "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(tmp_path)}
    lines = strict(source, env=environment).splitlines()
    (annotation,) = [line for line in lines if line.startswith("::")]
    head = "::error file=sample.cpp,line=4,title=aclhost strict%3A double free::aclrtFree of 0x"
    assert annotation.startswith(head)


SCRIPT = """from aclhost import acl

def allocate():
    memory, _ = acl.rt.malloc(100, 0)
    return memory

acl.init()
acl.rt.set_device(0)
memory = allocate()
acl.rt.free(memory)
acl.rt.free(memory)
acl.rt.free(memory)
allocate()
acl.finalize()
"""


def test_lines_of_python(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    text = strict(tmp_path / "script.py")
    assert corpus.titles(text) == ["double free", "double free", "leak"]
    allocated = "allocated at allocate (script.py:4), called from <module> (script.py:"
    assert f"{allocated}9)" in text
    assert f"{allocated}13)" in text
    assert "freed again at <module> (script.py:11)" in text
    assert "freed again at <module> (script.py:12)" in text


def test_lines_of_python_in_threads(tmp_path):
    """The places of one thread are not those of another."""
    (tmp_path / "script.py").write_text(
        "import threading\nfrom aclhost import acl\nacl.init()\n"
        "def one():\n    acl.rt.set_device(0)\n    for _ in range(200):\n"
        "        memory, _ = acl.rt.malloc(64, 0)\n        acl.rt.free(memory)\n"
        "threads = [threading.Thread(target=one) for _ in range(4)]\n"
        "[each.start() for each in threads]\n[each.join() for each in threads]\n"
        "acl.rt.set_device(0)\nmemory, _ = acl.rt.malloc(64, 0)\nacl.finalize()\n"
    )
    text = strict(tmp_path / "script.py")
    assert corpus.titles(text) == ["leak"]
    assert "allocated at <module> (script.py:13)" in text


def test_python_functions_are_no_mistakes():
    text = "import aclhost, numpy\naclhost.elu(numpy.ones(3, numpy.float32))\n"
    environment = clean_environment(ACLHOST_STRICT="1")
    assert run([sys.executable, "-c", text], env=environment).returncode == 0
