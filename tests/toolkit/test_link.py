# SPDX-License-Identifier: Apache-2.0
"""The tree at a fixed place: made, listed, refused, undone; or seen by one command only."""

import json
import os
import platform
import shutil
import sys
from pathlib import Path

import pytest
from support.programs import clean_environment, run

from aclhost.building import presented, private_mounts, toolkit

COMMAND = (sys.executable, "-c", "from aclhost.cli import main; main()")
VERSION = presented.VERSION
PLACES = (
    f"cann-{VERSION}", f"ascend-toolkit/{VERSION}", "ascend-toolkit/latest", "cann", "latest",
)  # fmt: skip
LIBRARIES = ("lib64", "aarch64-linux/lib64")
# Clients that know nothing but a path: they load by it and import pyACL from it.
CLIENT = """
import ctypes, sys
root = sys.argv[1]
ctypes.CDLL(f"{root}/aarch64-linux/lib64/libopapi.so", ctypes.RTLD_GLOBAL).aclnnEluGetWorkspaceSize
sys.path.insert(0, f"{root}/python/site-packages")
import acl
print(acl.init(), acl.rt.set_device(0), acl.get_soc_name())
"""


def command(*words, status=0, **options):
    return run([*COMMAND, *words], status=status, **options)


def tree(directory):
    """Every path below a directory, with what links point to."""
    return {
        str(path.relative_to(directory)): os.readlink(path) if path.is_symlink() else None
        for path in directory.rglob("*")
    }


@pytest.fixture
def place(tmp_path):
    return tmp_path / "usr" / "Ascend"


def test_says_what_it_made(place, prefix):
    lines = command("link", place).stdout.splitlines()
    assert lines == [f"{place / name} -> {prefix}" for name in PLACES]
    for name in PLACES:
        for library in LIBRARIES:
            assert (place / name / library / "libopapi.so").is_file()
        assert (place / name / "include/acl/acl.h").is_file()


def test_a_client_with_fixed_paths_runs(place):
    command("link", place)
    done = run([sys.executable, "-c", CLIENT, place / "ascend-toolkit/latest"])
    assert done.stdout.split()[:2] == ["0", "0"]


def test_another_version(place):
    command("link", "--version", "8.5.0", place)
    assert (place / "cann-8.5.0/lib64/libascendcl.so").is_file()
    assert (place / "ascend-toolkit/8.5.0/lib64").is_dir()


def test_undone_nothing_is_left(place, tmp_path):
    command("link", place)
    assert "removed" in command("link", "--remove", place).stdout
    assert tree(tmp_path) == {}


def test_made_twice_is_made_once(place):
    command("link", "--version", "8.5.0", place)
    command("link", place)
    once = tree(place)
    command("link", place)
    assert tree(place) == once
    assert not (place / "cann-8.5.0").exists()


@pytest.mark.parametrize("name", ["driver/lib64", "ascend-toolkit/8.3.RC2", "cann-9.1.0/lib64"])
def test_a_real_toolkit_is_left_alone(place, name):
    (place / name).mkdir(parents=True)
    before = tree(place)
    done = command("link", place, status=1)
    assert "aclhost did not make" in done.stderr
    assert tree(place) == before
    assert "was not made by aclhost" in command("link", "--remove", place, status=1).stderr
    assert tree(place) == before


def test_what_others_put_there_stays(place):
    command("link", place)
    (place / "cann-mine").mkdir()
    command("link", "--remove", place)
    assert tree(place) == {"cann-mine": None}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_without_rights_it_says_what_to_do():
    done = command("link", "/proc/aclhost", status=1)
    assert "aclhost run --at" in done.stderr


def namespaces_work():
    words = [sys.executable, "-I", private_mounts.__file__, "/usr/local/Ascend", "{}", "true"]
    return run(words, status=None).returncode == 0


private = pytest.mark.skipif(not namespaces_work(), reason="the kernel forbids private mounts")


