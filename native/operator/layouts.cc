// SPDX-License-Identifier: Apache-2.0
#include "operator/layouts.h"

#include <algorithm>
#include <cstdio>

#include "dtypes.h"

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

// Not by the number of elements: that of an absurd shape wraps around.
bool has_several_elements(const TensorView& view) {
  const auto is_one = [](int64_t length) { return length == 1; };
  return !view.empty() && !std::all_of(view.shape, view.shape + view.rank, is_one);
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

bool format_fits_rank(const TensorView& view) {
  const int rank = format_rank(view.format);
  return rank == 0 || rank == view.rank;
}

bool is_contiguous(const TensorView& view) {
  uint64_t expected = 1;
  for (int i = view.rank - 1; i >= 0; --i) {
    if (view.shape[i] == 1) continue;
    if (view.strides[i] != static_cast<int64_t>(expected)) {
      return is_private(view.format) || !has_several_elements(view);
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

bool cast_exists(aclDataType from, aclDataType to, Product product) {
  if (to == ACL_COMPLEX32) return from == ACL_FLOAT16 && product == Product::kA950;
  return is_cast_target(to);
}

std::string shape_text(const Shape& shape) { return list_text(shape.dims, shape.rank); }

std::string strides_text(const TensorView& view) {
  return "strides " + list_text(view.strides, view.rank) + " for shape " + shape_text(view);
}

std::string array_text(const IntArrayView& array) { return list_text(array.values, array.size); }

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
