# SPDX-License-Identifier: Apache-2.0
"""Tensors, scalars, arrays and lists: what they keep, who owns what, and every bad handle."""

import ctypes
from ctypes import POINTER, c_int32, c_int64, c_uint64, c_void_p

import pytest
from c_library import ACLNN_INVALID, ACLNN_NULLPTR, dims, text

FLOAT, DOUBLE, BOOL, STRING, COMPLEX32 = 0, 11, 12, 13, 33
SCALAR_TYPES = (0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 16, 17, 27, *range(34, 42))
ND = 2
ARRAYS = ("IntArray", "FloatArray", "BoolArray")
LISTS = {"TensorList": "Tensor", "ScalarList": "Scalar"}
KINDS = ("Tensor", "Scalar", *ARRAYS, *LISTS)


def create(lib, kind):
    if kind == "Tensor":
        return lib.aclCreateTensor(dims(2, 3), 2, FLOAT, None, 0, ND, dims(2, 3), 2, None)
    if kind == "Scalar":
        return lib.aclCreateScalar(ctypes.byref(c_int64(1)), 9)
    return getattr(lib, f"aclCreate{kind}")(None, 0)


def destroy(lib, kind, handle):
    return getattr(lib, f"aclDestroy{kind}")(handle)


def size_of(lib, kind, handle):
    size = c_uint64(99)
    assert getattr(lib, f"aclGet{kind}Size")(handle, size) == 0
    return size.value


def get_dims(lib, name, tensor):
    values, count = POINTER(c_int64)(), c_uint64()
    assert getattr(lib, f"aclGet{name}")(tensor, values, count) == 0
    result = values[: count.value]
    assert values
    ctypes.CDLL(None).free(ctypes.cast(values, c_void_p))  # what delete[] comes to
    return result


def get(lib, name, kind, tensor):
    value = kind()
    assert getattr(lib, f"aclGet{name}")(tensor, value) == 0
    return value.value


def test_a_strided_tensor(lib):
    tensor = lib.aclCreateTensor(dims(2, 3), 2, DOUBLE, dims(1, -2), 7, 30, dims(64), 1, 0x1000)
    assert get_dims(lib, "ViewShape", tensor) == [2, 3]
    assert get_dims(lib, "ViewStrides", tensor) == [1, -2]
    assert get_dims(lib, "StorageShape", tensor) == [64]
    assert get(lib, "ViewOffset", c_int64, tensor) == 7
    assert get(lib, "Format", c_int32, tensor) == 30
    assert get(lib, "DataType", c_int32, tensor) == DOUBLE
    assert get(lib, "RawTensorAddr", c_void_p, tensor) == 0x1000
    assert destroy(lib, "Tensor", tensor) == 0


def test_dense_strides_by_default(lib):
    tensor = lib.aclCreateTensor(dims(2, 3, 4), 3, FLOAT, None, 0, ND, dims(2, 3, 4), 3, None)
    assert get_dims(lib, "ViewStrides", tensor) == [12, 4, 1]
    assert get(lib, "RawTensorAddr", c_void_p, tensor) is None
    assert destroy(lib, "Tensor", tensor) == 0


def test_rank_0(lib):
    tensor = lib.aclCreateTensor(None, 0, FLOAT, None, 0, ND, None, 0, None)
    for name in ("ViewShape", "ViewStrides", "StorageShape"):
        assert get_dims(lib, name, tensor) == []
    assert destroy(lib, "Tensor", tensor) == 0


@pytest.mark.parametrize("shape", [(0, 5), (-1, 2), (2**62, 2**62, 2**62), tuple([1] * 25)])
def test_unusual_shapes_are_taken_as_they_are(lib, shape):
    tensor = lib.aclCreateTensor(
        dims(*shape), len(shape), 5000, None, -3, -77, dims(*shape), len(shape), None
    )
    assert get_dims(lib, "ViewShape", tensor) == list(shape)
    assert get(lib, "DataType", c_int32, tensor) == 5000
    assert destroy(lib, "Tensor", tensor) == 0


