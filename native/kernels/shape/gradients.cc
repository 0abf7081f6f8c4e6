// SPDX-License-Identifier: Apache-2.0
// Sums in float, in dense tensors; the result is rounded once, when it is copied.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "engines/copy.h"
#include "kernels/creation/fill.h"
#include "kernels/shape/repeat_ends.h"
#include "kernels/shape/views.h"
#include "operator/layouts.h"
#include "ops/repeat_interleave_grad.h"
#include "ops/unfold_grad.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kParallelElements = 16 << 10;
constexpr int64_t kSlab = 128 << 10;  // terms that stay in a cache

struct Sums {
  // The terms as dense floats, and zeros in the shape of the result.
  Status prepare(const TensorView& from, const TensorView& to) {
    Status status;
    if (from.dtype == ACL_FLOAT && is_contiguous(from)) {
      terms.view = from;
    } else {
      status = make_dense(shape_of(from), ACL_FLOAT, terms);
      if (status.ok()) status = copy(terms.view, from);
    }
    if (status.ok()) status = make_dense(shape_of(to), ACL_FLOAT, totals);
    return status.ok() ? fill_with_zero(totals.view) : status;
  }
  const float* from() const {
    return static_cast<const float*>(terms.view.data) + terms.view.offset;
  }
  float* to() const { return static_cast<float*>(totals.view.data); }

  CopiedView terms, totals;
};

int64_t product(const int64_t* lengths, int count) {
  int64_t elements = 1;
  for (int i = 0; i < count; ++i) elements *= lengths[i];
  return elements;
}

// Rows of `inner` elements: those before `ends[i]` belong to result i.
struct Segments {
  int64_t length, count, inner;
  const int64_t* ends;  // null: every `times` rows
  int64_t times;

  int64_t end(int64_t i) const { return std::min(ends ? ends[i] : (i + 1) * times, length); }
  void add(const float* from, float* to, int64_t row) const {
    const int64_t block = row / count, i = row % count;
    float* const sums = to + row * inner;
    for (int64_t k = i == 0 ? 0 : end(i - 1); k < end(i); ++k) {
      const float* const terms = from + (block * length + k) * inner;
      for (int64_t r = 0; r < inner; ++r) sums[r] += terms[r];
    }
  }
};

TensorView rows_of(TensorView view, int64_t first, int64_t last) {
  view.offset += first * view.strides[0];
  view.shape[0] = last - first;
  return view;
}

// Another axis than that of the windows whose elements lie side by side, where those of a window do
// not; -1: none.
int axis_across(const TensorView& from, int windows) {
  constexpr int64_t kLeast = 16;  // elements
  const int last = from.rank - 1;
  for (int i = 0; i < last && from.strides[last] != 1; ++i) {
    if (i != windows && from.strides[i] == 1 && from.shape[i] >= kLeast) return i;
  }
  return -1;
}

void move_axis_last(TensorView& view, int axis) {
  const int64_t length = view.shape[axis], stride = view.strides[axis];
  remove_axis(view, axis);
  insert_axis(view, view.rank, length, stride);
}

// The same sums as those of add_windows(), side by side along another axis.
Status add_across(TensorView from, TensorView to, int across, const UnfoldGradArgs& args) {
  constexpr int64_t kPiece = 32;  // elements
  move_axis_last(from, across);
  move_axis_last(to, across);
  const int axis = static_cast<int>(args.dim) - (across < args.dim ? 1 : 0);
  const int64_t length = to.shape[axis], windows = from.shape[axis];
  const int64_t inner = product(to.shape + axis + 1, to.rank - axis - 2);
  const int64_t row = to.shape[to.rank - 1], pieces = (row + kPiece - 1) / kPiece;
  Sums sums;
  const Status status = sums.prepare(from, to);
  if (!status.ok()) return status;
  const auto add_piece = [&](int64_t block, int64_t place, int64_t first) {
    const int64_t count = std::min(kPiece, row - first);
    for (int64_t w = 0; w < windows; ++w) {
      for (int64_t k = 0; k < args.size; ++k) {
        const int64_t source = ((block * windows + w) * inner + place) * args.size + k;
        const int64_t target = (block * length + w * args.step + k) * inner + place;
        const float* const terms = sums.from() + source * row + first;
        float* const totals = sums.to() + target * row + first;
        for (int64_t i = 0; i < count; ++i) totals[i] += terms[i];
      }
    }
  };
  const int64_t grain = std::max<int64_t>(kParallelElements / (windows * args.size * kPiece), 1);
  parallel_for(product(to.shape, axis) * inner * pieces, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      add_piece(i / pieces / inner, i / pieces % inner, i % pieces * kPiece);
    }
  });
  return copy(to, sums.totals.view);
}

Status add_windows(const TensorView& from, const TensorView& to, const UnfoldGradArgs& args) {
  const int axis = static_cast<int>(args.dim), across = axis_across(from, axis);
  if (across >= 0) return add_across(from, to, across, args);
  const int64_t length = to.shape[axis], windows = from.shape[axis];
  const int64_t inner = product(to.shape + axis + 1, to.rank - axis - 1);
  Sums sums;
  const Status status = sums.prepare(from, to);
  if (!status.ok()) return status;
  const int64_t grain = std::max<int64_t>(kParallelElements / (windows * args.size), 1);
  const auto add_row = [&](int64_t row) {
    const int64_t block = row / inner, place = row % inner;
    for (int64_t w = 0; w < windows; ++w) {
      const float* const terms = sums.from() + ((block * windows + w) * inner + place) * args.size;
      float* const totals = sums.to() + (block * length + w * args.step) * inner + place;
      for (int64_t k = 0; k < args.size; ++k) totals[k * inner] += terms[k];
    }
  };
  parallel_for(product(to.shape, axis) * inner, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) add_row(row);
  });
  return copy(to, sums.totals.view);
}

}  // namespace

Status run(const RepeatInterleaveGradArgs& args) {
  const TensorView& grad = args.yGrad;
  const int axis = axis_of(args.axis, grad.rank);
  const int64_t length = grad.shape[axis], outer = product(grad.shape, axis);
  const int64_t inner = product(grad.shape + axis + 1, grad.rank - axis - 1);
  if (args.out.empty()) return {};
  if (grad.empty()) return fill_with_zero(args.out);
  const int64_t count = args.out.elements() / (outer * inner);
  RepeatEnds ends;
  Sums sums;
  Status status = ends.add_up(args.repeats, length);
  if (status.ok()) status = sums.prepare(grad, args.out);
  if (!status.ok()) return status;
  const bool is_one = args.repeats.elements() == 1;
  const Segments segments = {length, count, inner, is_one ? nullptr : ends.data(), ends.first()};
  const int64_t grain = std::max<int64_t>(
      kParallelElements / std::max<int64_t>(inner * length / std::max<int64_t>(count, 1), 1), 1);
  parallel_for(outer * count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) segments.add(sums.from(), sums.to(), row);
  });
  status = copy(args.out, sums.totals.view);
  return status.ok() ? ends.report(args.kOperator, args.repeats) : status;
}

Status run(const UnfoldGradArgs& args) {
  const TensorView &from = args.gradOut, &to = args.gradIn;
  if (args.dim == 0) return add_windows(from, to, args);
  const int64_t rows =
      std::max<int64_t>(kSlab * to.shape[0] / std::max<int64_t>(from.elements(), 1), 1);
  for (int64_t first = 0; first < to.shape[0]; first += rows) {
    const int64_t last = std::min(first + rows, to.shape[0]);
    const Status status = add_windows(rows_of(from, first, last), rows_of(to, first, last), args);
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
