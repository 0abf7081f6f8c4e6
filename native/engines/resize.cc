// SPDX-License-Identifier: Apache-2.0
#include "engines/resize.h"

#include <algorithm>
#include <atomic>

#include "base/parallel.h"
#include "engines/cast.h"
#include "engines/copy.h"
#include "engines/gather_rows.h"
#include "engines/resize_plan.h"
#include "operator/no_kernel.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

using namespace resize_detail;

constexpr int64_t kTaskTerms = 32 * 1024;  // less is not worth a second thread

// Moves numbers between a row and an array of sums.
template <typename Sum>
class RowMover {
 public:
  RowMover(const Side& side, const RowLayout& layout, aclDataType from, aclDataType to)
      : side_(side),
        layout_(layout),
        array_(find_array_cast(from, to)),
        run_(find_cast(from, to)) {}

  bool exists() const { return array_ != nullptr && run_ != nullptr; }

  void read(const char* row, int64_t places, Sum* to) const {
    move(
        places, const_cast<char*>(row), to,
        [this](char* row_part, Sum* sums, int64_t n) {
          array_(row_part, reinterpret_cast<char*>(sums), n);
        },
        [this](char* row_part, int64_t stride, Sum* sums, int64_t n) {
          run_(row_part, stride, reinterpret_cast<char*>(sums), sizeof(Sum), n);
        });
  }

  void write(const Sum* from, int64_t places, char* row) const {
    move(
        places, row, const_cast<Sum*>(from),
        [this](char* row_part, Sum* sums, int64_t n) {
          array_(reinterpret_cast<char*>(sums), row_part, n);
        },
        [this](char* row_part, int64_t stride, Sum* sums, int64_t n) {
          run_(reinterpret_cast<char*>(sums), sizeof(Sum), row_part, stride, n);
        });
  }

 private:
  template <typename Array, typename Run>
  void move(int64_t places, char* row, Sum* sums, const Array& array, const Run& run) const {
    const int64_t inner = layout_.inner;
    if (layout_.is_dense(side_.item_size)) return array(row, sums, places * inner);
    if (inner == 1) return run(row, layout_.stride, sums, places);
    for (int64_t i = 0; i < places; ++i, row += layout_.stride, sums += inner) {
      run(row, layout_.inner_stride, sums, inner);
    }
  }

  const Side& side_;
  RowLayout layout_;
  CastArray array_;
  CastRun run_;
};

// A task: some pieces of rows of the target.
template <typename Sum>
class ResizedPieces {
 public:
  ResizedPieces(const Plan& plan, const RowMover<Sum>& reader, const RowMover<Sum>& writer)
      : plan_(plan), reader_(reader), writer_(writer) {}

  // Pieces are counted piece by piece along the row, slab by slab, row by row: so the taps of a
  // piece serve all slabs. False: there is not enough memory.
  bool compute(int64_t begin, int64_t end) {
    if (!reserve()) return false;
    const int64_t heights = plan_.to.shape[kHeight], slabs = plan_.slabs();
    int64_t height = begin % heights, depth = begin % plan_.rows / heights;
    int64_t slab = begin / plan_.rows % slabs, block = begin / plan_.rows / slabs;
    for (int64_t piece = begin; piece < end; ++piece) {
      if ((slab != slab_ || block != block_) && !start(slab, block)) return false;
      compute_row(depth, height);
      if (++height < heights) continue;
      height = 0;
      if (++depth < plan_.to.shape[kDepth]) continue;
      depth = 0;
      if (++slab < slabs) continue;
      slab = 0;
      ++block;
    }
    return true;
  }

 private:
  int64_t piece_numbers() const { return plan_.columns * plan_.inner; }

  bool reserve() {
    return rows_.reserve(plan_.slots() * piece_numbers()) && sums_.reserve(piece_numbers()) &&
           keys_.reserve(plan_.slots());
  }

  bool start(int64_t slab, int64_t block) {
    if (block != block_) {
      const int64_t first = block * plan_.columns;
      const int64_t end = std::min(first + plan_.columns, plan_.to.shape[kWidth]);
      if (!taps_.set(plan_.axes[2], plan_.gradient, first, end, plan_.inner)) return false;
      if (!line_.reserve((taps_.end() - taps_.first() + 1) * plan_.inner)) return false;
    }
    slab_ = slab;
    block_ = block;
    std::fill_n(keys_.data(), plan_.slots(), -1);
    return true;
  }

