# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays and buffers as arguments: what goes in, what comes back, what is refused."""

from __future__ import annotations

import array
import ctypes
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import aclhost

VALUES = (-2.0, -0.5, 0.0, 1.0, 3.0, -1.0)
COMPUTED = ("float16", "float32", "float64", "bfloat16")
# What the door knows and aclnnElu does not take, with the name the message has to use.
REFUSED = {
    "bool": "BOOL", "int8": "INT8", "uint8": "UINT8", "int16": "INT16", "uint16": "UINT16",
    "int32": "INT32", "uint32": "UINT32", "int64": "INT64", "uint64": "UINT64",
    "longlong": "INT64", "ulonglong": "UINT64", "complex64": "COMPLEX64",
    "complex128": "COMPLEX128", "float8_e5m2": "FLOAT8_E5M2", "float8_e4m3fn": "FLOAT8_E4M3FN",
    "float8_e8m0fnu": "FLOAT8_E8M0",
}  # fmt: skip
UNKNOWN = (
    "longdouble", "clongdouble", "object", "S3", "U3", "M8[s]", "m8[s]", "V4", "i4,f4",
    "int4", "uint4", "float8_e4m3fnuz", "float8_e3m4",
)  # fmt: skip


def dtype_of(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name, name))


def sample(name: str = "float32") -> np.ndarray:
    return np.array(VALUES).astype(dtype_of(name)).reshape(2, 3)


