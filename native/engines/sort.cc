// SPDX-License-Identifier: Apache-2.0
#include "engines/sort.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>

#include "engines/block_loop.h"
#include "engines/sort_keys.h"
#include "engines/sort_words.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kBlock = 256;             // keys that are made at once
constexpr int64_t kFewWords = 128;          // that are compared rather than counted
constexpr int64_t kWorthSampling = 512;     // elements of a row
constexpr int64_t kWorthChunks = 1 << 16;   // elements of a row
constexpr int64_t kWorthThreads = 1 << 13;  // elements of all rows

// Keys from the least to the most.
struct Bracket {
  uint64_t least, most;
};
struct Counts {
  int64_t below = 0, inside = 0;
};

// Memory that grows and is used again.
class Scratch {
 public:
  // Null: there is none.
  char* get(size_t bytes) {
    if (bytes > size_) {
      memory_.reset();
      memory_.reset(new (std::nothrow) char[bytes]);
      size_ = memory_ == nullptr ? 0 : bytes;
    }
    return memory_.get();
  }

 private:
  std::unique_ptr<char[]> memory_;
  size_t size_ = 0;
};

// One row after the other, with the chunks of a row on several threads.
class RowSorter {
 public:
  RowSorter(const SortedPart& part, int chunks)
      : part_(part),
        type_(key_type(part.dtype, part.zeros_differ)),
        flip_(part.descending ? type_.largest() : 0),
        chunks_(chunks) {}

  // False: there is not enough memory.
  bool run(const char* row, char* values, int64_t* indices) {
    row_ = row;
    values_ = values;
    indices_ = indices;
    first_ = first_place();
    Bracket bracket = {0, type_.largest()};
    Counts counts[kMaxChunks], all;
    const bool sampled = part_.count < part_.length && part_.length >= kWorthSampling;
    if (sampled) {
      bracket = likely_bracket();
      all = count(bracket, counts);
    }
    if (!sampled || all.below > first_ || all.below + all.inside < first_ + part_.count) {
      bracket = whole_bracket();
      all = count_all(counts);
    }
    const int bits = bit_width(bracket.most - bracket.least);
    if (bits + index_bits_ <= 64) return finish<uint64_t>(bracket, all, counts);
    return finish<WideWord>(bracket, all, counts);
  }

 private:
  int64_t first_place() {
    if (part_.start == PartStart::kGiven) return part_.first;
    const int64_t length = part_.length;
    Counts counts[kMaxChunks];
    const uint64_t nan = type_.largest();
    const int64_t nans = type_.has_nan ? count({nan, nan}, counts).inside : 0;
    if (part_.start == PartStart::kMedian) return nans > 0 ? length - nans : (length - 1) / 2;
    return std::max<int64_t>(length - nans - 1, 0) / 2;
  }

  template <typename Body>
  void for_keys(int64_t begin, int64_t end, const Body& body) const {
    uint64_t keys[kBlock];
    for (int64_t i = begin; i < end; i += kBlock) {
      const int64_t n = std::min(kBlock, end - i);
      type_.encode(row_ + i * type_.item_size, n, flip_, keys);
      body(keys, i, n);
    }
  }

  // In each chunk, and altogether.
  Counts count(const Bracket& bracket, Counts* counts) const {
    for_chunks(part_.length, chunks_, [&](int chunk, int64_t begin, int64_t end) {
      Counts found;
      for_keys(begin, end, [&](const uint64_t* keys, int64_t, int64_t n) {
        int64_t below = 0, inside = 0;
        for (int64_t i = 0; i < n; ++i) {
          below += keys[i] < bracket.least;
          inside += keys[i] - bracket.least <= bracket.most - bracket.least;
        }
        found.below += below;
        found.inside += inside;
      });
      counts[chunk] = found;
    });
    return sum(counts);
  }

