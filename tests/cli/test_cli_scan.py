# SPDX-License-Identifier: Apache-2.0
"""`aclhost scan`."""

import json
import struct

import pytest
from support.programs import run

from aclhost import ops
from aclhost.building import toolkit
from aclhost.scan import scan
from aclhost.spec import catalogue, unsupported_api

COMPUTED = ops.ALL[0].name
KNOWN = sorted(catalogue.operators().keys() - ops.BY_NAME.keys())
UNSUPPORTED = unsupported_api.FUNCTIONS[0].name


@pytest.fixture
def found(tmp_path):
    """Scans texts, given by file name; {name: (state, count)}."""

    def read(**texts):
        for name, text in texts.items():
            stem, _, suffix = name.rpartition("_")
            (tmp_path / f"{stem}.{suffix}").write_text(text)
        report = scan([tmp_path])
        assert report.problems == []
        assert report.files == len(texts)
        return {use.name: (use.state, use.count) for use in report.uses}

    return read


def test_states(found):
    text = (
        f"{COMPUTED}(a); {KNOWN[0]}(a); {UNSUPPORTED}(b); aclrtMalloc(c); aclnnQuux(d); aclQuux();"
    )
    assert found(main_cpp=text) == {
        COMPUTED: ("computed", 1),
        KNOWN[0]: ("known", 1),
        UNSUPPORTED: ("known", 1),
        "aclrtMalloc": ("computed", 1),
        "aclnnQuux": ("unknown", 1),
        "aclQuux": ("unknown", 1),
    }


def test_phases_are_one_name(found):
    assert found(main_c=f"{KNOWN[0]}GetWorkspaceSize(); {KNOWN[0]}();") == {KNOWN[0]: ("known", 2)}


def test_comments_and_types_are_no_uses(found):
    text = """
// aclrtMalloc() here, and aclnnQuux()
/* aclrtFree()
   aclrtFree() */
aclTensor* t; aclrtStream s; aclnnStatus code = aclnnStatus(0); aclmdlQuux* model;
std::unique_ptr<aclQuux, Deleter> p; AclWrapper wrapper(1); const char* text = "// aclInit";
char quote = '"'; aclInit(nullptr);  // "
"""
    assert found(main_cpp=text) == {"aclInit": ("computed", 1)}


def test_names_that_are_passed_on(found):
    text = """
std::unique_ptr<void, aclError (*)(void*)> p(m, aclrtFree);
EXEC_NPU_CMD(aclnnQuux, x); call<aclnnQuux>(); resolve(library, "aclnnQuuxGetWorkspaceSize");
log("aclnnOther failed");
"""
    assert found(main_cpp=text) == {"aclrtFree": ("computed", 1), "aclnnQuux": ("unknown", 3)}


def test_macros_that_paste_names(found):
    header = """
#define CALL(CTX, OP, ...)                              \\
  do {                                                  \\
    aclnn##OP##GetWorkspaceSize(__VA_ARGS__, &a, &b);   \\
    aclnn ## OP(c, d);                                  \\
  } while (0)
#define UNARY(OP) [&] { CALL(ctx, OP, x); }()
#define INPLACE(OP) aclnnInplace##OP(x)
"""
    source = "void f() { CALL(ctx, Quux, g(1, 2)); UNARY(Frob); INPLACE(Xyz); CALL(broken"
    assert found(first_cpp=source, ops_h=header) == {
        "aclnnFrob": ("unknown", 2),
        "aclnnQuux": ("unknown", 2),
        "aclnnInplaceXyz": ("unknown", 1),
    }


def test_python(found):
    text = f'''
"""A module about aclnnQuux and aclrtMalloc."""
import acl
library.aclrtMalloc(size)
library["{KNOWN[0]}GetWorkspaceSize"]
symbol = library.{COMPUTED}  # aclnnOther
raise RuntimeError("aclnnOther failed")
acl.rt.set_device(0); acl.rt.quux(); acl.rt.anything
acl.mdl.set_dump(file); acl.mdl.unload(1); acl.media.dvpp_free(1); acl.create_tensor_desc()
'''
    assert found(client_py=text) == {
        "aclrtMalloc": ("computed", 1),
        KNOWN[0]: ("known", 1),
        COMPUTED: ("computed", 1),
        "acl.rt.set_device": ("computed", 1),
        "acl.rt.quux": ("unknown", 1),
        "acl.mdl.set_dump": ("computed", 1),
        "acl.mdl.unload": ("known", 1),
        "acl.media.dvpp_free": ("known", 1),
        "acl.create_tensor_desc": ("known", 1),
    }


