// SPDX-License-Identifier: Apache-2.0
// Work goes in blocks small enough for the first-level cache: gathered, cast and scattered, each
// step only where it is needed.
#include "engines/copy.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/cast.h"
#include "engines/lines.h"
#include "engines/loop_nest.h"
#include "engines/runs.h"
#include "engines/scalars.h"
#include "engines/turn.h"
#include "operator/no_kernel.h"
#include "simd/memory.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kParallelBytes = 64 << 10;      // less is not worth a second thread
constexpr int64_t kParallelTileBytes = 16 << 10;  // likewise, of what takes much longer
constexpr int64_t kBlockBytes = 16 << 10;         // of the wider type
constexpr int64_t kShortBlockBytes = 4 << 10;     // less is too short for stores past the cache
constexpr int64_t kTileBlockBytes = 8 << 10;
constexpr int64_t kTileLength = 128;
constexpr int64_t kSquareBytes = 16;
constexpr int64_t kShortTile = 4;    // rows are turned from so many elements on,
constexpr int64_t kFewInTile = 128;  // if there are so many side by side
constexpr int64_t kLongRunBytes = 64;
constexpr int64_t kStreamedRunBytes = 1024;
constexpr int64_t kRowsAhead = 8;  // so many short runs are on their way
constexpr int64_t kAheadBytes = 1024;
constexpr int64_t kStreamedCastBytes = 4096;  // of results

struct Copy {
  CastArray cast;   // null: bits are moved as they are
  bool past_cache;  // results are stored so
  int64_t block;    // elements
  bool in_tiles = false;
  bool follows_input = false;  // Note [Turned results]
};

void put_array(const char* from, char* to, int64_t bytes, bool past_cache) {
  if (past_cache) {
    stream_run(from, bytes, to);
  } else {
    std::memmove(to, from, bytes);
  }
}

// In pieces that end with a line: halves of one would be read before they are written.
void stream_cast(CastArray cast, const char* from, int64_t from_size, char* to, int64_t to_size,
                 int64_t count) {
  alignas(64) char results[kBlockBytes];
  const int64_t most = kStreamedCastBytes / to_size;
  int64_t length = elements_before_line(to, to_size) + most;
  for (int64_t done = 0; done < count; done += length, length = most) {
    length = std::min(length, count - done);
    cast(from + done * from_size, results, length);
    stream_run(results, length * to_size, to + done * to_size);
  }
}

// Runs of the input are cast where they lie; their results are turned together.
void cast_runs(const Copy& copy, const LoopNest& nest, const Block& block) {
  alignas(64) char results[kBlockBytes];
  const LoopNest::Operand& to = nest.operand[0];
  char* place = results;
  for_each_run(nest, nest.operand[1], block, [&](const char* run, int64_t length) {
    copy.cast(run, place, length);
    place += length * to.item_size;
  });
  scatter(results, nest, to, block);
}

void copy_block(const Copy& copy, const LoopNest& nest, const Block& block) {
  if (copy.follows_input && copy.cast != nullptr) return cast_runs(copy, nest, block);
  alignas(64) char gathered[kBlockBytes];
  alignas(64) char results[kBlockBytes];
  const LoopNest::Operand& to = nest.operand[0];
  const LoopNest::Operand& from = nest.operand[1];
  const bool turns = copy.in_tiles && copy.cast == nullptr && to.strides[0] == to.item_size;
  if (turns && turn(nest, from, block, address_of(nest, to, block), to.strides[1])) return;
  char* const place = is_contiguous(nest, to, block) ? address_of(nest, to, block) : nullptr;
  const bool direct = place != nullptr && !copy.past_cache;
  const char* source = address_of(nest, from, block);
  if (copy.past_cache && copy.cast != nullptr && place != nullptr &&
      is_contiguous(nest, from, block)) {
    return stream_cast(copy.cast, source, from.item_size, place, to.item_size, block.count);
  }
  if (!is_contiguous(nest, from, block)) {
    char* const target = direct && copy.cast == nullptr ? place : gathered;
    gather(nest, from, block, target);
    source = target;
  }
  if (copy.cast != nullptr) {
    char* const target = direct ? place : results;
    copy.cast(source, target, block.count);
    source = target;
  }
  if (place == nullptr) {
    scatter(source, nest, to, block);
  } else if (source != place) {
    put_array(source, place, block.count * to.item_size, copy.past_cache);
  }
}

// What is one array on both sides needs no blocks.
bool is_one_block(const LoopNest& nest) {
  return nest.operand[0].contiguous == nest.total && nest.operand[1].contiguous == nest.total;
}

// Runs that are long arrays on both sides are copied one by one: nothing has to be put together.
// What is read backwards is so past the cache only: else blocks of it are as fast.
bool is_run_by_run(const Copy& copy, const LoopNest& nest) {
  const LoopNest::Operand& to = nest.operand[0];
  const LoopNest::Operand& from = nest.operand[1];
  if (copy.cast != nullptr || to.strides[0] != to.item_size) return false;
  const int64_t bytes = nest.shape[0] * to.item_size;
  if (from.strides[0] == -from.item_size) return copy.past_cache && bytes >= kStreamedRunBytes;
  return from.strides[0] == from.item_size && bytes >= kLongRunBytes;
}

