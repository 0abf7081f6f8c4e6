// SPDX-License-Identifier: Apache-2.0
#include "engines/block_plan.h"

#include <algorithm>

#include "dtypes.h"
#include "engines/scalars.h"
#include "operator/no_kernel.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kLine = 64;          // elements and bytes; buffers begin at lines of the cache
constexpr int64_t kBlockBytes = 4096;  // of an operand: fewer are not worth the way to them
constexpr int64_t kTurnedBytes = 16 << 10;  // of a result, or more for whole lines
constexpr int64_t kCachedBytes = 20 << 10;  // of all operands: they stay in the first-level cache

int64_t element_size(aclDataType dtype) { return data_type_bits(dtype) / 8; }

// From, through and to a type; steps between equal types fall away.
bool find_steps(aclDataType from, aclDataType through, aclDataType to, Conversion& conversion) {
  conversion.second = nullptr;
  conversion.middle_size = element_size(through);
  if (from == through || through == to) {
    conversion.first = find_array_cast(from, to);
  } else {
    conversion.first = find_array_cast(from, through);
    conversion.second = find_array_cast(through, to);
  }
  return conversion.first != nullptr;
}

int64_t round_up(int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

// Elements of runs that make whole lines of the cache once they are turned.
int64_t runs_in_lines(int64_t run, int64_t result) {
  const int64_t in_line = kLine / result;
  return (kTurnedBytes / (run * result) / in_line + 1) * in_line * run;
}

// Elements, of operands with items of so many bytes.
int64_t block_of(const LoopNest& nest, Blocks blocks, int64_t largest, int64_t most_cached) {
  const int64_t result = nest.operand[0].item_size;
  if (blocks == Blocks::kTurned) return runs_in_lines(kTurnedLength, result);
  if (blocks == Blocks::kTurnedInPlace) return runs_in_lines(nest.shape[0], result);
  // What inputs bring along past the cache would push larger results out before they are streamed.
  const int64_t least = blocks == Blocks::kStreamed ? kLine : kBlockLength;
  const int64_t most = std::max(least, kBlockBytes / largest);
  return std::clamp(most_cached / kLine * kLine, kLine, most);
}

}  // namespace

Status find_conversions(const Operand* outs, int out_count, const Operand* ins, int in_count,
                        bool narrow, BlockPlan& plan) {
  for (int k = 0; k < out_count + in_count; ++k) {
    const bool is_output = k < out_count;
    const Operand& operand = is_output ? outs[k] : ins[k - out_count];
    const aclDataType own = operand.view->dtype;
    const aclDataType in_loop = narrow ? operand.dtype : loop_type(operand.dtype);
    Conversion& conversion = plan.conversions[k];
    conversion.loop_size = element_size(in_loop);
    const bool found = is_output ? find_steps(in_loop, operand.dtype, own, conversion)
                                 : find_steps(own, operand.dtype, in_loop, conversion);
    if (!found) return no_kernel_for(*operand.view);
    if (own == in_loop && conversion.second == nullptr) conversion.first = nullptr;
  }
  return {};
}

void lay_out_buffers(const LoopNest& nest, int outs, Blocks blocks, BlockPlan& plan) {
  int64_t element = 0, middle = 0, largest = 1;
  for (int k = 0; k < nest.operands; ++k) {
    const Conversion& conversion = plan.conversions[k];
    element += nest.operand[k].item_size + (conversion.first != nullptr ? conversion.loop_size : 0);
    largest = std::max({largest, nest.operand[k].item_size, conversion.loop_size});
    if (conversion.second != nullptr) middle = std::max(middle, conversion.middle_size);
  }
  element += middle;
  plan.held = round_up(nest.operands * static_cast<int64_t>(sizeof(void*)));
  int64_t end = plan.held + round_up(nest.operands * static_cast<int64_t>(sizeof(Held)));
  plan.block =
      block_of(nest, blocks, largest, std::min(kStackScratch - end, kCachedBytes) / element);
  const auto take = [&](int64_t item_size, int64_t elements) {
    const int64_t place = end;
    end += elements * item_size;
    return place;
  };
  for (int k = 0; k < nest.operands; ++k) {
    const Conversion& conversion = plan.conversions[k];
    int64_t elements = plan.block;
    if (k >= outs && blocks == Blocks::kTurned) elements = kTurnedLength;
    if (k >= outs && blocks == Blocks::kTurnedInPlace) elements = 0;
    plan.view_buffers[k] = plan.loop_buffers[k] = take(nest.operand[k].item_size, elements);
    if (conversion.first != nullptr) plan.loop_buffers[k] = take(conversion.loop_size, elements);
  }
  plan.middle_buffer = take(middle, plan.block);
  plan.scratch_bytes = end;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
