// SPDX-License-Identifier: Apache-2.0
// As backends of inference do: operands of different types, numbers that are always FLOAT, results
// of comparisons as floats and as integers, sums and places in wider types.
#include <cstring>

#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_argsort.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_gt_scalar.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "views.h"

namespace {

// The upper half of a float; the numbers here need no more.
struct Bf16 {
  uint16_t bits = 0;
  Bf16() = default;
  Bf16(float value) {
    uint32_t whole = 0;
    std::memcpy(&whole, &value, sizeof whole);
    bits = static_cast<uint16_t>(whole >> 16);
  }
  bool operator==(const Bf16& other) const { return bits == other.bits; }
};

template <typename T>
constexpr aclDataType kType = ACL_DT_UNDEFINED;
template <>
constexpr aclDataType kType<float> = ACL_FLOAT;
template <>
constexpr aclDataType kType<Half> = ACL_FLOAT16;
template <>
constexpr aclDataType kType<Bf16> = ACL_BF16;
template <>
constexpr aclDataType kType<int8_t> = ACL_INT8;
template <>
constexpr aclDataType kType<int32_t> = ACL_INT32;
template <>
constexpr aclDataType kType<int64_t> = ACL_INT64;

class Number {
 public:
  explicit Number(float value) : scalar_(aclCreateScalar(&value, ACL_FLOAT)) {}
  ~Number() { aclDestroyScalar(scalar_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  operator const aclScalar*() const { return scalar_; }

 private:
  aclScalar* scalar_;
};

// [2, 2] times a row.
template <typename A, typename B, typename C>
void product() {
  const Memory<A> left({A(1), A(-2), A(3), A(4)});
  const Memory<B> right({B(2), B(5)});
  const Memory<C> result(std::vector<C>(4));
  aclTensor *a = dense({2, 2}, kType<A>, left.address), *b = dense({2}, kType<B>, right.address);
  aclTensor* c = dense({2, 2}, kType<C>, result.address);
  launch({a, b, c}, aclnnMulGetWorkspaceSize, aclnnMul, a, b, c);
  REQUIRE((result.values() == std::vector<C>{C(2), C(-10), C(6), C(20)}));
}

void halves_times_a_float() {
  const Memory<Half> x({1, 2, 3}), y(std::vector<Half>(3));
  aclTensor *a = dense({3}, ACL_FLOAT16, x.address), *b = dense({3}, ACL_FLOAT16, y.address);
  const Number factor(0.5F);
  launch({a, b}, aclnnMulsGetWorkspaceSize, aclnnMuls, a, factor, b);
  REQUIRE((y.values() == std::vector<Half>{0.5F, 1, 1.5F}));
}

void float_to_the_power_of_floats() {
  const Memory<float> x({0, 1, -2}), y(std::vector<float>(3));
  aclTensor *a = dense({3}, ACL_FLOAT, x.address), *b = dense({3}, ACL_FLOAT, y.address);
  const Number base(2);
  launch({a, b}, aclnnPowScalarTensorGetWorkspaceSize, aclnnPowScalarTensor, base, a, b);
  REQUIRE((y.values() == std::vector<float>{1, 2, 0.25F}));
}

template <typename T>
void steps() {
  const Memory<T> x({-1, 0, 2}), y(std::vector<T>(3, 9));
  aclTensor *a = dense({3}, kType<T>, x.address), *b = dense({3}, kType<T>, y.address);
  const Number zero(0);
  launch({a, b}, aclnnGtScalarGetWorkspaceSize, aclnnGtScalar, a, zero, b);
  REQUIRE((y.values() == std::vector<T>{0, 0, 1}));
}

// How many of two lists of places agree: equal as integers, the sum as a wider one.
void count_of_equal_places() {
  const Memory<int32_t> x({1, 2, 3, 4}), y({1, 0, 3, 4}), same(std::vector<int32_t>(4));
  const Memory<int64_t> count({-1});
  aclTensor *a = dense({4}, ACL_INT32, x.address), *b = dense({4}, ACL_INT32, y.address);
  aclTensor* equal = dense({4}, ACL_INT32, same.address);
  launch({a, b}, aclnnEqTensorGetWorkspaceSize, aclnnEqTensor, a, b, equal);
  aclTensor* sum = dense({1}, ACL_INT64, count.address);
  const int64_t first = 0;
  aclIntArray* dims = aclCreateIntArray(&first, 1);
  launch({equal, sum}, aclnnReduceSumGetWorkspaceSize, aclnnReduceSum, equal, dims, true, ACL_INT64,
         sum);
  OK(aclDestroyIntArray(dims));
  REQUIRE((count.values() == std::vector<int64_t>{3}));
}

void places_of_both_widths() {
  const Memory<float> x({2, 7, 5, 9, 1, 4});
  const Memory<int32_t> largest(std::vector<int32_t>(2, -1));
  const Memory<int64_t> order(std::vector<int64_t>(6, -1));
  aclTensor* rows = dense({2, 3}, ACL_FLOAT, x.address);
  aclTensor* most = dense({2}, ACL_INT32, largest.address);
  launch({most}, aclnnArgMaxGetWorkspaceSize, aclnnArgMax, rows, int64_t{1}, false, most);
  aclTensor* sorted = dense({2, 3}, ACL_INT64, order.address);
  launch({rows, sorted}, aclnnArgsortGetWorkspaceSize, aclnnArgsort, rows, int64_t{-1}, true,
         sorted);
  REQUIRE((largest.values() == std::vector<int32_t>{1, 0}));
  REQUIRE((order.values() == std::vector<int64_t>{1, 2, 0, 0, 2, 1}));
}

}  // namespace

int main() {
  return on_a_device([] {
    product<int32_t, float, float>();
    product<int8_t, Half, float>();
    product<float, Half, float>();
    product<Half, float, Half>();
    product<Bf16, float, Bf16>();
    halves_times_a_float();
    float_to_the_power_of_floats();
    steps<float>();
    steps<Half>();
    count_of_equal_places();
    places_of_both_widths();
  });
}
