// SPDX-License-Identifier: Apache-2.0
#include "ops/upsample_nearest3d_backward.h"

#include <algorithm>

#include "kernels/elementwise.h"
#include "kernels/resize.h"
#include "kernels/row_sink.h"
#include "kernels/upsample_nearest3d.h"
#include "kernels/window_sums.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// The window of an axis, for places that mostly follow each other.
struct MovingWindow {
  void move(int64_t k, float scale, int64_t output_length) {
    if (k == at) return;
    first = at >= 0 && k == at + 1 ? end : window_start(k, scale, output_length);
    end = window_start(k + 1, scale, output_length);
    at = k;
  }
  int64_t at = -1;
  int64_t first = 0;
  int64_t end = 0;
};

// Whether all windows hold one element, the one with the same position.
bool keeps_everything(const Resize& resize) {
  for (int axis = 0; axis < 3; ++axis) {
    if (resize.factors[axis] != 1 || resize.from.shape[2 + axis] != resize.to.shape[2 + axis]) {
      return false;
    }
  }
  return true;
}

// What is summed to one row of the gradient after the other.
class RowWindow {
 public:
  explicit RowWindow(const Resize& resize) : resize_(resize) {}

  // Rows, or the channels of places. The windows along a row are not looked at.
  RowBox at(const RowPlace& place) {
    const Volumes& from = resize_.from;
    RowBox box = {
        from.data, {1, 1, 1}, {from.strides[kDepth], from.strides[kHeight], from.strides[kWidth]}};
    box.data += place.at[kBatch] * from.strides[kBatch];
    box.data += place.at[kChannel] * from.strides[kChannel];
    const int axes = place.rows.axis == kWidth ? 2 : 3;
    for (int i = 0; i < axes; ++i) {
      windows_[i].move(place.at[kDepth + i], resize_.factors[i], from.shape[kDepth + i]);
      box.data += windows_[i].first * box.strides[i];
      box.counts[i] = windows_[i].end - windows_[i].first;
    }
    return box;
  }

 private:
  const Resize& resize_;
  MovingWindow windows_[3];
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
              keeps_everything(resize) ? -0.0f : 0.0f) {}

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
    const int64_t count = sums_.windows.count;
    RowSink<T> sink(rows_, begin_, end_, count == rows_.length(), resize_.past_cache());
    RowPlace place(rows_, begin_);
    RowWindow window(resize_);
    for (int64_t number = begin_; number < end_; ++number, place.advance()) {
      char* const target = place.address + first * rows_.step();
      T* const room = sink.room(target, count);
      sums_.sum(window.at(place), room);
      sink.take(room, target, count);
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

Status run(const UpsampleNearest3dBackwardArgs& args) {
  return visit_floating(args.gradOut, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Resize resize = with_factors(
        args, sizeof(T), volumes_of(args.gradOut, sizeof(T), channels_last(args.gradOut)),
        volumes_of(args.gradInput, sizeof(T), channels_last(args.gradInput)),
        [](double scale) { return static_cast<float>(scale); });
    const Rows rows = Rows::for_resizing(resize);
    parallel_for(rows.count(), resize.rows_per_task(rows.count()), [&](int64_t begin, int64_t end) {
      GradientRows<T>(resize, rows, begin, end).run();
    });
    return Status();
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
