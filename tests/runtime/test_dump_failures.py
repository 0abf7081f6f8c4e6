# SPDX-License-Identifier: Apache-2.0
"""Dumps of operators that fail, and dumps that fail themselves."""

from dump_programs import END, START

from aclhost import dump_files


def test_operators_that_fail(in_process, tmp_path):
    """An index out of range, with what the program adds."""
    program = """
class Tensor(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("size", ctypes.c_size_t), ("format", ctypes.c_int32),
                ("dtype", ctypes.c_int32), ("address", c_void_p), ("kind", ctypes.c_int),
                ("placement", ctypes.c_int), ("place", ctypes.c_uint32), ("rank", ctypes.c_uint32),
                ("origin_rank", ctypes.c_uint32), ("shape", ctypes.c_uint64 * 25),
                ("origin", ctypes.c_uint64 * 25)]
path = ctypes.create_string_buffer(4096)
assert lib.acldumpGetExceptionInfoPath(path, 4096) == 500001
assert lib.aclmdlInitDump() == 0
config = configure(dump_op_switch="off", dump_scene="aic_err_brief_dump")
assert lib.aclmdlSetDump(config) == 0
assert lib.acldumpGetExceptionInfoPath(path, 8) == INVALID_PARAM
assert lib.acldumpGetExceptionInfoPath(path, 4096) == 0
assert path.value.decode() == folder + "/extra-info/data-dump/0/"
tensor = Tensor(0, 16, 2, 0, x.value, 2, 0, 0, 1, 1)
tensor.shape[0] = 4
one = ctypes.byref(tensor)
assert lib.acldumpSaveExceptionInfo(b"../up", None, one, 1) == INVALID_PARAM
assert lib.acldumpSaveExceptionInfo(b"mine", None, None, 1) == INVALID_PARAM
assert lib.acldumpSaveExceptionInfo(b"mine", b"tag", one, 1) == 0
assert lib.acldumpSaveExceptionInfo(b"mine", b"tag", one, 1) == 0  # in the same millisecond
tensor.shape[0] += 2**59  # whose bytes wrap around to 16
assert lib.acldumpSaveExceptionInfo(b"wrapped", None, one, 1) == 0
tensor.address = 64
assert lib.acldumpSaveExceptionInfo(b"mine", None, one, 1) == INVALID_PARAM
c = _capi.library()
index, out = c_void_p(), c_void_p()
assert lib.aclrtMalloc(index, 16, 0) == lib.aclrtMalloc(out, 64, 0) == 0
assert lib.aclrtMemset(index, 16, 0x11, 16) == 0
handles = [
    c.aclCreateTensor(dims(*shape), len(shape), dtype, None, 0, 2, dims(*shape), len(shape), place)
    for shape, dtype, place in (((4,), 0, x), ((2,), 9, index), ((2,), 0, out))
]
size, executor = c_uint64(), c_void_p()
assert c.aclnnIndexSelectGetWorkspaceSize(
    handles[0], 0, handles[1], handles[2], byref(size), byref(executor)) == 0
assert c.aclnnIndexSelect(None, 0, executor, stream) == 0
assert lib.aclrtSynchronizeStream(stream) == RT_AICORE_EXCEPTION
for handle in handles:
    assert c.aclDestroyTensor(handle) == 0
assert lib.aclrtFree(index) == lib.aclrtFree(out) == 0
assert lib.aclmdlFinalizeDump() == 0
"""
    in_process(START + program + END, str(tmp_path))
    failed, mine, again, wrapped = sorted((tmp_path / "extra-info/data-dump/0").iterdir())
    assert failed.name.startswith("IndexSelect.aclnnIndexSelect.")
    loaded = dump_files.load(failed)
    assert set(loaded) == {"input.0", "input.1", "output.0"}
    assert loaded["input.0"].tolist() == [0.0] * 4
    assert loaded["input.1"].tolist() == [0x1111111111111111] * 2
    assert mine.name.startswith("mine.custom.")
    assert again.name.startswith("mine.custom.")
    for path in (mine, again):
        assert dump_files.load(path)["input.0"].tolist() == [0.0] * 4
    assert dump_files.load(wrapped)["input.0"].tolist() == [0] * 16  # bytes
