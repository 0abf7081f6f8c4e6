# SPDX-License-Identifier: Apache-2.0
"""action.yml and the Dockerfile, as far as they run without GitHub and without Docker."""

from __future__ import annotations

import re
import sysconfig
from pathlib import Path

import yaml
from support.programs import ELU_PROGRAM, clean_environment, run

from aclhost.building import toolkit

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text()
BUILD = "g++ program.cpp -I$ASCEND_HOME_PATH/include -L$ASCEND_HOME_PATH/lib64 \
    -lopapi -lnnopbase -lascendcl -o program && ./program"


def shell(script: str, directory: Path, **variables: object) -> str:
    """What a script prints where aclhost is on the path."""
    environment = clean_environment(**variables)
    environment["PATH"] = f"{sysconfig.get_path('scripts')}:{environment['PATH']}"
    return run(["bash", "-euc", script], env=environment, cwd=directory).stdout


def with_inputs(script: str, **inputs: str) -> str:
    """GitHub puts the inputs in before the shell sees the script."""
    values = {name: given["default"] for name, given in ACTION["inputs"].items()} | inputs
    return re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: values[found[1]], script)


def test_action_installs_itself() -> None:
    install, _ = ACTION["runs"]["steps"]
    assert install["run"] == 'python -m pip install "$GITHUB_ACTION_PATH"'
    assert (ROOT / "pyproject.toml").is_file()


def test_action_sets_an_environment_in_which_programs_build(tmp_path: Path) -> None:
    _, step = ACTION["runs"]["steps"]
    shell(with_inputs(step["run"], strict="true"), tmp_path, GITHUB_ENV=tmp_path / "env")
    variables = dict(line.split("=", 1) for line in (tmp_path / "env").read_text().splitlines())
    assert variables["ACLHOST_SOC"] == "Ascend910B1"
    assert variables["ACLHOST_STRICT"] == "1"
    (tmp_path / "program.cpp").write_text(ELU_PROGRAM)
    shell(BUILD, tmp_path, **variables)


def test_dockerfile_presents_the_tree_under_a_fixed_name(tmp_path: Path) -> None:
    assert 'ln -s "$(aclhost config --prefix)" /opt/ascend' in DOCKERFILE
    link = tmp_path / "ascend"
    link.symlink_to(toolkit.prefix())
    (line,) = re.findall(r"^ENV (.*)$", DOCKERFILE, re.MULTILINE)
    variables = dict(pair.split("=") for pair in line.replace("/opt/ascend", str(link)).split())
    (tmp_path / "program.cpp").write_text(ELU_PROGRAM)
    shell(BUILD, tmp_path, **variables)
