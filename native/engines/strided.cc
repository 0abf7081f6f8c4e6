// SPDX-License-Identifier: Apache-2.0
#include "engines/strided.h"

#include <cstdlib>
#include <utility>

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kLargeStep =
    16;  // elements; shorter ones share cache lines with their neighbours

int64_t broadcast_stride(const TensorView& view, int dimension, int rank) {
  const int own = dimension - (rank - view.rank);
  return own < 0 || view.shape[own] == 1 ? 0 : view.strides[own];
}

void swap_dimensions(StridedLoop& loop, int a, int b) {
  std::swap(loop.shape[a], loop.shape[b]);
  for (int k = 0; k < loop.operands; ++k) std::swap(loop.strides[k][a], loop.strides[k][b]);
}

// A dimension along which nobody moves repeats one and the same computation. Doing it once is not
// only cheaper: in place, the second time would read the result of the first.
bool stands_still(const StridedLoop& loop, int dimension) {
  for (int k = 0; k < loop.operands; ++k) {
    if (loop.strides[k][dimension] != 0) return false;
  }
  return true;
}

// Follows the output's memory order. Stable, so that equal strides keep the view's order.
void sort_by_output_stride(StridedLoop& loop) {
  for (int i = 1; i < loop.rank; ++i) {
    for (int j = i; j > 0; --j) {
      if (std::llabs(loop.strides[0][j - 1]) <= std::llabs(loop.strides[0][j])) break;
      swap_dimensions(loop, j - 1, j);
    }
  }
}

bool continues(const StridedLoop& loop, int inner, int outer) {
  for (int k = 0; k < loop.operands; ++k) {
    if (loop.strides[k][outer] != loop.strides[k][inner] * loop.shape[inner]) return false;
  }
  return true;
}

void merge_dimensions(StridedLoop& loop) {
  int last = 0;
  for (int i = 1; i < loop.rank; ++i) {
    if (continues(loop, last, i)) {
      loop.shape[last] *= loop.shape[i];
    } else {
      swap_dimensions(loop, ++last, i);
    }
  }
  loop.rank = last + 1;
}

void count_positions(StridedLoop& loop) {
  loop.total = 1;
  for (int i = 0; i < loop.rank; ++i) loop.total *= loop.shape[i];
}

// The dimension along which an input moves in smaller steps than along the output's; 0 if none.
int input_dimension(const StridedLoop& loop) {
  int found = 0;
  int64_t smallest = INT64_MAX;
  for (int k = 1; k < loop.operands; ++k) {
    const int64_t step = std::llabs(loop.strides[k][0]);
    if (step < kLargeStep) continue;
    for (int i = 1; i < loop.rank; ++i) {
      const int64_t other = std::llabs(loop.strides[k][i]);
      if (other == 0 || other >= step || other >= smallest) continue;
      smallest = other;
      found = i;
    }
  }
  return found;
}

void move_dimension(StridedLoop& loop, int from, int to) {
  for (; from > to; --from) swap_dimensions(loop, from - 1, from);
}

}  // namespace

bool wants_tiles(const StridedLoop& loop) {
  return loop.rank > 1 && loop.rank < kMaxRank && loop.shape[0] > kTileLength &&
         input_dimension(loop) != 0;
}

TiledLoop in_tiles(const StridedLoop& loop) {
  const int input = input_dimension(loop);
  const int64_t tiles = loop.shape[0] / kTileLength, done = tiles * kTileLength;
  TiledLoop tiled = {loop, loop};
  StridedLoop& whole = tiled.whole_tiles;
  whole.shape[0] = kTileLength;
  whole.shape[whole.rank] = tiles;
  for (int k = 0; k < whole.operands; ++k) {
    whole.strides[k][whole.rank] = whole.strides[k][0] * kTileLength;
  }
  move_dimension(whole, whole.rank++, 1);
  move_dimension(whole, input + 1, 1);
  count_positions(whole);
  StridedLoop& rest = tiled.rest_of_rows;
  rest.shape[0] -= done;
  for (int k = 0; k < rest.operands; ++k) rest.start[k] += rest.strides[k][0] * done;
  move_dimension(rest, input, 1);
  count_positions(rest);
  return tiled;
}

StridedLoop make_loop(std::initializer_list<const TensorView*> views) {
  const TensorView& output = **views.begin();
  StridedLoop loop;
  loop.operands = static_cast<int>(views.size());
  for (int i = output.rank - 1; i >= 0; --i) {
    if (output.shape[i] <= 0) return loop;
    int k = 0;
    for (const TensorView* view : views) {
      loop.strides[k++][loop.rank] = broadcast_stride(*view, i, output.rank);
    }
    loop.shape[loop.rank] = output.shape[i];
    if (!stands_still(loop, loop.rank)) ++loop.rank;
  }
  if (loop.rank == 0) {
    for (int k = 0; k < loop.operands; ++k) loop.strides[k][0] = 1;
    loop.shape[0] = 1;
    loop.rank = 1;
  }
  sort_by_output_stride(loop);
  merge_dimensions(loop);
  count_positions(loop);
  return loop;
}

int64_t small_arrays(const TensorView* const* views, int count, aclDataType dtype,
                     int64_t item_size, int64_t most) {
  const TensorView& output = *views[0];
  const auto is_array = [&](const TensorView& view, uintptr_t address) {
    if (view.dtype != dtype || view.rank != output.rank || (address & (item_size - 1)) != 0) {
      return false;
    }
    int64_t stride = 1;
    for (int i = view.rank - 1; i >= 0; --i) {
      const int64_t length = output.shape[i];
      if (view.shape[i] != length || (view.strides[i] != stride && length != 1)) return false;
      stride *= length;
    }
    return true;
  };
  const auto address_of = [&](const TensorView& view) {
    return reinterpret_cast<uintptr_t>(view.data) + view.offset * item_size;
  };
  const uintptr_t written = address_of(output);
  const int64_t total = output.elements();
  if (total <= 0 || total > most || !is_array(output, written)) return 0;
  for (int k = 1; k < count; ++k) {
    if (!is_array(*views[k], address_of(*views[k]))) return 0;
  }
  return total;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
