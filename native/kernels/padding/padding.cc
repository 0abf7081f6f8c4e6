// SPDX-License-Identifier: Apache-2.0
#include "kernels/padding/padding.h"

#include <algorithm>
#include <cstring>

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

// A few elements are copied here: most runs at the ends are that short.
template <int64_t kItem>
void copy_elements(const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t n) {
  if (n > 4) return copy_run(from, from_stride, to, to_stride, kItem, n);
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, kItem);
}

template <int64_t kItem>
void pad_piece(const Padding& p, const RowRange& range, const char* from, char* to) {
  const int64_t from_step = p.from.step(), to_step = p.to.step();
  const auto copy = [&](int64_t position, const AxisRun& run) {
    const int64_t first = std::max(position, range.begin);
    const int64_t count = std::min(position + run.count, range.end) - first;
    if (count <= 0) return;
    const int64_t place = run.place + (first - position) * run.step;
    copy_elements<kItem>(from + place * from_step, run.step * from_step, to + first * to_step,
                         to_step, count);
  };
  p.axes.axis[kPadRank - 1].for_each_run(range.begin, range.end, copy);
}

template <int64_t kItem>
void pad_rows(const Padding& p, const RowRange& range) {
  constexpr int kHeight = kPadRank - 2;
  int64_t index[kPadRank];
  p.to.locate(range.first, index);
  for (int64_t row = range.first; row < range.last;) {
    const char* from = p.from.start;
    char* to = p.to.start;
    for (int i = 0; i < kHeight; ++i) {
      from += p.axes.axis[i].run_at(index[i]).place * p.from.strides[i];
      to += index[i] * p.to.strides[i];
    }
    // All rows that differ in their last index only.
    const PaddedAxis& heights = p.axes.axis[kHeight];
    const int64_t end = std::min(p.to.shape[kHeight], index[kHeight] + range.last - row);
    row += end - index[kHeight];
    for (int64_t& height = index[kHeight]; height < end; ++height) {
      pad_piece<kItem>(p, range, from + heights.run_at(height).place * p.from.strides[kHeight],
                       to + height * p.to.strides[kHeight]);
    }
    --index[kHeight];
    p.to.advance(index);
  }
}

auto* rows_of(int64_t item_size) {
  switch (item_size) {
    case 1:
      return pad_rows<1>;
    case 2:
      return pad_rows<2>;
    case 4:
      return pad_rows<4>;
    case 8:
      return pad_rows<8>;
    default:
      return pad_rows<16>;
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
  const PadView from(self);
  const Padding p = {from, PadView(out), PadAxes(mode, from, padding)};
  auto* const pad_some = rows_of(p.to.item_size);
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
