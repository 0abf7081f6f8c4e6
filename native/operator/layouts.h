// SPDX-License-Identifier: Apache-2.0
// What can be said about the layout of a tensor, and how views read in messages.
#pragma once

#include <string>

#include "operator/views.h"
#include "products.h"

namespace aclhost {

bool is_private(aclFormat format);
bool format_fits_rank(const TensorView& view);  // labels without a fixed rank fit every one

// Dense row-major, whatever the offset; dimensions of size 1 may have any stride. Private formats
// and tensors of at most one element always count as contiguous.
bool is_contiguous(const TensorView& view);

// True for contiguous views, which upstream does not test.
bool inside_storage(const TensorView& view);

// Whether a product has the conversion: some that are permitted have no kernel.
bool cast_exists(aclDataType from, aclDataType to, Product product);

std::string shape_text(const Shape& shape);  // "[2, 3]"
inline std::string shape_text(const TensorView& view) { return shape_text(shape_of(view)); }
std::string strides_text(const TensorView& view);
std::string array_text(const IntArrayView& array);
std::string reach_text(const TensorView& view);  // which elements of how many the view reaches
std::string number_text(double value);

}  // namespace aclhost