// At least kLongRunBytes, not all of which need be a multiple of that.
inline void copy_short_run(const char* from, char* to, int64_t bytes) {
  const int64_t last = bytes - kLongRunBytes;
  for (int64_t i = 0; i < last; i += kLongRunBytes) std::memcpy(to + i, from + i, kLongRunBytes);
  std::memcpy(to + last, from + last, kLongRunBytes);
}

void copy_runs(const Copy& copy, const LoopNest& nest, int64_t begin, int64_t end) {
  const LoopNest::Operand& to = nest.operand[0];
  const LoopNest::Operand& from = nest.operand[1];
  // Many short runs past the cache take longer than through it.
  const bool past_cache = copy.past_cache && nest.shape[0] * to.item_size >= kStreamedRunBytes;
  const bool is_reversed = from.strides[0] < 0;
  Block block(nest, begin);
  while (begin < end) {
    char* place = address_of(nest, to, block);
    const char* source = address_of(nest, from, block);
    const int64_t rows = nest.rank > 1 ? nest.shape[1] - block.index[1] : 1;
    block.count = 0;
    for (int64_t row = 0; row < rows && begin + block.count < end;
         ++row) {  // an inner loop's worth
      const int64_t done = row == 0 ? block.index[0] : 0;
      const int64_t length = std::min(nest.shape[0] - done, end - begin - block.count);
      const int64_t bytes = length * to.item_size;
      if (is_reversed) {
        stream_reversed(source, place, to.item_size, length);
      } else if (bytes >= kLongRunBytes && bytes < kStreamedRunBytes) {
        if (nest.rank > 1) __builtin_prefetch(source + kRowsAhead * from.strides[1]);
        copy_short_run(source, place, bytes);
      } else {
        if (past_cache && row + 1 < rows) {
          prefetch_run(reinterpret_cast<uintptr_t>(source + 4 * from.strides[1]),
                       std::min(bytes, kAheadBytes));
        }
        put_array(source, place, bytes, past_cache);
      }
      block.count += length;
      if (nest.rank == 1) break;
      place += to.strides[1] - done * to.item_size;
      source += from.strides[1] - done * from.strides[0];
    }
    begin += block.count;
    block.advance(nest);
  }
  if (past_cache) finish_streaming();
}

void copy_range(const Copy& copy, const LoopNest& nest, int64_t begin, int64_t end) {
  if (!is_one_block(nest) && is_run_by_run(copy, nest)) {
    return copy_runs(copy, nest, begin, end);
  }
  const int64_t most = is_one_block(nest) ? end - begin : copy.block;
  Block block(nest, begin);
  for (; begin < end; begin += block.count) {
    block.advance(nest);
    const int64_t left = copy.in_tiles ? left_in_tile(nest, block) : nest.total;
    block.count = block_length(nest, block, std::min(left, end - begin), most);
    copy_block(copy, nest, block);
  }
  if (copy.past_cache) finish_streaming();
}

void copy_nest(const Copy& copy, const LoopNest& nest, int64_t grain_bytes) {
  const int64_t grain = std::max(copy.block, grain_bytes / nest.operand[0].item_size);
  parallel_for(nest.total, grain,
               [&](int64_t begin, int64_t end) { copy_range(copy, nest, begin, end); });
}

// Whether rows of the result are as long as the squares that are turned, from columns to rows at
// once: in the cache that is faster than to gather and to turn what was gathered.
bool is_in_squares(const LoopNest& nest) {
  const int64_t size = nest.operand[0].item_size;
  return size <= 8 && nest.shape[0] * size >= kSquareBytes;
}

// False: it is not worth it. Short rows are where squares of them can be turned: not of 16 bytes.
bool copy_in_tiles(const Copy& copy, const LoopNest& nest) {
  const bool turns = nest.operand[1].item_size <= 8;
  const int64_t least_step =
      copy.cast == nullptr && !copy.follows_input ? kSquareBytes : kLargeStep;
  if (!wants_tiles(nest, turns ? kShortTile - 1 : kTileLength, least_step)) return false;
  const TiledNest tiled = in_tiles(nest, kTileLength, least_step);
  const LoopNest& rest = tiled.rest_of_rows;
  if (nest.shape[0] < kTileLength && rest.shape[0] * rest.shape[1] < kFewInTile) return false;
  copy_nest(copy, tiled.whole_tiles, kParallelTileBytes);
  copy_nest(copy, rest, kParallelTileBytes);
  return true;
}

struct Fill {
  const char* pattern;  // a block full of the value
  bool past_cache;
  bool in_one;    // the target is one array
  int64_t block;  // elements
};

constexpr int64_t kFillStep = 4 * kVectorBytes;

