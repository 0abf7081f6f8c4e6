// SPDX-License-Identifier: Apache-2.0
// As llama.cpp's backend does: views on one-dimensional storage whose length leaves out the offset,
// handles that are gone right after the launch, weights labelled FRACTAL_NZ, infinities in masks.
#include <cmath>
#include <limits>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "aclnnop/aclnn_triu.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"
#include "views.h"

namespace {

// The second of two weights [2, 64] in one buffer, and its scales.
void quantised_weight_at_an_offset() {
  std::vector<int8_t> weights(256);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<int8_t>(i % 7 - 3);
  std::vector<Half> input(64), factors = {9, 9, 9, 9, 1, 2, 0.5F, 4};
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<Half>(i % 3);
  const Memory<int8_t> weight(weights);
  const Memory<Half> x(input), scale(factors), y(std::vector<Half>(2));
  aclTensor* left = view({1, 64}, {64, 1}, ACL_FLOAT16, x.address);
  aclTensor* right = view({64, 2}, {1, 64}, ACL_INT8, weight.address, 128);
  aclTensor* scales = view({2, 2}, {1, 2}, ACL_FLOAT16, scale.address, 4);
  aclTensor* product = view({1, 2}, {2, 1}, ACL_FLOAT16, y.address);
  const aclTensor* none = nullptr;
  launch({left, right, scales, product}, aclnnWeightQuantBatchMatmulV2GetWorkspaceSize,
         aclnnWeightQuantBatchMatmulV2, left, right, scales, none, none, none, none, 32, product);
  const std::vector<Half> result = y.values();
  for (size_t n = 0; n < 2; ++n) {
    float wanted = 0;
    for (size_t k = 0; k < 64; ++k) {
      wanted += static_cast<float>(input[k]) * static_cast<float>(weights[128 + n * 64 + k]) *
                static_cast<float>(factors[4 + n * 2 + k / 32]);
    }
    REQUIRE(std::abs(static_cast<float>(result[n]) - wanted) <= std::abs(wanted) / 512);
  }
}

// [N, K] is made ready once; products call it FRACTAL_NZ and transposed.
void weight_in_the_cards_order() {
  const int64_t rows = 3, inputs = 16, outputs = 32;
  std::vector<Half> weights(outputs * inputs);
  std::vector<float> input(rows * inputs);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<Half>(i % 5);
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(i % 4);
  const Memory<Half> weight(weights);
  const Memory<float> x(input), y(std::vector<float>(rows * outputs));
  const int64_t sizes[] = {outputs, inputs};
  aclIntArray* shape = aclCreateIntArray(sizes, 2);
  uint64_t elements = 0;
  OK(aclnnCalculateMatmulWeightSizeV2(shape, ACL_FLOAT16, &elements));
  REQUIRE(elements == weights.size());
  OK(aclDestroyIntArray(shape));
  aclTensor* whole = view({outputs, inputs}, {inputs, 1}, ACL_FLOAT16, weight.address);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnTransMatmulWeightGetWorkspaceSize(whole, &size, &executor));
  void* workspace = nullptr;
  if (size > 0) OK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclnnTransMatmulWeight(workspace, size, executor, nullptr));
  OK(aclrtSynchronizeStream(nullptr));
  if (workspace != nullptr) OK(aclrtFree(workspace));
  OK(aclDestroyTensor(whole));
  aclTensor* left = view({rows, inputs}, {inputs, 1}, ACL_FLOAT, x.address);
  aclTensor* right =
      view({inputs, outputs}, {1, inputs}, ACL_FLOAT16, weight.address, 0, ACL_FORMAT_FRACTAL_NZ);
  aclTensor* product = view({rows, outputs}, {outputs, 1}, ACL_FLOAT, y.address);
  launch({left, right, product}, aclnnMmGetWorkspaceSize, aclnnMm, left, right, product, int8_t{2});
  const std::vector<float> result = y.values();
  for (int64_t i = 0; i < rows * outputs; ++i) {
    float wanted = 0;
    for (int64_t k = 0; k < inputs; ++k) {
      wanted +=
          input[i / outputs * inputs + k] * static_cast<float>(weights[i % outputs * inputs + k]);
    }
    REQUIRE(result[i] == wanted);
  }
}

// Two heads share one mask, which hides the last key of the first query.
void attention_with_a_shared_mask() {
  const float hidden = -std::numeric_limits<float>::infinity();
  const int64_t queries = 2, keys = 3, heads = 2, size = 16;
  const Memory<Half> query(std::vector<Half>(queries * heads * size, 0));
  const Memory<Half> key(std::vector<Half>(keys * size, 1));
  std::vector<Half> given(keys * size);
  for (size_t i = 0; i < given.size(); ++i) given[i] = static_cast<Half>(i / size);
  const Memory<Half> value(given), result(std::vector<Half>(queries * heads * size, -1));
  std::vector<Half> added(queries * keys, 0);
  added[2] = static_cast<Half>(hidden);
  const Memory<Half> mask(added);
  const Shape many = {1, queries, heads, size};
  aclTensor* q =
      view(many, {queries * heads * size, heads * size, size, 1}, ACL_FLOAT16, query.address);
  aclTensor* out =
      view(many, {queries * heads * size, heads * size, size, 1}, ACL_FLOAT16, result.address);
  const aclTensor* k =
      view({1, keys, 1, size}, {keys * size, size, size, 1}, ACL_FLOAT16, key.address);
  const aclTensor* v =
      view({1, keys, 1, size}, {keys * size, size, size, 1}, ACL_FLOAT16, value.address);
  aclTensor* shift =
      view({1, heads, queries, keys}, {queries * keys, 0, keys, 1}, ACL_FLOAT16, mask.address);
  aclTensorList *all_keys = aclCreateTensorList(&k, 1), *all_values = aclCreateTensorList(&v, 1);
  const aclTensor* none = nullptr;
  const aclIntArray* no_lengths = nullptr;
  char layout[] = "BSND";
  const int64_t far = 65535, zero = 0;
  launch({q, out, shift}, aclnnFusedInferAttentionScoreV2GetWorkspaceSize,
         aclnnFusedInferAttentionScoreV2, q, all_keys, all_values, shift, none, no_lengths,
         no_lengths, none, none, none, none, none, none, none, none, none, none, none, none, none,
         none, none, none, no_lengths, heads, 0.25, far, far, layout, int64_t{1}, zero, int64_t{2},
         zero, zero, false, zero, zero, out, none);
  OK(aclDestroyTensorList(all_keys));
  OK(aclDestroyTensorList(all_values));
  const std::vector<Half> numbers = result.values();
  for (int64_t i = 0; i < queries * heads * size; ++i) {
    REQUIRE(static_cast<float>(numbers[i]) == (i < heads * size ? 0.5F : 1.0F));
  }
}

