// SPDX-License-Identifier: Apache-2.0
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

  // Adds what a padded row shows of a piece.
  void add_row(const char* row, const RowRange& piece, RowSums& sums) const {
    const int64_t stride = from.step();
    const PaddedAxis& axis = axes.axis[kPadRank - 1];
    axis.for_each_run(0, axis.padded(), [&](int64_t position, const AxisRun& run) {
      const char* const first = row + position * stride;
      if (run.step == 0) {
        if (run.place < piece.begin || run.place >= piece.end) return;
        return sums.add(first, stride, run.count, run.place - piece.begin, 0);
      }
      const bool forward = run.step > 0;
      const int64_t lowest = forward ? run.place : run.place - run.count + 1;
      const int64_t begin = std::max(piece.begin, lowest);
      const int64_t end = std::min(piece.end, lowest + run.count);
      if (begin >= end) return;
      sums.add(first + (begin - run.place) * run.step * stride, run.step * stride, end - begin,
               begin - piece.begin, 1);
    });
  }

  void collect(const RowRange& range, RowSums& sums) const {
    int64_t index[kPadRank];
    to.locate(range.first, index);
    for (int64_t row = range.first; row < range.last; ++row, to.advance(index)) {
      collect_row(index, range, sums);
    }
  }

  void collect_row(const int64_t* index, const RowRange& piece, RowSums& sums) const {
    const char* const leading =
        from.start + index[0] * from.strides[0] + index[1] * from.strides[1];
    sums.clear(piece.end - piece.begin);
    axes.axis[2].for_each_position(index[2], [&](int64_t depth) {
      axes.axis[3].for_each_position(index[3], [&](int64_t height) {
        add_row(leading + depth * from.strides[2] + height * from.strides[3], piece, sums);
      });
    });
    char* result = to.start + piece.begin * to.step();
    for (int i = 0; i < kPadRank - 1; ++i) result += index[i] * to.strides[i];
    sums.store(result, to.step(), piece.end - piece.begin);
  }
};

}  // namespace

Status pad_backward(PadMode mode, const TensorView& grad_output, const IntArrayView& padding,
                    const TensorView& grad_input) {
  const PadView to(grad_input);
  const Collection collection = {PadView(grad_output), to, PadAxes(mode, to, padding)};
  for_each_range(to.rows(), to.row_length(), RowSums::kLength, may_rewrite(grad_input),
                 [&](const RowRange& range) {
                   RowSums sums(grad_input.dtype);
                   collection.collect(range, sums);
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
