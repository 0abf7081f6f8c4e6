// SPDX-License-Identifier: Apache-2.0
// Element-wise operators over any views: out = cast(round(point(inputs...))).
//
// Work goes in blocks small enough for the first-level cache. A block's inputs are arrays of the
// operator's element type T: the tensor's own memory where that is contiguous, else a copy on the
// stack. One loop of vectors widens to the compute type, applies the point function and rounds once
// to T; where the output is not a contiguous array of T, a second one casts and scatters.
//
// An output may be one of the inputs, or occupy the same elements in the same layout.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/parallel.h"
#include "base/status.h"
#include "kernels/convert.h"
#include "kernels/memory.h"
#include "kernels/pairs.h"
#include "kernels/strided.h"
#include "kernels/transpose.h"
#include "opbase/no_kernel.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kBlockElements = 1024;
constexpr int64_t kParallelElements = 16 * kBlockElements;  // less is not worth a second thread

// A value that names a type, for generic lambdas.
template <typename T>
struct TypeTag {
  using type = T;
};

namespace elementwise_detail {

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

template <typename T>
const T* fetch(const StridedLoop& loop, int operand, const Input<T>& input, int64_t begin,
               int64_t count, T* buffer) {
  if (const T* place = input.in_place(loop, operand, begin, count)) return place;
  if (lies_across(loop, operand, input, begin, count)) {
    int64_t index[kMaxRank];
    const T* from = reinterpret_cast<const T*>(input.data) + offset_at(loop, operand, begin, index);
    transpose(from, loop.strides[operand][0], count / loop.shape[0], loop.shape[0], buffer);
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

// A single number for all positions is read once, not for every block.
template <typename T>
bool fill_if_constant(const StridedLoop& loop, int operand, const Input<T>& input, int64_t count,
                      T* buffer) {
  for (int i = 0; i < loop.rank; ++i) {
    if (loop.strides[operand][i] != 0) return false;
  }
  T number;
  input.move(input.data, 1, 1, &number);
  std::fill_n(buffer, std::min(count, kBlockElements), number);
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

// Elements up to the next place where a vector can be streamed to.
template <typename T>
int64_t elements_to_line(const T* place) {
  return (-reinterpret_cast<intptr_t>(place) & (kVectorBytes - 1)) / static_cast<int>(sizeof(T));
}

// Blocks end with the run where runs are long, so that they can be computed in place. Where runs
// are short, blocks are made of whole ones.
inline int64_t block_size(const StridedLoop& loop, int64_t begin, int64_t end) {
  const int64_t left = std::min(end - begin, kBlockElements), length = loop.shape[0];
  const int64_t done = begin % length;
  if (done > 0 || length >= kBlockElements / 4) return std::min(left, length - done);
  return left < length ? left : left / length * length;
}

template <typename T, typename Point, typename... Pairs>
Pair<T> compute_pair(const Point& point, const Pairs&... pairs) {
  return {point(pairs.first...), point(pairs.second...)};
}

// Two pairs at once: one alone waits for its own results most of the time. An output may be an
// input, so everything is read before anything is written.
template <typename Way, typename T, typename Point, typename... In>
void compute_step(const Point& point, T* out, const In*... in) {
  constexpr int64_t kPair = 2 * kLanes<ComputeType<T>>;
  const Pair<T> one = compute_pair<T>(point, load_pair(in)...);
  const Pair<T> two = compute_pair<T>(point, load_pair(in + kPair)...);
  put_pair<Way>(out, one);
  put_pair<Way>(out + kPair, two);
}

// The operator's definition, applied to a block. The last elements are computed in vectors that
// they do not fill, by the same code as all others. Everything is inlined: a function apart would
// fetch its constants for every vector.
template <typename Way = Store, typename T, typename Point, std::size_t... I>
__attribute__((flatten)) void compute_block(const Point& point, const T* const* in, int64_t count,
                                            T* out, std::index_sequence<I...>) {
  constexpr int64_t kStep = 4 * kLanes<ComputeType<T>>;
  const Point own_point = point;  // on the stack, what it holds stays in registers
  int64_t i = 0;
  for (; i + kStep <= count; i += kStep) compute_step<Way>(own_point, out + i, in[I] + i...);
  if (i == count) return;
  T rest[sizeof...(I)][kStep] = {};
  T results[kStep];
  (std::memcpy(rest[I], in[I] + i, (count - i) * sizeof(T)), ...);
  compute_step<Store>(own_point, results, rest[I]...);
  std::memcpy(out + i, results, (count - i) * sizeof(T));
}

template <typename T, typename Point, std::size_t... I>
void compute_blocks(const StridedLoop& loop, int64_t begin, int64_t end, const Point& point,
                    const Output<T>& output, const std::array<Input<T>, sizeof...(I)>& inputs,
                    bool past_cache, std::index_sequence<I...> each) {
  alignas(64) T input_buffers[sizeof...(I)][kBlockElements];
  alignas(64) T output_buffer[kBlockElements];
  const bool constant[] = {
      fill_if_constant(loop, int{I} + 1, inputs[I], end - begin, input_buffers[I])...};
  while (begin < end) {
    int64_t count = block_size(loop, begin, end);
    T* const place = output.in_place(loop, 0, begin, count);
    const bool streams = past_cache && place && elements_to_line(place) == 0;
    if (past_cache && place && !streams) count = std::min(count, elements_to_line(place));
    const T* const in[] = {
        constant[I] ? input_buffers[I]
                    : fetch(loop, int{I} + 1, inputs[I], begin, count, input_buffers[I])...};
    if (streams) {
      compute_block<Stream>(point, in, count, place, each);
    } else {
      compute_block(point, in, count, place ? place : output_buffer, each);
    }
    if (!place) flush(loop, output, begin, count, output_buffer);
    begin += count;
  }
  if (past_cache) finish_streaming();
}

}  // namespace elementwise_detail

// Computes out = point(inputs...) in ComputeType<T>, rounded to T, cast to the output's type.
// Inputs of another floating type are converted to T first; they broadcast to the output.
template <typename T, typename Point, typename... Views>
Status elementwise(const Point& point, const TensorView& out, const Views&... views) {
  namespace detail = elementwise_detail;
  constexpr std::size_t kInputs = sizeof...(views);
  const detail::Output<T> output = detail::make_output<T>(out);
  if (!output.move) return no_kernel_for(out);
  const std::array<detail::Input<T>, kInputs> inputs = {detail::make_input<T>(views)...};
  const TensorView* const sources[] = {&views...};
  for (std::size_t i = 0; i < kInputs; ++i) {
    if (!inputs[i].move) return no_kernel_for(*sources[i]);
  }
  const StridedLoop loop = make_loop({&out, &views...});
  // In place, the memory is in the cache when it is written.
  const bool in_place = ((views.data == out.data) || ...);
  const bool past_cache =
      !in_place && loop.total > kCacheBytes / static_cast<int64_t>((kInputs + 1) * sizeof(T));
  const auto compute = [&](const StridedLoop& positions) {
    parallel_for(positions.total, kParallelElements, [&](int64_t begin, int64_t end) {
      detail::compute_blocks<T>(positions, begin, end, point, output, inputs, past_cache,
                                std::make_index_sequence<kInputs>{});
    });
  };
  if (!wants_tiles(loop)) {
    compute(loop);
  } else {
    const TiledLoop tiled = in_tiles(loop);
    compute(tiled.whole_tiles);
    compute(tiled.rest_of_rows);
  }
  return {};
}

// Calls visit(TypeTag<T>{}) with the element type that an operator of this dtype computes with.
template <typename Visit>
Status visit_floating(const TensorView& view, const Visit& visit) {
  switch (view.dtype) {
    case ACL_FLOAT:
      return visit(TypeTag<float>{});
    case ACL_FLOAT16:
      return visit(TypeTag<Half>{});
    case ACL_BF16:
      return visit(TypeTag<BFloat16>{});
    case ACL_DOUBLE:
      return visit(TypeTag<double>{});
    default:
      return no_kernel_for(view);
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
