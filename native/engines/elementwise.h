// SPDX-License-Identifier: Apache-2.0
// Element-wise operators over any views: out = cast(round(point(inputs...))).
//
// Work goes in blocks small enough for the first-level cache. A block's inputs are arrays of the
// operator's element type T: the tensor's own memory where that is contiguous, else a copy on the
// stack. One loop of vectors widens to the compute type, applies the point function and rounds once
// to T; where the output is not a contiguous array of T, a second one casts and scatters.
//
// An output may be one of the inputs, or occupy the same elements in the same layout; other than
// that they share no memory (operator/run.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/parallel.h"
#include "base/status.h"
#include "engines/operands.h"
#include "operator/no_kernel.h"
#include "simd/pairs.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kParallelElements = 16 * kBlockElements;  // less is not worth a second thread
constexpr int64_t kParallelTiles = 4 * kBlockElements;      // likewise, of what takes much longer

// A value that names a type, for generic lambdas.
template <typename T>
struct TypeTag {
  using type = T;
};

template <typename T>
constexpr aclDataType kDtype = ACL_FLOAT;
template <>
inline constexpr aclDataType kDtype<Half> = ACL_FLOAT16;
template <>
inline constexpr aclDataType kDtype<BFloat16> = ACL_BF16;
template <>
inline constexpr aclDataType kDtype<double> = ACL_DOUBLE;

namespace elementwise_detail {

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

// Elements that are computed in one step.
template <typename T>
constexpr int64_t kStep = 4 * kLanes<ComputeType<T>>;

// The elements of a block: an array, or a number that stands for all of them.
template <typename T>
struct Source {
  const T* first;
  int64_t moves;  // all bits are set, or none where `first` holds one and the same step of numbers

  const T* at(int64_t i) const { return first + (i & moves); }
};

template <typename T, typename Point, typename... Pairs>
Pair<T> compute_pair(const Point& point, const Pairs&... pairs) {
  return {point(pairs.first...), point(pairs.second...)};
}

// Two pairs at once: one alone waits for its own results most of the time. An output may be an
// input, so everything is read before anything is written.
template <typename Way, typename T, typename Point, typename... In>
void compute_step(const Point& point, T* out, const In*... in) {
  constexpr int64_t kPair = kStep<T> / 2;
  const Pair<T> one = compute_pair<T>(point, load_pair(in)...);
  const Pair<T> two = compute_pair<T>(point, load_pair(in + kPair)...);
  put_pair<Way>(out, one);
  put_pair<Way>(out + kPair, two);
}

template <typename T, typename Point, std::size_t... I>
void compute_less_than_step(const Point& point, const Source<T>* in, int64_t count, T* out,
                            std::index_sequence<I...>) {
  T inputs[sizeof...(I)][kStep<T>] = {};
  T results[kStep<T>];
  (std::memcpy(inputs[I], in[I].first, count * sizeof(T)), ...);
  compute_step<Store>(point, results, inputs[I]...);
  std::memcpy(out, results, count * sizeof(T));
}

// The operator's definition, applied to a block. Where the last step is not full it reaches back to
// elements of the one before; it comes first, before an output that is an input has changed.
// Everything is inlined: a function apart would fetch its constants for every vector.
template <typename Way = Store, typename T, typename Point, std::size_t... I>
__attribute__((flatten, noinline)) void compute_block(const Point& point, const Source<T>* in,
                                                      int64_t count, T* out,
                                                      std::index_sequence<I...> each) {
  const Point own_point = point;  // on the stack, what they hold stays in registers
  const Source<T> own_in[] = {in[I]...};
  const int64_t last = count - kStep<T>;
  if (last < 0) return compute_less_than_step(own_point, in, count, out, each);
  T last_results[kStep<T>];
  const bool is_full = count % kStep<T> == 0;
  if (!is_full) compute_step<Store>(own_point, last_results, own_in[I].at(last)...);
  for (int64_t i = 0; i <= last; i += kStep<T>) {
    compute_step<Way>(own_point, out + i, own_in[I].at(i)...);
  }
  if (!is_full) std::memcpy(out + last, last_results, sizeof last_results);
}

// A number that stands for all elements, in as many copies as a step needs.
template <typename T>
Source<T> repeat(const operands::Input<T>& input, T* copies) {
  std::fill_n(copies, kStep<T>, operands::number_in(input));
  return {copies, 0};
}

// Positions [begin, end); with in_one they make a single block.
template <typename T, typename Point, std::size_t... I>
void compute_blocks(const StridedLoop& loop, int64_t begin, int64_t end, const Point& point,
                    const operands::Output<T>& output,
                    const std::array<operands::Input<T>, sizeof...(I)>& inputs, bool in_one,
                    bool past_cache, std::index_sequence<I...> each) {
  alignas(64) T buffers[sizeof...(I)][kBlockElements];
  alignas(64) T results[kBlockElements];
  const bool constant[] = {operands::is_constant(loop, int{I} + 1)...};
  Source<T> in[] = {constant[I] ? repeat(inputs[I], buffers[I]) : Source<T>{buffers[I], -1}...};
  while (begin < end) {
    int64_t count = in_one ? end - begin : block_size(loop, begin, end);
    T* const place = output.in_place(loop, 0, begin, count);
    const bool streams = past_cache && place && elements_to_line(place) == 0;
    if (past_cache && place && !streams) count = std::min(count, elements_to_line(place));
    ((constant[I] ||
      (in[I].first = operands::fetch(loop, int{I} + 1, inputs[I], begin, count, buffers[I]))),
     ...);
    if (streams) {
      compute_block<Stream>(point, in, count, place, each);
    } else {
      compute_block(point, in, count, place ? place : results, each);
    }
    if (!place) operands::flush(loop, output, begin, count, results);
    begin += count;
  }
  if (past_cache) finish_streaming();
}

// Whether every operand is an array of T as a whole, or a number that stands for one.
template <typename T, std::size_t count>
bool is_one_block(const StridedLoop& loop, const operands::Output<T>& output,
                  const std::array<operands::Input<T>, count>& inputs) {
  if (loop.rank != 1 || !output.holds_t || loop.strides[0][0] != 1) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const int64_t stride = loop.strides[i + 1][0];
    if (stride != 0 && !(stride == 1 && inputs[i].holds_t)) return false;
  }
  return true;
}

