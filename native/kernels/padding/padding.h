// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "kernels/padding/axis.h"
#include "operator/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kPadRank = 5;  // two leading dimensions and three that are padded

// A tensor of at most that rank with as many leading dimensions of 1 as it takes.
struct PadView {
  explicit PadView(const TensorView& view);

  int64_t rows() const { return shape[0] * shape[1] * shape[2] * shape[3]; }
  int64_t row_length() const { return shape[kPadRank - 1]; }
  int64_t step() const { return strides[kPadRank - 1]; }  // from one element of a row to the next

  // Where a row lies among the leading dimensions, and where the one behind it.
  void locate(int64_t row, int64_t* index) const {
    for (int i = kPadRank - 2; i >= 0; --i) {
      index[i] = row % shape[i];
      row /= shape[i];
    }
  }
  void advance(int64_t* index) const {
    for (int i = kPadRank - 2; i >= 0 && ++index[i] == shape[i]; --i) index[i] = 0;
  }

  char* start;
  int64_t item_size;
  int64_t shape[kPadRank];
  int64_t strides[kPadRank];  // bytes
};

// The axes of a tensor; pairs of the padding belong to the last ones, the last one first.
struct PadAxes {
  PadAxes(PadMode mode, const PadView& view, const IntArrayView& padding);

  PaddedAxis axis[kPadRank];
};

Status pad(PadMode mode, const TensorView& self, const IntArrayView& padding,
           const TensorView& out);
Status pad_backward(PadMode mode, const TensorView& grad_output, const IntArrayView& padding,
                    const TensorView& grad_input);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
