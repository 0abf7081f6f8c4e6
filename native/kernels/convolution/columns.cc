// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/columns.h"

#include <algorithm>

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// A channel of a group of an image, and an element of the kernel.
struct Tap {
  Tap(const Source& source, int64_t batch, int64_t number) {
    const Taps* const axes = source.axes;
    at[2] = number % axes[2].count;
    number /= axes[2].count;
    at[1] = number % axes[1].count;
    number /= axes[1].count;
    at[0] = number % axes[0].count;
    plane = source.data + batch * source.batch_step + number / axes[0].count * source.plane_step;
  }

  const float* plane;
  int64_t at[kAxes];
};

void gather(const float* from, int64_t stride, float* to, int64_t n) {
  if (stride == 1) {
    std::copy_n(from, n, to);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
  }
}

// Positions [begin, end) of a line along the last axis.
void fill_line(const Source& source, const Tap& tap, int64_t line, int64_t begin, int64_t end,
               float* to) {
  const Taps &outer = source.axes[0], &middle = source.axes[1], &inner = source.axes[2];
  const int64_t i = outer.place(line / middle.positions, tap.at[0]);
  const int64_t j = middle.place(line % middle.positions, tap.at[1]);
  if (i < 0 || i >= outer.length || j < 0 || j >= middle.length) {
    std::fill_n(to, end - begin, 0.0F);
    return;
  }
  const int64_t first = std::clamp(inner.first_position(0, tap.at[2]), begin, end);
  const int64_t last = std::clamp(inner.first_position(inner.length, tap.at[2]), first, end);
  std::fill_n(to, first - begin, 0.0F);
  if (first < last) {
    const float* const row = tap.plane + (i * middle.length + j) * inner.length;
    gather(row + inner.place(first, tap.at[2]), inner.stride, to + first - begin, last - first);
  }
  std::fill_n(to + last - begin, end - last, 0.0F);
}

// An array of positions.
void fill_array(const Source& source, const Tap& tap, int64_t position, int64_t count, float* to) {
  const int64_t length = source.axes[2].positions;
  int64_t line = position / length, begin = position % length;
  while (count > 0) {
    const int64_t end = std::min(begin + count, length);
    fill_line(source, tap, line, begin, end, to);
    to += end - begin;
    count -= end - begin;
    begin = 0;
    ++line;
  }
}

void fill_columns(const void* context, const Panel& panel, float* to) {
  const Source& source = *static_cast<const Source*>(context);
  for (int64_t i = 0; i < panel.rows; ++i) {
    const Tap tap(source, panel.batch, panel.row + i);
    fill_array(source, tap, panel.column, panel.columns, to + i * panel.columns);
  }
}

void fill_rows(const void* context, const Panel& panel, float* to) {
  const Source& source = *static_cast<const Source*>(context);
  for (int64_t j = 0; j < panel.columns; ++j) {
    const Tap tap(source, panel.batch, panel.column + j);
    fill_array(source, tap, panel.row, panel.rows, to + j * panel.rows);
  }
}

}  // namespace

PanelSource columns_of(const Source& source) { return {&source, false, fill_columns}; }
PanelSource rows_of(const Source& source) { return {&source, true, fill_rows}; }

}  // namespace ACLHOST_ISA
}  // namespace aclhost
