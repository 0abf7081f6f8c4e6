// SPDX-License-Identifier: Apache-2.0
// Work goes in blocks small enough for the first-level cache: gathered, cast and scattered, each
// step only where it is needed.
#include "engines/copy.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/cast.h"
#include "engines/loop_nest.h"
#include "engines/runs.h"
#include "engines/scalars.h"
#include "operator/no_kernel.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kParallelBytes = 64 << 10;          // less is not worth a second thread
constexpr int64_t kTiledBlocks = 4;                   // likewise, of what takes much longer
constexpr int64_t kLargestBlock = kBlockLength * 16;  // bytes

struct Copy {
  CastArray cast = nullptr;  // null: bits are moved as they are
  bool past_cache = false;
};

void put_array(const char* from, char* to, int64_t bytes, bool past_cache) {
  if (past_cache) {
    stream_run(from, bytes, to);
  } else {
    std::memmove(to, from, bytes);
  }
}

void copy_block(const Copy& copy, const LoopNest& nest, const Block& block) {
  alignas(64) char gathered[kLargestBlock];
  alignas(64) char results[kLargestBlock];
  const LoopNest::Operand& to = nest.operand[0];
  const LoopNest::Operand& from = nest.operand[1];
  char* const place = is_contiguous(to, block) ? address_of(nest, to, block) : nullptr;
  const char* source = gathered;
  if (is_contiguous(from, block)) {
    source = address_of(nest, from, block);
  } else {
    gather(nest, from, block, gathered);
  }
  if (copy.cast != nullptr) {
    char* const target = place != nullptr && !copy.past_cache ? place : results;
    copy.cast(source, target, block.count);
    source = target;
  }
  if (place == nullptr) {
    scatter(source, nest, to, block);
  } else if (source != place) {
    put_array(source, place, block.count * to.item_size, copy.past_cache);
  }
}

void copy_range(const Copy& copy, const LoopNest& nest, int64_t begin, int64_t end) {
  // What is one array on both sides needs no blocks.
  const bool whole = copy.cast == nullptr && nest.operand[0].contiguous == nest.total &&
                     nest.operand[1].contiguous == nest.total;
  while (begin < end) {
    const int64_t count = whole ? end - begin : block_length(nest, begin, end, kBlockLength);
    copy_block(copy, nest, Block(nest, begin, count));
    begin += count;
  }
  if (copy.past_cache) finish_streaming();
}

void copy_nest(const Copy& copy, const LoopNest& nest, int64_t grain) {
  parallel_for(nest.total, grain,
               [&](int64_t begin, int64_t end) { copy_range(copy, nest, begin, end); });
}

int64_t parallel_grain(int64_t item_size) {
  return std::max(kBlockLength, kParallelBytes / item_size / kBlockLength * kBlockLength);
}

struct Fill {
  const char* pattern;  // a block full of the value
  bool past_cache;
};

void fill_range(const Fill& fill, const LoopNest& nest, int64_t begin, int64_t end) {
  const LoopNest::Operand& to = nest.operand[0];
  while (begin < end) {
    const Block block(nest, begin, block_length(nest, begin, end, kBlockLength));
    if (is_contiguous(to, block)) {
      put_array(fill.pattern, address_of(nest, to, block), block.count * to.item_size,
                fill.past_cache);
    } else {
      scatter(fill.pattern, nest, to, block);
    }
    begin += block.count;
  }
  if (fill.past_cache) finish_streaming();
}

}  // namespace

Status copy(const TensorView& to, const TensorView& from) {
  Copy copy;
  if (to.dtype != from.dtype) {
    copy.cast = find_array_cast(from.dtype, to.dtype);
    if (copy.cast == nullptr) {
      return no_kernel_for(find_array_cast(from.dtype, ACL_FLOAT) == nullptr ? from : to);
    }
  }
  const TensorView* const views[] = {&to, &from};
  const LoopNest nest = make_nest(views, 2, 1);
  const int64_t size = nest.operand[0].item_size;
  if (!can_move(size)) return no_kernel_for(to);
  const int64_t bytes = nest.total * (size + nest.operand[1].item_size);
  copy.past_cache = bytes > cache_bytes();
  if (!wants_tiles(nest)) {
    copy_nest(copy, nest, parallel_grain(size));
  } else {
    const TiledNest tiled = in_tiles(nest);
    copy_nest(copy, tiled.whole_tiles, kTiledBlocks * kBlockLength);
    copy_nest(copy, tiled.rest_of_rows, kTiledBlocks * kBlockLength);
  }
  return {};
}

Status fill(const TensorView& to, const ScalarValue& value) {
  char element[16];
  if (!scalar_as(value, to.dtype, element)) return no_kernel_for(to);
  const TensorView* const views[] = {&to};
  const LoopNest nest = make_nest(views, 1, 1);
  const int64_t size = nest.operand[0].item_size;
  alignas(64) char pattern[kLargestBlock];
  copy_run(element, 0, pattern, size, size, std::min(nest.total, kBlockLength));
  const Fill fill = {pattern, nest.total * size > cache_bytes()};
  parallel_for(nest.total, parallel_grain(size),
               [&](int64_t begin, int64_t end) { fill_range(fill, nest, begin, end); });
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
