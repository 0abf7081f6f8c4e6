// SPDX-License-Identifier: Apache-2.0
#include "engines/sort.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>

#include "base/scratch_memory.h"
#include "engines/block_loop.h"
#include "engines/sort_counted.h"
#include "engines/sort_row.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kFewWords = 128;          // that are compared rather than counted
constexpr int64_t kWorthDigits = 4096;      // words of which few are wanted:
constexpr int64_t kDigitsPay = 4;           // less than one of so many
constexpr int64_t kFewAlike = 16;           // that are put in order by insertion
constexpr int64_t kWorthSampling = 512;     // elements of a row
constexpr int64_t kWorthCounting = 2048;    // elements of one byte of a row
constexpr int64_t kWorthChunks = 1 << 16;   // elements of a row
constexpr int64_t kWorthThreads = 1 << 13;  // elements of all rows

// Memory that grows and is used again.
class Scratch {
 public:
  // Null: there is none.
  char* get(size_t bytes) {
    if (bytes > size_) {
      memory_.reset();
      memory_ = take_scratch<char>(static_cast<int64_t>(bytes));
      size_ = memory_ == nullptr ? 0 : bytes;
    }
    return memory_.get();
  }

 private:
  ScratchMemory<char> memory_;
  size_t size_ = 0;
};

// One row after the other, with the chunks of a row on several threads.
class RowSorter {
 public:
  RowSorter(const SortedPart& part, int chunks)
      : part_(part),
        type_(key_type(part.dtype, part.zeros_differ)),
        flip_(part.descending ? type_.largest() : 0),
        chunks_(chunks),
        keys_(type_, flip_, part.length, chunks) {}

  // False: there is not enough memory.
  bool run(const char* row, char* values, int64_t* indices) {
    row_ = row;
    keys_.set_row(row);
    values_ = values;
    indices_ = indices;
    const bool whole = part_.count == part_.length;
    if (whole && type_.item_size == 1 && part_.length >= kWorthCounting) {
      return finish_counted({0, type_.largest()});
    }
    Bracket bracket;
    Counts counts[kMaxChunks], all;
    const bool sampled = !whole && part_.length >= kWorthSampling;
    const bool has_place = part_.start == PartStart::kGiven || !type_.has_nan;
    first_ = first_place(sampled || has_place ? 0 : keys_.count_largest());
    if (sampled) {
      bracket = keys_.likely_bracket(first_, part_.count);
      all = keys_.count(bracket, counts, !has_place);
      if (all.largest > 0) {
        first_ = first_place(all.largest);
        bracket = keys_.likely_bracket(first_, part_.count);
        all = keys_.count(bracket, counts, false);
      }
    }
    if (!sampled || all.below > first_ || all.below + all.inside < first_ + part_.count) {
      const bool is_enough = part_.length <= kFewWords && type_.item_size <= 4;
      bracket = is_enough ? Bracket{0, type_.largest()} : keys_.whole_bracket();
      all = keys_.count_all(counts);
    }
    const int bits = bit_width(bracket.most - bracket.least);
    const bool many = whole && part_.length > kFewWords;
    const bool close = bits <= kCountedBits && part_.length >> std::max(bits - 1, 0) > 0;
    if (many && close && !type_.has_nan) return finish_counted(bracket);
    if (bits + index_bits_ <= 64) return finish<uint64_t>(bracket, all, counts);
    if (many) return finish_cut(bracket, all, counts);
    return finish<WideWord>(bracket, all, counts);
  }

 private:
  int64_t first_place(int64_t nans) const {
    if (part_.start == PartStart::kGiven) return part_.first;
    const int64_t length = part_.length;
    if (part_.start == PartStart::kMedian) return nans > 0 ? length - nans : (length - 1) / 2;
    return std::max<int64_t>(length - nans - 1, 0) / 2;
  }

