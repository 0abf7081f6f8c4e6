# SPDX-License-Identifier: Apache-2.0
"""aclInit, aclFinalize and aclFinalizeReference: their order, their count, their configuration."""

import os

import pytest


def test_init_and_finalize_once(in_process):
    in_process("""
assert lib.aclInit(None) == 0
assert lib.aclGetRecentErrMsg() is None
assert lib.aclFinalize() == 0
assert lib.aclFinalize() == REPEAT_FINALIZE
assert "aclFinalize returns 100037" in text(lib)
""")


def test_finalize_without_init_succeeds_once(in_process):
    in_process("""
assert lib.aclFinalize() == 0
assert lib.aclFinalize() == REPEAT_FINALIZE
assert lib.aclInit(b"") == 0
assert lib.aclFinalize() == 0
""")


def test_repeated_init_is_counted(in_process):
    in_process("""
left = c_uint64(77)
assert lib.aclFinalizeReference(left) == REPEAT_FINALIZE
assert left.value == 77
assert lib.aclInit(None) == 0
assert lib.aclInit(None) == REPEAT_INITIALIZE
assert lib.aclInit(b"/no/such/file") == REPEAT_INITIALIZE
assert lib.aclFinalizeReference(left) == 0 and left.value == 2
assert lib.aclFinalizeReference(None) == 0
assert lib.aclFinalizeReference(left) == 0 and left.value == 0
assert lib.aclFinalizeReference(left) == REPEAT_FINALIZE
assert lib.aclFinalize() == REPEAT_FINALIZE
""")


def test_finalize_ends_all_references(in_process):
    in_process("""
assert lib.aclInit(None) == 0
assert lib.aclInit(None) == REPEAT_INITIALIZE
assert lib.aclFinalize() == 0
assert lib.aclFinalizeReference(None) == REPEAT_FINALIZE
assert lib.aclInit(None) == 0
""")


def test_a_file_that_cannot_be_read(in_process, tmp_path):
    in_process(f"""
for path in ({str(tmp_path / "missing.json")!r}, {str(tmp_path)!r}):
    assert lib.aclInit(path.encode()) == INVALID_FILE
    assert path in text(lib)
assert lib.aclInit(None) == 0
""")


def nested(depth):
    return '{"a":' * (depth - 1) + "{}" + "}" * (depth - 1)


@pytest.mark.parametrize(
    "config",
    [
        "{}",
        ' {"dumps": {"list": [1, -2.5e+3, true, false, null, "\\u00e9\\n"]}, "b": ""}\n',
        '{"a": [], "b": [[]], "c": 0, "d": -0.1E-2}',
        nested(10),
    ],
)
def test_good_configurations(in_process, tmp_path, config):
    path = tmp_path / "acl.json"
    path.write_text(config)
    in_process(f"assert lib.aclInit({str(path)!r}.encode()) == 0, text(lib)")


@pytest.mark.parametrize(
    "config",
    [
        "", "{", "}", "[]", "1", "{}}", "{} {}", '{"a"}', '{"a":}', '{"a":1,}', "{,}", "{a:1}",
        '{"a":01}', '{"a":1.}', '{"a":.5}', '{"a":+1}', '{"a":1e}', '{"a":tru}', '{"a":"\\x"}',
        '{"a":"\\u12g4"}', '{"a":"\n"}', '{"a":[1,]}', '{"a":[}', '{"a":"', "{'a':1}", nested(11),
    ],
)  # fmt: skip
def test_bad_configurations(in_process, tmp_path, config):
    path = tmp_path / "acl.json"
    path.write_text(config)
    in_process(f"""
assert lib.aclInit({str(path)!r}.encode()) == PARSE_FILE
assert "acl.json" in text(lib)
assert lib.aclInit(None) == 0
""")


def test_another_configuration_after_finalize(in_process, tmp_path):
    first, same, other = (tmp_path / name for name in ("first", "same", "other"))
    first.write_text("{}")
    same.write_text("{}")
    other.write_text('{"a": 1}')
    in_process(f"""
assert lib.aclInit({str(first)!r}.encode()) == 0
assert lib.aclFinalize() == 0
assert lib.aclInit({str(other)!r}.encode()) == INVALID_PARAM
assert "configPath" in text(lib)
assert lib.aclInit(None) == INVALID_PARAM
assert lib.aclInit({str(same)!r}.encode()) == 0
""")


def test_unknown_soc(in_process):
    in_process(
        """
assert lib.aclInit(None) == INTERNAL_ERROR
message = text(lib)
assert "ACLHOST_SOC" in message and "Ascend910B1" in message
assert lib.aclrtGetSocName() is None
""",
        ACLHOST_SOC="Ascend123",
    )


@pytest.mark.parametrize(
    "name", ["Ascend910B1", "Ascend910_9391", "Ascend310P3", "Ascend950PR_9599"]
)
def test_soc_name_comes_from_the_environment(in_process, name):
    in_process(
        f"""
assert lib.aclInit(None) == 0
assert lib.aclrtGetSocName() == {name.encode()!r}
""",
        ACLHOST_SOC=name,
    )


def test_default_soc(in_process):
    in_process('assert lib.aclrtGetSocName() == b"Ascend910B1"', ACLHOST_SOC="")


def test_cleaning_up_after_finalize(in_process):
    in_process("""
assert lib.aclInit(None) == 0
assert lib.aclrtSetDevice(0) == 0
memory, host, stream = c_void_p(), c_void_p(), c_void_p()
assert lib.aclrtMalloc(memory, 16, 0) == 0
assert lib.aclrtMallocHost(host, 16) == 0
assert lib.aclrtCreateStream(stream) == 0
tensor = lib.aclCreateTensor(dims(2), 1, 0, None, 0, 2, dims(2), 1, memory)
assert lib.aclrtResetDevice(0) == 0
assert lib.aclFinalize() == 0
assert lib.aclrtDestroyStream(stream) == RT_INVALID_HANDLE
assert lib.aclDestroyTensor(tensor) == 0
assert lib.aclrtFree(memory) == 0
assert lib.aclrtFreeHost(host) == 0
assert lib.aclrtFree(memory) == RT_PARAM_INVALID
""")


def test_exit_with_everything_alive(in_process):
    in_process("""
assert lib.aclrtSetDevice(0) == 0
for _ in range(10):
    stream, context, memory = c_void_p(), c_void_p(), c_void_p()
    assert lib.aclrtCreateContext(context, 0) == 0
    assert lib.aclrtCreateStream(stream) == 0
    assert lib.aclrtMalloc(memory, 1000, 0) == 0
""")


@pytest.mark.parametrize("kind", ["endless", "pipe", "long"])
def test_a_configuration_that_is_not_a_short_file(in_process, tmp_path, kind):
    path = tmp_path / kind
    if kind == "endless":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.write_text("{" + " " * (17 << 20) + "}")
    in_process(
        f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
assert lib.aclInit({bytes(path)!r}) == INVALID_FILE
assert "cannot be read" in text(lib)
assert lib.aclInit(None) == 0
"""
    )
