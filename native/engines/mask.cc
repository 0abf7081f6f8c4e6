// SPDX-License-Identifier: Apache-2.0
#include "engines/mask.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "engines/block_loop.h"
#include "engines/copy.h"
#include "operator/layouts.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kBlock = 512;  // elements that are packed before they are written

int64_t count_chosen(const unsigned char* mask, int64_t count) {
  int64_t chosen = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, count);
    int32_t some = 0;  // vectors of narrow numbers
    for (int64_t i = begin; i < end; ++i) some += mask[i] != 0;
    chosen += some;
  }
  return chosen;
}

constexpr int64_t kGroup = 8;  // bytes of a mask that are looked at at once
constexpr uint64_t kAllOnes = 0x0101010101010101;

uint64_t load_group(const unsigned char* mask) {
  uint64_t group;
  std::memcpy(&group, mask, sizeof group);
  return group;
}

// Every element is written to a block and only the chosen ones stay: no branch to guess, but
// for groups that are chosen as a whole.
template <int64_t kItem>
void pack(const unsigned char* mask, const char* from, char* to, int64_t count, int64_t most) {
  alignas(64) char packed[kBlock * kItem];
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, count);
    char* next = packed;
    int64_t i = begin;
    while (i < end) {
      const uint64_t group = i + kGroup <= end ? load_group(mask + i) : 0;
      if (group == kAllOnes) {
        std::memcpy(next, from + i * kItem, kGroup * kItem);
        next += kGroup * kItem;
        i += kGroup;
        continue;
      }
      for (const int64_t stop = std::min(i + kGroup, end); i < stop; ++i) {
        std::memcpy(next, from + i * kItem, kItem);
        next += mask[i] != 0 ? kItem : 0;
      }
    }
    const int64_t found = std::min<int64_t>((next - packed) / kItem, most);
    std::memcpy(to, packed, found * kItem);
    to += found * kItem;
    most -= found;
  }
}

template <int64_t kItem>
void unpack(const unsigned char* mask, const char* from, char* to, int64_t count, int64_t most) {
  if (most == 0) return;
  const char* const last = from + (most - 1) * kItem;
  for (int64_t i = 0; i < count; ++i) {
    const bool is_chosen = mask[i] != 0 && most > 0;
    char* const place = to + i * kItem;
    std::memcpy(place, is_chosen ? from : place, kItem);
    from = is_chosen && from != last ? from + kItem : from;
    most -= is_chosen;
  }
}

}  // namespace

Status CountedMask::count(const TensorView& mask, const Shape& shape) {
  total_ = row_major_view(shape, ACL_BOOL).storage_elements;
  chunks_ = (total_ + kChunk - 1) / kChunk;
  ends_.reset(new (std::nothrow) int64_t[chunks_ + 1]);
  if (ends_ == nullptr) return no_memory_for_blocks();
  const bool is_bytes = mask.dtype == ACL_BOOL || mask.dtype == ACL_UINT8;
  if (is_bytes && is_contiguous(mask) && has_shape(mask, shape)) {
    bytes_ = static_cast<const unsigned char*>(mask.data) + mask.offset;
  } else {
    Status status = make_dense(shape, ACL_BOOL, dense_);
    if (status.ok()) status = copy(dense_.view, mask);
    if (!status.ok()) return status;
    bytes_ = static_cast<const unsigned char*>(dense_.view.data);
  }
  parallel_for(chunks_, 4, [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      const int64_t first = chunk * kChunk;
      ends_[chunk + 1] = count_chosen(bytes_ + first, std::min(kChunk, total_ - first));
    }
  });
  ends_[0] = 0;
  for (int64_t chunk = 0; chunk < chunks_; ++chunk) ends_[chunk + 1] += ends_[chunk];
  return {};
}

int64_t chosen_places(const unsigned char* mask, int64_t count, int64_t first, int64_t* places) {
  int64_t chosen = 0;
  for (int64_t i = 0; i < count; ++i) {
    places[chosen] = first + i;
    chosen += mask[i] != 0;
  }
  return chosen;
}

void pack_chosen(const unsigned char* mask, const char* from, char* to, int64_t item_size,
                 int64_t count, int64_t most) {
  switch (item_size) {
    case 1:
      return pack<1>(mask, from, to, count, most);
    case 2:
      return pack<2>(mask, from, to, count, most);
    case 4:
      return pack<4>(mask, from, to, count, most);
    case 8:
      return pack<8>(mask, from, to, count, most);
    default:
      return pack<16>(mask, from, to, count, most);
  }
}

void unpack_chosen(const unsigned char* mask, const char* from, char* to, int64_t item_size,
                   int64_t count, int64_t most) {
  switch (item_size) {
    case 1:
      return unpack<1>(mask, from, to, count, most);
    case 2:
      return unpack<2>(mask, from, to, count, most);
    case 4:
      return unpack<4>(mask, from, to, count, most);
    case 8:
      return unpack<8>(mask, from, to, count, most);
    default:
      return unpack<16>(mask, from, to, count, most);
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
