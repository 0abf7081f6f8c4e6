// SPDX-License-Identifier: Apache-2.0
// The predicates and phrases that declared rules use.
#pragma once

#include <initializer_list>
#include <string>

#include "dtypes.h"
#include "operator/geometry.h"
#include "operator/views.h"
#include "products.h"

namespace aclhost {

template <typename T>
bool one_of(T value, std::initializer_list<T> allowed) {
  for (T each : allowed) {
    if (value == each) return true;
  }
  return false;
}

bool matches_shape(const TensorView& view, const Shape& shape);  // one element fits one element
bool same_leading(const TensorView& a, const TensorView& b);  // all but the last three dimensions
bool dims_positive(const TensorView& view, int first);
bool spatial_positive(const TensorView& view);
bool dims_at_most(const TensorView& view, int64_t most);
bool volume_at_most(const TensorView& view, int64_t most);  // of the last three dimensions

bool is_private(aclFormat format);
bool format_fits_rank(const TensorView& view);  // labels without a fixed rank fit every one

// Dense row-major, whatever the offset; dimensions of size 1 may have any stride. Private formats
// and tensors of at most one element always count as contiguous.
bool is_contiguous(const TensorView& view);

// True for contiguous views, which upstream does not test.
bool inside_storage(const TensorView& view);

// Whether a floating result can be delivered in this dtype.
bool cast_implemented(aclDataType from, aclDataType to, Product product);

// The common type of two floating types.
aclDataType promote_floating(aclDataType a, aclDataType b);

// Values from `first` on; missing ones up to `count` values count as 0.
bool all_positive(const IntArrayView& array, uint64_t first, uint64_t count);
bool none_negative(const IntArrayView& array);
bool all_one(const IntArrayView& array);
bool at_most_half(const IntArrayView& array, const IntArrayView& other);
bool holds_volume(const IntArrayView& array, const TensorView& view);

std::string shape_text(const Shape& shape);      // "[2, 3]"
std::string shape_text(const TensorView& view);  // "[2, 3]"
std::string strides_text(const TensorView& view);
std::string array_text(const IntArrayView& array);
std::string reach_text(const TensorView& view);  // which elements of how many the view reaches
std::string number_text(double value);

}  // namespace aclhost
