// SPDX-License-Identifier: Apache-2.0
#include "engines/loop_nest.h"

#include <cstdlib>
#include <utility>

#include "dtypes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kLeastFollowed = 16;  // elements: shorter runs apart take too long each

int64_t broadcast_stride(const TensorView& view, int dimension, int rank) {
  const int own = dimension - (rank - view.rank);
  return own < 0 || view.shape[own] == 1 ? 0 : view.strides[own];
}

void swap_dimensions(LoopNest& nest, int a, int b) {
  std::swap(nest.shape[a], nest.shape[b]);
  for (int k = 0; k < nest.operands; ++k) {
    std::swap(nest.operand[k].strides[a], nest.operand[k].strides[b]);
  }
}

void move_dimension(LoopNest& nest, int from, int to) {
  for (; from > to; --from) swap_dimensions(nest, from - 1, from);
}

void bind_operands(LoopNest& nest, const TensorView* const* views) {
  for (int k = 0; k < nest.operands; ++k) {
    LoopNest::Operand& operand = nest.operand[k];
    operand.item_size = data_type_bits(views[k]->dtype) / 8;
    operand.start = static_cast<char*>(views[k]->data) + views[k]->offset * operand.item_size;
  }
}

// A dimension along which no output moves writes the same place again and again: the last time
// counts. Doing it once is not only cheaper: in place, the second time would read the result of the
// first.
void add_dimension(LoopNest& nest, const TensorView* const* views, int outputs, int dimension) {
  const int rank = views[0]->rank;
  const int64_t length = views[0]->shape[dimension];
  bool output_moves = outputs == 0, output_stays = false;
  for (int k = 0; k < nest.operands; ++k) {
    LoopNest::Operand& operand = nest.operand[k];
    const int64_t stride = broadcast_stride(*views[k], dimension, rank) * operand.item_size;
    operand.strides[nest.rank] = stride;
    if (k < outputs) (stride != 0 ? output_moves : output_stays) = true;
  }
  if (output_moves) {
    nest.rewrites |= output_stays;
    nest.shape[nest.rank++] = length;
    return;
  }
  for (int k = outputs; k < nest.operands; ++k) {
    nest.operand[k].start += nest.operand[k].strides[nest.rank] * (length - 1);
  }
}

// Stable, so that equal strides keep the view's order.
void sort_by_output_stride(LoopNest& nest) {
  const int64_t* const strides = nest.operand[0].strides;
  for (int i = 1; i < nest.rank; ++i) {
    for (int j = i; j > 0 && std::llabs(strides[j - 1]) > std::llabs(strides[j]); --j) {
      swap_dimensions(nest, j - 1, j);
    }
  }
}

bool continues(const LoopNest& nest, int inner, int outer) {
  for (int k = 0; k < nest.operands; ++k) {
    const int64_t* const strides = nest.operand[k].strides;
    if (strides[outer] != strides[inner] * nest.shape[inner]) return false;
  }
  return true;
}

void merge_dimensions(LoopNest& nest) {
  int last = 0;
  for (int i = 1; i < nest.rank; ++i) {
    if (continues(nest, last, i)) {
      nest.shape[last] *= nest.shape[i];
    } else if (++last != i) {
      swap_dimensions(nest, last, i);
    }
  }
  nest.rank = last + 1;
}

int64_t contiguous_elements(const LoopNest& nest, const LoopNest::Operand& operand) {
  if (operand.strides[0] != operand.item_size) return 0;
  int64_t elements = nest.shape[0];
  for (int i = 1; i < nest.rank; ++i) {
    if (operand.strides[i] != operand.item_size * elements) break;
    elements *= nest.shape[i];
  }
  return elements;
}

// Joining runs costs a copy of operands that lie in memory run by run.
void finish(LoopNest& nest) {
  nest.total = 1;
  for (int i = 0; i < nest.rank; ++i) nest.total *= nest.shape[i];
  nest.longest_joined = kBlockLength / 2;
  for (int k = 0; k < nest.operands; ++k) {
    LoopNest::Operand& operand = nest.operand[k];
    operand.contiguous = contiguous_elements(nest, operand);
    const bool run_by_run = nest.rank > 1 && operand.contiguous == nest.shape[0];
    if (run_by_run && operand.strides[1] != 0) nest.longest_joined = kBlockLength / 4;
  }
}

