// SPDX-License-Identifier: Apache-2.0
#include "kernels/padding/padding.h"

#include <algorithm>
#include <cstring>

#include "dtypes.h"
#include "engines/copy_bytes.h"
#include "engines/gather_rows.h"
#include "engines/row_pieces.h"
#include "engines/runs.h"
#include "operator/no_kernel.h"
#include "ops/circular_pad2d.h"
#include "ops/circular_pad3d.h"
#include "ops/reflection_pad1d.h"
#include "ops/reflection_pad2d.h"
#include "ops/reflection_pad3d.h"
#include "ops/replication_pad1d.h"
#include "ops/replication_pad2d.h"
#include "ops/replication_pad3d.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kPiece = 16384;  // elements of a row

struct Padding {
  PadView from, to;
  PadAxes axes;
};

// Neighbours of a padded row that come from elements with one stride. Places are in bytes.
struct RowMove {
  int64_t from, stride, to;
  int64_t count;  // elements
};

// A few elements are copied here: most runs at the ends are that short.
template <int64_t kItem>
void copy_elements(const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t n) {
  if (n <= 4) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, kItem);
  } else if (from_stride == kItem && to_stride == kItem) {
    copy_bytes(from, to, n * kItem);
  } else {
    copy_run(from, from_stride, to, to_stride, kItem, n);
  }
}

// What fills a piece of every row, from a position on, or the beginning of it.
class RowMoves {
 public:
  RowMoves(const Padding& p, int64_t position, int64_t end) : end_(position) {
    const PaddedAxis& axis = p.axes.axis[kPadRank - 1];
    const int64_t step = p.from.step();
    for (; count_ < kMost && end_ < end; ++count_) {
      const AxisRun run = axis.run_at(end_);
      const int64_t count = std::min(run.count, end - end_);
      moves_[count_] = {run.place * step, run.step * step, end_ * p.to.step(), count};
      end_ += count;
    }
  }

  int64_t end() const { return end_; }  // the position behind

  template <int64_t kItem>
  void make(const char* from, char* to, int64_t to_step) const {
    for (int i = 0; i < count_; ++i) {
      const RowMove& move = moves_[i];
      copy_elements<kItem>(from + move.from, move.stride, to + move.to, to_step, move.count);
    }
  }

 private:
  static constexpr int kMost = 4;  // a row with all its borders takes three

  int count_ = 0;
  int64_t end_;
  RowMove moves_[kMost];
};

template <int64_t kItem>
void pad_rows(const Padding& p, int64_t row, int64_t last, const RowMoves& moves) {
  constexpr int kHeight = kPadRank - 2;
  int64_t index[kPadRank];
  p.to.locate(row, index);
  while (row < last) {
    const char* from = p.from.start;
    char* to = p.to.start;
    for (int i = 0; i < kHeight; ++i) {
      from += p.axes.axis[i].run_at(index[i]).place * p.from.strides[i];
      to += index[i] * p.to.strides[i];
    }
    // All rows that differ in their last index only.
    const PaddedAxis& heights = p.axes.axis[kHeight];
    const int64_t end = std::min(p.to.shape[kHeight], index[kHeight] + last - row);
    row += end - index[kHeight];
    for (int64_t& height = index[kHeight]; height < end; ++height) {
      moves.make<kItem>(from + heights.run_at(height).place * p.from.strides[kHeight],
                        to + height * p.to.strides[kHeight], p.to.step());
    }
    --index[kHeight];
    p.to.advance(index);
  }
}

// Rows of more runs than are known at once are made one after the other.
template <int64_t kItem>
void pad_range(const Padding& p, const RowRange& range) {
  const RowMoves first(p, range.begin, range.end);
  if (first.end() == range.end) return pad_rows<kItem>(p, range.first, range.last, first);
  for (int64_t row = range.first; row < range.last; ++row) {
    for (int64_t begin = range.begin; begin < range.end;) {
      const RowMoves moves(p, begin, range.end);
      pad_rows<kItem>(p, row, row + 1, moves);
      begin = moves.end();
    }
  }
}

auto* range_of(int64_t item_size) {
  switch (item_size) {
    case 1:
      return pad_range<1>;
    case 2:
      return pad_range<2>;
    case 4:
      return pad_range<4>;
    case 8:
      return pad_range<8>;
    default:
      return pad_range<16>;
  }
}

}  // namespace

PadView::PadView(const TensorView& view) : item_size(data_type_bits(view.dtype) / 8) {
  start = static_cast<char*>(view.data) + view.offset * item_size;
  for (int i = 0; i < kPadRank; ++i) {
    const int own = i - (kPadRank - view.rank);
    shape[i] = own < 0 ? 1 : view.shape[own];
    strides[i] = own < 0 ? 0 : view.strides[own] * item_size;
  }
}

PadAxes::PadAxes(PadMode mode, const PadView& view, const IntArrayView& padding) {
  for (int i = 0; i < kPadRank; ++i) {
    const uint64_t pair = 2 * static_cast<uint64_t>(kPadRank - 1 - i);
    axis[i] = PaddedAxis(mode, view.shape[i], padding.at(pair), padding.at(pair + 1));
  }
}

Status pad(PadMode mode, const TensorView& self, const IntArrayView& padding,
           const TensorView& out) {
  if (!can_move(data_type_bits(self.dtype))) return no_kernel_for(self);
  CopiedView rows;
  const Status status = gather_rows(self, rows);
  if (!status.ok()) return status;
  const PadView from(rows.view);
  const Padding p = {from, PadView(out), PadAxes(mode, from, padding)};
  auto* const pad_some = range_of(p.to.item_size);
  for_each_range(p.to.rows(), p.to.row_length(), kPiece, may_rewrite(out),
                 [&](const RowRange& range) { pad_some(p, range); });
  return {};
}

#define ACLHOST_PADDING(Name, mode) \
  Status run(const Name##Args& args) { return pad(mode, args.self, args.padding, args.out); }
ACLHOST_PADDING(ReflectionPad1d, PadMode::kReflect)
ACLHOST_PADDING(ReflectionPad2d, PadMode::kReflect)
ACLHOST_PADDING(ReflectionPad3d, PadMode::kReflect)
ACLHOST_PADDING(ReplicationPad1d, PadMode::kReplicate)
ACLHOST_PADDING(ReplicationPad2d, PadMode::kReplicate)
ACLHOST_PADDING(ReplicationPad3d, PadMode::kReplicate)
ACLHOST_PADDING(CircularPad2d, PadMode::kCircular)
ACLHOST_PADDING(CircularPad3d, PadMode::kCircular)
#undef ACLHOST_PADDING

}  // namespace ACLHOST_ISA
}  // namespace aclhost
