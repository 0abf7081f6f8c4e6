// SPDX-License-Identifier: Apache-2.0
#include "ops/im2col.h"

#include <algorithm>
#include <cstring>

#include "dtypes.h"
#include "engines/copy.h"
#include "engines/gather_rows.h"
#include "engines/overlap.h"
#include "engines/row_pieces.h"
#include "engines/row_sums.h"
#include "engines/runs.h"
#include "operator/no_kernel.h"
#include "ops/im2col_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Windows along one axis of an image.
struct WindowAxis {
  int64_t length, kernel, stride, padding, dilation;

  int64_t windows() const {
    return (length + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  }
  // Where a window's element k lies; may be outside.
  int64_t place(int64_t window, int64_t k) const {
    return window * stride - padding + k * dilation;
  }
  // The first window whose element k lies at a place or behind it.
  int64_t first_window(int64_t least, int64_t k) const {
    const int64_t distance = least - place(0, k);
    return distance <= 0 ? 0 : (distance + stride - 1) / stride;
  }
};

// An image N, C, H, W beside its columns N, C * kernel, windows. Strides are in bytes.
struct Columns {
  Columns(const TensorView& image, const TensorView& columns, const IntArrayView& kernel,
          const IntArrayView& dilation, const IntArrayView& padding, const IntArrayView& stride)
      : item_size(data_type_bits(image.dtype) / 8) {
    const auto axis = [&](int i) {
      const uint64_t at = static_cast<uint64_t>(i);
      return WindowAxis{image.shape[image.rank - 2 + i], kernel.at(at), stride.at(at),
                        padding.at(at), dilation.at(at)};
    };
    height = axis(0);
    width = axis(1);
    batch = image.rank == 4 ? image.shape[0] : 1;
    channels = image.shape[image.rank - 3];
    pixels = static_cast<char*>(image.data) + image.offset * item_size;
    values = static_cast<char*>(columns.data) + columns.offset * item_size;
    for (int i = 0; i < 4; ++i) pixel_strides[i] = stride_of(image, 4 - i);
    for (int i = 0; i < 3; ++i) value_strides[i] = stride_of(columns, 3 - i);
  }

  int64_t stride_of(const TensorView& view, int from_end) const {
    return from_end > view.rank ? 0 : view.strides[view.rank - from_end] * item_size;
  }
  char* pixel(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return pixels + n * pixel_strides[0] + c * pixel_strides[1] + h * pixel_strides[2] +
           w * pixel_strides[3];
  }
  char* value(int64_t n, int64_t row, int64_t window) const {
    return values + n * value_strides[0] + row * value_strides[1] + window * value_strides[2];
  }

  int64_t item_size;
  WindowAxis height, width;
  int64_t batch, channels;
  char *pixels, *values;
  int64_t pixel_strides[4], value_strides[3];
};

void clear(char* to, int64_t stride, int64_t item_size, int64_t n) {
  constexpr char kZero[16] = {};
  if (n > 0) copy_run(kZero, 0, to, stride, item_size, n);
}

// What one element of the kernel meets in one channel: a row for each row of windows.
class MetPixels {
 public:
  MetPixels(const Columns& c, int64_t number) : c_(c), length_(c.width.windows()) {
    const int64_t kernel = c.height.kernel * c.width.kernel, all = c.channels * kernel;
    const int64_t n = number / all, row = number % all, k = row % c.width.kernel;
    i_ = row / c.width.kernel % c.height.kernel;
    first_ = std::min(c.width.first_window(0, k), length_);
    last_ = std::max(std::min(c.width.first_window(c.width.length, k), length_), first_);
    from_ = c.pixel(n, row / kernel, 0, c.width.place(first_, k));
    to_ = c.value(n, row, 0);
  }

  void gather(int64_t top) const {
    const int64_t stride = c_.value_strides[2], h = c_.height.place(top, i_);
    char* const to = to_ + top * length_ * stride;
    if (h < 0 || h >= c_.height.length) return clear(to, stride, c_.item_size, length_);
    clear(to, stride, c_.item_size, first_);
    if (first_ < last_) {
      copy_run(from_ + h * c_.pixel_strides[2], c_.pixel_strides[3] * c_.width.stride,
               to + first_ * stride, stride, c_.item_size, last_ - first_);
    }
    clear(to + last_ * stride, stride, c_.item_size, length_ - last_);
  }

