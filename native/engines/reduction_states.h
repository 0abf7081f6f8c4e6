// SPDX-License-Identifier: Apache-2.0
// The states of a reduction's results: see Note [Order of reductions of loops] in reduction.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/scratch_memory.h"
#include "engines/reduced_values.h"
#include "engines/reducers.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace reduction_detail {

constexpr int64_t kColumns = 1024;  // results that grow together
constexpr int64_t kWidth = kReducedPart / Reducer::kRowsAtOnce;
constexpr int64_t kNarrow = 128;      // results; fewer grow in lanes
constexpr int64_t kNarrowRow = 2048;  // values in all lanes
constexpr int64_t kLaneUnit = 16;     // lanes: vectors hold a result's as well as neighbours'
constexpr int64_t kLeastGroup = 32 << 10;
constexpr int64_t kMostGroup = 256 << 10;  // values
constexpr int64_t kGroups = 16;
constexpr int64_t kLongRun = 16;      // values
constexpr int64_t kGrain = 16 << 10;  // values; less is not worth a second thread

// Some dimensions of a shape.
struct Axes {
  int count = 0;
  int64_t total = 1;
  int axis[kMaxRank];

  void add(int number, int64_t size) {
    axis[count++] = number;
    total *= size;
  }
};

struct Split {
  Split(const Shape& whole, const TensorView& out, const Reducer& reducer, const TensorView& in) {
    for (int i = 0; i < whole.rank; ++i) {
      const int own = i - (whole.rank - out.rank);
      const bool stays = own >= 0 && out.shape[own] == whole.dims[i];
      (stays ? kept : gone).add(i, whole.dims[i]);
      if (whole.dims[i] != 1) {
        if (!stays && !last_goes) ++gone_runs;
        last_goes = !stays;
      }
      if (reducer.in_any_order && is_long_run(in, i - (whole.rank - in.rank))) run_goes = !stays;
    }
    if (reducer.in_any_order && !reducer.has_places) sort(gone, whole, in);
    const bool is_tall =
        gone_runs <= 1 && kept.total < reducer.few_results && !reducer.in_any_order;
    in_parts = (run_goes.value_or(last_goes) || is_tall) && gone.total >= reducer.few_values;
  }

  Axes kept;
  Axes gone;
  bool in_parts;

 private:
  // By their strides, the longest first.
  static void sort(Axes& axes, const Shape& whole, const TensorView& in) {
    const auto stride = [&](int axis) {
      const int own = axis - (whole.rank - in.rank);
      return own < 0 ? 0 : std::abs(in.strides[own]);
    };
    std::stable_sort(axes.axis, axes.axis + axes.count,
                     [&](int a, int b) { return stride(a) > stride(b); });
  }

  // Whether elements along a dimension are neighbours in memory, and many.
  static bool is_long_run(const TensorView& in, int axis) {
    return axis >= 0 && in.strides[axis] == 1 && in.shape[axis] >= kLongRun;
  }

  bool last_goes = false;
  int gone_runs = 0;             // of neighbouring dimensions
  std::optional<bool> run_goes;  // where such a dimension tells more than the last one
};

// Where values come from: a map, what reduces arrays without it or null, and the first input's
// dtype.
struct Source {
  bool is_mapped;
  ReduceArray reduce_plain;
  aclDataType stored;
};

