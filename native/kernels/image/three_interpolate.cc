// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>
#include <memory>
#include <new>

#include "aclnn/opdev/op_errno.h"
#include "base/parallel.h"
#include "dtypes.h"
#include "engines/cast.h"
#include "engines/runs.h"
#include "kernels/image/grid_sampler.h"
#include "operator/index_error.h"
#include "ops/three_interpolate_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int kNeighbours = 3;

// Three dimensions of a tensor, whatever follows them. Strides are in bytes.
struct Cube {
  explicit Cube(const TensorView& view) : item_size(data_type_bits(view.dtype) / 8) {
    start = static_cast<char*>(view.data) + view.offset * item_size;
    for (int i = 0; i < 3; ++i) {
      shape[i] = view.shape[i];
      strides[i] = view.strides[i] * item_size;
    }
  }
  char* at(int64_t i, int64_t j, int64_t k) const {
    return start + i * strides[0] + j * strides[1] + k * strides[2];
  }

  int64_t item_size;
  char* start;
  int64_t shape[3], strides[3];
};

struct Interpolation3 {
  Cube gradient, places, weights, result;

  int64_t place_at(int64_t b, int64_t n, int k) const {
    const char* const address = places.at(b, n, k);
    return places.item_size == 8 ? load<int64_t>(address) : load<int32_t>(address);
  }

  // The sums of one channel, in the order of points and their neighbours.
  void sum(int64_t b, int64_t c, float* sums, BadIndex* bad) const {
    const int64_t points = gradient.shape[2], limit = result.shape[2];
    std::fill_n(sums, limit, 0.0F);
    for (int64_t n = 0; n < points; ++n) {
      const float slope = load<float>(gradient.at(b, c, n));
      for (int k = 0; k < kNeighbours; ++k) {
        const int64_t place = place_at(b, n, k);
        if (place >= 0 && place < limit) {
          sums[place] += slope * load<float>(weights.at(b, n, k));
        } else if (bad->position < 0) {
          *bad = {(b * points + n) * kNeighbours + k, place};
        }
      }
    }
  }
};

void store_row(const Cube& result, int64_t b, int64_t c, const float* sums, CastArray narrow,
               char* narrowed) {
  const int64_t count = result.shape[2];
  const char* values = reinterpret_cast<const char*>(sums);
  if (narrow != nullptr) {
    narrow(values, narrowed, count);
    values = narrowed;
  }
  copy_run(values, result.item_size, result.at(b, c, 0), result.strides[2], result.item_size,
           count);
}

}  // namespace

Status run(const ThreeInterpolateBackwardArgs& args) {
  if (args.grad_y.empty()) return {};
  CopiedView copies[3];
  TensorView gradient, places, weights;
  Status status = readable(args.grad_x, copies[0], &gradient);
  if (status.ok()) status = readable(args.idx, copies[1], &places);
  if (status.ok()) status = readable(args.weight, copies[2], &weights);
  if (!status.ok()) return status;
  const Interpolation3 all = {Cube(gradient), Cube(places), Cube(weights), Cube(args.grad_y)};
  const bool half = args.grad_y.dtype == ACL_FLOAT16;
  const CastArray narrow = half ? find_array_cast(ACL_FLOAT, ACL_FLOAT16) : nullptr;
  const int64_t channels = all.result.shape[1], total = all.result.shape[0] * channels;
  FirstBadIndex bad;
  std::atomic<bool> out_of_memory{false};
  parallel_for(total, may_rewrite(args.grad_y) ? total : 1, [&](int64_t begin, int64_t end) {
    const int64_t length = all.result.shape[2];
    const std::unique_ptr<float[]> sums(new (std::nothrow) float[2 * length]);
    if (sums == nullptr) return out_of_memory.store(true);
    for (int64_t i = begin; i < end; ++i) {
      BadIndex first;
      all.sum(i / channels, i % channels, sums.get(), &first);
      bad.add(first);
      store_row(all.result, i / channels, i % channels, sums.get(), narrow,
                reinterpret_cast<char*>(sums.get() + length));
    }
  });
  if (out_of_memory) {
    return Status::failed(
        {ACLNN_ERR_INNER, "", "memory", "there is not enough memory for the sums of a channel"});
  }
  if (bad.get().position < 0) return {};
  return place_out_of_range(args.kOperator, "idx", args.idx, bad.get(), all.result.shape[2]);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