// Any number of elements in a row, out of a vector. Needs a step of the pattern.
void fill_array(const char* pattern, int64_t item_size, char* to, int64_t bytes) {
  using V = Vector<uint8_t>;
  const auto address = reinterpret_cast<intptr_t>(to);
  if ((address & (item_size - 1)) == 0) {  // whole vectors begin with whole elements
    const int64_t head = std::min<int64_t>(-address & (kVectorBytes - 1), bytes);
    std::memcpy(to, pattern, head);
    to += head;
    bytes -= head;
  }
  if (bytes >= kFillStep) {
    const V value = load_vector<V>(pattern);
    for (; bytes >= kFillStep; bytes -= kFillStep, to += kFillStep) {
      for (int i = 0; i < kFillStep; i += kVectorBytes) store_vector(to + i, value);
    }
  }
  std::memcpy(to, pattern, bytes);
}

void fill_range(const Fill& fill, const LoopNest& nest, int64_t begin, int64_t end) {
  const LoopNest::Operand& to = nest.operand[0];
  Block block(nest, begin);
  for (; begin < end; begin += block.count) {
    block.advance(nest);
    block.count = block_length(nest, block, end - begin, fill.in_one ? end - begin : fill.block);
    char* const place = address_of(nest, to, block);
    if (!is_contiguous(nest, to, block)) {
      scatter(fill.pattern, nest, to, block);
    } else if (fill.past_cache) {
      stream_run(fill.pattern, block.count * to.item_size, place);
    } else {
      fill_array(fill.pattern, to.item_size, place, block.count * to.item_size);
    }
  }
  if (fill.past_cache) finish_streaming();
}

// What an element of the target's type is, everywhere.
void fill_elements(const TensorView& to, const char* element) {
  const TensorView* const views[] = {&to};
  const LoopNest nest = make_nest(views, 1, 1);
  if (nest.total == 0) return;
  const int64_t size = nest.operand[0].item_size;
  alignas(64) char pattern[kBlockBytes];
  // Nothing is read meanwhile: much of what was filled before is still in the cache.
  const bool past_cache = nest.total * size > 2 * cache_bytes();
  const bool in_one = nest.operand[0].contiguous == nest.total && !past_cache;
  const Fill fill = {pattern, past_cache, in_one, kBlockBytes / size};
  copy_run(element, 0, pattern, size, size,
           std::min(nest.total, in_one ? kFillStep / size : fill.block));
  parallel_for(nest.total, std::max(fill.block, kParallelBytes / size),
               [&](int64_t begin, int64_t end) { fill_range(fill, nest, begin, end); });
}

// Whether one element stands for all of a target's.
bool is_repeated(const LoopNest& nest) {
  const int64_t* const strides = nest.operand[1].strides;
  return std::all_of(strides, strides + nest.rank, [](int64_t stride) { return stride == 0; });
}

Status find_copy_cast(const TensorView& to, const TensorView& from, CastArray& cast) {
  cast = to.dtype == from.dtype ? nullptr : find_array_cast(from.dtype, to.dtype);
  if (cast == nullptr && to.dtype != from.dtype) {
    return no_kernel_for(find_array_cast(from.dtype, ACL_FLOAT) == nullptr ? from : to);
  }
  return can_move(data_type_bits(to.dtype)) ? Status{} : no_kernel_for(to);
}

}  // namespace

Status copy(const TensorView& to, const TensorView& from) {
  CastArray cast;
  Status found = find_copy_cast(to, from, cast);
  if (!found.ok()) return found;
  const TensorView* const views[] = {&to, &from};
  LoopNest nest = make_nest(views, 2, 1);
  if (nest.total == 0) return {};
  if (is_repeated(nest)) {
    alignas(16) char element[16];
    const char* const given = nest.operand[1].start;
    if (cast == nullptr) {
      std::memcpy(element, given, nest.operand[1].item_size);
    } else {
      cast(given, element, 1);
    }
    fill_elements(to, element);
    return {};
  }
  const int64_t sizes[] = {nest.operand[0].item_size, nest.operand[1].item_size};
  const int64_t wider = std::max(sizes[0], sizes[1]);
  const bool past_cache = nest.total > cache_bytes() / (sizes[0] + sizes[1]);
  const bool turns_at_once = cast == nullptr && !past_cache && is_in_squares(nest);
  const bool follows_input = !turns_at_once && follow_inputs(nest, 1);
  const bool casts_runs = follows_input && cast != nullptr;
  const int64_t in_tile = casts_runs ? kBlockBytes / sizes[0] : kTileBlockBytes / wider;
  if (copy_in_tiles({cast, past_cache, in_tile, true, follows_input}, nest)) return {};
  const int64_t block = std::clamp(kShortBlockBytes / wider, kBlockLength, kBlockBytes / wider);
  copy_nest({cast, past_cache, block, false, follows_input}, nest, kParallelBytes);
  return {};
}

Status fill(const TensorView& to, const ScalarValue& value) {
  char element[16];
  const bool can_fill = can_move(data_type_bits(to.dtype)) && scalar_as(value, to.dtype, element);
  if (!can_fill) return no_kernel_for(to);
  fill_elements(to, element);
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
