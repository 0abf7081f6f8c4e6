# SPDX-License-Identifier: Apache-2.0
"""set_env.sh, bin/setenv.bash and `aclhost env` do the same, wherever the tree lies."""

import shutil
import sys

import pytest
from support.programs import run

from aclhost.building import toolkit

CLEAN = {"PATH": "/usr/bin:/bin"}
LISTED = ("LD_LIBRARY_PATH", "PYTHONPATH")


def environment_after(script, base, shell="bash"):
    text = run([shell, "-c", f"set -eu\n{script}\nenv -0"], env=base).stdout
    pairs = (entry.split("=", 1) for entry in text.split("\0") if entry)
    noise = {"_", "PWD", "OLDPWD", "SHLVL"}
    return {name: value for name, value in pairs if name not in noise}


def scripts(prefix):
    command = f"{sys.executable} -c 'from aclhost.cli import main; main()'"
    return {
        "set_env.sh": f'. "{prefix}/set_env.sh"',
        "setenv.bash": f'source "{prefix}/bin/setenv.bash"',
        "aclhost env": f'text=$({command} env)\neval "$text"',
    }


@pytest.mark.parametrize("way", ["set_env.sh", "setenv.bash", "aclhost env"])
@pytest.mark.parametrize(
    "base", [{}, dict.fromkeys(LISTED, "/some where:/b")], ids=["empty", "set"]
)
def test_every_way_gives_the_same(way, base, prefix):
    before = {**CLEAN, **base}
    assert environment_after(scripts(prefix)[way], before) == toolkit.environment(before)


def test_the_variables_upstream_documents(prefix):
    after = toolkit.environment({"LD_LIBRARY_PATH": "/x"})
    for name in ("HOME_PATH", "TOOLKIT_HOME", "INSTALL_PATH", "CUSTOM_PATH"):
        assert after[f"ASCEND_{name}"] == str(prefix)
    assert after["ASCEND_OPP_PATH"] == f"{prefix}/opp"
    assert after["LD_LIBRARY_PATH"] == f"{prefix}/lib64:/x"
    for name in ("include", "lib64", "opp", "bin/setenv.bash", "python/site-packages/acl"):
        assert (prefix / name).exists()


def test_sourcing_twice_changes_nothing(prefix):
    source = scripts(prefix)["set_env.sh"]
    once = environment_after(source, CLEAN)
    assert environment_after(f"{source}\n{source}", CLEAN) == once


def test_helpers_do_not_stay_behind(prefix):
    script = f'. "{prefix}/set_env.sh"; compgen -v; compgen -A function; true'
    assert "_aclhost" not in run(["bash", "-c", script]).stdout


def test_found_from_any_directory_and_place(prefix, tmp_path):
    moved = tmp_path / "a tree with 'quotes'"
    (moved / "bin").mkdir(parents=True)
    shutil.copy(prefix / "set_env.sh", moved)
    shutil.copy(prefix / "bin" / "setenv.bash", moved / "bin")
    for script, directory in (("./set_env.sh", moved), ("./setenv.bash", moved / "bin")):
        text = run(
            ["bash", "-c", f'. {script}; printf %s "$ASCEND_HOME_PATH"'], cwd=directory
        ).stdout
        assert text == str(moved)


def test_a_plain_shell_gets_a_hint(prefix):
    if run(["sh", "-c", "echo ${BASH_VERSION-}"]).stdout.strip():
        environment_after(f'. "{prefix}/set_env.sh"', CLEAN, shell="sh")
    else:
        done = run(
            ["sh", "-c", f'. "{prefix}/set_env.sh"; echo "[${{ASCEND_HOME_PATH-}}]"'], env=CLEAN
        )
        assert done.stdout == "[]\n"
        assert "aclhost env" in done.stderr
