// SPDX-License-Identifier: Apache-2.0
#include "kernels/padding/padding.h"

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
  const PaddedAxis& axis = p.axes.axis[kPadRank - 1];
  for (int64_t position = range.begin; position < range.end;) {
    const AxisRun run = axis.run_at(position);
    const int64_t count = std::min(run.count, range.end - position);
    copy_elements<kItem>(from + run.place * p.from.step(), run.step * p.from.step(), to,
                         p.to.step(), count);
    position += count;
    to += count * p.to.step();
  }
}

template <int64_t kItem>
void pad_rows(const Padding& p, const RowRange& range) {
  int64_t index[kPadRank];
  p.to.locate(range.first, index);
  for (int64_t row = range.first; row < range.last; ++row, p.to.advance(index)) {
    const char* from = p.from.start;
    char* to = p.to.start + range.begin * p.to.step();
    for (int i = 0; i < kPadRank - 1; ++i) {
      from += p.axes.axis[i].run_at(index[i]).place * p.from.strides[i];
      to += index[i] * p.to.strides[i];
    }
    pad_piece<kItem>(p, range, from, to);
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
