// SPDX-License-Identifier: Apache-2.0
// The gradient of distances between points and the nearest ones of another set.
#include <memory>
#include <new>

#include "base/parallel.h"
#include "engines/dense.h"
#include "ops/chamfer_distance_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Points of a plane in a batch, and which point of the other set is nearest.
struct Points {
  Status take(const TensorView& points, const TensorView& index, const TensorView& gradient) {
    count = points.shape[1];
    Status status = places.take(points, ACL_FLOAT);
    if (status.ok()) status = nearest.take(index, ACL_INT32);
    if (status.ok()) status = gradients.take(gradient, ACL_FLOAT);
    if (!status.ok()) return status;
    sums.reset(new (std::nothrow) double[points.elements()]());
    return sums == nullptr ? no_memory_for_copy() : Status{};
  }

  const float* point(int64_t batch, int64_t i) const {
    return places.as<float>() + 2 * (batch * count + i);
  }
  double* sum(int64_t batch, int64_t i) const { return sums.get() + 2 * (batch * count + i); }

  int64_t count = 0;
  DenseArray places, nearest, gradients;
  std::unique_ptr<double[]> sums;
};

// Points pull on their nearest ones, in the order of the points; those without one stay.
void add(const Points& own, const Points& others, int64_t batch) {
  for (int64_t i = 0; i < own.count; ++i) {
    const int64_t position = batch * own.count + i;
    const int64_t nearest = own.nearest.as<int32_t>()[position];
    if (nearest < 0 || nearest >= others.count) continue;
    const double gradient = own.gradients.as<float>()[position];
    const float *const from = own.point(batch, i), *const to = others.point(batch, nearest);
    for (int axis = 0; axis < 2; ++axis) {
      const double slope = 2 * gradient * (double{from[axis]} - to[axis]);
      own.sum(batch, i)[axis] += slope;
      others.sum(batch, nearest)[axis] -= slope;
    }
  }
}

}  // namespace

Status run(const ChamferDistanceBackwardArgs& args) {
  Points first, second;
  Status status = first.take(args.xyz1, args.idx1, args.gradDist1);
  if (status.ok()) status = second.take(args.xyz2, args.idx2, args.gradDist2);
  if (!status.ok()) return status;
  parallel_for(args.xyz1.shape[0], 1, [&](int64_t begin, int64_t end) {
    for (int64_t batch = begin; batch < end; ++batch) {
      add(first, second, batch);
      add(second, first, batch);
    }
  });
  status = deliver(first.sums.get(), ACL_DOUBLE, args.xyz1.dtype, args.gradXyz1);
  return status.ok() ? deliver(second.sums.get(), ACL_DOUBLE, args.xyz1.dtype, args.gradXyz2)
                     : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