  Counts count_all(Counts* counts) const {
    const int64_t most = (part_.length + chunks_ - 1) / chunks_;
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      const int64_t begin = std::min(chunk * most, part_.length);
      counts[chunk] = {0, std::min(begin + most, part_.length) - begin};
    }
    return {0, part_.length};
  }

  Counts sum(const Counts* counts) const {
    Counts all;
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      all.below += counts[chunk].below;
      all.inside += counts[chunk].inside;
    }
    return all;
  }

  // Between which keys some elements of the row let expect the part.
  Bracket likely_bracket() const {
    constexpr int kMostSamples = 1024;
    uint64_t keys[kMostSamples];
    const int64_t length = part_.length;
    const int samples = length < (1 << 14) ? 64 : kMostSamples;
    for (int i = 0; i < samples; ++i) {
      type_.encode(row_ + length / samples * i * type_.item_size, 1, flip_, keys + i);
    }
    const auto key_at = [&](double place) {
      uint64_t* const key = keys + static_cast<int>(place);
      std::nth_element(keys, key, keys + samples);
      return *key;
    };
    const double low = likely_place(first_, samples, -1);
    const double high = likely_place(first_ + part_.count, samples, 1);
    return {low < 0 ? 0 : key_at(low), high >= samples ? type_.largest() : key_at(high)};
  }

  // Where an element of the sorted row would stand among the samples, with more than three standard
  // deviations to one side.
  double likely_place(int64_t place, int samples, int side) const {
    const double share = static_cast<double>(place) / static_cast<double>(part_.length);
    return share * samples + side * (3 * std::sqrt(share * (1 - share) * samples) + 2);
  }

  Bracket whole_bracket() const {
    if (part_.length <= kFewWords && type_.item_size <= 4) return {0, type_.largest()};
    Bracket found[kMaxChunks];
    for_chunks(part_.length, chunks_, [&](int chunk, int64_t begin, int64_t end) {
      uint64_t least = ~uint64_t{0}, most = 0;
      for_keys(begin, end, [&](const uint64_t* keys, int64_t, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          least = std::min(least, keys[i]);
          most = std::max(most, keys[i]);
        }
      });
      found[chunk] = {least, most};
    });
    Bracket all = found[0];
    for (int chunk = 1; chunk < chunks_; ++chunk) {
      all.least = std::min(all.least, found[chunk].least);
      all.most = std::max(all.most, found[chunk].most);
    }
    return all;
  }

  template <typename Word>
  bool finish(const Bracket& bracket, const Counts& all, const Counts* counts) {
    Word* const words = reinterpret_cast<Word*>(scratch_.get(2 * sizeof(Word) * all.inside));
    if (words == nullptr) return false;
    collect(bracket, counts, words);
    const Word* const sorted =
        order(words, all.inside, first_ - all.below, bit_width(bracket.most - bracket.least));
    if (sorted != nullptr) write(sorted, bracket.least);
    return sorted != nullptr;
  }

  // The words of a bracket. A client that changes the row meanwhile must not get words in that
  // nobody counted.
  template <typename Word>
  void collect(const Bracket& bracket, const Counts* counts, Word* words) const {
    int64_t starts[kMaxChunks + 1] = {};
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      starts[chunk + 1] = starts[chunk] + counts[chunk].inside;
    }
    const uint64_t range = bracket.most - bracket.least;
    const auto word = [this](uint64_t key, int64_t position) {
      return Word{key} << index_bits_ | static_cast<uint64_t>(position);
    };
    for_chunks(part_.length, chunks_, [&](int chunk, int64_t begin, int64_t end) {
      Word* to = words + starts[chunk];
      Word* const stop = words + starts[chunk + 1];
      for_keys(begin, end, [&](const uint64_t* keys, int64_t position, int64_t n) {
        Word found[kBlock];
        int64_t some = 0;
        for (int64_t i = 0; i < n; ++i) some += keys[i] - bracket.least <= range;
        if (some == 0) return;
        if (some == n && n <= stop - to) {
          for (int64_t i = 0; i < n; ++i) to[i] = word(keys[i] - bracket.least, position + i);
          to += n;
          return;
        }
        int64_t count = 0;
        for (int64_t i = 0; i < n; ++i) {
          const uint64_t key = keys[i] - bracket.least;
          found[count] = word(key, position + i);
          count += key <= range;
        }
        to = std::copy_n(found, std::min<int64_t>(count, stop - to), to);
      });
      std::fill(to, stop, Word{0});
    });
  }

  // The wanted words in order, of which the first has so many before it. Null: no memory.
  template <typename Word>
  const Word* order(Word* words, int64_t n, int64_t before, int bits) {
    const int64_t count = part_.count;
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
      uint64_t keys[kBlock];
      for (int64_t i = begin; values_ != nullptr && i < end; i += kBlock) {
        const int64_t n = std::min(kBlock, end - i);
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
