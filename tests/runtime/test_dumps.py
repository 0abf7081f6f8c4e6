# SPDX-License-Identifier: Apache-2.0
"""Launched operators write their tensors while the program has dumps on."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from dump_programs import END, START, files

from aclhost import arrays, dump_files

DUMPED = """
assert lib.aclmdlInitDump() == 0
assert lib.aclmdlSetDump(configure(**json.loads(sys.argv[3]))) == 0
increment.launch(stream)
assert lib.aclrtSynchronizeStream(stream) == 0
assert lib.aclmdlFinalizeDump() == 0
increment.launch(stream)
assert lib.aclrtSynchronizeStream(stream) == 0
"""


@pytest.mark.parametrize("strict", ["0", "1"])
@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("input", [{"input.0": 0.0}]),
        ("output", [{"output.0": 1.0}]),
        ("all", [{"input.0": 0.0}, {"output.0": 1.0}]),
    ],
)
def test_tensors_before_and_after(in_process, tmp_path, mode, expected, strict):
    wishes = json.dumps({"dump_mode": mode})
    in_process(START + DUMPED + END, str(tmp_path), wishes, ACLHOST_STRICT=strict)
    found = files(tmp_path)
    assert [path.name.split(".")[:3] for path in found] == [
        ["InplaceAdds", "aclnnInplaceAdds", "0"]
    ] * len(expected)
    for path, wanted in zip(found, expected, strict=True):
        loaded = dump_files.load(path)
        assert {name: array.tolist() for name, array in loaded.items()} == {
            name: [value] * 4 for name, value in wanted.items()
        }


def test_the_head_is_what_a_card_writes(in_process, tmp_path):
    """Field by field: a message of protobuf behind its length."""
    in_process(START + DUMPED + END, str(tmp_path), "{}")
    (path,) = files(tmp_path)
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    head, time = data[8 : 8 + length], int(path.name.rpartition(".")[2])
    assert len(data) == 8 + length + 16
    assert head.startswith(b"\x0a\x032.0\x10")
    fields = dict(dump_files._fields(head))
    assert fields[2] == time
    assert fields[6] == b"aclnnInplaceAdds"
    output = dict(dump_files._fields(fields[3]))
    assert (output[1], output[2], output[6]) == (1, 2, 16)
    assert output[3] == output[7] == b"\x0a\x01\x04"


def test_statistics(in_process, tmp_path):
    wishes = json.dumps({"dump_data": "stats", "dump_stats": ["Max", "L2norm"]})
    in_process(START + DUMPED + END, str(tmp_path), wishes)
    (path,) = files(tmp_path)
    assert path.suffix == ".csv"
    assert path.read_text().splitlines() == [
        "Input/Output,Index,Data Size,Data Type,Format,Shape,Max Value,Count,L2norm",
        "Output,0,16,DT_FLOAT,ND,4,1,4,2",
    ]


def test_statistics_of_what_is_not_finite(in_process, tmp_path):
    program = """
import numpy as np
inf = float("inf")
values = np.array([inf, -inf, -inf, float("nan")], np.float32)
assert lib.aclrtMemcpy(x, 16, values.ctypes.data_as(c_void_p), 16, 1) == 0
"""
    wishes = json.dumps(
        {"dump_data": "stats", "dump_stats": ["Nan", "Negative Inf", "Positive Inf"]}
    )
    in_process(START + program + DUMPED + END, str(tmp_path), wishes)
    (path,) = files(tmp_path)
    head, line = path.read_text().splitlines()
    assert head.split(",")[7:] == ["Nan Count", "Negative Inf Count", "Positive Inf Count"]
    assert line.split(",")[7:] == ["1", "2", "1"]


@pytest.mark.parametrize("name", ["\U0001f600", "\u00e4\u4e2d", "a\nb\rc", 'a"b\\c'])
def test_any_name_of_a_directory(in_process, tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    in_process(START + DUMPED + END, str(tmp_path), json.dumps({"dump_path": str(folder)}))
    assert len(files(folder)) == 1


def test_runs_of_graphs(in_process, tmp_path):
    """What counts is whether dumps are on at the run."""
    program = """
