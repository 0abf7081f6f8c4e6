// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engines/elementwise.h"
#include "kernels/resize/nearest.h"
#include "kernels/resize/resize.h"
#include "kernels/resize/row_sink.h"
#include "kernels/resize/window_sums.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Whether all windows hold one element, the one with the same position.
bool keeps_everything(const Resize& resize) {
  for (int axis = 0; axis < 3; ++axis) {
    if (resize.factors[axis].scale != 1 ||
        resize.from.shape[2 + axis] != resize.to.shape[2 + axis]) {
      return false;
    }
  }
  return true;
}

// How far from the rows that are summed those are that come next but some: in the next planes,
// unless these are so far that they would have left the cache by then.
int64_t bytes_ahead(const Resize& resize) {
  constexpr int64_t kFar = 64 * 1024, kNear = 16 * 1024;
  if (resize.bytes() < kPrivateCacheBytes) return 0;
  const int64_t planes = static_cast<int64_t>(std::min(std::ceil(resize.factors[0].scale), 16.0f));
  const int64_t ahead = planes * resize.from.strides[kDepth];
  return std::abs(ahead) <= kFar ? ahead : kNear;
}

// What is summed to one row of the gradient after the other, along the last of their axes.
class BoxRun {
 public:
  // Rows, or the channels of places, from number `first` of their elements on.
  BoxRun(const Resize& resize, const RowPlace& place, int64_t first)
      : axis_(place.rows.order[4]), at_(place.at[axis_]), stride_(resize.from.strides[axis_]) {
    const Volumes& from = resize.from;
    box_ = {from.data,
            {1, 1, 1},
            {from.strides[kDepth], from.strides[kHeight], from.strides[kWidth]},
            0};
    box_.data += place.at[kBatch] * from.strides[kBatch];
    box_.data += place.at[kChannel] * from.strides[kChannel];
    box_.data += first * from.strides[place.rows.axis];
    for (int axis = kDepth; axis <= kWidth; ++axis) {
      const int i = axis - kDepth;
      if (axis == place.rows.axis) continue;
      if (axis == axis_) {
        factor_ = resize.factors[i];
        length_ = from.shape[axis];
        end_ = window_start(at_, factor_, length_);
        box_.data += end_ * stride_;
      } else {
        const OutputWindow window(place.at[axis], resize.factors[i], from.shape[axis]);
        box_.data += window.first * box_.strides[i];
        box_.counts[i] = window.end - window.first;
        reach_ += reach(box_.strides[i], box_.counts[i]);
      }
    }
    box_.reach = reach_;
  }

  const RowBox& next() {
    step();
    if (axis_ < kDepth) {
      advance_ = stride_;
    } else {
      const int64_t start = end_;
      end_ = window_start(++at_, factor_, length_);
      const int64_t count = end_ - start;
      box_.counts[axis_ - kDepth] = count;
      box_.reach = reach_ + reach(stride_, count);
      advance_ = count * stride_;
    }
    return box_;
  }

  // Whether the next boxes differ only in where they are: step() then turns one into the next.
  bool alike(int64_t boxes) const {
    return axis_ < kDepth || has_whole_windows(factor_, at_ + boxes, length_);
  }
  void step() { box_.data += advance_; }

 private:
  static int64_t reach(int64_t stride, int64_t count) {
    return std::max<int64_t>(stride, 0) * (count - 1);
  }

  Axis axis_;
  int64_t at_;
  int64_t stride_;
  RowBox box_;
  int64_t reach_ = 0;    // without this axis
  int64_t advance_ = 0;  // to where the next one is
  Factor factor_ = {0, 0};
  int64_t length_ = 0;
  int64_t end_ = 0;  // of its window along that axis
};

// A task: some rows of the gradient.
template <typename T>
class GradientRows {
 public:
  GradientRows(const Resize& resize, const Rows& rows, int64_t begin, int64_t end)
      : resize_(resize),
        rows_(rows),
        begin_(begin),
        end_(end),
        // Where nothing changes, upstream copies. The same comes out here, signs of zeros included:
        // x + -0 is x for every x.
        sums_(resize.from.strides[rows.axis], end_of(resize.from, sizeof(T)),
              keeps_everything(resize) ? -0.0f : 0.0f, bytes_ahead(resize)) {}

  void run() {
    for (int64_t first = 0; first < rows_.length(); first += sums_.windows.count) {
      if (rows_.axis == kWidth) {
        sums_.windows.set(first, rows_.length(), resize_.factors[2], resize_.from.shape[kWidth]);
      } else {
        sums_.windows.set_same(first, std::min(rows_.length() - first, kChannelBlock));
      }
      run_block(first);
    }
  }

 private:
  void run_block(int64_t first) {
    RowPlace place(rows_, begin_);
    RowSink<T> sink(rows_, place.address, end_ - begin_, sums_.windows.count, resize_.past_cache(),
                    false);
    for (int64_t left = end_ - begin_; left > 0;) {
      char* const target = place.address + first * rows_.step();
      T* room;
      const int64_t count = sink.room(target, std::min(left, place.run()), &room);
      BoxRun boxes(resize_, place, sums_.windows.first);
      sums_.sum(boxes, count, room);
      sink.take(room, target, count);
      place.advance(count);
      left -= count;
    }
    sink.finish();
  }

  const Resize& resize_;
  const Rows& rows_;
  int64_t begin_;
  int64_t end_;
  WindowSums<T> sums_;
};

}  // namespace

Status sum_nearest(const TensorView& from, const TensorView& to, const Factor (&factors)[3]) {
  return visit_floating(from, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Resize resize = {volumes_of(from, sizeof(T)), volumes_of(to, sizeof(T)), factors,
                           sizeof(T)};
    const Rows rows = Rows::for_resizing(resize);
    parallel_for(rows.count(), resize.rows_per_task(rows.count()), [&](int64_t begin, int64_t end) {
      GradientRows<T>(resize, rows, begin, end).run();
    });
    return Status();
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