// The states of all results, in rows that remain to be joined.
class States {
 public:
  States(const BlockJob& job, const LoopNest& nest, const Source& source, const Reducer& reducer,
         const Split& split)
      : job_(job),
        nest_(nest),
        is_mapped_(source.is_mapped),
        reduce_plain_(job.plan.conversions[1].first == nullptr ? source.reduce_plain : nullptr),
        reducer_(reducer),
        reduce_stored_(job.plan.conversions[1].second != nullptr ? nullptr
                       : source.stored == ACL_FLOAT16            ? reducer.reduce_half
                       : source.stored == ACL_BF16               ? reducer.reduce_bfloat
                                                                 : nullptr),
        are_halves_(source.stored == ACL_FLOAT16 && reduce_stored_ != nullptr),
        in_parts_(split.in_parts),
        kept_(split.kept.total),
        gone_(split.gone.total),
        columns_of_stored_(is_mapped_                     ? nullptr
                           : source.stored == ACL_FLOAT16 ? reducer.reduce_half_columns
                           : source.stored == ACL_BF16    ? reducer.reduce_bfloat_columns
                                                          : nullptr),
        lies_across_(in_parts_ && values_lie_across()),
        columns_(std::min(kept_, kColumns)) {
    const int64_t values = std::clamp(kept_ * gone_ / kGroups, kLeastGroup, kMostGroup);
    const bool is_narrow = kept_ < kNarrow && !in_parts_ && !reducer.has_places;
    lanes_ = std::max<int64_t>(1, is_narrow ? std::min(gone_ / 8, kNarrowRow / kept_) : 1);
    if (lanes_ > kLaneUnit) lanes_ = lanes_ / kLaneUnit * kLaneUnit;
    lies_along_ = lanes_ > 1 && !is_mapped_ && Values::lie_along(job, nest, gone_) && batch() > 0;
    const int64_t whole = lanes_ * Reducer::kRowsAtOnce;
    group_ = std::max(whole, values / columns_ / whole * whole);
    const int64_t part = in_parts_ ? kReducedPart : group_;
    rows_ = std::max<int64_t>(1, (gone_ + part - 1) / part * lanes_);
    states_ = take_scratch<char>(rows_ * kept_ * reducer.size);
  }

  // False: there is not enough memory.
  bool compute() {
    if (states_ == nullptr) return false;
    if (gone_ == 0) {
      reducer_.start(states_.get(), kept_);
      return true;
    }
    if (!(in_parts_ ? reduce_parts() : add_layers())) return false;
    for (int64_t half, rows = rows_; rows > 1; rows = half) {
      half = (rows + 1) / 2;
      reducer_.join(states_.get(), at(half, 0), (rows - half) * kept_);
    }
    return true;
  }

  char* at(int64_t row, int64_t result) const {
    return states_.get() + (row * kept_ + result) * reducer_.size;
  }

 private:
  template <typename Body>
  bool for_each(int64_t units, int64_t values_of_unit, const Body& body) {
    const int64_t band = in_parts_ ? band_rows() : 0;
    const int64_t values_at_once = std::max(kGrain, band * nest_.shape[0]);
    const int64_t grain = std::max<int64_t>(1, values_at_once / values_of_unit);
    const auto work = [&](int64_t first, int64_t last, char* scratch) {
      Values values(job_, nest_, is_mapped_, scratch);
      values.turn_ahead(band);
      for (int64_t i = first; i < last; ++i) body(i, values);
    };
    return parallel_with_scratch(job_.plan, units, grain, work);
  }

  // Rows of the nest that are turned at once, where memory lies across them: as many as stay in the
  // cache, but some lines of each column. 0: none, or columns are too many for that.
  int64_t band_rows() const {
    constexpr int64_t kFewBytes = 8 * kLineBytes, kMostBytes = 16 << 20, kBands = 8;
    const LoopNest::Operand& in = nest_.operand[1];
    if (is_mapped_ || lies_across_ || !lies_across(nest_, in, Block(nest_, 0))) return 0;
    const int64_t bytes = nest_.shape[0] * in.item_size, few = kFewBytes / in.item_size;
    const int64_t most = std::min(kRoomBytes / 2 / bytes, nest_.total / nest_.shape[0] / kBands);
    const int64_t rows = std::min(std::max(few, most), kMostBytes / bytes);
    return rows < kLineBytes / in.item_size ? 0 : std::min(rows, nest_.shape[1]);
  }

  // Whether the values of neighbouring results lie side by side and can be reduced so.
  bool values_lie_across() const {
    if (reducer_.reduce_columns == nullptr || nest_.rank < 2 || nest_.shape[0] != gone_) {
      return false;
    }
    if (nest_.shape[1] < Reducer::kLeastColumns && reducer_.few_results == 0) return false;
    for (int k = 2; k < nest_.operands; ++k) {
      const LoopNest::Operand& in = nest_.operand[k];
      if (in.strides[1] != in.item_size && in.strides[1] != 0) return false;
    }
    const LoopNest::Operand& in = nest_.operand[1];
    return in.strides[1] == in.item_size && in.strides[0] % in.item_size == 0 &&
           (is_mapped_ || job_.plan.conversions[1].second == nullptr);
  }

  // Whether columns are computed or converted before they are reduced.
  bool makes_columns() const {
    return lies_across_ && columns_of_stored_ == nullptr &&
           (is_mapped_ || job_.plan.conversions[1].first != nullptr);
  }