// The dimension along which an operand moves in smaller steps than along the first one; 0 if none.
int other_dimension(const LoopNest& nest, int64_t least_step) {
  int found = 0;
  int64_t smallest = INT64_MAX;
  for (int k = 0; k < nest.operands; ++k) {
    const int64_t* const strides = nest.operand[k].strides;
    const int64_t step = std::llabs(strides[0]);
    if (step < least_step) continue;
    for (int i = 1; i < nest.rank; ++i) {
      const int64_t other = std::llabs(strides[i]);
      if (other == 0 || other >= step || other >= smallest) continue;
      smallest = other;
      found = i;
    }
  }
  return found;
}

// Whether what inputs read in large steps along the outputs' dimension is more than all the rest,
// and they move along the other one.
bool reads_more_across(const LoopNest& nest, int outputs, int other) {
  int64_t across = 0, along = 0;
  for (int k = 0; k < nest.operands; ++k) {
    const LoopNest::Operand& operand = nest.operand[k];
    const int64_t step = std::llabs(operand.strides[0]);
    const bool lies_across = k >= outputs && operand.strides[other] == operand.item_size;
    (lies_across && step >= kLargeStep ? across : along) += step == 0 ? 0 : operand.item_size;
  }
  return across >= along;
}

bool are_in_one_piece(const LoopNest& nest, int outputs) {
  for (int k = outputs; k < nest.operands; ++k) {
    if (nest.operand[k].contiguous != nest.total) return false;
  }
  return true;
}

}  // namespace

bool follow_inputs(LoopNest& nest, int outputs) {
  const int other = nest.rewrites ? 0 : other_dimension(nest, kLargeStep);
  if (other == 0 || !reads_more_across(nest, outputs, other)) return false;
  const bool is_short = nest.shape[other] < kLeastFollowed;
  move_dimension(nest, other, 0);
  finish(nest);
  if (!is_short || are_in_one_piece(nest, outputs)) return true;
  for (int i = 0; i < other; ++i) swap_dimensions(nest, i, i + 1);
  finish(nest);
  return false;
}

bool wants_tiles(const LoopNest& nest, int64_t length, int64_t least_step) {
  return nest.rank > 1 && nest.shape[0] > length && other_dimension(nest, least_step) != 0;
}

TiledNest in_tiles(const LoopNest& nest, int64_t length, int64_t least_step) {
  const int other = other_dimension(nest, least_step);
  const int64_t tiles = nest.shape[0] / length, done = tiles * length;
  TiledNest tiled = {nest, nest};
  LoopNest& whole = tiled.whole_tiles;
  whole.shape[0] = length;
  whole.shape[whole.rank] = tiles;
  LoopNest& rest = tiled.rest_of_rows;
  rest.shape[0] -= done;
  for (int k = 0; k < nest.operands; ++k) {
    const int64_t stride = nest.operand[k].strides[0];
    whole.operand[k].strides[whole.rank] = stride * length;
    rest.operand[k].start += stride * done;
  }
  move_dimension(whole, whole.rank++, 1);
  move_dimension(whole, other + 1, 1);
  move_dimension(rest, other, 1);
  finish(whole);
  finish(rest);
  return tiled;
}

LoopNest make_nest(const TensorView* const* views, int count, int outputs) {
  const TensorView& output = *views[0];
  LoopNest nest(count);
  bind_operands(nest, views);
  for (int i = output.rank - 1; i >= 0; --i) {
    if (output.shape[i] <= 0) return nest;
    if (output.shape[i] > 1) add_dimension(nest, views, outputs, i);
  }
  if (nest.rank == 0) {
    for (int k = 0; k < count; ++k) nest.operand[k].strides[0] = nest.operand[k].item_size;
    nest.shape[0] = 1;
    nest.rank = 1;
  }
  sort_by_output_stride(nest);
  merge_dimensions(nest);
  finish(nest);
  return nest;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
