// SPDX-License-Identifier: Apache-2.0
#include "kernels/padding/padding.h"

#include "dtypes.h"
#include "engines/overlap.h"
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

void pad_row(const Padding& p, int64_t row, int64_t begin, int64_t end) {
  int64_t index[kPadRank];
  p.to.locate(row, index);
  const char* from = p.from.start;
  char* to = p.to.start + begin * p.to.step();
  for (int i = 0; i < kPadRank - 1; ++i) {
    from += p.axes.axis[i].run_at(index[i]).place * p.from.strides[i];
    to += index[i] * p.to.strides[i];
  }
  while (begin < end) {
    const AxisRun run = p.axes.axis[kPadRank - 1].run_at(begin);
    const int64_t count = std::min(run.count, end - begin);
    copy_run(from + run.place * p.from.step(), run.step * p.from.step(), to, p.to.step(),
             p.to.item_size, count);
    begin += count;
    to += count * p.to.step();
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
  if (share_memory(self, out)) {
    CopiedView copied;
    const Status status = copy_of(self, copied);
    return status.ok() ? pad(mode, copied.view, padding, out) : status;
  }
  const PadView from(self);
  const Padding p = {from, PadView(out), PadAxes(mode, from, padding)};
  for_each_piece(p.to.rows(), p.to.row_length(), kPiece, may_rewrite(out),
                 [&](int64_t row, int64_t begin, int64_t end) { pad_row(p, row, begin, end); });
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