  // Results that are reduced together: their values fill a part, or the buffer where memory that is
  // read for one of them holds those of others.
  struct Pieces {
    int64_t width;  // results in a row
    int64_t count;  // of pieces in it
    int64_t unit;   // they begin at multiples of it: not less than it is in a piece
    int64_t begin(int64_t number) const {
      return number / count * width + number % count * width / count / unit * unit;
    }
  };
  Pieces pieces() const {
    const int64_t size = nest_.operand[0].item_size, rows = std::min(gone_, kReducedPart);
    const bool is_high = makes_columns() && rows * Reducer::kLeastColumns * size > kBufferBytes;
    // Results of several parts come one at a time: memory is read in its order.
    const int64_t in_buffer = rows < gone_ ? 1 : std::min(kBufferBytes / size, kGrain);
    const int64_t values = !lies_across_      ? in_buffer
                           : !makes_columns() ? kMostGroup
                                              : (is_high ? kRoomBytes / 2 : kBufferBytes) / size;
    const int64_t width = lies_across_ ? nest_.shape[1] : kept_;
    const int64_t most = std::max<int64_t>(1, values / (lies_across_ ? rows : gone_));
    int64_t least = 1;
    if (lies_across_) {
      // Where each row is in another page of memory, as much as possible of it is read at once.
      constexpr int64_t kPage = 4096;
      const bool is_wide = nest_.operand[1].strides[0] >= kPage && width >= Reducer::kMostColumns &&
                           !makes_columns();
      least = is_wide ? Reducer::kMostColumns : Reducer::kLeastColumns;
    }
    const int64_t unit = lies_across_ ? Reducer::kLeastColumns : 1;
    const int64_t most_pieces = std::max<int64_t>(1, width / least);
    return {width, std::clamp((width + most - 1) / most, int64_t{1}, most_pieces), unit};
  }

  // A unit is a part of a piece.
  bool reduce_parts() {
    const Pieces all = pieces();
    const int64_t units = kept_ / all.width * all.count * rows_;
    const int64_t values_of_unit = all.width / all.count * std::min(kReducedPart, gone_);
    return for_each(units, values_of_unit, [&](int64_t i, Values& values) {
      const int64_t row = i % rows_, first = all.begin(i / rows_);
      const int64_t begin = row * kReducedPart, end = std::min(begin + kReducedPart, gone_);
      const Part part = {row, begin, end, first, all.begin(i / rows_ + 1) - first};
      if (!reduce_columns(part, values)) reduce_rows(part, values);
    });
  }

  // Positions of some results, and the row of states they make.
  struct Part {
    int64_t row, begin, end;
    int64_t first, count;
  };

  void reduce_rows(const Part& part, Values& values) {
    const int64_t length = part.end - part.begin;
    const int64_t size = nest_.operand[0].item_size;
    const int64_t most = length == gone_ ? std::max<int64_t>(1, kBufferBytes / size / gone_) : 1;
    const bool is_short = reducer_.reduce_short_rows != nullptr && gone_ >= Reducer::kLeastShort &&
                          gone_ <= Reducer::kMostShort;
    for (int64_t done = 0, count; done < part.count; done += count) {
      count = std::min(most, part.count - done);
      const int64_t from = (part.first + done) * gone_ + part.begin;
      const int64_t to = from + (count - 1) * gone_ + length;
      const auto row_state = [&](int64_t k) { return at(part.row, part.first + done + k); };
      const char* const plain = reduce_plain_ != nullptr ? values.stored_at(from, to) : nullptr;
      const char* const stored = reduce_stored_ != nullptr ? values.array_at(from, to) : nullptr;
      const char* const array = plain != nullptr    ? plain
                                : stored != nullptr ? stored
                                                    : values.get(from, to);
      const auto reduce = plain != nullptr    ? reduce_plain_
                          : stored != nullptr ? reduce_stored_
                                              : nullptr;
      if (reduce == nullptr && is_short) {
        reducer_.reduce_short_rows(array, count, gone_, row_state(0));
        continue;
      }
      const int64_t step = gone_ * (stored != nullptr ? nest_.operand[1].item_size : size);
      for (int64_t k = 0; k < count; ++k) {
        if (reduce != nullptr) {
          reduce(array + k * step, length, row_state(k));
        } else {
          reducer_.reduce(array + k * step, length, part.begin, row_state(k));
        }
      }
    }
  }

