// SPDX-License-Identifier: Apache-2.0
#include "engines/sort_bytes.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engines/sort_words.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int kBytes = 256;

struct ByteCounts {
  int64_t of[kBytes];
};

ByteCounts count_bytes(const unsigned char* bytes, int64_t n) {
  constexpr int kTables = 4;  // equal neighbours do not wait for each other
  ByteCounts counts[kTables] = {};
  for (int64_t i = 0; i < n; ++i) ++counts[i % kTables].of[bytes[i]];
  for (int table = 1; table < kTables; ++table) {
    for (int byte = 0; byte < kBytes; ++byte) counts[0].of[byte] += counts[table].of[byte];
  }
  return counts[0];
}

// Calls visit(byte) in the order of their keys.
template <typename Visit>
void for_each_byte(const KeyType& type, uint64_t flip, const Visit& visit) {
  for (uint64_t key = 0; key < kBytes; ++key) {
    char byte;
    type.decode(&key, 1, flip, &byte);
    visit(static_cast<unsigned char>(byte));
  }
}

}  // namespace

void sort_bytes(const KeyType& type, uint64_t flip, const char* row, int64_t length, int chunks,
                char* values, int64_t* indices) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(row);
  ByteCounts places[kMaxChunks];
  for_chunks(length, chunks, [&](int chunk, int64_t begin, int64_t end) {
    places[chunk] = count_bytes(bytes + begin, end - begin);
  });
  int64_t place = 0;
  for_each_byte(type, flip, [&](unsigned char byte) {
    const int64_t first = place;
    for (int chunk = 0; chunk < chunks; ++chunk) {
      place += std::exchange(places[chunk].of[byte], place);
    }
    if (values != nullptr) std::memset(values + first, byte, place - first);
  });
  if (indices == nullptr) return;
  for_chunks(length, chunks, [&](int chunk, int64_t begin, int64_t end) {
    int64_t* const next = places[chunk].of;
    for (int64_t i = begin; i < end; ++i) {
      indices[std::min(next[bytes[i]]++, length - 1)] = i;  // a client may change the row meanwhile
    }
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