begin(lib, stream)
increment.launch(stream)
graph = end(lib, stream)
assert lib.aclmdlInitDump() == 0
assert lib.aclmdlSetDump(configure()) == 0
for _ in range(2):
    run(lib, graph, stream)
assert lib.aclmdlFinalizeDump() == 0
run(lib, graph, stream)
assert lib.aclmdlRIDestroy(graph) == 0
"""
    in_process(START + program + END, str(tmp_path))
    values = [dump_files.load(path)["output.0"][0] for path in files(tmp_path)]
    assert values == [1.0, 2.0]


def test_what_is_queued_is_dumped_later(in_process, tmp_path):
    program = """
event = c_void_p()
other = c_void_p()
assert lib.aclrtCreateStream(other) == 0
assert lib.aclrtCreateEventWithFlag(event, 1) == 0
assert lib.aclrtStreamWaitEvent(stream, event) == 0
assert lib.aclmdlInitDump() == 0
assert lib.aclmdlSetDump(configure()) == 0
increment.launch(stream)
assert lib.aclmdlFinalizeDump() == 0
assert lib.aclrtRecordEvent(event, other) == 0
assert lib.aclrtSynchronizeStream(stream) == 0
assert lib.aclrtDestroyEvent(event) == 0
assert lib.aclrtDestroyStream(other) == 0
"""
    in_process(START + program + END, str(tmp_path))
    assert len(files(tmp_path)) == 1


def test_views_and_types(in_process, tmp_path):
    """Elements in row-major order, bfloat16 by its name, and more bytes than one piece."""
    program = """
import numpy as np, ml_dtypes
assert lib.aclmdlInitDump() == 0
assert lib.aclmdlSetDump(configure(dump_mode="input")) == 0
c = _capi.library()
def launch(array, dtype, shape, strides):
    memory, result = c_void_p(), c_void_p()
    assert lib.aclrtMalloc(memory, array.nbytes, 0) == lib.aclrtMalloc(result, array.nbytes, 0) == 0
    assert lib.aclrtMemcpy(memory, array.nbytes, array.ctypes.data, array.nbytes, 1) == 0
    flat = dims(array.size)
    x = c.aclCreateTensor(dims(*shape), 2, dtype, dims(*strides), 0, 2, flat, 1, memory)
    y = c.aclCreateTensor(dims(*shape), 2, dtype, None, 0, 2, dims(*shape), 2, result)
    size, executor = c_uint64(), c_void_p()
    assert c.aclnnAbsGetWorkspaceSize(x, y, byref(size), byref(executor)) == 0
    assert c.aclnnAbs(None, 0, executor, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert c.aclDestroyTensor(x) == c.aclDestroyTensor(y) == 0
    assert lib.aclrtFree(memory) == lib.aclrtFree(result) == 0
launch(np.arange(6, dtype=ml_dtypes.bfloat16), 27, (3, 2), (1, 3))
launch(np.arange(600_000, dtype=np.float32), 0, (600, 1000), (1000, 1))
assert lib.aclmdlFinalizeDump() == 0
"""
    in_process(START + program + END, str(tmp_path))
    small, large = (arrays.load(path)["input.0"] for path in files(tmp_path))
    assert small.dtype.name == "bfloat16"
    assert small.astype(float).tolist() == [[0, 3], [1, 4], [2, 5]]
    assert np.array_equal(large, np.arange(600_000, dtype=np.float32).reshape(600, 1000))


def test_by_the_configuration_of_init(in_process, tmp_path):
    program = (
        START.replace("lib.aclInit(None)", "lib.aclInit(configure())")
        + """
assert lib.aclmdlInitDump() == REPEAT_INITIALIZE
lib.acldumpGetPath.restype = ctypes.c_char_p
path = lib.acldumpGetPath(4).decode()
increment.launch(stream)
assert lib.aclrtSynchronizeStream(stream) == 0
assert len(os.listdir(path + "/0")) == 1
"""
    )
    in_process(program + END, str(tmp_path))
    assert len(files(tmp_path)) == 1


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"dump_path": "nowhere"}, "no directory"),
        ({"dump_path": ""}, "missing"),
        ({"dump_path": 3}, "has to be a text"),
        ({"dump_mode": "some"}, "input, output, all"),
        ({"dump_op_switch": "ON"}, "on, off"),
        ({"dump_step": "3-1"}, "0|3-5|10"),
        ({"dump_list": {}}, "array"),
        ({"dump_stats": ["Max"]}, "stats"),
        ({"dump_data": "stats", "dump_stats": ["Mean"]}, "known are Max"),
        ({"dump_debug": "on"}, "cannot both"),
        ({"dump_scene": "watcher"}, "dump_op_switch"),
    ],
)
def test_bad_configurations(in_process, tmp_path, wishes, said):
    program = """
assert lib.aclmdlSetDump(b"x") == 100045
assert lib.aclmdlFinalizeDump() == 100045
assert lib.aclmdlInitDump() == 0
assert lib.aclmdlInitDump() == REPEAT_INITIALIZE
assert lib.aclmdlSetDump(None) == INVALID_PARAM
assert lib.aclmdlSetDump(b"nowhere.json") == lib.aclmdlSetDump(b"") == INVALID_FILE
open(folder + "/bad.json", "w").write("{")
assert lib.aclmdlSetDump((folder + "/bad.json").encode()) == PARSE_FILE
lib.aclGetRecentErrMsg()
assert lib.aclmdlSetDump(configure(**json.loads(sys.argv[3]))) == 100009
assert sys.argv[4] in lib.aclGetRecentErrMsg().decode()
increment.launch(stream)
assert lib.aclmdlFinalizeDump() == 0
"""
    in_process(START + program + END, str(tmp_path), json.dumps(wishes), said)
    assert files(tmp_path) == []


def test_what_cannot_be_written_is_told_at_the_end(in_process, tmp_path):
    program = """
assert lib.aclmdlInitDump() == 0
assert lib.aclmdlSetDump(configure()) == 0
lib.acldumpGetPath.restype = ctypes.c_char_p
open(lib.acldumpGetPath(4), "w").close()  # where the directory should be
increment.launch(stream)
assert lib.aclrtSynchronizeStream(stream) == 0
assert lib.aclmdlFinalizeDump() == INTERNAL_ERROR
assert b"cannot be made" in lib.aclGetRecentErrMsg()
assert lib.aclmdlInitDump() == 0
assert lib.aclmdlFinalizeDump() == 0
"""
    in_process(START + program + END, str(tmp_path))


def test_a_function_instead_of_files(in_process, tmp_path):
    program = """
class Chunk(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 4096), ("length", ctypes.c_uint32),
                ("last", ctypes.c_uint32), ("offset", ctypes.c_int64), ("flag", ctypes.c_int32)]