// Most calls with few elements end here: the walk below would take longer than its loop.
template <typename T, typename Point, std::size_t... I>
bool compute_small(const Point& point, const TensorView* const* views,
                   std::index_sequence<I...> each) {
  const int64_t count =
      small_arrays(views, sizeof...(I) + 1, kDtype<T>, sizeof(T), kParallelElements);
  if (count == 0) return false;
  const auto array = [](const TensorView& view) {
    return static_cast<T*>(view.data) + view.offset;
  };
  const Source<T> in[] = {{array(*views[I + 1]), -1}...};
  compute_block(point, in, count, array(*views[0]), each);
  return true;
}

}  // namespace elementwise_detail

// Computes out = point(inputs...) in ComputeType<T>, rounded to T, cast to the output's type.
// Inputs of another floating type are converted to T first; they broadcast to the output.
template <typename T, typename Point, typename... Views>
Status elementwise(const Point& point, const TensorView& out, const Views&... views) {
  namespace detail = elementwise_detail;
  constexpr std::size_t kInputs = sizeof...(views);
  constexpr auto kEach = std::make_index_sequence<kInputs>{};
  const TensorView* all_views[] = {&out, &views...};
  if (detail::compute_small<T>(point, all_views, kEach)) return {};
  const operands::Output<T> output = operands::make_output<T>(out);
  if (!output.move) return no_kernel_for(out);
  const std::array<operands::Input<T>, kInputs> inputs = {operands::make_input<T>(views)...};
  for (std::size_t i = 0; i < kInputs; ++i) {
    if (!inputs[i].move) return no_kernel_for(*all_views[i + 1]);
  }
  const StridedLoop loop = make_loop({&out, &views...});
  if (loop.total == 0) return {};
  // In place, the memory is in the cache when it is written.
  const bool in_place = ((views.data == out.data) || ...);
  const bool past_cache =
      !in_place && loop.total > cache_bytes() / static_cast<int64_t>((kInputs + 1) * sizeof(T));
  const bool in_one = detail::is_one_block(loop, output, inputs);
  const auto compute = [&](const StridedLoop& positions, int64_t grain) {
    parallel_for(positions.total, grain, [&](int64_t begin, int64_t end) {
      detail::compute_blocks<T>(positions, begin, end, point, output, inputs, in_one, past_cache,
                                kEach);
    });
  };
  if (!wants_tiles(loop)) {
    compute(loop, kParallelElements);
  } else {
    const TiledLoop tiled = in_tiles(loop);
    compute(tiled.whole_tiles, kParallelTiles);
    compute(tiled.rest_of_rows, kParallelTiles);
  }
  return {};
}

// Calls visit(TypeTag<T>{}) with the element type of a tensor that is computed in single precision.
template <typename Visit>
Status visit_single(const TensorView& view, const Visit& visit) {
  switch (view.dtype) {
    case ACL_FLOAT:
      return visit(TypeTag<float>{});
    case ACL_FLOAT16:
      return visit(TypeTag<Half>{});
    case ACL_BF16:
      return visit(TypeTag<BFloat16>{});
    default:
      return no_kernel_for(view);
  }
}

// The same for operators that take DOUBLE, too.
template <typename Visit>
Status visit_floating(const TensorView& view, const Visit& visit) {
  return view.dtype == ACL_DOUBLE ? visit(TypeTag<double>{}) : visit_single(view, visit);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
