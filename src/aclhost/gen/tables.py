# SPDX-License-Identifier: Apache-2.0
"""native/dtypes.h and native/products.h: the vocabulary's tables as C++."""

from __future__ import annotations

from collections.abc import Iterator

from aclhost.gen.text import banner, c_string
from aclhost.spec import dtypes, formats, products

_DTYPES = """{banner}#pragma once

#include <cstddef>

#include "acl/acl_base.h"

namespace aclhost {{

inline const char* data_type_name(aclDataType dtype) {{
  switch (dtype) {{
{names}
  }}
  return "an unknown data type";
}}

inline const char* format_name(aclFormat format) {{
  switch (format) {{
{formats}
  }}
  return "an unknown format";
}}

// The rank a label implies; 0 for labels that fit every rank.
inline int format_rank(aclFormat format) {{
  switch (format) {{
{ranks}
    default:
      return 0;
  }}
}}

// What aclDataTypeSize answers; types it does not know count 8.
inline size_t data_type_api_size(aclDataType dtype) {{
  switch (dtype) {{
{sizes}
  }}
  return 8;
}}

// Bits that one element takes in memory; 0 for types without a fixed size.
inline int data_type_bits(aclDataType dtype) {{
  switch (dtype) {{
{bits}
  }}
  return 0;
}}

enum class TypeCategory {{ kFloating, kInteger, kComplex, kBool, kOther }};

inline TypeCategory data_type_category(aclDataType dtype) {{
  switch (dtype) {{
{categories}
  }}
  return TypeCategory::kOther;
}}

// Three kinds of conversion are prohibited, no others.
inline bool can_cast(aclDataType from, aclDataType to) {{
  const TypeCategory source = data_type_category(from);
  const TypeCategory target = data_type_category(to);
  if (source == TypeCategory::kComplex && target != TypeCategory::kComplex) return false;
  if (source == TypeCategory::kFloating && target == TypeCategory::kInteger) return false;
  return target != TypeCategory::kBool || source == TypeCategory::kBool;
}}

// Types that every product's Cast can produce; others pass can_cast and fail later.
inline bool is_cast_target(aclDataType dtype) {{
  switch (dtype) {{
{targets}
    default:
      return false;
  }}
}}

// The deduction table: the common type of two, or ACL_DT_UNDEFINED.
inline aclDataType promote(aclDataType first, aclDataType second) {{
  static constexpr signed char kTable[{side}][{side}] = {{
{promotions}
  }};
  if (first == second) return first;
  if (first >= {side} || second >= {side}) return ACL_FLOAT;
  if (first < 0 || second < 0) return ACL_DT_UNDEFINED;
  return static_cast<aclDataType>(kTable[first][second]);
}}

}}  // namespace aclhost
"""

_PRODUCTS = """{banner}#pragma once

namespace aclhost {{

enum class Product : int {{ {members} }};

struct ProductInfo {{
  Product product;
  const char* title;
  const char* soc_prefix;  // a SoC belongs to the product with the longest matching prefix
  const char* default_soc;
}};

inline constexpr ProductInfo kProducts[] = {{
{rows}
}};

inline constexpr Product kDefaultProduct = Product::k{default};

}}  // namespace aclhost
"""


# Apart, because only one file needs it and all include the other.
_PRODUCT_KEYS = """{banner}#pragma once

namespace aclhost {{

// What people may write instead of a SoC, in the order of kProducts.
inline constexpr const char* kProductKeys[] = {{{keys}}};

}}  // namespace aclhost
"""


def _cases(values: dict[str, object]) -> str:
    return "\n".join(f"    case {name}: return {value};" for name, value in values.items())


def _promotions() -> str:
    known = [dtypes.BY_VALUE.get(value, dtypes.UNDEFINED) for value in range(dtypes.PAST_THE_TABLE)]
    rows = (
        ", ".join(str(dtypes.promote(first, second).value) for second in known) for first in known
    )
    return "\n".join(f"      {{{row}}}," for row in rows)


def emit() -> Iterator[tuple[str, str]]:
    """All tables."""
    yield (
        "native/dtypes.h",
        _DTYPES.format(
            banner=banner("src/aclhost/spec/dtypes.py and formats.py"),
            names=_cases({d.c_name: c_string(d.name) for d in dtypes.ALL}),
            formats=_cases({f.c_name: c_string(f.name) for f in formats.ALL}),
            ranks=_cases({f.c_name: f.rank for f in formats.ALL if f.rank}),
            sizes=_cases({d.c_name: d.api_size for d in dtypes.ALL}),
            bits=_cases({d.c_name: d.bits for d in dtypes.ALL}),
            side=dtypes.PAST_THE_TABLE,
            promotions=_promotions(),
            targets=_cases({d.c_name: "true" for d in dtypes.CAST_TARGETS}),
            categories=_cases(
                {d.c_name: f"TypeCategory::k{d.category.value.capitalize()}" for d in dtypes.ALL}
            ),
        ),
    )
    rows = (
        f"    {{Product::k{p.key}, {c_string(p.title)}, {c_string(p.soc_prefix)}, "
        f"{c_string(p.default_soc)}}},"
        for p in products.ALL
    )
    yield (
        "native/products.h",
        _PRODUCTS.format(
            banner=banner("src/aclhost/spec/products.py"),
            members=", ".join(f"k{p.key}" for p in products.ALL),
            rows="\n".join(rows),
            default=products.DEFAULT.key,
        ),
    )
    yield (
        "native/product_keys.h",
        _PRODUCT_KEYS.format(
            banner=banner("src/aclhost/spec/products.py"),
            keys=", ".join(c_string(p.key) for p in products.ALL),
        ),
    )
