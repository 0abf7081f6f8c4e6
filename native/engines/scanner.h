// SPDX-License-Identifier: Apache-2.0
// How a scan goes through dense tensors: see Note [Scans] in scan.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/block_loop.h"
#include "engines/cast.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace scans {

constexpr int64_t kBlock = 1024;          // elements that are widened at once
constexpr int64_t kColumns = 512;         // that grow together
constexpr int64_t kSegment = 1 << 16;     // elements of a row that a thread may add up for itself
constexpr int64_t kGrain = 16 << 10;      // elements; less is not worth a second thread
constexpr int64_t kStreamedBytes = 2048;  // less has too many lines that are not whole

// An array from one type to another, or as it is.
class Convert {
 public:
  Convert(aclDataType from, aclDataType to)
      : cast_(from == to ? nullptr : find_array_cast(from, to)),
        size_(from == to ? data_type_bits(from) / 8 : 0) {}

  bool exists() const { return cast_ != nullptr || size_ > 0; }
  bool changes() const { return size_ == 0; }
  void operator()(const char* from, char* to, int64_t count) const {
    if (size_ == 0) return cast_(from, to, count);
    std::memmove(to, from, count * size_);
  }

 private:
  CastArray cast_;
  int64_t size_;
};

// Dense tensors as rows along the axis, or as columns where the axis is not the last.
struct Work {
  const char* from;
  char* to;
  char* places;  // may be null
  int64_t item, place_item;
  int64_t outer, length, inner;
  Convert widen, narrow, narrow_place;
  bool past_cache;  // see Note [Stores past the cache]
};

// Results of a block to where they belong, converted.
template <typename From>
void put(const Convert& convert, const From* values, int64_t count, char* to, int64_t bytes,
         bool past_cache) {
  const char* from = reinterpret_cast<const char*>(values);
  if (!past_cache || bytes < kStreamedBytes) return convert(from, to, count);
  alignas(64) char converted[kBlock * sizeof(From)];
  if (convert.changes()) {
    convert(from, converted, count);
    from = converted;
  }
  stream_run(from, bytes, to);
}

template <typename Operation>
class Scanner {
 public:
  explicit Scanner(const Work& work) : work_(work) {}

  Status run() const {
    if (work_.inner > 1) return run_columns(), Status{};
    if (Operation::kIsSum && work_.length >= 2 * kSegment) return run_segments();
    const int64_t grain = std::max<int64_t>(1, kGrain / work_.length);
    parallel_for(work_.outer, grain, [&](int64_t begin, int64_t end) {
      int64_t row = begin;
      if constexpr (kInFours) {
        for (; row + 4 <= end; row += 4) scan_four(row * work_.length);
      }
      for (; row < end; ++row) {
        State state;
        scan_row(row * work_.length, work_.length, state);
      }
      finish();
    });
    return {};
  }

 private:
  using Number = typename Operation::Number;
  static constexpr int kNumbers = Operation::kNumbers;
  static constexpr bool kInFours = !Operation::kIsSum && !Operation::kHasPlaces;

  struct State {
    State() { std::fill_n(numbers, kNumbers, Operation::kStart); }
    Number numbers[kNumbers];
    int64_t place = 0;
  };

  void scan_row(int64_t first, int64_t count, State& state) const {
    if constexpr (Operation::kHasPlaces) {
      scan_row_with_places(first, count, state);
    } else {
      alignas(64) Number values[kBlock * kNumbers];
      for (int64_t begin = 0; begin < count; begin += kBlock) {
        const int64_t some = std::min(kBlock, count - begin), here = first + begin;
        read(here, some, values);
        Operation::along(values, some, state.numbers);
        write(here, some, values);
      }
    }
  }

