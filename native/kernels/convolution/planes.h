// SPDX-License-Identifier: Apache-2.0
// Note [Planes of a convolution]
// A plane of the image is copied so that what an element of the kernel meets at all positions lies
// side by side: zeros around the plane are written out, and with a stride, elements are sorted by
// remainders. Positions are counted through all lines, those between the end of a line and the
// beginning of the next included, which nobody looks at. So each element of the kernel has a
// distance to the position, the same one everywhere, and a convolution is a product of matrices
// whose second factor is the planes themselves. Zeros behind a line are those before the next.
#pragma once

#include <algorithm>

#include "kernels/convolution/taps.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Elements of an axis that lie a stride apart, by the remainder of their place.
struct PlaneAxis {
  explicit PlaneAxis(const Taps& of);

  // Of a remainder: the first element that lies in the plane, and the end.
  int64_t begin(int64_t remainder) const;
  int64_t end(int64_t remainder) const;
  int64_t place(int64_t remainder, int64_t element) const {
    return least + remainder + element * taps.stride;
  }
  int64_t distance(int64_t tap) const { return taps.place(0, tap) - least; }

  Taps taps;
  int64_t least;       // the first place that anything meets
  int64_t remainders;  // that are met
  int64_t elements;    // of each, zeros included
  int64_t width;       // from one row of elements to the next, in elements
};

// Whether there is a kernel and planes are not much larger than those of the image.
bool has_small_planes(const Source& source);

class Planes {
 public:
  explicit Planes(const Source& source);

  int64_t size() const { return size_; }
  // From the first position to behind the last.
  int64_t columns() const;
  // The first position of a line, counted through the two outer axes.
  int64_t column(int64_t line) const {
    const int64_t lines = axes_[1].taps.positions;
    return line / lines * plane_step_ + line % lines * axes_[2].width;
  }
  // From a position to what an element of the kernel meets there.
  int64_t distance(int64_t tap) const;
  // All but zeros, which stay.
  void take(const float* plane, float* to) const;

 private:
  void take_piece(const float* plane, const int64_t* remainders, float* to) const;

  PlaneAxis axes_[kAxes];
  int64_t plane_step_;  // along the outermost axis
  int64_t piece_;       // elements with the same remainders
  int64_t size_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