  // The last of them may be computed twice. False: they do not lie so.
  bool reduce_columns(const Part& part, Values& values) {
    constexpr int64_t kMost = Reducer::kMostColumns, kLeast = Reducer::kLeastColumns;
    const bool as_stored = columns_of_stored_ != nullptr;
    const auto reduce = as_stored ? columns_of_stored_ : reducer_.reduce_columns;
    if (!lies_across_) return false;
    int64_t step = 0;
    const char* const place =
        values.rows_at(part.first, part.count, part.begin, part.end, as_stored, &step);
    if (place == nullptr) return false;
    const int64_t size = nest_.operand[as_stored ? 1 : 0].item_size;
    for (int64_t done = 0; done < part.count; done += kMost) {
      const int64_t k = std::clamp<int64_t>(part.count - kLeast, 0, done);
      reduce({place + k * size, step, part.end - part.begin, std::min(kMost, part.count - k)},
             at(part.row, part.first + k));
    }
    return true;
  }

  // A unit is some columns of a group.
  bool add_layers() {
    const int64_t blocks = (kept_ + kColumns - 1) / kColumns;
    const int64_t groups = rows_ / lanes_;
    const int64_t values_of_unit = columns_ * std::min(group_, gone_);
    return for_each(blocks * groups, values_of_unit, [&](int64_t i, Values& values) {
      const int64_t first = i % blocks * kColumns, group = i / blocks;
      const int64_t begin = group * group_, count = std::min(group_, gone_ - begin);
      const Layers layers = {begin, count, first, std::min(kColumns, kept_ - first)};
      char* const states = at(group * lanes_, first);
      add_layers(layers, reducer_, values, states);
      if (reducer_.add_exactly != nullptr)
        correct(layers, values, reinterpret_cast<double*>(states));
    });
  }

  // Values from a position on, for some results.
  struct Layers {
    int64_t position, count, first, columns;
  };

  void add_layers(const Layers& layers, const Reducer& reducer, Values& values, char* states) {
    const int64_t columns = layers.columns, rest = layers.count % lanes_;
    const int64_t last = layers.position + layers.count - rest;
    if (lies_along_) return add_columns(layers, reducer, values, states);
    reducer.start(states, columns * lanes_);
    add_rows({layers.position, layers.count / lanes_, layers.first, columns * lanes_}, reducer,
             values, states);
    if (rest > 0) add_rows({last, 1, layers.first, columns * rest}, reducer, values, states);
  }

  // Whole rows of a result that fit in the buffer, several at once.
  int64_t batch() const {
    const int64_t rows = kBufferBytes / nest_.operand[0].item_size / lanes_;
    return rows / Reducer::kRowsAtOnce * Reducer::kRowsAtOnce;
  }

  // Of a narrow nest where the values of each result are an array: a lane of it is a row there.
  void add_columns(const Layers& layers, const Reducer& reducer, Values& values, char* states) {
    const bool is_half = are_halves_ && reducer.add_half != nullptr;
    const auto add = is_half ? reducer.add_half : reducer.add;
    const int64_t bytes = lanes_ * nest_.operand[is_half ? 1 : 0].item_size;
    alignas(64) char lanes[kNarrowRow / 2 * sizeof(MomentState)];  // at least two share a row
    for (int64_t result = 0; result < kept_; ++result) {
      reducer.start(lanes, lanes_);
      for (int64_t done = 0, count; done < layers.count; done += count) {
        count = std::min(batch() * lanes_, layers.count - done);
        const int64_t begin = layers.position + done;
        const char* const array = values.column_at(result, kept_, begin, begin + count, is_half);
        add_array(array, bytes, {begin, count / lanes_, 0, lanes_}, add, lanes);
        const int64_t whole = count / lanes_;
        if (count > whole * lanes_) {
          const char* const last = array + whole * bytes;
          add(&last, 1, count - whole * lanes_, begin + whole, lanes);
        }
      }
      for (int64_t lane = 0; lane < lanes_; ++lane) {
        std::memcpy(states + (lane * kept_ + result) * reducer.size, lanes + lane * reducer.size,
                    reducer.size);
      }
    }
  }

