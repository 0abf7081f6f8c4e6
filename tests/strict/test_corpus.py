# SPDX-License-Identifier: Apache-2.0
"""Every mistake of the corpus is found, named and placed; correct programs get no finding."""

import re
import signal

import pytest
import strict_corpus as corpus
from support.programs import clean_environment, run

MISTAKES = corpus.programs("MISTAKE")
FATAL = corpus.programs("FATAL_MISTAKE")
CORRECT = corpus.programs("CORRECT")
# What other findings would be true as well, once the first is ignored.
HARMLESS_ELSEWHERE = {"use_after_free", "copy_after_free", "view_starts_in_front_of_all"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("corpus")


def strict(program, folder, status, **variables):
    command = [corpus.built(program.file, folder), program.name, 0]
    return run(command, status=status, env=corpus.environment(**variables)).stderr


def named(programs):
    return pytest.mark.parametrize("program", programs, ids=lambda program: program.name)


def test_the_corpus_is_there():
    assert len(MISTAKES) > 80
    assert len(CORRECT) > 30
    names = [program.name for program in MISTAKES + FATAL + CORRECT]
    assert len(set(names)) == len(names)


@named(MISTAKES)
def test_mistakes_are_found(program, folder):
    text = strict(program, folder, corpus.FINDINGS_STATUS)
    assert corpus.titles(text) == [program.title], text
    assert text.endswith("aclhost strict: 1 finding\n")
    places = re.findall(rf"\b{program.name} \({re.escape(program.file)}:(\d+)\)", text)
    assert places, text
    assert all(int(place) in program.lines() for place in places)


@named(FATAL)
def test_fatal_mistakes_are_explained(program, folder):
    text = strict(program, folder, -signal.SIGSEGV)
    assert corpus.titles(text) == [program.title], text
    assert re.search(rf"used at .*\({re.escape(program.file)}:\d+\)", text)


@named(CORRECT)
@pytest.mark.parametrize("schedule", [{}, {"ACLHOST_STRESS": "1"}], ids=["usual", "stress"])
def test_correct_programs_get_no_finding(program, schedule, folder):
    assert strict(program, folder, 0, **schedule) == "aclhost strict: 0 findings\n"


@named([program for program in MISTAKES if program.file == "mistakes_order.cpp"])
def test_findings_do_not_depend_on_the_schedule(program, folder):
    usual = strict(program, folder, corpus.FINDINGS_STATUS)
    assert strict(program, folder, corpus.FINDINGS_STATUS, ACLHOST_STRESS="1") == usual


def test_threads_that_fault_together_are_explained_every_time(folder):
    program = next(program for program in FATAL if program.name == "four_threads_write")
    for _ in range(20):
        assert corpus.titles(strict(program, folder, -signal.SIGSEGV)) == [program.title]


@named([program for program in MISTAKES if program.name not in HARMLESS_ELSEWHERE])
def test_not_strict_says_nothing(program, folder):
    command = [corpus.built(program.file, folder), program.name, 0]
    assert run(command, env=clean_environment(ACLHOST_DEVICES="2")).stderr == ""