  // Where nothing is converted, results are made where they belong.
  void scan_row_with_places(int64_t first, int64_t count, State& state) const {
    alignas(64) Number buffer[kBlock];
    alignas(64) int64_t place_buffer[kBlock];
    const bool in_place = !work_.narrow.changes() && may_be_made_at(work_.to, sizeof(Number));
    const bool places_in_place =
        !work_.narrow_place.changes() && may_be_made_at(work_.places, sizeof(int64_t));
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t some = std::min(kBlock, count - begin), here = first + begin;
      Number* const values =
          in_place ? reinterpret_cast<Number*>(work_.to + here * work_.item) : buffer;
      int64_t* const places =
          places_in_place ? reinterpret_cast<int64_t*>(work_.places) + here : place_buffer;
      read(here, some, values);
      Operation::along(values, some, state.numbers, places, begin, &state.place);
      if (!places_in_place) write_places(here, some, places);
      if (!in_place) write(here, some, values);
    }
  }
  bool may_be_made_at(const char* target, int64_t size) const {
    return !work_.past_cache && is_aligned(target, size);
  }

  void scan_four(int64_t first) const {
    constexpr int64_t kPart = kBlock / 4;
    alignas(64) Number values[kBlock];
    Number states[4];
    std::fill_n(states, 4, Operation::kStart);
    for (int64_t begin = 0; begin < work_.length; begin += kPart) {
      const int64_t some = std::min(kPart, work_.length - begin), here = first + begin;
      for (int k = 0; k < 4; ++k) read(here + k * work_.length, some, values + k * kPart);
      Operation::along_four(values, kPart, some, states);
      for (int k = 0; k < 4; ++k) write(here + k * work_.length, some, values + k * kPart);
    }
  }

  // First what each segment adds up to, then the rows with what came before them.
  Status run_segments() const {
    const int64_t segments = (work_.length + kSegment - 1) / kSegment;
    const std::unique_ptr<State[]> states(new (std::nothrow) State[work_.outer * segments]);
    if (states == nullptr) return no_memory_for_blocks();
    const auto for_each = [&](const auto& visit) {
      parallel_for(work_.outer * segments, 1, [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; ++unit) {
          const int64_t first = unit % segments * kSegment;
          visit(unit / segments * work_.length + first, std::min(kSegment, work_.length - first),
                states[unit]);
        }
        finish();
      });
    };
    for_each([&](int64_t first, int64_t count, State& state) { add_segment(first, count, state); });
    for (int64_t row = 0; row < work_.outer; ++row) {
      State before;
      for (int64_t k = row * segments; k < (row + 1) * segments; ++k) {
        const State own = states[k];
        states[k] = before;
        for (int i = 0; i < kNumbers; ++i) before.numbers[i] += own.numbers[i];
      }
    }
    for_each([&](int64_t first, int64_t count, State& state) { scan_row(first, count, state); });
    return {};
  }

  void add_segment(int64_t first, int64_t count, State& state) const {
    alignas(64) Number values[kBlock * kNumbers];
    if constexpr (Operation::kIsSum) {
      for (int64_t begin = 0; begin < count; begin += kBlock) {
        const int64_t some = std::min(kBlock, count - begin);
        read(first + begin, some, values);
        Operation::total(values, some * kNumbers, state.numbers);
      }
    }
  }

  void run_columns() const {
    const int64_t columns = std::min(work_.inner, kColumns);
    const int64_t blocks = (work_.inner + columns - 1) / columns;
    const int64_t grain = std::max<int64_t>(1, kGrain / (columns * work_.length));
    parallel_for(work_.outer * blocks, grain, [&](int64_t begin, int64_t end) {
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t first = unit % blocks * columns;
        scan_columns(unit / blocks * work_.length * work_.inner + first,
                     std::min(columns, work_.inner - first));
      }
      finish();
    });
  }

  // Several rows at once where they lie behind each other.
  void scan_columns(int64_t first, int64_t columns) const {
    alignas(64) Number values[kBlock * kNumbers], states[kColumns * kNumbers];
    alignas(64) int64_t places[Operation::kHasPlaces ? kBlock : 1];
    alignas(64) int64_t wheres[Operation::kHasPlaces ? kColumns : 1] = {};
    std::fill_n(states, columns * kNumbers, Operation::kStart);
    const int64_t together = columns == work_.inner ? std::max<int64_t>(1, kBlock / columns) : 1;
    for (int64_t row = 0, rows; row < work_.length; row += rows) {
      rows = std::min(together, work_.length - row);
      const int64_t here = first + row * work_.inner;
      read(here, rows * columns, values);
      for (int64_t i = 0; i < rows; ++i) {
        Number* const next = values + i * columns * kNumbers;
        if constexpr (Operation::kHasPlaces) {
          Operation::across(next, columns, states, places + i * columns, row + i, wheres);
        } else {
          Operation::across(next, columns * kNumbers, states);
        }
      }
      if constexpr (Operation::kHasPlaces) {
        write_places(here, rows * columns, places);
      }
      write(here, rows * columns, values);
    }
  }

  void finish() const {
    if (work_.past_cache) finish_streaming();
  }

  void read(int64_t first, int64_t count, Number* values) const {
    work_.widen(work_.from + first * work_.item, reinterpret_cast<char*>(values), count);
  }
  void write(int64_t first, int64_t count, const Number* values) const {
    put(work_.narrow, values, count, work_.to + first * work_.item, count * work_.item,
        work_.past_cache);
  }
  void write_places(int64_t first, int64_t count, const int64_t* places) const {
    put(work_.narrow_place, places, count, work_.places + first * work_.place_item,
        count * work_.place_item, work_.past_cache);
  }

  const Work& work_;
};

}  // namespace scans
}  // namespace ACLHOST_ISA
}  // namespace aclhost