@private
def test_one_command_sees_it_and_nothing_stays_behind():
    existed = presented.DEFAULT.exists()
    place = presented.DEFAULT
    done = command("run", "--at", place, sys.executable, "-c", CLIENT, place / "latest")
    assert done.stdout.split()[:2] == ["0", "0"]
    assert presented.DEFAULT.exists() == existed


@private
def test_everything_else_stays_visible(tmp_path):
    (tmp_path / "file").write_text("text")
    (tmp_path / "directory/inside").mkdir(parents=True)
    (tmp_path / "link").symlink_to("file")
    before = tree(tmp_path)
    script = f"cat {tmp_path}/link; ls {tmp_path}/directory; ls {tmp_path}; exit 7"
    done = command("run", "--at", tmp_path / "new/Ascend", "sh", "-c", script, status=7)
    assert done.stdout.split() == ["text" + "inside", "directory", "file", "link", "new"]
    assert tree(tmp_path) == before


@private
def test_a_real_toolkit_is_hidden_only_from_the_command(place):
    (place / "driver").mkdir(parents=True)
    done = command("run", "--at", place, "ls", place)
    assert "driver" not in done.stdout
    assert "ascend-toolkit" in done.stdout
    assert (place / "driver").is_dir()


@private
def test_a_program_is_compiled_and_run_there(tmp_path, place):
    source = tmp_path / "look.cpp"
    source.write_text(
        '#include <cstdio>\n#include "acl/acl.h"\n'
        f'static const char* const kFile = "{place}/latest/set_env.sh";\n'
        'int main() { return std::fopen(kFile, "r") != nullptr ? aclInit(nullptr) : 9; }\n'
    )
    command("run", "--at", place, source)


@private
def test_a_shell(place):
    environment = clean_environment(SHELL="/bin/sh")
    done = run(
        [*COMMAND, "shell", "--at", place],
        env=environment,
        input=f"ls {place}; npu-smi -v; exit 3\n",
        status=3,
    )
    assert "ascend-toolkit" in done.stdout
    assert "npu-smi version" in done.stdout


@private
def test_whoever_is_not_root_sees_it_too(place):
    """As user 1000 of a namespace that may make further ones."""
    somebody = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    if (
        shutil.which("unshare") is None
        or run([*somebody, *somebody, "true"], status=None).returncode
    ):
        pytest.skip("users cannot be changed here")
    script = f"id -u; ls {place}/latest/lib64/libopapi.so"
    done = run([*somebody, *COMMAND, "run", "--at", place, "sh", "-c", script])
    assert done.stdout.split() == ["1000", f"{place}/latest/lib64/libopapi.so"]
    assert not place.exists()


@private
def test_an_unknown_command(place):
    done = command("run", "--at", place, "no-such-command", status=127)
    assert done.stderr == "aclhost: no-such-command: No such file or directory\n"


# As somebody who is not root, and may have no user namespace either.
FORBIDDEN = """
import os, runpy, sys
sys.argv = {arguments!r}
os.geteuid = lambda: 1
runpy.run_path({path!r}, run_name="__main__")
"""


def test_what_the_kernel_forbids_is_said(tmp_path):
    """Limits of user namespaces are inherited: here, none may be made."""
    program = FORBIDDEN.format(
        arguments=["", str(tmp_path), "{}", "true"], path=private_mounts.__file__
    )
    maximum = Path("/proc/sys/user/max_user_namespaces")
    if shutil.which("unshare") is None or not namespaces_work() or not maximum.exists():
        pytest.skip("no namespace to forbid them in")
    script = f'echo 0 > {maximum}; exec {sys.executable} -I -c "$PROGRAM"'
    environment = clean_environment(PROGRAM=program)
    words = ["unshare", "--user", "--map-root-user", "sh", "-c", script]
    done = run(words, env=environment, status=125)
    assert "the kernel forbids private mounts" in done.stderr
    assert "aclhost link" in done.stderr


def test_the_names_follow_from_the_version():
    made = presented.links("1.2.3")
    assert made["ascend-toolkit/latest"] == "../cann-1.2.3"
    alias = Path(made["cann-1.2.3/aarch64-linux"])
    assert alias == toolkit.prefix() / f"{platform.machine()}-linux"
    json.dumps(made)
