# SPDX-License-Identifier: Apache-2.0
"""Whatever names a process links or loads, there is one library and one state.

aclInit tells: the first call answers 0, every later one 100002.
"""

import sys

import pytest
from support.programs import clean_environment, run

from aclhost.spec import libraries

# Calls aclInit as linked (when it is), then through every library named on the command line.
PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#ifdef LINKED
int aclInit(const char*);
#endif
int main(int argc, char** argv) {
#ifdef LINKED
  printf("%d\n", aclInit(NULL));
#endif
  for (int i = 1; i < argc; ++i) {
    void* library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return puts(dlerror()), 1;
    int (*init)(const char*) = (int (*)(const char*))dlsym(library, "aclInit");
    printf("%d\n", init(NULL));
  }
  return 0;
}
"""

CLOSING = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    void* library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return puts(dlerror()), 1;
    printf("%d\n", ((int (*)(const char*))dlsym(library, "aclInit"))(NULL));
    dlclose(library);
  }
  return 0;
}
"""


def paths(root):
    return [root / "lib64" / library.file for library in libraries.ALL]


def codes(command, **options):
    return [int(line) for line in run(command, **options).stdout.split()]


def once(count):
    return [0] + [100002] * (count - 1)


RUNTIMES = [library.name for library in libraries.ALL if "runtime" in library.exports]


@pytest.mark.parametrize("name", RUNTIMES)
def test_linked_alone_then_all_others_loaded(name, build, prefix, arch_prefix):
    lib64 = prefix / "lib64"
    program = build(
        "c", PROGRAM, "-DLINKED", f"-L{lib64}", f"-l{name}", f"-Wl,-rpath,{lib64}", "-ldl"
    )
    loaded = [*paths(prefix), *paths(arch_prefix), lib64 / "libaclhost.so"]
    assert codes([program]) == [0]
    assert codes([program, *loaded]) == once(1 + len(loaded))


def test_loaded_alone_and_in_any_order(build, prefix, arch_prefix):
    program = build("c", PROGRAM, "-ldl")
    every = [*paths(prefix), *paths(arch_prefix), prefix / "lib64" / "libaclhost.so"]
    for path in every:
        assert codes([program, path]) == [0]
    assert codes([program, *every]) == once(len(every))
    assert codes([program, *reversed(every)]) == once(len(every))


def test_loaded_by_bare_name(build, prefix):
    program = build("c", PROGRAM, "-ldl")
    names = [path.name for path in paths(prefix)]
    assert codes(
        [program, *names], env=clean_environment(LD_LIBRARY_PATH=prefix / "lib64")
    ) == once(len(libraries.ALL))


def test_linked_against_several_by_absolute_path(build, prefix):
    flags = ["-DLINKED", "-Wl,--no-as-needed", *paths(prefix), f"-Wl,-rpath,{prefix}/lib64", "-ldl"]
    assert codes([build("c", PROGRAM, *flags)]) == [0]


def test_through_directory_links(build, prefix, tmp_path):
    program = build("c", PROGRAM, "-ldl")
    (tmp_path / "latest").symlink_to(prefix)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "lib64").symlink_to(prefix / "lib64")
    every = [*paths(tmp_path / "latest"), *paths(tmp_path / "other"), *paths(prefix)]
    assert codes([program, *every]) == once(len(every))


def test_through_a_link_to_one_file(build, prefix, tmp_path):
    """The loader looks beside the link; without a search path it refuses rather than guesses."""
    program = build("c", PROGRAM, "-ldl")
    link = tmp_path / "libopapi.so"
    link.symlink_to(prefix / "lib64" / "libopapi.so")
    assert "libnnopbase.so: cannot open" in run([program, link], status=1).stdout
    found = clean_environment(LD_LIBRARY_PATH=prefix / "lib64")
    assert codes([program, link, *paths(prefix)], env=found) == once(1 + len(libraries.ALL))


def test_plugins_that_linked_other_names(build, prefix):
    """Each plug-in is local to its handle and knows one name; the program knows a third."""
    lib64 = prefix / "lib64"
    plugin = "int aclInit(const char*);\nint plugin_init(void) { return aclInit(0); }\n"
    shared = ("-shared", "-fPIC", "-Wl,--no-as-needed", f"-L{lib64}", f"-Wl,-rpath,{lib64}")
    first = build("c", plugin, *shared, "-lopapi", name="first.so")
    second = build("c", plugin, *shared, "-lnnopbase", name="second.so")
    text = PROGRAM.replace('"aclInit"', '"plugin_init"')
    flags = (f"-L{lib64}", "-lascendcl", f"-Wl,-rpath,{lib64}", "-ldl")
    assert codes([build("c", text, "-DLINKED", *flags), first, second]) == once(3)
    assert codes([build("c", text, "-ldl", name="unlinked"), second, first]) == once(2)


def test_the_state_survives_dlclose(build, prefix):
    program = build("c", CLOSING, "-ldl")
    assert codes([program, *paths(prefix)]) == once(len(libraries.ALL))


def test_preloaded(build, prefix):
    lib64 = prefix / "lib64"
    flags = ("-DLINKED", f"-L{lib64}", "-lacl_rt", f"-Wl,-rpath,{lib64}", "-ldl")
    program = build("c", PROGRAM, *flags)
    environment = clean_environment(LD_PRELOAD=lib64 / "libopapi.so")
    assert codes([program, lib64 / "libascendcl.so"], env=environment) == once(2)


def test_python_and_ctypes_share_it(prefix):
    """The package, and a client's own CDLL of another name."""
    text = f"""
import ctypes
from aclhost import acl
print(acl.init())
for name in {[str(path) for path in paths(prefix)]}:
    print(ctypes.CDLL(name, ctypes.RTLD_GLOBAL).aclInit(None))
print(ctypes.CDLL(None).aclInit(None))
"""
    assert codes([sys.executable, "-c", text]) == once(2 + len(libraries.ALL))
