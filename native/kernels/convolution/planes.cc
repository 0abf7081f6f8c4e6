// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/planes.h"

#include <cstdlib>

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Loops of their own for the common strides: the compiler knows how to shuffle these.
void copy_line(const float* from, int64_t stride, int64_t count, float* to) {
  if (stride == 1) {
    std::copy_n(from, count, to);
  } else if (stride == 2) {
    for (int64_t k = 0; k < count; ++k) to[k] = from[2 * k];
  } else {
    for (int64_t k = 0; k < count; ++k) to[k] = from[k * stride];
  }
}

constexpr double kMostExpansion = 4;
constexpr int64_t kSmallPlane = 256;  // that may grow more

double elements_of(const Taps& axis) {
  const double reach = static_cast<double>(axis.count - 1) * std::llabs(axis.step);
  return static_cast<double>(axis.positions) * std::min<double>(axis.stride, reach + 1) + reach;
}

}  // namespace

bool has_small_planes(const Source& source) {
  if (source.taps() == 0) return false;
  double size = 1;
  for (const Taps& axis : source.axes) size *= elements_of(axis);
  const double plane = static_cast<double>(source.plane() + source.positions());
  return size <= kMostExpansion * (plane + kSmallPlane);
}

PlaneAxis::PlaneAxis(const Taps& of) : taps(of) {
  const int64_t reach = (taps.count - 1) * taps.step;
  const int64_t last = reach < 0 ? -reach : reach;
  least = taps.first + std::min<int64_t>(reach, 0);
  remainders = std::min(taps.stride, last + 1);
  elements = taps.positions + last / taps.stride;
  int64_t before = elements, behind = elements;  // zeros that all remainders have
  for (int64_t r = 0; r < remainders; ++r) {
    if (begin(r) == end(r)) continue;
    before = std::min(before, begin(r));
    behind = std::min(behind, elements - end(r));
  }
  width = std::max(taps.positions, elements - std::min(before, behind));
}

int64_t PlaneAxis::begin(int64_t remainder) const {
  const int64_t first = least + remainder;
  const int64_t outside = first < 0 ? (-first - 1) / taps.stride + 1 : 0;
  return std::min(outside, elements);
}

int64_t PlaneAxis::end(int64_t remainder) const {
  const int64_t room = taps.length - (least + remainder);
  const int64_t inside = room > 0 ? (room - 1) / taps.stride + 1 : 0;
  return std::clamp(inside, begin(remainder), elements);
}

Planes::Planes(const Source& source)
    : axes_{PlaneAxis(source.axes[0]), PlaneAxis(source.axes[1]), PlaneAxis(source.axes[2])} {
  plane_step_ = axes_[1].width * axes_[2].width;
  piece_ = (axes_[0].elements - 1) * plane_step_ + (axes_[1].elements - 1) * axes_[2].width +
           axes_[2].elements;
  size_ = axes_[0].remainders * axes_[1].remainders * axes_[2].remainders * piece_;
}

int64_t Planes::columns() const {
  const Taps &outer = axes_[0].taps, &middle = axes_[1].taps, &inner = axes_[2].taps;
  return column(outer.positions * middle.positions - 1) + inner.positions;
}

int64_t Planes::distance(int64_t tap) const {
  const int64_t steps[kAxes] = {plane_step_, axes_[2].width, 1};
  int64_t pieces = 1, piece = 0, total = 0;
  for (int i = kAxes - 1; i >= 0; --i) {
    const PlaneAxis& axis = axes_[i];
    const int64_t distance = axis.distance(tap % axis.taps.count);
    tap /= axis.taps.count;
    piece += distance % axis.taps.stride * pieces;
    pieces *= axis.remainders;
    total += distance / axis.taps.stride * steps[i];
  }
  return piece * piece_ + total;
}

void Planes::take(const float* plane, float* to) const {
  int64_t r[kAxes];
  for (r[0] = 0; r[0] < axes_[0].remainders; ++r[0]) {
    for (r[1] = 0; r[1] < axes_[1].remainders; ++r[1]) {
      for (r[2] = 0; r[2] < axes_[2].remainders; ++r[2]) {
        take_piece(plane, r, to);
        to += piece_;
      }
    }
  }
}

void Planes::take_piece(const float* plane, const int64_t* remainders, float* to) const {
  const PlaneAxis &outer = axes_[0], &middle = axes_[1], &inner = axes_[2];
  const int64_t begin = inner.begin(remainders[2]), count = inner.end(remainders[2]) - begin;
  if (count == 0) return;
  const int64_t stride = inner.taps.stride, first = inner.place(remainders[2], begin);
  const int64_t last_row = middle.end(remainders[1]);
  for (int64_t i = outer.begin(remainders[0]); i < outer.end(remainders[0]); ++i) {
    for (int64_t j = middle.begin(remainders[1]); j < last_row; ++j) {
      const int64_t row =
          outer.place(remainders[0], i) * middle.taps.length + middle.place(remainders[1], j);
      const float* const from = plane + row * inner.taps.length + first;
      float* const line = to + i * plane_step_ + j * inner.width + begin;
      copy_line(from, stride, count, line);
    }
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
