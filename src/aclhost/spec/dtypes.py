# SPDX-License-Identifier: Apache-2.0
"""Data types: numbers, sizes, and which conversions the operators accept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class Category(Enum):
    """What decides whether one type converts to another."""

    FLOATING = "floating"
    INTEGER = "integer"
    COMPLEX = "complex"
    BOOL = "bool"
    OTHER = "other"


@dataclass(frozen=True)
class DataType:
    """One member of aclDataType."""

    name: str
    value: int
    bits: int
    api_size: int  # what aclDataTypeSize answers; not always bits / 8
    category: Category
    numpy: str = ""  # name in NumPy or ml_dtypes, where one exists

    @property
    def c_name(self) -> str:
        return "ACL_DT_UNDEFINED" if self.value < 0 else f"ACL_{self.name}"

    def __str__(self) -> str:
        return self.name

    def __hash__(self) -> int:
        """Of the number alone, as declarations put dtypes into sets all the time."""
        return self.value


_F, _I, _C = Category.FLOATING, Category.INTEGER, Category.COMPLEX

UNDEFINED = DataType("UNDEFINED", -1, 0, 0, Category.OTHER)
FLOAT = DataType("FLOAT", 0, 32, 4, _F, "float32")
FLOAT16 = DataType("FLOAT16", 1, 16, 2, _F, "float16")
INT8 = DataType("INT8", 2, 8, 1, _I, "int8")
INT32 = DataType("INT32", 3, 32, 4, _I, "int32")
UINT8 = DataType("UINT8", 4, 8, 1, _I, "uint8")
INT16 = DataType("INT16", 6, 16, 2, _I, "int16")
UINT16 = DataType("UINT16", 7, 16, 2, _I, "uint16")
UINT32 = DataType("UINT32", 8, 32, 4, _I, "uint32")
INT64 = DataType("INT64", 9, 64, 8, _I, "int64")
UINT64 = DataType("UINT64", 10, 64, 8, _I, "uint64")
DOUBLE = DataType("DOUBLE", 11, 64, 8, _F, "float64")
BOOL = DataType("BOOL", 12, 8, 1, Category.BOOL, "bool")
STRING = DataType("STRING", 13, 0, 0, Category.OTHER)
COMPLEX64 = DataType("COMPLEX64", 16, 64, 8, _C, "complex64")
COMPLEX128 = DataType("COMPLEX128", 17, 128, 16, _C, "complex128")
BF16 = DataType("BF16", 27, 16, 2, _F, "bfloat16")
INT4 = DataType("INT4", 29, 4, 1, _I)
UINT1 = DataType("UINT1", 30, 1, 1, _I)
COMPLEX32 = DataType("COMPLEX32", 33, 32, 4, _C)
HIFLOAT8 = DataType("HIFLOAT8", 34, 8, 1, _F)
FLOAT8_E5M2 = DataType("FLOAT8_E5M2", 35, 8, 1, _F, "float8_e5m2")
FLOAT8_E4M3FN = DataType("FLOAT8_E4M3FN", 36, 8, 1, _F, "float8_e4m3fn")
FLOAT8_E8M0 = DataType("FLOAT8_E8M0", 37, 8, 1, _F, "float8_e8m0fnu")
FLOAT6_E3M2 = DataType("FLOAT6_E3M2", 38, 6, 8, _F)
FLOAT6_E2M3 = DataType("FLOAT6_E2M3", 39, 6, 8, _F)
FLOAT4_E2M1 = DataType("FLOAT4_E2M1", 40, 4, 8, _F)
FLOAT4_E1M2 = DataType("FLOAT4_E1M2", 41, 4, 8, _F)

ALL = (
    UNDEFINED, FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, UINT16, UINT32, INT64, UINT64, DOUBLE,
    BOOL, STRING, COMPLEX64, COMPLEX128, BF16, INT4, UINT1, COMPLEX32, HIFLOAT8, FLOAT8_E5M2,
    FLOAT8_E4M3FN, FLOAT8_E8M0, FLOAT6_E3M2, FLOAT6_E2M3, FLOAT4_E2M1, FLOAT4_E1M2,
)  # fmt: skip
BY_NAME = {dtype.name: dtype for dtype in ALL}
BY_VALUE = {dtype.value: dtype for dtype in ALL}
BY_NUMPY = {dtype.numpy: dtype for dtype in ALL if dtype.numpy}

# Types that every product's Cast can produce; others pass the CanCast test and fail later.
CAST_TARGETS = (
    BOOL, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64,
    FLOAT16, BF16, FLOAT, DOUBLE, COMPLEX64, COMPLEX128,
)  # fmt: skip


def can_cast(source: DataType, target: DataType) -> bool:
    """Whether the operators accept a conversion; three kinds are prohibited, no others."""
    if source.category is Category.COMPLEX and target.category is not Category.COMPLEX:
        return False
    if source.category is Category.FLOATING and target.category is Category.INTEGER:
        return False
    return target is not BOOL or source is BOOL


_PROMOTED_TYPES = (
    FLOAT, FLOAT16, DOUBLE, BF16, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, BOOL,
    COMPLEX32, COMPLEX64, COMPLEX128,
)  # fmt: skip
_WORDS = "f32 f16 f64 bf16 s8 u8 s16 u16 s32 u32 s64 u64 bool c32 c64 c128"
_SHORT = dict(zip(re.split(" ", _WORDS), _PROMOTED_TYPES, strict=True))
# One row for each first type, one column for each second; - where the types have none in common.
# Upstream's table is not symmetric: unsigned types mix with complex ones only as the first.
_PROMOTION_ROWS = """
f32  f32  f64  f32  f32  f32  f32  -    f32  -    f32  -    f32  c64  c64  c128
f32  f16  f64  f32  f16  f16  f16  -    f16  -    f16  -    f16  c32  c64  c128
f64  f64  f64  f64  f64  f64  f64  -    f64  -    f64  -    f64  c128 c128 c128
f32  f32  f64  bf16 bf16 bf16 bf16 -    bf16 -    bf16 -    bf16 c64  c64  c128
f32  f16  f64  bf16 s8   s16  s16  -    s32  -    s64  -    s8   c32  c64  c128
f32  f16  f64  bf16 s16  u8   s16  -    s32  -    s64  -    u8   c32  c64  c128
f32  f16  f64  bf16 s16  s16  s16  -    s32  -    s64  -    s16  c32  c64  c128
-    -    -    -    -    -    -    u16  -    -    -    -    -    -    c64  c128
f32  f16  f64  bf16 s32  s32  s32  -    s32  -    s64  -    s32  c32  c64  c128
-    -    -    -    -    -    -    -    -    u32  -    -    -    -    c64  c128
f32  f16  f64  bf16 s64  s64  s64  -    s64  -    s64  -    s64  c32  c64  c128
-    -    -    -    -    -    -    -    -    -    -    u64  -    -    c128 c128
f32  f16  f64  bf16 s8   u8   s16  -    s32  -    s64  -    bool c32  c64  c128
c64  c32  c128 c64  c32  c32  c32  -    c32  -    c32  -    c32  c32  c64  c128
c64  c64  c128 c64  c64  c64  c64  -    c64  -    c64  -    c64  c64  c64  c128
c128 c128 c128 c128 c128 c128 c128 -    c128 -    c128 -    c128 c128 c128 c128
"""
PROMOTIONS: dict[tuple[DataType, DataType], DataType] = {
    (first, second): _SHORT.get(word, UNDEFINED)
    for first, row in zip(_PROMOTED_TYPES, _PROMOTION_ROWS.split("\n")[1:], strict=False)
    for second, word in zip(_PROMOTED_TYPES, row.split(), strict=True)
}
PAST_THE_TABLE = 34  # types from this number on promote to FLOAT with any other


def promote(first: DataType, second: DataType) -> DataType:
    """The deduction table: the common type of two, or UNDEFINED."""
    if first is second:
        return first
    if max(first.value, second.value) >= PAST_THE_TABLE:
        return FLOAT
    return PROMOTIONS.get((first, second), UNDEFINED)
