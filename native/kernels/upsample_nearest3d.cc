// SPDX-License-Identifier: Apache-2.0
#include "kernels/upsample_nearest3d.h"

#include <algorithm>

#include "kernels/bits.h"
#include "kernels/elementwise.h"
#include "kernels/volume.h"
#include "ops/upsample_nearest3d.h"
#include "ops/upsample_nearest3d_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Rows are computed in blocks of this many elements, whose windows are known from a table.
constexpr int64_t kRowBlock = 1024;

bool channels_last(const TensorView& view) { return view.format == ACL_FORMAT_NDHWC; }

// A resizing from one tensor of volumes to another.
struct Resize {
  Volumes from;
  Volumes to;
  float factors[3];  // for depth, height and width

  int64_t rows() const { return to.slabs() * to.shape[2] * to.shape[3]; }

  // Rows of the target that are worth a task of their own: the larger tensor is what costs.
  int64_t rows_per_task() const {
    const int64_t elements = std::max(elements_of(from), elements_of(to));
    return std::max<int64_t>(kParallelElements * rows() / std::max<int64_t>(elements, 1), 1);
  }

 private:
  static int64_t elements_of(const Volumes& volumes) {
    return volumes.slabs() * volumes.slab(0).elements();
  }
};

// Scales count together or not at all; NaN is not above 0 either. Both directions then use the
// quotient of the lengths that they read and write.
template <typename Args>
Resize with_factors(const Args& args, const Volumes& from, const Volumes& to,
                    float (*factor)(double scale)) {
  if (args.scalesD > 0 && args.scalesH > 0 && args.scalesW > 0) {
    return {from, to, {factor(args.scalesD), factor(args.scalesH), factor(args.scalesW)}};
  }
  Resize resize = {from, to, {}};
  for (int axis = 0; axis < 3; ++axis) {
    resize.factors[axis] =
        static_cast<float>(from.shape[2 + axis]) / static_cast<float>(to.shape[2 + axis]);
  }
  return resize;
}

// A row of the target: its memory, the slab it is computed from and its place in its own.
struct Row {
  Row(const Resize& resize, int64_t number)
      : height(number % resize.to.shape[3]),
        depth(number / resize.to.shape[3] % resize.to.shape[2]) {
    const int64_t slab = number / resize.to.shape[3] / resize.to.shape[2];
    from = resize.from.slab(slab);
    target = resize.to.slab(slab).row(depth, height);
  }
  int64_t height;
  int64_t depth;
  Slab from;
  char* target;
};

// Calls visit(first, count) for the blocks of a row.
template <typename Visit>
void for_each_block(int64_t length, const Visit& visit) {
  for (int64_t first = 0; first < length; first += kRowBlock) {
    visit(first, std::min(kRowBlock, length - first));
  }
}

// sums[k] += the row's elements [starts[k], starts[k + 1]), one after the other.
template <typename T>
void add_windows(const char* row, int64_t step, const int64_t* starts, int64_t count,
                 ComputeType<T>* sums) {
  for (int64_t k = 0; k < count; ++k) {
    for (int64_t w = starts[k]; w < starts[k + 1]; ++w) sums[k] += widen(load<T>(row + w * step));
  }
}

// Whether all windows hold one element, the one with the same position.
bool keeps_everything(const Resize& resize) {
  for (int axis = 0; axis < 3; ++axis) {
    if (resize.factors[axis] != 1 || resize.from.shape[2 + axis] != resize.to.shape[2 + axis]) {
      return false;
    }
  }
  return true;
}

// Rows [begin, end) of the gradient. Every element is summed in the order depth, height, width of
// its window, in ComputeType<T>, and rounded once.
template <typename T>
void sum_rows(const Resize& resize, int64_t begin, int64_t end) {
  const int64_t* lengths = resize.from.shape + 2;
  const int64_t target_step = resize.to.strides[4];
  // Where nothing changes, upstream copies. The same comes out here, signs of zeros included:
  // x + -0 is x for every x.
  const ComputeType<T> nothing = keeps_everything(resize) ? -0.0f : 0.0f;
  int64_t starts[kRowBlock + 1];
  ComputeType<T> sums[kRowBlock];
  for_each_block(resize.to.shape[4], [&](int64_t first, int64_t count) {
    for (int64_t k = 0; k <= count; ++k) {
      starts[k] = window_start(first + k, resize.factors[2], lengths[2]);
    }
    for (int64_t number = begin; number < end; ++number) {
      const Row row(resize, number);
      const OutputWindow depths(row.depth, resize.factors[0], lengths[0]);
      const OutputWindow heights(row.height, resize.factors[1], lengths[1]);
      std::fill_n(sums, count, nothing);
      for (int64_t d = depths.first; d < depths.end; ++d) {
        for (int64_t h = heights.first; h < heights.end; ++h) {
          add_windows<T>(row.from.row(d, h), row.from.strides[2], starts, count, sums);
        }
      }
      char* const target = row.target + first * target_step;
      for (int64_t k = 0; k < count; ++k) {
        store(target + k * target_step, Narrow<T>::from(sums[k]));
      }
    }
  });
}

// Rows [begin, end) of the resized tensor, copied bit by bit.
template <typename Bits>
void copy_rows(const Resize& resize, int64_t begin, int64_t end) {
  const int64_t* lengths = resize.from.shape + 2;
  const float* steps = resize.factors;
  int64_t sources[kRowBlock];  // in bytes from the start of the row
  for_each_block(resize.to.shape[4], [&](int64_t first, int64_t count) {
    for (int64_t o = 0; o < count; ++o) {
      sources[o] = nearest_source(first + o, steps[2], lengths[2]) * resize.from.strides[4];
    }
    for (int64_t number = begin; number < end; ++number) {
      const Row row(resize, number);
      const char* const source = row.from.row(nearest_source(row.depth, steps[0], lengths[0]),
                                              nearest_source(row.height, steps[1], lengths[1]));
      char* const target = row.target + first * resize.to.strides[4];
      for (int64_t o = 0; o < count; ++o) {
        store(target + o * resize.to.strides[4], load<Bits>(source + sources[o]));
      }
    }
  });
}

}  // namespace

Status run(const UpsampleNearest3dBackwardArgs& args) {
  return visit_floating(args.gradOut, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Resize resize =
        with_factors(args, volumes_of(args.gradOut, sizeof(T), channels_last(args.gradOut)),
                     volumes_of(args.gradInput, sizeof(T), channels_last(args.gradInput)),
                     [](double scale) { return static_cast<float>(scale); });
    parallel_for(resize.rows(), resize.rows_per_task(),
                 [&](int64_t begin, int64_t end) { sum_rows<T>(resize, begin, end); });
    return Status();
  });
}

// The label of self decides how both tensors are read.
Status run(const UpsampleNearest3dArgs& args) {
  return visit_width(args.self, [&](auto zero) {
    using Bits = decltype(zero);
    const Resize resize =
        with_factors(args, volumes_of(args.self, sizeof(Bits), channels_last(args.self)),
                     volumes_of(args.out, sizeof(Bits), channels_last(args.self)),
                     [](double scale) { return static_cast<float>(1.0 / scale); });
    parallel_for(resize.rows(), resize.rows_per_task(),
                 [&](int64_t begin, int64_t end) { copy_rows<Bits>(resize, begin, end); });
    return Status();
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
