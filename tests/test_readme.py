# SPDX-License-Identifier: Apache-2.0
"""What the documents say works as it stands: commands, snippets, links, examples."""

from __future__ import annotations

import re
import shutil
import sys
import sysconfig
from functools import cache
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from support import console
from support.programs import clean_environment, run

import aclhost
from aclhost import ops
from aclhost.building import toolkit
from aclhost.spec import catalogue

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
HAND_WRITTEN = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("tests/*.md")])
DOCUMENTS = sorted({*HAND_WRITTEN, *ROOT.glob("docs/**/*.md")})

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)", re.IGNORECASE)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(document: Path, language: str) -> list[str]:
    """Those without a title, which would make them files."""
    found = console.blocks(document)
    return [each.text for each in found if each.language == language and not each.title]


def commands() -> list[str]:
    """The README's shell lines that show no output."""
    plain = [b for b in blocks(ROOT / "README.md", "console") if not b.startswith("$ ")]
    return [line.split("  #")[0].strip() for block in plain for line in block.splitlines()]


def numbers(text: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(text)]


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A directory where the README's sample.cpp is a program of ours."""
    directory = tmp_path / "work"
    shutil.copytree(EXAMPLES, directory)
    shutil.copy(directory / "elu_backward.cpp", directory / "sample.cpp")
    return directory


def shell(line: str, directory: Path) -> str:
    """The output of a line typed by a user whose PATH has the venv."""
    environment = clean_environment()
    environment["PATH"] = f"{sysconfig.get_path('scripts')}:{environment['PATH']}"
    return run(["bash", "-euc", line], env=environment, cwd=directory).stdout


def run_example(path: Path) -> str:
    if path.suffix == ".cpp":
        return run([Path(sysconfig.get_path("scripts")) / "aclhost", "run", path]).stdout
    return run([sys.executable, "-W", "error", path]).stdout


SHOWN = [
    each for block in blocks(ROOT / "README.md", "console") for each in console.commands(block)
]
TYPED = [line for line in commands() if "sample" in line]
QUESTIONS = [line for line in commands() if line not in TYPED and not line.startswith("make ")]
SNIPPETS = [
    pytest.param(code, id=f"{name(path)}-{number}")
    for path in HAND_WRITTEN
    for number, code in enumerate(blocks(path, "python"))
]


def test_readme_counts_the_operators() -> None:
    text = " ".join((ROOT / "README.md").read_text().split())
    assert f"{len(ops.ALL)} of the {len(catalogue.operators())} aclnn operators" in text, (
        "make docs"
    )


@pytest.mark.parametrize(("command", "output"), SHOWN)
def test_readme_output(command: str, output: str) -> None:
    console.assert_prints(command, output, ROOT)


def test_readme_shows_a_program_a_script_and_a_finding() -> None:
    text = "\n".join(command for command, _ in SHOWN)
    for part in ("aclhost run examples/", "python examples/", "--strict"):
        assert part in text


@pytest.mark.parametrize("line", TYPED)
def test_readme_commands(line: str, sample: Path) -> None:
    assert numbers(shell(line, sample)) == numbers(run_example(EXAMPLES / "elu_backward.py"))


def test_readme_questions(tmp_path: Path) -> None:
    x = np.linspace(-2, 2, 6, dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    (tmp_path / "npu").mkdir()
    np.save(tmp_path / "npu/out.npy", aclhost.elu(x))
    shutil.copy(EXAMPLES / "elu_backward.cpp", tmp_path / "main.cpp")
    for line in QUESTIONS:
        assert line.startswith("aclhost ")
        assert shell(line, tmp_path)
    assert (tmp_path / "report.html").is_file()


def test_readme_shows_the_ways_to_build_and_run() -> None:
    text = "\n".join(TYPED)
    for part in ("$(aclhost config --cflags --libs)", "ACLHOST_SOC="):
        assert part in text


def test_readme_environment_line(sample: Path) -> None:
    lines = re.findall(r"`(eval [^`]*)`", (ROOT / "README.md").read_text())
    assert lines
    build = (
        "g++ sample.cpp -I$ASCEND_HOME_PATH/include -L$ASCEND_HOME_PATH/lib64 "
        "-lopapi_nn -lnnopbase -lascendcl -o sample && ./sample"
    )
    for line in lines:
        shown = shell(f"{line}\necho $ASCEND_HOME_PATH\n{build}", sample).split("\n", 1)
        assert Path(shown[0]) == toolkit.prefix()
        assert numbers(shown[1]) == numbers(run_example(EXAMPLES / "elu_backward.py"))


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = re.findall(r"`make ([\w-]+)`", (ROOT / "CONTRIBUTING.md").read_text())
    named += [line.split()[1] for line in commands() if line.startswith("make ")]
    assert {"demo", "test"} <= set(named)
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize("code", SNIPPETS)
def test_python_snippets(code: str, tmp_path: Path) -> None:
    run([sys.executable, "-W", "error", "-c", code], cwd=tmp_path)


def test_readme_quotes_the_message_that_users_get() -> None:
    (quoted,) = blocks(ROOT / "README.md", "text")
    x = np.zeros(3, ml_dtypes.bfloat16)
    with aclhost.soc("Ascend310P3"), pytest.raises(aclhost.AclnnError) as caught:
        aclhost.elu_backward(x, x)
    assert " ".join(quoted.split()) == str(caught.value)


@cache
def anchors(document: Path) -> set[str]:
    """The names that headings get as targets of links."""
    prose = _FENCE.sub("", document.read_text())
    headings = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    words = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in words}


def test_links() -> None:
    for document in DOCUMENTS:
        for link in _LINK.findall(_FENCE.sub("", document.read_text())):
            if link.startswith(("https://", "http://", "mailto:")):
                continue
            path, _, anchor = link.partition("#")
            target = (document.parent / path).resolve() if path else document
            assert target.exists(), (document, link)
            assert target.is_relative_to(ROOT), (document, link)
            if anchor:
                assert anchor in anchors(target), (document, link)


def test_demo() -> None:
    shown = run([sys.executable, EXAMPLES / "demo.py"], env=clean_environment(COLUMNS=120)).stdout
    rows = [numbers(line) for line in shown.splitlines() if len(re.findall(r"\.\d{7}", line)) > 2]
    assert len(rows) > 3
    for _, *others, golden in rows:
        assert others == pytest.approx([golden] * len(others), rel=1e-6)
    assert "161002" in shown
    assert "Cast gradOutput" in " ".join(shown.replace("\u2502", " ").split())


def is_program(path: Path) -> bool:
    """Not the demo and the mistake, which have their own tests, not training, not shared parts."""
    if path.stem in ("demo", "late_wait") or path.stem.startswith("train_"):
        return False
    return path.suffix == ".cpp" or "__main__" in path.read_text()


PROGRAMS = [path for path in [*EXAMPLES.glob("*.cpp"), *EXAMPLES.glob("*.py")] if is_program(path)]


@pytest.mark.parametrize("stem", sorted({path.stem for path in PROGRAMS}))
def test_examples_run_and_twins_print_the_same_numbers(stem: str) -> None:
    first, *others = [numbers(run_example(path)) for path in PROGRAMS if path.stem == stem]
    assert first
    assert all(other == first for other in others)


def test_examples_are_found() -> None:
    assert {EXAMPLES / "elu_backward.cpp", EXAMPLES / "elu_backward.py"} <= set(PROGRAMS)
