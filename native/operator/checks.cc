// SPDX-License-Identifier: Apache-2.0
#include "operator/checks.h"

#include <algorithm>
#include <cstdio>

namespace aclhost {
namespace {

std::string list_text(const int64_t* values, uint64_t count) {
  std::string text = "[";
  for (uint64_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(values[i]);
  }
  return text + "]";
}

uint64_t kept(const IntArrayView& array) { return std::min<uint64_t>(array.size, kMaxArrayValues); }

// Lowest and highest element that a non-empty view touches. Wider than any real extent, so that
// absurd strides cannot wrap around into the allowed range.
struct Reach {
  __int128 first;
  __int128 last;
};

Reach reach_of(const TensorView& view) {
  Reach reach{view.offset, view.offset};
  for (int i = 0; i < view.rank; ++i) {
    const __int128 extent = (static_cast<__int128>(view.shape[i]) - 1) * view.strides[i];
    (extent < 0 ? reach.first : reach.last) += extent;
  }
  return reach;
}

}  // namespace

bool is_private(aclFormat format) {
  switch (format) {
    case ACL_FORMAT_NC1HWC0:
    case ACL_FORMAT_NC1HWC0_C04:
    case ACL_FORMAT_FRACTAL_Z:
    case ACL_FORMAT_NDC1HWC0:
    case ACL_FRACTAL_Z_3D:
    case ACL_FORMAT_FRACTAL_NZ:
    case ACL_FORMAT_FRACTAL_NZ_C0_2:
    case ACL_FORMAT_FRACTAL_NZ_C0_4:
    case ACL_FORMAT_FRACTAL_NZ_C0_8:
    case ACL_FORMAT_FRACTAL_NZ_C0_16:
    case ACL_FORMAT_FRACTAL_NZ_C0_32:
      return true;
    default:
      return false;
  }
}

bool matches_shape(const TensorView& view, const Shape& shape) {
  const bool one =
      std::all_of(shape.dims, shape.dims + shape.rank, [](int64_t d) { return d == 1; });
  return has_shape(view, shape) || (one && view.elements() == 1);
}

bool same_leading(const TensorView& a, const TensorView& b) {
  const int count = std::min(a.rank, b.rank) - 3;
  return count <= 0 || std::equal(a.shape, a.shape + count, b.shape);
}

bool dims_positive(const TensorView& view, int first) {
  for (int i = first; i < view.rank; ++i) {
    if (view.shape[i] <= 0) return false;
  }
  return true;
}

bool spatial_positive(const TensorView& view) {
  for (int axis = 0; axis < 3; ++axis) {
    if (spatial_length(view, axis) <= 0) return false;
  }
  return true;
}

bool dims_at_most(const TensorView& view, int64_t most) {
  return std::all_of(view.shape, view.shape + view.rank,
                     [most](int64_t size) { return size <= most; });
}

bool volume_at_most(const TensorView& view, int64_t most) {
  __int128 volume = 1;
  for (int i = std::max(view.rank - 3, 0); i < view.rank; ++i) {
    volume *= view.shape[i];
    if (volume > most) return false;
  }
  return true;
}

bool format_fits_rank(const TensorView& view) {
  const int rank = format_rank(view.format);
  return rank == 0 || rank == view.rank;
}

aclDataType promote_floating(aclDataType a, aclDataType b) {
  if (a == b) return a;
  return a == ACL_DOUBLE || b == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
}

bool all_positive(const IntArrayView& array, uint64_t first, uint64_t count) {
  if (array.size < count) return false;
  for (uint64_t i = first; i < kept(array); ++i) {
    if (array.values[i] <= 0) return false;
  }
  return true;
}

bool none_negative(const IntArrayView& array) {
  return std::all_of(array.values, array.values + kept(array), [](int64_t v) { return v >= 0; });
}

bool all_one(const IntArrayView& array) {
  return std::all_of(array.values, array.values + kept(array), [](int64_t v) { return v == 1; });
}

bool at_most_half(const IntArrayView& array, const IntArrayView& other) {
  for (int axis = 0; axis < 3; ++axis) {
    const int64_t value = array.values[array.size == 1 ? 0 : axis];
    if (value > other.values[other.size == 1 ? 0 : axis] / 2) return false;
  }
  return true;
}

bool holds_volume(const IntArrayView& array, const TensorView& view) {
  __int128 needed = 1, there = 1;
  for (int axis = 0; axis < 3; ++axis) {
    needed *= view.shape[view.rank - 3 + axis];
    there *= array.values[axis];
    if (needed > INT64_MAX) return false;
    if (there > INT64_MAX) there = INT64_MAX;
  }
  return there >= needed;
}

bool is_contiguous(const TensorView& view) {
  uint64_t expected = 1;
  for (int i = view.rank - 1; i >= 0; --i) {
    if (view.shape[i] == 1) continue;
    if (view.strides[i] != static_cast<int64_t>(expected)) {
      return is_private(view.format) || view.elements() <= 1;
    }
    expected *= static_cast<uint64_t>(view.shape[i]);
  }
  return true;
}

bool inside_storage(const TensorView& view) {
  if (is_contiguous(view)) return true;
  const Reach reach = reach_of(view);
  return reach.first >= 0 && reach.last < view.storage_elements;
}

bool cast_implemented(aclDataType from, aclDataType to, Product product) {
  if (to == ACL_COMPLEX32) return from == ACL_FLOAT16 && product == Product::kA950;
  return one_of(to, {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128});
}

std::string shape_text(const Shape& shape) { return list_text(shape.dims, shape.rank); }
std::string shape_text(const TensorView& view) { return list_text(view.shape, view.rank); }

std::string strides_text(const TensorView& view) {
  return "strides " + list_text(view.strides, view.rank) + " for shape " + shape_text(view);
}

std::string array_text(const IntArrayView& array) {
  std::string text = list_text(array.values, kept(array));
  return array.size > kMaxArrayValues ? text + " and more" : text;
}

std::string reach_text(const TensorView& view) {
  const Reach reach = reach_of(view);
  return "a view from element " + std::to_string(static_cast<int64_t>(reach.first)) + " to " +
         std::to_string(static_cast<int64_t>(reach.last)) + " of a storage of " +
         std::to_string(view.storage_elements) + " elements";
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

}  // namespace aclhost