def test_acl_that_is_not_pyacl(found):
    assert found(other_py="acl = AccessControlList()\nacl.rt.quux()\n") == {}


SOURCE = f"""
#include "acl/acl.h"
#include "aclnnop/{catalogue.operators()[KNOWN[0]].header}"
int main() {{ aclInit(nullptr); return {KNOWN[0]}(nullptr, 0, nullptr, nullptr); }}
"""
IN_BINARIES = {"aclInit": "computed", KNOWN[0]: "known"}


@pytest.mark.parametrize("options", [["-c"], ["-shared", "-fPIC"], []], ids=["object", "so", "exe"])
def test_binaries(options, tmp_path):
    (tmp_path / "source.cpp").write_text(SOURCE)
    binary = tmp_path / "directory/binary"
    binary.parent.mkdir()
    flags = [*toolkit.cflags(), *toolkit.libs()]
    run(["g++", tmp_path / "source.cpp", *options, "-o", binary, *flags])
    for path in (binary, binary.parent):
        assert {use.name: use.state for use in scan([path]).uses} == IN_BINARIES


def test_a_32_bit_big_endian_binary(tmp_path):
    """Made by hand: a table of names, a table of symbols, one of them undefined."""
    names = b"\0aclInit\0aclFinalize\0"
    symbols = struct.pack(">IIIBBH", 1, 0, 0, 0, 0, 0) + struct.pack(">IIIBBH", 9, 0, 0, 0, 0, 7)
    offset = 52 + len(names) + len(symbols)
    header = b"\x7fELF\x01\x02\x01" + bytes(9)
    header += struct.pack(">HHIIIIIHHHHHH", 3, 8, 1, 0, 0, offset, 0, 52, 0, 0, 40, 2, 0)
    strings = struct.pack(">IIIIIIIIII", 0, 3, 0, 0, 52, len(names), 0, 0, 1, 0)
    table = struct.pack(">IIIIIIIIII", 0, 11, 0, 0, 52 + len(names), len(symbols), 0, 0, 4, 16)
    (tmp_path / "libother.so").write_bytes(header + names + symbols + strings + table)
    assert [use.name for use in scan([tmp_path]).uses] == ["aclInit"]


def test_every_file_is_read_once(tmp_path):
    source = tmp_path / "main.cpp"
    source.write_text("aclInit(0);")
    assert scan([source, tmp_path, tmp_path]).uses[0].count == 1


@pytest.mark.parametrize(
    ("text", "status"), [(f"{COMPUTED}();", 0), (f"{KNOWN[0]}();", 1), ("aclnnQuux();", 1)]
)
def test_exit_status(text, status, aclhost_command, tmp_path):
    (tmp_path / "main.cpp").write_text(text)
    assert text.partition("(")[0] in aclhost_command("scan", tmp_path, status=status).stdout


def test_json(aclhost_command, tmp_path):
    source = tmp_path / "main.cpp"
    source.write_text(f"{KNOWN[0]}(); aclInit(0); aclInit(0);")
    data = json.loads(aclhost_command("scan", source, "--json", status=1).stdout)
    assert (data["complete"], data["files"], data["problems"]) == (False, 1, [])
    assert data["counts"] == {
        "operator": {"computed": 0, "known": 1, "unknown": 0},
        "runtime": {"computed": 1, "known": 0, "unknown": 0},
    }
    assert data["names"][1] == {
        "name": "aclInit",
        "kind": "runtime",
        "state": "computed",
        "count": 2,
        "files": [str(source)],
    }


def test_nothing_to_report(refusal, tmp_path):
    (tmp_path / "main.cpp").write_text("int main() {}")
    assert "no names of AscendCL in 1 files" in refusal("scan", tmp_path, status=0)


@pytest.mark.parametrize(
    ("name", "data"), [("broken.so", b"\x7fELF\x02\x01"), ("broken.py", b"def (")]
)
def test_unreadable_files(name, data, aclhost_command, tmp_path):
    (tmp_path / name).write_bytes(data)
    (tmp_path / "main.cpp").write_text("aclInit(0);")
    result = aclhost_command("scan", tmp_path, status=2)
    assert "aclInit" in result.stdout
    assert name in result.stderr


def test_wrong_use(aclhost_command, tmp_path):
    assert "PATH" in aclhost_command("scan", status=2).stderr
    missing = aclhost_command("scan", tmp_path / "none", status=2)
    assert "does not exist" in missing.stderr
