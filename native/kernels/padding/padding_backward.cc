// SPDX-License-Identifier: Apache-2.0
#include "engines/gather_rows.h"
#include "engines/overlap.h"
#include "engines/row_pieces.h"
#include "engines/row_sums.h"
#include "kernels/padding/padding.h"
#include "ops/circular_pad2d_backward.h"
#include "ops/circular_pad3d_backward.h"
#include "ops/reflection_pad1d_backward.h"
#include "ops/reflection_pad2d_backward.h"
#include "ops/reflection_pad3d_backward.h"
#include "ops/replication_pad1d_backward.h"
#include "ops/replication_pad2d_backward.h"
#include "ops/replication_pad3d_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

struct Collection {
  PadView from, to;
  PadAxes axes;

  const PaddedAxis& widths() const { return axes.axis[kPadRank - 1]; }

  template <typename Sums>
  void collect(const RowRange& range, Sums& sums) const {
    const bool folds = widths().is_longer() && widths().padded() <= Sums::kLength;
    int64_t index[kPadRank];
    to.locate(range.first, index);
    for (int64_t row = range.first; row < range.last; ++row, to.advance(index)) {
      char* result = to.start + range.begin * to.step();
      for (int i = 0; i < kPadRank - 1; ++i) result += index[i] * to.strides[i];
      if (folds) {
        fold_row(index, result, sums);
      } else {
        collect_piece(index, range, result, sums);
      }
    }
  }

  // Calls visit(row) for every padded row that shows some of a row.
  template <typename Visit>
  void for_each_row(const int64_t* index, const Visit& visit) const {
    const PaddedAxis &depths = axes.axis[2], &heights = axes.axis[3];
    const char* const leading =
        from.start + index[0] * from.strides[0] + index[1] * from.strides[1];
    for (int64_t depth = -1; (depth = depths.next_position(index[2], depth)) < depths.padded();) {
      const char* const plane = leading + depth * from.strides[2];
      for (int64_t height = -1;
           (height = heights.next_position(index[3], height)) < heights.padded();) {
        visit(plane + height * from.strides[3]);
      }
    }
  }

  // Short rows are added as a whole, most often a single one, and the borders at last.
  template <typename Sums>
  void fold_row(const int64_t* index, char* result, Sums& sums) const {
    const int64_t padded = widths().padded(), stride = from.step(), before = widths().before();
    bool first = true;
    for_each_row(index, [&](const char* row) {
      if (first) {
        sums.set(sums.values(row, stride, padded), padded);
      } else {
        sums.add(sums.values(row, stride, padded), padded, 0, 1);
      }
      first = false;
    });
    if (first) sums.clear(padded);
    widths().for_each_run(0, padded, [&](int64_t position, const AxisRun& run) {
      if (position != before) sums.fold(position, run.count, before + run.place, run.step);
    });
    sums.store(result, to.step(), to.row_length(), before);
  }

  template <typename Sums>
  void collect_piece(const int64_t* index, const RowRange& piece, char* result, Sums& sums) const {
    sums.clear(piece.end - piece.begin);
    for_each_row(index, [&](const char* row) { add_row(row, piece, sums); });
    sums.store(result, to.step(), piece.end - piece.begin);
  }

  // Adds what a padded row shows of a piece.
  template <typename Sums>
  void add_row(const char* row, const RowRange& piece, Sums& sums) const {
    const int64_t stride = from.step();
    widths().for_each_run(0, widths().padded(), [&](int64_t position, const AxisRun& run) {
      const char* const first = row + position * stride;
      if (run.step == 0) {
        if (run.place < piece.begin || run.place >= piece.end) return;
        return add_run(first, stride, run.count, run.place - piece.begin, 0, sums);
      }
      const bool forward = run.step > 0;
      const int64_t lowest = forward ? run.place : run.place - run.count + 1;
      const int64_t begin = std::max(piece.begin, lowest);
      const int64_t end = std::min(piece.end, lowest + run.count);
      if (begin >= end) return;
      add_run(first + (begin - run.place) * run.step * stride, run.step * stride, end - begin,
              begin - piece.begin, 1, sums);
    });
  }

  template <typename Sums>
  static void add_run(const char* from, int64_t stride, int64_t n, int64_t place, int64_t step,
                      Sums& sums) {
    for (int64_t i = 0; i < n; i += Sums::kLength) {
      const int64_t count = std::min(Sums::kLength, n - i);
      sums.add(sums.values(from + i * stride, stride, count), count, place + i * step, step);
    }
  }
};

}  // namespace

Status pad_backward(PadMode mode, const TensorView& grad_output, const IntArrayView& padding,
                    const TensorView& grad_input) {
  // Rows are read whole, which across memory takes longer than a copy.
  CopiedView rows;
  const Status status = gather_rows(grad_output, rows);
  if (!status.ok()) return status;
  const PadView to(grad_input), from(rows.view);
  const Collection collection = {from, to, PadAxes(mode, to, padding)};
  visit_summed(grad_input.dtype, [&](auto zero) {
    using Sums = RowSums<decltype(zero)>;
    for_each_range(to.rows(), to.row_length(), Sums::kLength, may_rewrite(grad_input),
                   [&](const RowRange& range) {
                     Sums sums(grad_input.dtype);
                     collection.collect(range, sums);
                   });
  });
  return {};
}

#define ACLHOST_PADDING_BACKWARD(Name, mode)                                  \
  Status run(const Name##BackwardArgs& args) {                                \
    return pad_backward(mode, args.gradOutput, args.padding, args.gradInput); \
  }
ACLHOST_PADDING_BACKWARD(ReflectionPad1d, PadMode::kReflect)
ACLHOST_PADDING_BACKWARD(ReflectionPad2d, PadMode::kReflect)
ACLHOST_PADDING_BACKWARD(ReflectionPad3d, PadMode::kReflect)
ACLHOST_PADDING_BACKWARD(ReplicationPad1d, PadMode::kReplicate)
ACLHOST_PADDING_BACKWARD(ReplicationPad2d, PadMode::kReplicate)
ACLHOST_PADDING_BACKWARD(ReplicationPad3d, PadMode::kReplicate)
ACLHOST_PADDING_BACKWARD(CircularPad2d, PadMode::kCircular)
ACLHOST_PADDING_BACKWARD(CircularPad3d, PadMode::kCircular)
#undef ACLHOST_PADDING_BACKWARD

}  // namespace ACLHOST_ISA
}  // namespace aclhost
