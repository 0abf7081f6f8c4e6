// SPDX-License-Identifier: Apache-2.0
#include "kernels/upsample_nearest3d.h"

#include <algorithm>

#include "kernels/bits.h"
#include "kernels/elementwise.h"
#include "kernels/resize.h"
#include "ops/upsample_nearest3d.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Rows are computed in blocks of this many elements, whose windows are known from a table.
constexpr int64_t kRowBlock = 1024;

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

// The label of self decides how both tensors are read.
Status run(const UpsampleNearest3dArgs& args) {
  return visit_width(args.self, [&](auto zero) {
    using Bits = decltype(zero);
    const Resize resize = with_factors(
        args, sizeof(Bits), volumes_of(args.self, sizeof(Bits), channels_last(args.self)),
        volumes_of(args.out, sizeof(Bits), channels_last(args.self)),
        [](double scale) { return static_cast<float>(1.0 / scale); });
    const int64_t rows = resize.to.slabs() * resize.to.shape[2] * resize.to.shape[3];
    parallel_for(rows, resize.rows_per_task(rows),
                 [&](int64_t begin, int64_t end) { copy_rows<Bits>(resize, begin, end); });
    return Status();
  });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