  bool finish_counted(const Bracket& bracket) {
    auto* const places = reinterpret_cast<CountedPlaces*>(counters_.get(sizeof(CountedPlaces)));
    if (places == nullptr) return false;
    sort_counted(type_, flip_, bracket, {row_, part_.length, chunks_}, *places, values_, indices_);
    return true;
  }

  // Of a whole row whose keys and indices do not fit a word together: it is sorted by leading bits
  // of the keys, then those that are alike in them by the others, unless they are many.
  bool finish_cut(const Bracket& bracket, const Counts& all, const Counts* counts) {
    const int bits = 64 - index_bits_, dropped = bit_width(bracket.most - bracket.least) - bits;
    auto* const words = reinterpret_cast<uint64_t*>(scratch_.get(16 * all.inside));
    if (words == nullptr) return false;
    keys_.collect(bracket, counts, index_bits_, dropped, words);
    uint64_t* const sorted = order(words, all.inside, 0, bits);
    if (sorted == nullptr) return false;
    if (!order_alike(sorted)) return finish<WideWord>(bracket, all, counts);
    for_chunks(part_.count, chunks_, [&](int, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t from = index(sorted[i]);
        if (indices_ != nullptr) indices_[i] = from;
        if (values_ != nullptr) std::memcpy(values_ + 8 * i, row_ + 8 * from, 8);
      }
    });
    return true;
  }

  // False: there are too many of some.
  bool order_alike(uint64_t* words) const {
    for (int64_t first = 0, next; first < part_.count; first = next) {
      next = first + 1;
      while (next < part_.count && (words[next] ^ words[first]) >> index_bits_ == 0) ++next;
      if (next - first > kFewAlike) return false;
      if (next - first > 1) insert_by_key(words + first, next - first);
    }
    return true;
  }

  void insert_by_key(uint64_t* words, int64_t n) const {
    uint64_t keys[kFewAlike];
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t word = words[i];
      uint64_t key;
      type_.encode(row_ + 8 * index(word), 1, flip_, &key);
      int64_t place = i;
      for (; place > 0 && keys[place - 1] > key; --place) {
        keys[place] = keys[place - 1];
        words[place] = words[place - 1];
      }
      keys[place] = key;
      words[place] = word;
    }
  }

  template <typename Word>
  bool finish(const Bracket& bracket, const Counts& all, const Counts* counts) {
    const int64_t room = part_.count > kFewWords ? 2 * all.inside : all.inside;
    Word* const words = reinterpret_cast<Word*>(scratch_.get(sizeof(Word) * room));
    if (words == nullptr) return false;
    keys_.collect(bracket, counts, index_bits_, 0, words);
    const Word* const sorted =
        order(words, all.inside, first_ - all.below, bit_width(bracket.most - bracket.least));
    if (sorted != nullptr) write(sorted, bracket.least);
    return sorted != nullptr;
  }

  // Of many words those stay that have the leading digits of the wanted ones, as long as these
  // have one in common. That needs no comparisons, which branches would follow.
  template <typename Word>
  void drop_others(Word* words, int64_t& n, int64_t& before, int bits) const {
    constexpr int kDigitBits = 11, kDigits = 1 << kDigitBits;
    for (int shift = bits - kDigitBits; shift >= 0 && n > kWorthDigits; shift -= kDigitBits) {
      const auto digit_of = [shift](Word word) {
        return static_cast<uint64_t>(word >> shift) & (kDigits - 1);
      };
      int64_t counts[kDigits] = {};
      for (int64_t i = 0; i < n; ++i) ++counts[digit_of(words[i])];
      int64_t below = 0;
      uint64_t digit = 0;
      while (below + counts[digit] <= before) below += counts[digit++];
      if (before + part_.count > below + counts[digit]) return;
      int64_t kept = 0;
      for (int64_t i = 0; i < n; ++i) {
        const Word word = words[i];
        words[kept] = word;
        kept += digit_of(word) == digit;
      }
      before -= below;
      n = kept;
    }
  }

  // The wanted words in order, of which the first has so many before it. Null: no memory.
  template <typename Word>
  Word* order(Word* words, int64_t n, int64_t before, int bits) {
    const int64_t count = part_.count;
    if (count < n / kDigitsPay) drop_others(words, n, before, index_bits_ + bits);
    if (before + count < n) std::nth_element(words, words + before + count, words + n);
    if (before > 0) std::nth_element(words, words + before, words + before + count);
    Word* const wanted = words + before;
    if (count <= kFewWords) {
      std::sort(wanted, wanted + count);
      return wanted;
    }
    using Counters = typename RadixPass<Word>::Counts;
    Counters* const counters = reinterpret_cast<Counters*>(counters_.get(sizeof(Counters)));
    if (counters == nullptr) return nullptr;
    const int ordered = count == part_.length ? index_bits_ : 0;  // positions, if nothing was left
    return sort_words(wanted, words + n, count, ordered, index_bits_ - ordered + bits, chunks_,
                      *counters);
  }

  template <typename Word>
  void write(const Word* words, uint64_t least) const {
    for_chunks(part_.count, chunks_, [&](int, int64_t begin, int64_t end) {
      for (int64_t i = begin; indices_ != nullptr && i < end; ++i) indices_[i] = index(words[i]);
      uint64_t keys[RowKeys::kBlock];
      for (int64_t i = begin; values_ != nullptr && i < end; i += RowKeys::kBlock) {
        const int64_t n = std::min(RowKeys::kBlock, end - i);
        for (int64_t k = 0; k < n; ++k) {
          keys[k] = static_cast<uint64_t>(words[i + k] >> index_bits_) + least;
        }
        type_.decode(keys, n, flip_, values_ + i * type_.item_size);
      }
    });
    if (values_ == nullptr || !type_.has_nan) return;
    write_again(words, type_.zero() ^ flip_, least);
    write_again(words, type_.largest() ^ flip_, least);
  }

  // Elements with this key, as they are in the row: not all have the same bits.
  template <typename Word>
  void write_again(const Word* words, uint64_t key, uint64_t least) const {
    if (key < least) return;
    const int64_t size = type_.item_size;
    const Word first = Word{key - least} << index_bits_;
    const Word* const end = words + part_.count;
    const Word* word = std::lower_bound(words, end, first);
    for (; word != end && static_cast<uint64_t>(*word >> index_bits_) == key - least; ++word) {
      std::memcpy(values_ + (word - words) * size, row_ + index(*word) * size, size);
    }
  }

  template <typename Word>
  int64_t index(Word word) const {
    return static_cast<int64_t>(static_cast<uint64_t>(word) & ((uint64_t{1} << index_bits_) - 1));
  }

  const SortedPart part_;
  const KeyType type_;
  const uint64_t flip_;
  const int chunks_;
  RowKeys keys_;
  const int index_bits_ = bit_width(static_cast<uint64_t>(part_.length - 1));
  int64_t first_ = 0;
  const char* row_ = nullptr;
  char* values_ = nullptr;
  int64_t* indices_ = nullptr;
  Scratch scratch_, counters_;
};

}  // namespace

Status sort_rows(const SortedPart& part, int64_t rows, const char* data, char* values,
                 int64_t* indices) {
  const int64_t item = key_type(part.dtype).item_size;
  std::atomic<bool> enough_memory{true};
  const auto run = [&](int64_t begin, int64_t end, int chunks) {
    RowSorter sorter(part, chunks);
    for (int64_t i = begin; i < end; ++i) {
      const bool done = sorter.run(data + i * part.length * item,
                                   values == nullptr ? nullptr : values + i * part.count * item,
                                   indices == nullptr ? nullptr : indices + i * part.count);
      if (!done) enough_memory = false;
    }
  };
  const int threads = std::min(thread_count(), kMaxChunks);
  if (rows < threads && part.length >= kWorthChunks) {
    run(0, rows, threads);
  } else {
    const int64_t grain = std::max<int64_t>(1, kWorthThreads / part.length);
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) { run(begin, end, 1); });
  }
  return enough_memory ? Status() : no_memory_for_blocks();
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