seen = []
def take(chunk, length):
    head = Chunk.from_address(chunk)
    data = ctypes.string_at(chunk + Chunk.flag.offset + 4, head.length)
    seen.append((os.path.basename(head.name.decode()), head.last, head.offset, data))
    return 0
function = ctypes.CFUNCTYPE(ctypes.c_int32, c_void_p, ctypes.c_int32)(take)
assert lib.acldumpRegCallback(function, 1) == INVALID_PARAM
assert lib.acldumpRegCallback(function, 0) == 0
assert lib.aclmdlInitDump() == 0
assert lib.aclmdlSetDump(configure()) == 0
increment.launch(stream)
assert lib.aclrtSynchronizeStream(stream) == 0
assert lib.aclmdlFinalizeDump() == 0
lib.acldumpUnregCallback()
(name, last, offset, data), = seen
assert name.startswith("InplaceAdds.aclnnInplaceAdds.0.") and (last, offset) == (1, -1)
assert data[-16:] == np.full(4, 1, np.float32).tobytes()
"""
    in_process("import numpy as np\n" + START + program + END, str(tmp_path))
    assert files(tmp_path) == []


def test_by_the_names_of_pyacl(in_process, tmp_path):
    program = """
from aclhost import acl
seen, errors = [], []
def take(chunk):
    data = acl.util.ptr_to_bytes(chunk["data_buf"], chunk["buf_len"])
    seen.append((os.path.basename(chunk["file_name"]), data[-16:], chunk["is_last_chunk"],
                 chunk["offset"], chunk["flag"]))