def elu(x: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    return np.where(wide > 0, wide, np.expm1(wide))


@pytest.mark.parametrize("name", COMPUTED)
def test_computed_dtypes_come_back_as_they_went_in(name: str) -> None:
    x = sample(name)
    result = aclhost.elu(x)
    assert type(result) is np.ndarray
    assert result.dtype == x.dtype
    assert result.flags.c_contiguous
    assert result.flags.writeable
    assert np.allclose(result.astype(float), elu(x), rtol=float(ml_dtypes.finfo(x.dtype).eps))


@pytest.mark.parametrize("name", REFUSED)
def test_other_known_dtypes_are_refused_by_the_operator(name: str) -> None:
    with pytest.raises(aclhost.AclnnError, match=f"got {REFUSED[name]} ") as caught:
        aclhost.elu(np.ones(3, dtype_of(name)))
    assert (caught.value.status, caught.value.parameter) == (161002, "self")


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_dtypes_are_no_arrays_for_an_operator(name: str) -> None:
    with pytest.raises(TypeError, match=r"^self: the operators know no type like dtype\("):
        aclhost.elu(np.zeros(3, dtype_of(name)))


@pytest.mark.parametrize("name", ["float16", "float64", "bfloat16", "complex64", "complex128"])
def test_out_decides_the_dtype(name: str) -> None:
    out = np.zeros((2, 3), dtype_of(name))
    assert aclhost.elu(sample(), out=out) is out
    assert np.allclose(out.astype(complex), elu(sample()), rtol=1e-2)


@pytest.mark.parametrize(
    "view",
    [
        np.s_[:, ::-1],
        np.s_[::-1, ::2],
        np.s_[1:, 1:],
        np.s_[:, None, :],
        np.s_[..., 1],
        np.s_[1, 2],
        np.s_[2:],
    ],
)
def test_views(view: Any) -> None:
    x, memory = sample()[view], np.full((2, 3), 7, np.float32)
    out = memory[view]
    assert np.array_equal(aclhost.elu(x), aclhost.elu(x.copy()))
    if isinstance(out, np.ndarray):
        assert aclhost.elu(x, out=out) is out
        assert np.array_equal(out, aclhost.elu(x.copy()))
        assert np.count_nonzero(memory == 7) == 6 - out.size


def test_transposed_and_broadcast_views() -> None:
    x = sample()
    assert np.array_equal(aclhost.elu(x.T), aclhost.elu(x).T)
    wide = np.broadcast_to(x[:, :1], (4, 2, 3))
    assert np.array_equal(aclhost.elu(wide), np.broadcast_to(aclhost.elu(x[:, :1]), (4, 2, 3)))


def test_unaligned_memory() -> None:
    x = sample()
    memory = np.frombuffer(bytearray(b"#" + x.tobytes() + b"#"), np.uint8)
    odd = memory[1:-1].view(np.float32)
    assert not odd.flags.aligned
    assert aclhost.inplace_elu(odd) is odd
    assert np.array_equal(odd, aclhost.elu(x).ravel())
    assert bytes(memory[[0, -1]]) == b"##"


def test_strides_between_elements_are_refused() -> None:
    field = np.zeros(5, [("x", "f4"), ("y", "i2")])["x"]
    with pytest.raises(ValueError, match="self: a stride of 6 bytes .* item size 4; pass a copy"):
        aclhost.elu(field)
    assert aclhost.elu(field.copy()).shape == (5,)
    assert aclhost.elu(field[:1]).shape == (1,)  # nothing is ever multiplied by that stride


@pytest.mark.parametrize("dtype", [">f4", ">f8", ">f2"])
def test_wrong_byte_order_is_refused(dtype: str) -> None:
    x = sample().astype(dtype)
    with pytest.raises(ValueError, match="self: dtype.* is not in native byte order"):
        aclhost.elu(x)
    assert aclhost.elu(x.astype(x.dtype.newbyteorder("="))).shape == (2, 3)


def test_ranks() -> None:
    assert aclhost.elu(np.zeros((1,) * 8, np.float32)).ndim == 8
    with pytest.raises(aclhost.AclnnError, match="at most 8 dimensions; got rank 25"):
        aclhost.elu(np.zeros((1,) * 25, np.float32))
    with pytest.raises(ValueError, match="self: an array of 26 dimensions; at most 25"):
        aclhost.elu(np.zeros((1,) * 26, np.float32))


def test_numpy_scalars_are_arrays_of_rank_0() -> None:
    for scalar in (np.float32(-1), ml_dtypes.bfloat16(-1), np.array(-1.0)):
        result = aclhost.elu(scalar)
        assert type(result) is np.ndarray
        assert (result.shape, result.dtype) == ((), scalar.dtype)
        assert float(result) == pytest.approx(np.expm1(-1), rel=1e-2)


def test_subclasses_are_plain_arrays() -> None:
    class Mine(np.ndarray):
        pass

    assert type(aclhost.elu(sample().view(Mine))) is np.ndarray


@pytest.mark.parametrize("shape", [(0,), (2, 0, 3)])
def test_empty_arrays(shape: tuple[int, ...]) -> None:
    result = aclhost.elu(np.zeros(shape, np.float16))
    assert (result.shape, result.dtype) == (shape, np.float16)


@pytest.mark.parametrize(
    "read_only",
    [np.broadcast_to(np.float32(0), (2, 3)), np.float32(0), bytes(3), memoryview(bytes(3))],
    ids=["array", "scalar", "bytes", "memoryview"],
)
def test_read_only_outputs_are_refused(read_only: Any) -> None:
    with pytest.raises(ValueError, match="^out: the array is read-only"):
        aclhost.elu(sample(), out=read_only)


def test_inputs_may_be_read_only() -> None:
    x = sample()
    x.flags.writeable = False
    assert np.array_equal(aclhost.elu_backward(x, x), aclhost.elu_backward(sample(), sample()))
    with pytest.raises(ValueError, match="^self_ref: the array is read-only"):
        aclhost.inplace_elu(x)


def test_a_wrong_out_is_refused_and_not_written() -> None:
    for out in (np.full(4, 7, np.float32), np.full((2, 3), 7, np.int32)):
        with pytest.raises(aclhost.AclnnError) as caught:
            aclhost.elu(sample(), out=out)
        assert (caught.value.status, caught.value.parameter) == (161002, "out")
        assert (out == 7).all()
    for no_array in ([0.0] * 6, (sample(),), 1.0):
        with pytest.raises(TypeError, match="^out: expected an array"):
            aclhost.elu(sample(), out=no_array)


def test_in_place_gives_its_argument_back() -> None:
    for x in (sample("bfloat16"), array.array("d", VALUES), memoryview(sample())):
        wanted = aclhost.elu(x)
        assert aclhost.inplace_elu(x) is x
        assert np.array_equal(np.asarray(x), wanted)


@pytest.mark.parametrize(
    ("function", "arguments", "parameter"),
    [
        ("elu", (None,), "self"),
        ("inplace_elu", (None,), "selfRef"),
        ("elu_backward", (None, None), "gradOutput"),
        ("elu_backward", (sample(), None), "selfOrResult"),
        ("elu_backward", (None, sample()), "gradOutput"),
    ],
)
def test_none_is_a_null_pointer(function: str, arguments: Any, parameter: str) -> None:
    with pytest.raises(aclhost.AclnnError) as caught:
        getattr(aclhost, function)(*arguments)
    error = caught.value
    assert (error.status, error.parameter, error.rule) == (161001, parameter, "not_null")


@pytest.mark.parametrize("no_array", [1.5, 3, "abc", [1.0], (1.0,), {}, object(), np.float32])
def test_what_is_no_array(no_array: Any) -> None:
    with pytest.raises(TypeError, match=r"^self_or_result: expected an array .*, got \w+"):
        aclhost.elu_backward(sample(), no_array)


@pytest.mark.parametrize(
    "buffer",
    [
        memoryview(sample("float64")),
        memoryview(sample("float64"))[::-1],
        array.array("d", VALUES),
        (ctypes.c_double * 6)(*VALUES),
        ((ctypes.c_double * 3) * 2)((1, -2, 3), (-4, 5, -6)),
        memoryview(np.array(-1.0)),
    ],
    ids=["memoryview", "reversed", "array", "ctypes", "ctypes 2-d", "rank 0"],
)
def test_buffers_give_numpy_arrays(buffer: Any) -> None:
    result = aclhost.elu(buffer)
    assert type(result) is np.ndarray
    assert result.dtype == np.float64
    assert np.allclose(result, elu(np.asarray(buffer)))


def test_buffers_as_out() -> None:
    wanted = aclhost.elu(sample()).ravel()
    for out in (array.array("f", [0] * 6), (ctypes.c_float * 6)(), memoryview(bytearray(24))):
        target = out.cast("f") if isinstance(out, memoryview) else out
        assert aclhost.elu(sample().ravel(), out=target) is target
        assert np.array_equal(np.asarray(target), wanted)


@pytest.mark.parametrize(
    ("buffer", "dtype"),
    [
        (b"abc", "UINT8"),
        (array.array("l", [1]), "INT64"),
        (array.array("H", [1]), "UINT16"),
        ((ctypes.c_bool * 2)(), "BOOL"),
        (memoryview(np.zeros(2, np.complex64)), "COMPLEX64"),
    ],
)
def test_dtypes_of_buffers(buffer: Any, dtype: str) -> None:
    with pytest.raises(aclhost.AclnnError, match=f"got {dtype} "):
        aclhost.elu(buffer)


@pytest.mark.parametrize(
    ("buffer", "format_"),
    [
        (memoryview(b"abc").cast("c"), "c"),
        (memoryview(np.zeros(2, ">f4")), ">f"),
        (memoryview(np.zeros(2, "i4,f4")), "T{"),
    ],
)
def test_buffers_of_unknown_types(buffer: Any, format_: str) -> None:
    with pytest.raises(TypeError, match=f"^self: .* no type like the buffer format '{format_}"):
        aclhost.elu(buffer)


def test_a_buffer_is_released_after_the_call() -> None:
    x = array.array("f", VALUES)
    aclhost.elu(x)
    x.append(1.0)  # raises BufferError while somebody looks at the memory
    with pytest.raises(ValueError, match="read-only"):
        aclhost.elu(x, out=memoryview(b""))
    x.append(1.0)