def test_tensors_that_cannot_be(lib):
    one, many = dims(1), dims(*[1] * 26)
    assert lib.aclCreateTensor(None, 1, FLOAT, None, 0, ND, one, 1, None) is None
    assert "viewDims" in text(lib)
    assert lib.aclCreateTensor(one, 1, FLOAT, None, 0, ND, None, 1, None) is None
    assert "storageDims" in text(lib)
    assert lib.aclCreateTensor(many, 26, FLOAT, None, 0, ND, one, 1, None) is None
    assert "viewDims has 26 dimensions" in text(lib)
    assert lib.aclCreateTensor(one, 1, FLOAT, None, 0, ND, many, 2**60, None) is None


def test_init_tensor(lib):
    tensor = create(lib, "Tensor")
    init = lib.aclInitTensor
    assert init(tensor, dims(4), 1, DOUBLE, dims(2), 1, 30, dims(9), 1, 0x2000) == 0
    assert get_dims(lib, "ViewShape", tensor) == [4]
    assert get_dims(lib, "ViewStrides", tensor) == [2]
    assert get_dims(lib, "StorageShape", tensor) == [9]
    assert init(tensor, None, 7, FLOAT, None, 3, ND, None, 7, None) == 0
    assert get_dims(lib, "ViewShape", tensor) == [4]
    assert get_dims(lib, "ViewStrides", tensor) == [1]
    assert get_dims(lib, "StorageShape", tensor) == [9]
    assert get(lib, "RawTensorAddr", c_void_p, tensor) == 0x2000
    assert get(lib, "ViewOffset", c_int64, tensor) == 3
    assert get(lib, "DataType", c_int32, tensor) == FLOAT
    assert init(tensor, dims(*[1] * 26), 26, FLOAT, None, 0, ND, None, 0, None) == ACLNN_INVALID
    assert get_dims(lib, "ViewShape", tensor) == [4]
    assert init(None, None, 0, FLOAT, None, 0, ND, None, 0, None) == ACLNN_NULLPTR
    assert destroy(lib, "Tensor", tensor) == 0
    assert init(tensor, None, 0, FLOAT, None, 0, ND, None, 0, None) == ACLNN_INVALID


def test_set_address(lib):
    tensor = create(lib, "Tensor")
    assert lib.aclSetRawTensorAddr(tensor, 0x3000) == 0
    assert get(lib, "RawTensorAddr", c_void_p, tensor) == 0x3000
    assert lib.aclSetRawTensorAddr(None, 0x3000) == ACLNN_NULLPTR
    assert destroy(lib, "Tensor", tensor) == 0
    assert lib.aclSetRawTensorAddr(tensor, 0x3000) == ACLNN_INVALID


QUERIES = [
    ("aclGetViewShape", (POINTER(c_int64), c_uint64), "Tensor"),
    ("aclGetStorageShape", (POINTER(c_int64), c_uint64), "Tensor"),
    ("aclGetViewStrides", (POINTER(c_int64), c_uint64), "Tensor"),
    ("aclGetViewOffset", (c_int64,), "Tensor"),
    ("aclGetFormat", (c_int32,), "Tensor"),
    ("aclGetDataType", (c_int32,), "Tensor"),
    ("aclGetRawTensorAddr", (c_void_p,), "Tensor"),
    *((f"aclGet{kind}Size", (c_uint64,), kind) for kind in (*ARRAYS, *LISTS)),
]