def fail(chunk):
    raise LookupError
def dump(callback):
    if callback is not None:
        assert acl.mdl.dump_reg_callback(callback, 0) == 0
    assert acl.mdl.init_dump() == 0
    assert acl.mdl.set_dump(configure().decode()) == 0
    increment.launch(stream)
    assert acl.rt.synchronize_stream(stream.value) == 0
    return acl.mdl.finalize_dump()
sys.excepthook = lambda kind, *_: errors.append(kind)
assert acl.mdl.dump_reg_callback(take, 1) == INVALID_PARAM
assert dump(take) == 0
(name, data, *rest), = seen
assert name.startswith("InplaceAdds.aclnnInplaceAdds.0.") and rest == [1, -1, 0]
assert data == np.full(4, 1, np.float32).tobytes()
assert dump(fail) != 0 and errors == [LookupError] and len(seen) == 1
assert "did not take" in acl.get_recent_err_msg()
assert acl.mdl.dump_unreg_callback() is None
assert acl.op.start_dump_args(1, folder + "/arguments") == 0
assert dump(None) == 0 and len(seen) == 1
assert acl.op.stop_dump_args(1) == 0
"""
    in_process("import numpy as np\n" + START + program + END, str(tmp_path))
    assert [dump_files.load(path)["output.0"][0] for path in files(tmp_path)] == [3.0]
    assert len(list(tmp_path.glob("arguments/*.json"))) == 1


def test_arguments_of_launches(in_process, tmp_path):
    program = """
os.chdir(folder)
folder = "new/arguments"
assert lib.aclopStartDumpArgs(0, folder.encode()) == 500001
assert lib.aclopStartDumpArgs(1, b"") == 500001
assert lib.aclopStartDumpArgs(1, b"/proc/nowhere") == 500001
assert lib.aclopStartDumpArgs(1, folder.encode()) == 0
assert lib.aclopStartDumpArgs(1, folder.encode()) == 500001
for step in (1, 1, 2.5):
    increment.launch(stream, step)
assert lib.aclrtSynchronizeStream(stream) == 0
os.chdir("/")  # the directory stays the same
assert lib.aclopStopDumpArgs(1) == 0
increment.launch(stream)
assert lib.aclopStopDumpArgs(1) == 0
"""
    in_process(START + program + END, str(tmp_path))
    found = [json.loads(path.read_text()) for path in sorted(tmp_path.glob("new/arguments/*.json"))]
    assert [each["op_type"] for each in found] == ["InplaceAdds"] * 2
    assert sorted(each["attrs"][0]["value"] for each in found) == [1, 2.5]
    assert found[0]["inputs"] == found[0]["outputs"]
    assert found[0]["inputs"][0] == {
        "name": "selfRef", "index": 0, "dtype": "float", "format": "ND", "shape": [4],
    }  # fmt: skip


def test_compare_reads_dumps(in_process, tmp_path):
    """Two runs, whose times differ; then with a golden."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        in_process(START + DUMPED + END, str(tmp_path / name), "{}")
    command = [Path(sys.executable).with_name("aclhost"), "compare"]

    def status(*paths):
        return subprocess.run([*command, *map(str, paths)], check=False).returncode

    first, second = (next((tmp_path / name).glob("2*")) for name in ("one", "two"))
    assert status(first, second) == 0
    (dump,) = files(tmp_path / "one")
    np.save(tmp_path / "golden.npy", np.full(4, 1, np.float32))
    assert status(f"{dump}:output.0", tmp_path / "golden.npy") == 0
    np.save(tmp_path / "golden.npy", np.full(4, 2, np.float32))
    assert status(dump, tmp_path / "golden.npy") == 1


def test_files_that_are_no_dumps(tmp_path):
    name = tmp_path / "Add.aclnnAdd.0.0.1763400000000000"
    name.write_bytes(bytes(4))
    with pytest.raises(arrays.UnreadableArrayError, match="not a readable dump"):
        arrays.load(name)
    name.write_bytes((3).to_bytes(8, "little") + b"\x22\x02\x28")
    with pytest.raises(arrays.UnreadableArrayError, match="not a readable dump"):
        arrays.load(name)