  // States that are not finite are added again.
  void correct(const Layers& layers, Values& values, double* states) {
    const int64_t n = layers.columns * lanes_;
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; ++i) wrong += std::isfinite(states[i]) ? 0 : 1;
    if (wrong == 0) return;
    alignas(64) double exact[std::max(kColumns, kNarrowRow)];
    Reducer exactly = reducer_;
    exactly.add = reducer_.add_exactly;
    exactly.add_half = nullptr;
    add_layers(layers, exactly, values, reinterpret_cast<char*>(exact));
    for (int64_t i = 0; i < n; ++i) states[i] = std::isfinite(states[i]) ? states[i] : exact[i];
  }

  // Rows of values: from a position on, each for as many states.
  struct Rows {
    int64_t position, count, first, length;
  };

  void add_rows(const Rows& rows, const Reducer& reducer, Values& values, char* states) {
    if (rows.count == 0) return;
    const int64_t step = kept_ * lanes_, from = rows.position * kept_ + rows.first;
    const int64_t to = from + (rows.count - 1) * step + rows.length;
    if (are_halves_ && reducer.add_half != nullptr) {
      const char* const halves = values.array_at(from, to);
      if (halves != nullptr) return add_array(halves, row_bytes(1), rows, reducer.add_half, states);
    }
    const char* const array = values.in_place(from, to);
    if (array != nullptr) return add_array(array, row_bytes(0), rows, reducer.add, states);
    const int64_t whole = rows.length == step ? kReducedPart / step : 0;
    const int64_t batch = whole / Reducer::kRowsAtOnce * Reducer::kRowsAtOnce;
    if (batch == 0) return add_pieces(rows, reducer, values, states);
    for (int64_t row = 0; row < rows.count; row += batch) {
      const Rows some = {rows.position + row, std::min(batch, rows.count - row), 0, rows.length};
      const int64_t begin = from + row * step;
      add_array(values.get(begin, begin + some.count * step), row_bytes(0), some, reducer.add,
                states);
    }
  }

  // How far apart rows of all results begin, with elements of an operand.
  int64_t row_bytes(int operand) const { return kept_ * lanes_ * nest_.operand[operand].item_size; }

  // Rows of an array, so many bytes apart.
  void add_array(const char* array, int64_t bytes, const Rows& rows, decltype(Reducer::add) add,
                 char* states) {
    for (int64_t row = 0; row < rows.count; row += Reducer::kRowsAtOnce) {
      const int64_t count = std::min<int64_t>(Reducer::kRowsAtOnce, rows.count - row);
      const char* arrays[Reducer::kRowsAtOnce];
      for (int64_t k = 0; k < count; ++k) arrays[k] = array + (row + k) * bytes;
      add(arrays, count, rows.length, rows.position + row, states);
    }
  }

  // Rows that do not come as one array, some columns at a time.
  void add_pieces(const Rows& rows, const Reducer& reducer, Values& values, char* states) {
    const int64_t step = kept_ * lanes_, from = rows.position * kept_ + rows.first;
    for (int64_t row = 0; row < rows.count; row += Reducer::kRowsAtOnce) {
      const int64_t count = std::min<int64_t>(Reducer::kRowsAtOnce, rows.count - row);
      for (int64_t column = 0; column < rows.length; column += kWidth) {
        const int64_t n = std::min(kWidth, rows.length - column);
        const char* arrays[Reducer::kRowsAtOnce];
        for (int64_t k = 0; k < count; ++k) {
          const int64_t begin = from + (row + k) * step + column;
          arrays[k] = values.get(begin, begin + n, k * kWidth);
        }
        reducer.add(arrays, count, n, rows.position + row, states + column * reducer.size);
      }
    }
  }

  const BlockJob& job_;
  const LoopNest& nest_;
  const bool is_mapped_;
  const ReduceArray reduce_plain_;
  const Reducer& reducer_;
  const ReduceArray reduce_stored_;  // null: after a conversion
  const bool are_halves_;
  const bool in_parts_;
  const int64_t kept_;
  const int64_t gone_;
  decltype(Reducer::reduce_columns) const columns_of_stored_;  // null: after a conversion
  const bool lies_across_;
  const int64_t columns_;
  int64_t lanes_;  // of a group: positions take turns
  bool lies_along_;
  int64_t group_;  // positions of a group
  int64_t rows_;
  ScratchMemory<char> states_;
};

}  // namespace reduction_detail
}  // namespace ACLHOST_ISA
}  // namespace aclhost