void norm_whose_statistics_have_no_last_dimension() {
  const Memory<float> x({3, 4, 0, 0, 6, 8, 0, 0}), gamma({1, 1, 1, 1});
  const Memory<float> y(std::vector<float>(8)), roots(std::vector<float>(2));
  aclTensor* input = view({1, 1, 2, 4}, {8, 8, 4, 1}, ACL_FLOAT, x.address);
  aclTensor* factors = view({4}, {1}, ACL_FLOAT, gamma.address);
  aclTensor* output = view({1, 1, 2, 4}, {8, 8, 4, 1}, ACL_FLOAT, y.address);
  aclTensor* rstd = view({1, 1, 2}, {2, 2, 1}, ACL_FLOAT, roots.address);
  launch({input, factors, output, rstd}, aclnnRmsNormGetWorkspaceSize, aclnnRmsNorm, input, factors,
         0.0, output, rstd);
  REQUIRE((y.values() == std::vector<float>{1.2F, 1.6F, 0, 0, 1.2F, 1.6F, 0, 0}));
  REQUIRE((roots.values() == std::vector<float>{0.4F, 0.2F}));
}

void rotation_in_place() {
  const Memory<float> x({1, 2, 3, 4}), cosines({0, 0, 0, 0}), sines({1, 1, 1, 1});
  const Shape shape = {1, 1, 1, 4}, strides = {4, 4, 4, 1};
  aclTensor* input = view(shape, strides, ACL_FLOAT, x.address);
  aclTensor* output = view(shape, strides, ACL_FLOAT, x.address);
  aclTensor* cosine = view(shape, strides, ACL_FLOAT, cosines.address);
  aclTensor* sine = view(shape, strides, ACL_FLOAT, sines.address);
  launch({input, output, cosine, sine}, aclnnRotaryPositionEmbeddingGetWorkspaceSize,
         aclnnRotaryPositionEmbedding, input, cosine, sine, int64_t{0}, output);
  REQUIRE((x.values() == std::vector<float>{-3, -4, 1, 2}));
}

// What is dropped may be infinite: it is not multiplied by 0.
void triangle_of_infinities() {
  const float far = -std::numeric_limits<float>::infinity();
  const Memory<float> x(std::vector<float>(4, far));
  aclTensor* matrix = view({2, 2}, {2, 1}, ACL_FLOAT, x.address);
  launch({matrix}, aclnnInplaceTriuGetWorkspaceSize, aclnnInplaceTriu, matrix, int64_t{1});
  REQUIRE((x.values() == std::vector<float>{0, far, 0, 0}));
}

void copy_to_no_rows() {
  const Memory<float> x({1, 2});
  aclTensor* table = view({2, 1}, {1, 1}, ACL_FLOAT, x.address);
  aclTensor* index = view({0}, {1}, ACL_INT32, nullptr);
  aclTensor* rows = view({0, 1}, {1, 1}, ACL_FLOAT, nullptr);
  launch({table, index, rows}, aclnnInplaceIndexCopyGetWorkspaceSize, aclnnInplaceIndexCopy, table,
         int64_t{0}, index, rows);
  REQUIRE((x.values() == std::vector<float>{1, 2}));
}

void sum_of_two_types_at_rank_eight() {
  const Memory<float> x({1, 2, 3, 4});
  const Memory<Half> other({10, 20});
  float one = 1;
  aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
  aclTensor* sum = view({1, 1, 1, 2, 1, 1, 1, 2}, {4, 4, 4, 1, 4, 4, 4, 2}, ACL_FLOAT, x.address);
  aclTensor* added =
      view({1, 1, 1, 1, 1, 1, 1, 2}, {2, 2, 2, 2, 2, 2, 2, 1}, ACL_FLOAT16, other.address);
  launch({sum, added}, aclnnInplaceAddGetWorkspaceSize, aclnnInplaceAdd, sum, added, alpha);
  OK(aclDestroyScalar(alpha));
  REQUIRE((x.values() == std::vector<float>{11, 12, 23, 24}));
}

}  // namespace

int main() {
  return on_a_device([] {
    quantised_weight_at_an_offset();
    weight_in_the_cards_order();
    attention_with_a_shared_mask();
    norm_whose_statistics_have_no_last_dimension();
    rotation_in_place();
    triangle_of_infinities();
    copy_to_no_rows();
    sum_of_two_types_at_rank_eight();
  });
}