 private:
  const Columns& c_;
  int64_t length_;
  int64_t i_;             // the element's row in the kernel
  int64_t first_, last_;  // windows where it lies inside
  const char* from_;
  char* to_;
};

// A piece of a row of pixels: all windows that hold some of them, by the kernel's elements.
template <typename Element>
void sum_row(const Columns& c, int64_t row, int64_t begin, int64_t end, RowSums<Element>& sums) {
  const int64_t h = row % c.height.length, image = row / c.height.length;
  const int64_t n = image / c.channels, channel = image % c.channels;
  const int64_t length = c.width.windows(), stride = c.value_strides[2];
  sums.clear(end - begin);
  for (int64_t i = 0; i < c.height.kernel; ++i) {
    const int64_t top = c.height.first_window(h, i);
    if (top >= c.height.windows() || c.height.place(top, i) != h) continue;
    for (int64_t k = 0; k < c.width.kernel; ++k) {
      const int64_t first = c.width.first_window(begin, k);
      const int64_t last = std::min(c.width.first_window(end, k), length);
      if (first >= last) continue;
      const int64_t element = (channel * c.height.kernel + i) * c.width.kernel + k;
      const char* const values = c.value(n, element, top * length + first);
      sums.add(sums.values(values, stride, last - first), last - first,
               c.width.place(first, k) - begin, c.width.stride);
    }
  }
  sums.store(c.pixel(n, channel, h, begin), c.pixel_strides[3], end - begin);
}

Status gather_windows(const Im2colArgs& args, const TensorView& out) {
  CopiedView image;
  const Status status = gather_rows(args.self, image);
  if (!status.ok()) return status;
  const Columns columns(image.view, out, args.kernelSize, args.dilation, args.padding, args.stride);
  const int64_t length = columns.width.windows(), tops = columns.height.windows();
  const int64_t rows =
      columns.batch * columns.channels * columns.height.kernel * columns.width.kernel * tops;
  for_each_range(rows, length, length, may_rewrite(out), [&](const RowRange& range) {
    for (int64_t row = range.first; row < range.last;) {
      const MetPixels pixels(columns, row / tops);
      int64_t top = row % tops;
      for (; top < tops && row < range.last; ++top, ++row) pixels.gather(top);
    }
  });
  return {};
}

Status add_windows(const Im2colBackwardArgs& args, const TensorView& out) {
  const Columns columns(out, args.gradOutput, args.kernelSize, args.dilation, args.padding,
                        args.stride);
  visit_summed(out.dtype, [&](auto zero) {
    using Sums = RowSums<decltype(zero)>;
    for_each_range(
        columns.batch * columns.channels * columns.height.length, columns.width.length,
        Sums::kLength, may_rewrite(out),
        [&](const RowRange& range) {
          Sums sums(out.dtype);
          for (int64_t row = range.first; row < range.last; ++row) {
            sum_row(columns, row, range.begin, range.end, sums);
          }
        },
        columns.height.kernel * columns.width.kernel);
  });
  return {};
}

// Results of another type go through a dense one of the input's.
template <typename Args, typename Compute>
Status into(const TensorView& input, const Args& args, const Compute& compute) {
  if (args.out.empty()) return {};
  if (!can_move(data_type_bits(input.dtype))) return no_kernel_for(input);
  if (args.out.dtype == input.dtype) return compute(args, args.out);
  CopiedView result;
  Status status = make_dense(shape_of(args.out), input.dtype, result);
  if (status.ok()) status = compute(args, result.view);
  return status.ok() ? copy(args.out, result.view) : status;
}

}  // namespace

Status run(const Im2colArgs& args) { return into(args.self, args, gather_windows); }

Status run(const Im2colBackwardArgs& args) { return into(args.gradOutput, args, add_windows); }

}  // namespace ACLHOST_ISA
}  // namespace aclhost
