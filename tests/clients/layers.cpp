// SPDX-License-Identifier: Apache-2.0
// As backends of inference do: norms without weights, whose statistics nobody reads; products with
// offsets and of many dimensions; convolutions of sequences; pools of padded images.
#include <cmath>

#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_max_pool.h"
#include "aclnnop/aclnn_triangular_solve.h"
#include "views.h"

namespace {

using Floats = std::vector<float>;

class Ints {
 public:
  Ints(const Shape& values) : array_(aclCreateIntArray(values.data(), values.size())) {}
  ~Ints() { aclDestroyIntArray(array_); }
  Ints(const Ints&) = delete;
  Ints& operator=(const Ints&) = delete;
  operator const aclIntArray*() const { return array_; }

 private:
  aclIntArray* array_;
};

aclTensor* image(const Shape& shape, const Shape& strides, void* memory, aclFormat format) {
  return view(shape, strides, ACL_FLOAT, memory, 0, format);
}

bool near(const Floats& a, const Floats& b) {
  bool all = a.size() == b.size();
  for (size_t i = 0; all && i < a.size(); ++i) all = std::abs(a[i] - b[i]) <= 1e-5F;
  return all;
}

void layer_norm_of_nothing_else() {
  const Memory<float> x({1, 3, 2, 6}), y(Floats(4, 0));
  aclTensor *from = dense({2, 2}, ACL_FLOAT, x.address), *to = dense({2, 2}, ACL_FLOAT, y.address);
  aclTensor* none = nullptr;
  const Ints shape({2});
  launch({from, to}, aclnnLayerNormGetWorkspaceSize, aclnnLayerNorm, from, shape, none, none, 0.0,
         to, none, none);
  REQUIRE(near(y.values(), {-1, 1, -1, 1}));
}

// Both statistics are told to lie at the same place. Strict mode would say so.
void group_norm_whose_statistics_overlap() {
  if (std::getenv("ACLHOST_STRICT") != nullptr) return;
  const Memory<float> x({1, 3, 2, 6}), y(Floats(4, 0)), lost(Floats(4, 0));
  const Shape shape = {1, 2, 2, 1}, strides = {4, 2, 1, 1};
  aclTensor* from = image(shape, strides, x.address, ACL_FORMAT_ND);
  aclTensor* to = image(shape, strides, y.address, ACL_FORMAT_ND);
  aclTensor* mean = dense({1, 2}, ACL_FLOAT, lost.address);
  aclTensor* rstd = dense({1, 2}, ACL_FLOAT, lost.address);
  const aclTensor* none = nullptr;
  launch({from, to, mean, rstd}, aclnnGroupNormGetWorkspaceSize, aclnnGroupNorm, from, none, none,
         int64_t{1}, int64_t{2}, int64_t{2}, int64_t{2}, 1e-12, to, mean, rstd);
  REQUIRE(near(y.values(), {-1, 1, -1, 1}));
}

// The second of two matrices in a buffer, transposed.
void batch_of_products_at_offsets() {
  const Memory<float> x({0, 0, 1, 2}), y({0, 0, 0, 0, 1, 3, 2, 4}), z(Floats(2, 0));
  aclTensor* left = view({1, 1, 2}, {2, 2, 1}, ACL_FLOAT, x.address, 2);
  aclTensor* right = view({1, 2, 2}, {4, 1, 2}, ACL_FLOAT, y.address, 4);
  aclTensor* out = dense({1, 1, 2}, ACL_FLOAT, z.address);
  launch({left, right, out}, aclnnBatchMatMulGetWorkspaceSize, aclnnBatchMatMul, left, right, out,
         int8_t{2});
  REQUIRE((z.values() == Floats{7, 10}));
}

// Rank 6: two heads share a matrix, which is a view of one.
void product_that_is_broadcast() {
  const Memory<float> x({1, 2, 3, 4}), y({1, 0, 1, 1}), z(Floats(4, 0));
  aclTensor* left = dense({1, 1, 1, 2, 1, 2}, ACL_FLOAT, x.address);
  aclTensor* right = view({1, 1, 1, 1, 2, 2}, {4, 4, 4, 4, 1, 2}, ACL_FLOAT, y.address);
  aclTensor* out = dense({1, 1, 1, 2, 1, 2}, ACL_FLOAT, z.address);
  launch({left, right, out}, aclnnMatmulGetWorkspaceSize, aclnnMatmul, left, right, out, int8_t{1});
  REQUIRE((z.values() == Floats{1, 3, 3, 7}));
}

void convolve(aclTensor* x, aclTensor* weight, aclTensor* y, bool transposed, int64_t groups) {
  const aclTensor* none = nullptr;
  const Ints ones({1}), zeros({0});
  launch({x, weight, y}, aclnnConvolutionGetWorkspaceSize, aclnnConvolution, x, weight, none, ones,
         zeros, ones, transposed, zeros, groups, y, int8_t{0});
}

void sequence_made_longer() {
  const Memory<float> x({1, 2}), w({1, 10, 100}), y(Floats(4, 0));
  convolve(image({1, 1, 2}, {2, 2, 1}, x.address, ACL_FORMAT_NCL),
           image({1, 1, 3}, {3, 3, 1}, w.address, ACL_FORMAT_NCL),
           image({1, 1, 4}, {4, 4, 1}, y.address, ACL_FORMAT_NCL), true, 1);
  REQUIRE((y.values() == Floats{1, 12, 120, 200}));
}

// A channel at a time; neighbours of the result are neighbours of no channel.
void channels_apart_into_columns() {
  const Memory<float> x({1, 2, 3, 4, 5, 6}), w({1, 10, 1, 100}), y(Floats(4, 0));
  convolve(image({1, 2, 3}, {6, 3, 1}, x.address, ACL_FORMAT_NCL),
           image({2, 1, 2}, {2, 2, 1}, w.address, ACL_FORMAT_NCL),
           image({1, 2, 2}, {4, 1, 2}, y.address, ACL_FORMAT_NCL), false, 2);
  REQUIRE((y.values() == Floats{21, 504, 32, 605}));
}

void largest_of_each_window() {
  const Memory<float> x({1, 2, 3, 4, 5, 6, 7, 8}), y(Floats(2, 0));
  const aclFormat format = ACL_FORMAT_NCHW;
  aclTensor* from = image({1, 1, 2, 4}, {8, 8, 4, 1}, x.address, format);
  aclTensor* to = image({1, 1, 1, 2}, {2, 2, 2, 1}, y.address, format);
  const Ints kernel({2, 2}), steps({2, 2}), none({0, 0, 0, 0}), ones({1, 1});
  launch({from, to}, aclnnMaxPoolGetWorkspaceSize, aclnnMaxPool, from, kernel, steps, int64_t{0},
         none, ones, int64_t{0}, to);
  REQUIRE((y.values() == Floats{6, 8}));
}

// What stands above the diagonal is not read.
void lower_triangle_solved() {
  const Memory<float> a({2, NAN, 1, 4}), b({2, 9}), x(Floats(2, 0)), copy(Floats(4, 0));
  aclTensor *right = dense({2, 1}, ACL_FLOAT, b.address),
            *matrix = dense({2, 2}, ACL_FLOAT, a.address);
  aclTensor* result = dense({2, 1}, ACL_FLOAT, x.address);
  aclTensor* kept = dense({2, 2}, ACL_FLOAT, copy.address);
  launch({right, matrix, result, kept}, aclnnTriangularSolveGetWorkspaceSize, aclnnTriangularSolve,
         right, matrix, false, false, false, result, kept);
  REQUIRE((x.values() == Floats{1, 2}));
}

}  // namespace

int main() {
  return on_a_device([] {
    layer_norm_of_nothing_else();
    group_norm_whose_statistics_overlap();
    batch_of_products_at_offsets();
    product_that_is_broadcast();
    sequence_made_longer();
    channels_apart_into_columns();
    largest_of_each_window();
    lower_triangle_solved();
  });
}
