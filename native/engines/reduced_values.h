// SPDX-License-Identifier: Apache-2.0
// What a reduction reduces: values of a loop's type, where they are or made in a buffer.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "base/scratch_memory.h"
#include "engines/block_loop.h"
#include "engines/reducers.h"
#include "engines/turn.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace reduction_detail {

constexpr int64_t kReducedPart = 4096;
constexpr int64_t kMostValueSize = 16;  // bytes
constexpr int64_t kBufferBytes = kReducedPart * kMostValueSize;
constexpr int64_t kRoomBytes = 1 << 20;  // of what does not fit there: it stays in the cache

// Ranges of what is reduced, in the order of the nest; of a thread.
class Values {
 public:
  Values(const BlockJob& job, const LoopNest& nest, bool is_mapped, char* scratch)
      : job_(job),
        nest_(nest),
        conversion_(job.plan.conversions[1]),
        is_mapped_(is_mapped),
        scratch_(scratch) {}

  // Ranges come in their order: where the view lies across memory, so many rows of the nest are
  // turned at once, so that memory is read in longer pieces than a range of them needs.
  void turn_ahead(int64_t rows) { band_rows_ = rows; }

  // Where they are, if they are there as an array; else null.
  const char* in_place(int64_t begin, int64_t end) {
    return conversion_.first == nullptr ? array_at(begin, end) : nullptr;
  }

  // Where they are, if they are there as an array, else in a buffer from that place on, which holds
  // kReducedPart of them.
  const char* get(int64_t begin, int64_t end, int64_t place = 0) {
    const char* const array = array_at(begin, end);
    if (array != nullptr && conversion_.first == nullptr) return array;
    const int64_t size = nest_.operand[0].item_size;
    char* const buffer = buffer_ + place * size;
    if (array != nullptr && conversion_.second == nullptr) {
      conversion_.first(array, buffer, end - begin);
      return buffer;
    }
    nest_.operand[0].start = buffer - begin * size;
    compute_range(job_, nest_, begin, end, scratch_);
    return buffer;
  }

  // Whether the last dimension of a nest has all positions of a result, which are an array there.
  static bool lie_along(const BlockJob& job, const LoopNest& nest, int64_t positions) {
    const LoopNest::Operand& in = nest.operand[1];
    const int last = nest.rank - 1;
    return nest.shape[last] == positions && in.strides[last] == in.item_size &&
           job.plan.conversions[1].second == nullptr &&
           is_aligned(address_of(nest, in, Block(nest, 0)), in.item_size);
  }

  // Positions [begin, end) of one of so many results, of nests that lie along.
  const char* column_at(int64_t result, int64_t results, int64_t begin, int64_t end,
                        bool as_stored) {
    const char* const place =
        address_of(nest_, nest_.operand[1], Block(nest_, begin * results + result));
    if (as_stored || conversion_.first == nullptr) return place;
    conversion_.first(place, buffer_, end - begin);
    return buffer_;
  }

  // Positions [begin, end) of some results, of nests that lie across: rows with a value of each,
  // `step` bytes from one to the next; rows of few are packed. Null: they have to be gathered.
  const char* rows_at(int64_t result, int64_t count, int64_t begin, int64_t end, bool as_stored,
                      int64_t* step) {
    const LoopNest::Operand& in = nest_.operand[1];
    const int64_t size = nest_.operand[0].item_size, along = in.strides[0];
    const Block first(nest_, result * nest_.shape[0] + begin);
    const char* const place = address_of(nest_, in, first);
    if (!is_mapped_ && !is_aligned(place, in.item_size)) return nullptr;
    as_stored |= conversion_.first == nullptr && !is_mapped_;
    const int64_t packed = count * (as_stored ? in.item_size : size);
    *step = as_stored && count >= Reducer::kLeastColumns ? along : packed;
    if (as_stored && along == *step) return place;
    char* const to = room_for((end - begin) * packed);
    if (to == nullptr) return nullptr;
    if (is_mapped_) {
      map_rows(first, count, end - begin, to);
    } else {
      for (int64_t i = 0; i < end - begin; ++i) {
        if (as_stored)
          std::memcpy(to + i * packed, place + i * along, packed);
        else
          conversion_.first(place + i * along, to + i * packed, count);
      }
    }
    return to;
  }

  // Elements of the view, if they are an array and no map comes first, or come from a band; else
  // null.
  const char* array_at(int64_t begin, int64_t end) {
    if (is_mapped_) return nullptr;
    const char* const array = stored_at(begin, end);
    return array == nullptr && band_rows_ > 0 ? band_at(begin, end) : array;
  }
  // The same before a map.
  const char* stored_at(int64_t begin, int64_t end) const {
    Block block(nest_, begin);
    block.count = end - begin;
    const LoopNest::Operand& in = nest_.operand[1];
    const char* const place = address_of(nest_, in, block);
    return is_contiguous(nest_, in, block) && is_aligned(place, in.item_size) ? place : nullptr;
  }

 private:
  // Rows of the nest from the one on that begins a range are turned unless they are there. Null:
  // they do not lie across memory, or do not cover the range.
  const char* band_at(int64_t begin, int64_t end) {
    const int64_t run = nest_.shape[0], size = nest_.operand[1].item_size;
    if (begin < band_begin_ || end > band_end_) {
      Block block(nest_, begin / run * run);
      block.count = std::min(band_rows_, nest_.shape[1] - block.index[1]) * run;
      band_begin_ = begin / run * run;
      band_end_ = band_begin_ + block.count;
      if (band_ == nullptr) band_ = take_scratch<char>(band_rows_ * run * size);
      if (end > band_end_ || band_ == nullptr ||
          !turn(nest_, nest_.operand[1], block, band_.get(), run * size)) {
        band_end_ = band_begin_;
        return nullptr;
      }
    }
    return band_.get() + (begin - band_begin_) * size;
  }

  // Null: that is too much.
  char* room_for(int64_t bytes) {
    if (bytes <= kBufferBytes) return buffer_;
    if (bytes > kRoomBytes) return nullptr;
    if (room_ == nullptr) room_.reset(new (std::nothrow) char[kRoomBytes]);
    return room_.get();
  }

  // The nest's first two dimensions in the other order, from a place on.
  void map_rows(const Block& first, int64_t count, int64_t rows, char* to) const {
    LoopNest turned = nest_;
    turned.rank = 2;
    turned.shape[0] = count;
    turned.shape[1] = rows;
    turned.total = count * rows;
    turned.longest_joined = kBlockLength / 4;
    for (int k = 0; k < turned.operands; ++k) {
      LoopNest::Operand& operand = turned.operand[k];
      const LoopNest::Operand& own = nest_.operand[k];
      const int64_t size = own.item_size;
      operand.start = k == 0 ? to : address_of(nest_, own, first);
      operand.strides[0] = k == 0 ? size : own.strides[1];
      operand.strides[1] = k == 0 ? count * size : own.strides[0];
      operand.contiguous = operand.strides[0] == size ? count : 0;
      if (k == 0) operand.contiguous = turned.total;
    }
    compute_range(job_, turned, 0, turned.total, scratch_);
  }

  const BlockJob& job_;
  LoopNest nest_;
  const Conversion& conversion_;
  const bool is_mapped_;
  char* const scratch_;
  int64_t band_rows_ = 0;  // 0: none are turned
  int64_t band_begin_ = 0, band_end_ = 0;
  ScratchMemory<char> band_;
  std::unique_ptr<char[]> room_;
  alignas(64) char buffer_[kBufferBytes];
};

}  // namespace reduction_detail
}  // namespace ACLHOST_ISA
}  // namespace aclhost
