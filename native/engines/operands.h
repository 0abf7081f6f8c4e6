// SPDX-License-Identifier: Apache-2.0
// Tensors as loops over blocks see them: arrays of the operator's element type T, either the
// tensor's own memory or a copy of a block of it, converted and in the order of positions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "engines/strided.h"
#include "simd/convert.h"
#include "simd/memory.h"
#include "simd/simd.h"
#include "simd/transpose.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kBlockElements = 1024;

namespace operands {

template <typename From, typename T>
void load_run(const char* from, int64_t stride, int64_t length, T* to) {
  constexpr int64_t kSize = sizeof(From);
  if (stride == 1) {
    int64_t i = 0;
    if constexpr (std::is_same_v<T, ComputeType<From>>) {
      for (; i + kLanes<T> <= length; i += kLanes<T>) {
        store_vector(to + i, load_widened(reinterpret_cast<const From*>(from + i * kSize)));
      }
    }
    for (; i < length; ++i) to[i] = convert<T>(load<From>(from + i * kSize));
  } else {
    for (int64_t i = 0; i < length; ++i) to[i] = convert<T>(load<From>(from + i * stride * kSize));
  }
}

template <typename To, typename T>
void store_run(const T* from, int64_t length, char* to, int64_t stride) {
  constexpr int64_t kSize = sizeof(To);
  if (stride == 1) {
    int64_t i = 0;
    if constexpr (std::is_same_v<To, ComputeType<T>>) {
      for (; i + kLanes<To> <= length; i += kLanes<To>) {
        store_vector(to + i * kSize, load_widened(from + i));
      }
    }
    for (; i < length; ++i) store(to + i * kSize, convert<To>(from[i]));
  } else {
    for (int64_t i = 0; i < length; ++i) store(to + i * stride * kSize, convert<To>(from[i]));
  }
}

// A tensor as the block loop sees it. Input and Output differ in the direction of `move` only.
template <typename T, typename Move>
struct Operand {
  char* data = nullptr;  // the view's first element
  int64_t item_size = 0;
  bool holds_t = false;  // elements are of type T, and aligned like one
  Move* move = nullptr;  // null: no conversion between T and the tensor's type

  template <typename Element>
  void bind(const TensorView& view, Move* move_run) {
    item_size = sizeof(Element);
    data = static_cast<char*>(view.data) + view.offset * item_size;
    holds_t = std::is_same_v<Element, T> && reinterpret_cast<uintptr_t>(data) % alignof(T) == 0;
    move = move_run;
  }

  // The block's place in the tensor if that is a contiguous array of T, else null.
  T* in_place(const StridedLoop& loop, int operand, int64_t begin, int64_t count) const {
    if (!holds_t || loop.strides[operand][0] != 1) return nullptr;
    if (loop.rank == 1) return reinterpret_cast<T*>(data) + loop.start[operand] + begin;
    int64_t index[kMaxRank];
    const int64_t offset = offset_at(loop, operand, begin, index);
    if (begin % loop.shape[0] + count > loop.shape[0]) return nullptr;
    return reinterpret_cast<T*>(data) + offset;
  }
};

template <typename T>
using Input = Operand<T, void(const char*, int64_t, int64_t, T*)>;
template <typename T>
using Output = Operand<T, void(const T*, int64_t, char*, int64_t)>;

template <typename T>
Input<T> make_input(const TensorView& view) {
  Input<T> input;
  switch (view.dtype) {
    case ACL_FLOAT:
      input.template bind<float>(view, load_run<float, T>);
      break;
    case ACL_FLOAT16:
      input.template bind<Half>(view, load_run<Half, T>);
      break;
    case ACL_BF16:
      input.template bind<BFloat16>(view, load_run<BFloat16, T>);
      break;
    case ACL_DOUBLE:
      input.template bind<double>(view, load_run<double, T>);
      break;
    default:
      break;
  }
  return input;
}

template <typename T>
Output<T> make_output(const TensorView& view) {
  using Complex32 = Complex<Half>;
  using Complex64 = Complex<float>;
  using Complex128 = Complex<double>;
  Output<T> output;
  switch (view.dtype) {
    case ACL_FLOAT:
      output.template bind<float>(view, store_run<float, T>);
      break;
    case ACL_FLOAT16:
      output.template bind<Half>(view, store_run<Half, T>);
      break;
    case ACL_BF16:
      output.template bind<BFloat16>(view, store_run<BFloat16, T>);
      break;
    case ACL_DOUBLE:
      output.template bind<double>(view, store_run<double, T>);
      break;
    case ACL_COMPLEX32:
      output.template bind<Complex32>(view, store_run<Complex32, T>);
      break;
    case ACL_COMPLEX64:
      output.template bind<Complex64>(view, store_run<Complex64, T>);
      break;
    case ACL_COMPLEX128:
      output.template bind<Complex128>(view, store_run<Complex128, T>);
      break;
    default:
      break;
  }
  return output;
}

// Whether a block is made of whole runs, and the input lies in memory across them.
template <typename T>
bool lies_across(const StridedLoop& loop, int operand, const Input<T>& input, int64_t begin,
                 int64_t count) {
  const int64_t length = loop.shape[0];
  return input.holds_t && loop.rank > 1 && loop.strides[operand][1] == 1 && begin % length == 0 &&
         count % length == 0 && begin / length % loop.shape[1] + count / length <= loop.shape[1];
}

// Such a block as a matrix that has the runs for rows.
template <typename T>
Columns<T> columns_of(const StridedLoop& loop, int operand, const Input<T>& input, int64_t begin) {
  int64_t index[kMaxRank];
  const int64_t offset = offset_at(loop, operand, begin, index);
  return {reinterpret_cast<const T*>(input.data) + offset, loop.strides[operand][0]};
}

template <typename T>
const T* fetch(const StridedLoop& loop, int operand, const Input<T>& input, int64_t begin,
               int64_t count, T* buffer) {
  if (const T* place = input.in_place(loop, operand, begin, count)) return place;
  if (lies_across(loop, operand, input, begin, count)) {
    transpose(columns_of(loop, operand, input, begin), count / loop.shape[0], loop.shape[0],
              buffer);
    return buffer;
  }
  const int64_t stride = loop.strides[operand][0];
  T* next = buffer;
  for_each_run(loop, operand, begin, count, [&](int64_t offset, int64_t length) {
    input.move(input.data + offset * input.item_size, stride, length, next);
    next += length;
  });
  return buffer;
}

// The first element.
template <typename T>
T number_in(const Input<T>& input) {
  T number;
  input.move(input.data, 1, 1, &number);
  return number;
}

// Whether a single number stands for all positions.
inline bool is_constant(const StridedLoop& loop, int operand) {
  for (int i = 0; i < loop.rank; ++i) {
    if (loop.strides[operand][i] != 0) return false;
  }
  return true;
}

template <typename T>
void flush(const StridedLoop& loop, const Output<T>& output, int64_t begin, int64_t count,
           const T* buffer) {
  const int64_t stride = loop.strides[0][0];
  for_each_run(loop, 0, begin, count, [&](int64_t offset, int64_t length) {
    output.move(buffer, length, output.data + offset * output.item_size, stride);
    buffer += length;
  });
}

}  // namespace operands
}  // namespace ACLHOST_ISA
}  // namespace aclhost
