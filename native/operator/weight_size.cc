// SPDX-License-Identifier: Apache-2.0
// How much memory a weight takes once it lies in blocks of 16 rows and 32 bytes.
#include <algorithm>

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
uint64_t blocked_elements(const std::vector<int64_t>& shape, bool of_16_bits) {
  int64_t elements = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t length = shape[i];
    if (i + 2 == shape.size()) length = rounded_up(length, kRows);
    if (i + 1 == shape.size()) length = rounded_up(length, of_16_bits ? kRows : 2 * kRows);
    elements = saturated(static_cast<__int128>(elements) * length);
  }
  return static_cast<uint64_t>(elements);
}

int32_t weight_size(const Call& call, const aclIntArray* shape, bool of_16_bits, bool nonzero,
                    uint64_t* size) {
  if (shape == nullptr) return call.null("tensorShape");
  if (size == nullptr) return call.null("weightTensorSize");
  std::vector<int64_t> lengths;
  const int32_t found = with_object(call, int_arrays(), "tensorShape", shape,
                                    [&](const IntArrayObject& array) { lengths = array.values; });
  if (found != ACLNN_SUCCESS) return found;
  if (lengths.size() < 2 || lengths.size() > kMostDimensions) {
    return call.fail(ACLNN_ERR_PARAM_INVALID, "tensorShape", "a weight has 2 to 6 dimensions");
  }
  if (nonzero && std::count(lengths.begin(), lengths.end(), 0) > 0) {
    return call.fail(ACLNN_ERR_PARAM_INVALID, "tensorShape", "no dimension must be 0");
  }
  *size = blocked_elements(lengths, of_16_bits);
  return ACLNN_SUCCESS;
}

bool has_blocks(const Soc* soc) {
  return soc != nullptr && soc->product != Product::kP310B && soc->product != Product::kT910;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray* tensorShape,
                                                      uint64_t* weightTensorSize) {
  return aclnn_call("aclnnCalculateMatmulWeightSize", [&](const Call& call) {
    return weight_size(call, tensorShape, true, false, weightTensorSize);
  });
}

extern "C" aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape,
                                                        aclDataType dataType,
                                                        uint64_t* weightTensorSize) {
  return aclnn_call("aclnnCalculateMatmulWeightSizeV2", [&](const Call& call) {
    if (!has_blocks(current_soc())) {
      return call.fail(ACLNN_ERR_RUNTIME_ERROR, "", "the product has no weights in blocks");
    }
    const bool of_16_bits = dataType == ACL_FLOAT16 || dataType == ACL_BF16;
    return weight_size(call, tensorShape, of_16_bits, true, weightTensorSize);
  });
}