  void compute_row(int64_t depth, int64_t height) {
    const int64_t places = taps_.count();
    char* const target = plan_.row(plan_.to, slab_, depth, height) +
                         block_ * plan_.columns * plan_.to.strides[kWidth];
    const bool in_place = plan_.to.is_sum && plan_.layout(plan_.to).is_dense(plan_.to.item_size) &&
                          reinterpret_cast<uintptr_t>(target) % alignof(Sum) == 0;
    Sum* const sums = in_place ? reinterpret_cast<Sum*>(target) : sums_.data();
    const Taps &d = plan_.depth, &h = plan_.height;
    if (!taps_.same() && d.is_one(depth) && h.is_one(height)) {
      read_resized(
          plan_.row(plan_.from, slab_, d.places[d.starts[depth]], h.places[h.starts[height]]),
          sums);
      if (!in_place) writer_.write(sums, places, target);
      return;
    }
    WeightedSum<Sum> sum(places * plan_.inner, sums);
    for (int64_t i = d.starts[depth]; i < d.starts[depth + 1]; ++i) {
      for (int64_t j = h.starts[height]; j < h.starts[height + 1]; ++j) {
        const Sum weight = static_cast<Sum>(d.weights[i]) * static_cast<Sum>(h.weights[j]);
        sum.add(resized_row(d.places[i], h.places[j]), weight);
      }
    }
    sum.finish();
    if (!in_place) writer_.write(sums, places, target);
  }

  // The row of the source, resized. It stays until the group is complete.
  const Sum* resized_row(int64_t depth, int64_t height) {
    const char* const start = plan_.row(plan_.from, slab_, depth, height);
    const char* const source = start + taps_.first() * plan_.from.strides[kWidth];
    const bool dense = plan_.layout(plan_.from).is_dense(plan_.from.item_size);
    if (taps_.same() && plan_.from.is_sum && dense &&
        reinterpret_cast<uintptr_t>(source) % alignof(Sum) == 0) {
      return reinterpret_cast<const Sum*>(source);
    }
    const int64_t key = depth * plan_.from.shape[kHeight] + height;
    const int64_t slot = plan_.slot_of(depth, height);
    Sum* const row = rows_.data() + slot * piece_numbers();
    if (keys_[slot] == key) return row;
    keys_[slot] = key;
    if (taps_.same()) {
      reader_.read(source, taps_.count(), row);
    } else {
      read_resized(start, row);
    }
    return row;
  }

  void read_resized(const char* row, Sum* to) {
    reader_.read(row + taps_.first() * plan_.from.strides[kWidth], taps_.end() - taps_.first(),
                 line_.data());
    taps_.resize(line_.data(), to);
  }

  const Plan& plan_;
  const RowMover<Sum>& reader_;
  const RowMover<Sum>& writer_;
  int64_t slab_ = -1;
  int64_t block_ = -1;
  RowTaps<Sum> taps_;
  Workspace<Sum> line_;
  Workspace<Sum> rows_;
  Workspace<Sum> sums_;
  Workspace<int64_t> keys_;
};

template <typename Sum>
Status compute(Plan& plan, aclDataType sums) {
  const RowMover<Sum> reader(plan.from, plan.layout(plan.from), plan.from.dtype, sums);
  const RowMover<Sum> writer(plan.to, plan.layout(plan.to), sums, plan.to.dtype);
  std::atomic<bool> enough_memory{true};
  const int64_t terms =
      std::max<int64_t>(plan.columns * plan.inner * plan.depth.most() * plan.height.most(), 1);
  parallel_for(plan.slabs() * plan.blocks * plan.rows, std::max<int64_t>(kTaskTerms / terms, 1),
               [&](int64_t begin, int64_t end) {
                 if (!ResizedPieces<Sum>(plan, reader, writer).compute(begin, end)) {
                   enough_memory = false;
                 }
               });
  return enough_memory ? Status() : Status::out_of_memory();
}

bool is_empty(const TensorView& view) {
  return std::any_of(view.shape, view.shape + view.rank, [](int64_t n) { return n <= 0; });
}

}  // namespace

Status resize_weighted(const TensorView& from, const TensorView& to, const ResizeAxis (&axes)[3],
                       bool gradient) {
  if (is_empty(from) || is_empty(to)) return {};
  const auto same = [](const ResizeAxis& axis) { return axis.is_same(); };
  if (std::all_of(axes, axes + 3, same)) return copy(to, from);
  const aclDataType sums = from.dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
  if (find_cast(from.dtype, sums) == nullptr) return no_kernel_for(from);
  if (find_cast(sums, to.dtype) == nullptr) return no_kernel_for(to);
  CopiedView rows;
  if (has_array_rows(to)) {
    const Status status = gather_rows(from, rows);
    if (!status.ok()) return status;
  } else {
    rows.view = from;
  }
  Plan plan(rows.view, to, sums);
  std::copy_n(axes, 3, plan.axes);
  plan.gradient = gradient;
  plan.turn_long_axis_last();
  plan.choose_rows();
  if (!plan.set_taps()) return Status::out_of_memory();
  return sums == ACL_DOUBLE ? compute<double>(plan, sums) : compute<float>(plan, sums);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