@pytest.mark.parametrize(("name", "answers", "kind"), QUERIES)
def test_query_arguments(lib, name, answers, kind):
    function = getattr(lib, name)
    given = [answer() for answer in answers]
    handle = create(lib, kind)
    assert function(None, *given) == ACLNN_NULLPTR
    for missing in range(len(given)):
        partly = [None if i == missing else answer for i, answer in enumerate(given)]
        assert function(handle, *partly) == ACLNN_NULLPTR
    assert name in text(lib)
    for other in KINDS:
        if other != kind:
            stranger = create(lib, other)
            assert function(stranger, *given) == ACLNN_INVALID
            assert destroy(lib, other, stranger) == 0
    assert destroy(lib, kind, handle) == 0
    assert function(handle, *given) == ACLNN_INVALID
    assert "was destroyed" in text(lib)


@pytest.mark.parametrize("kind", KINDS)
def test_destroyers(lib, kind):
    assert destroy(lib, kind, None) == 0
    first, second = create(lib, kind), create(lib, kind)
    assert first != second
    assert destroy(lib, kind, first) == 0
    assert destroy(lib, kind, first) == ACLNN_INVALID
    assert f"aclDestroy{kind} returns 161002" in text(lib)
    third = create(lib, kind)
    assert third != first
    assert destroy(lib, kind, first) == ACLNN_INVALID
    assert destroy(lib, kind, second) == 0
    assert destroy(lib, kind, third) == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pointer", [1, 8, 0x7FFFDEADBEE8, 2**63, 2**64 - 1])
def test_pointers_that_are_no_objects(lib, kind, pointer):
    assert destroy(lib, kind, pointer) == ACLNN_INVALID
    memory = ctypes.create_string_buffer(256)
    assert destroy(lib, kind, ctypes.addressof(memory)) == ACLNN_INVALID


@pytest.mark.parametrize("dtype", SCALAR_TYPES)
def test_scalar_types(lib, dtype):
    value = ctypes.create_string_buffer(16)
    scalar = lib.aclCreateScalar(value, dtype)
    assert scalar
    assert destroy(lib, "Scalar", scalar) == 0


@pytest.mark.parametrize("dtype", [-1, 5, STRING, COMPLEX32, 29, 30, 1000])
def test_scalars_that_cannot_be(lib, dtype):
    assert lib.aclCreateScalar(ctypes.create_string_buffer(16), dtype) is None
    assert "dataType" in text(lib)
    assert lib.aclCreateScalar(None, FLOAT) is None
    assert "value" in text(lib)


@pytest.mark.parametrize("kind", [*ARRAYS, *LISTS])
def test_sizes(lib, kind):
    values = (c_int64 * 3)()
    for given, size, expected in ((values, 3, 3), (values, 0, 0), (None, 3, 0), (None, 0, 0)):
        handle = getattr(lib, f"aclCreate{kind}")(given, size)
        assert handle
        assert size_of(lib, kind, handle) == expected
        assert destroy(lib, kind, handle) == 0


@pytest.mark.parametrize("kind", [*ARRAYS, *LISTS])
def test_sizes_beyond_memory(lib, kind):
    assert getattr(lib, f"aclCreate{kind}")((c_int64 * 1)(), 2**62) is None
    assert f"aclCreate{kind} returns 561000" in text(lib)


@pytest.mark.parametrize(("kind", "element"), LISTS.items())
def test_a_list_destroys_its_elements(lib, kind, element):
    members = [create(lib, element) for _ in range(3)]
    handles = (c_void_p * 4)(members[0], None, members[1], members[2])
    owner = getattr(lib, f"aclCreate{kind}")(handles, 4)
    handles[0] = None
    assert destroy(lib, element, members[1]) == 0
    assert size_of(lib, kind, owner) == 4
    text(lib)
    assert destroy(lib, kind, owner) == 0
    assert text(lib) == ""
    for member in members:
        assert destroy(lib, element, member) == ACLNN_INVALID


def test_a_list_with_strange_elements(lib):
    scalar = create(lib, "Scalar")
    owner = lib.aclCreateTensorList((c_void_p * 3)(1, scalar, 2**64 - 1), 3)
    assert destroy(lib, "TensorList", owner) == 0
    assert destroy(lib, "Scalar", scalar) == 0
