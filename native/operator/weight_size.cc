// SPDX-License-Identifier: Apache-2.0
// How much memory a weight takes once it lies in blocks of 16 rows and 32 bytes, and how its tensor
// is labelled then.
#include "operator/weight_size.h"

#include <algorithm>
#include <utility>

#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "base/soc.h"
#include "operator/objects.h"
#include "operator/terms.h"

namespace aclhost {
namespace {

constexpr int64_t kRows = 16;
constexpr size_t kMostDimensions = 6;

int64_t rounded_up(int64_t length, int64_t multiple) {
  return saturated((static_cast<__int128>(length) + multiple - 1) / multiple * multiple);
}

// Only the last two dimensions are rounded up.
int64_t blocked_elements(const std::vector<int64_t>& shape, bool of_16_bits) {
  int64_t elements = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t length = shape[i];
    if (i + 2 == shape.size()) length = rounded_up(length, kRows);
    if (i + 1 == shape.size()) length = rounded_up(length, of_16_bits ? kRows : 2 * kRows);
    elements = saturated(static_cast<__int128>(elements) * length);
  }
  return elements;
}

bool has_16_bits(aclDataType dtype) { return dtype == ACL_FLOAT16 || dtype == ACL_BF16; }

// Blocks, each of some rows and columns, column by column.
std::vector<int64_t> blocked_shape(const TensorView& weight) {
  const int64_t columns = has_16_bits(weight.dtype) ? kRows : 2 * kRows;
  std::vector<int64_t> shape(weight.shape, weight.shape + weight.rank - 2);
  shape.push_back(rounded_up(weight.shape[weight.rank - 1], columns) / columns);
  shape.push_back(rounded_up(weight.shape[weight.rank - 2], kRows) / kRows);
  shape.push_back(kRows);
  shape.push_back(columns);
  return shape;
}

int32_t weight_size(const Call& call, const aclIntArray* shape, bool of_16_bits, bool nonzero,
                    size_t most, uint64_t* size) {
  if (shape == nullptr) return call.null("tensorShape");
  if (size == nullptr) return call.null("weightTensorSize");
  std::vector<int64_t> lengths;
  const int32_t found = with_object(call, int_arrays(), "tensorShape", shape,
                                    [&](const IntArrayObject& array) { lengths = array.values; });
  if (found != ACLNN_SUCCESS) return found;
  if (lengths.size() < 2 || lengths.size() > most) {
    return call.fail(ACLNN_ERR_PARAM_INVALID, "tensorShape",
                     most == 2 ? "on this product, a weight has 2 dimensions"
                               : "a weight has 2 to 6 dimensions");
  }
  if (nonzero && std::count(lengths.begin(), lengths.end(), 0) > 0) {
    return call.fail(ACLNN_ERR_PARAM_INVALID, "tensorShape", "no dimension must be 0");
  }
  *size = static_cast<uint64_t>(blocked_elements(lengths, of_16_bits));
  return ACLNN_SUCCESS;
}

bool has_blocks(const Soc* soc) {
  return soc != nullptr && soc->product != Product::kP310B && soc->product != Product::kT910;
}

// Only these products take batches of weights without being told the dtype.
size_t most_dimensions(const Soc* soc) {
  const bool batches =
      soc == nullptr || soc->product == Product::kA2 || soc->product == Product::kA3;
  return batches ? kMostDimensions : 2;
}

}  // namespace

void label_as_blocked(const TensorView& weight) {
  const TensorRegistry::Ref tensor = tensors().find(weight.source);
  if (!tensor) return;
  const std::vector<int64_t> lengths(weight.shape, weight.shape + weight.rank);
  const int64_t blocked = blocked_elements(lengths, has_16_bits(weight.dtype));
  tensor->storage_shape = blocked_shape(weight);
  tensor->view.format = ACL_FORMAT_FRACTAL_NZ;
  // Elements stay where they are, which may be farther from the first one.
  tensor->view.storage_elements = std::max(weight.storage_elements, blocked);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray* tensorShape,
                                                      uint64_t* weightTensorSize) {
  return aclnn_call("aclnnCalculateMatmulWeightSize", [&](const Call& call) {
    return weight_size(call, tensorShape, true, false, most_dimensions(current_soc()),
                       weightTensorSize);
  });
}

extern "C" aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape,
                                                        aclDataType dataType,
                                                        uint64_t* weightTensorSize) {
  return aclnn_call("aclnnCalculateMatmulWeightSizeV2", [&](const Call& call) {
    if (!has_blocks(current_soc())) {
      return call.fail(ACLNN_ERR_RUNTIME_ERROR, "", "the product has no weights in blocks");
    }
    const bool of_16_bits = has_16_bits(dataType);
    return weight_size(call, tensorShape, of_16_bits, true, kMostDimensions, weightTensorSize);
  });
}
