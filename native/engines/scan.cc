// SPDX-License-Identifier: Apache-2.0
#include "engines/scan.h"

#include <algorithm>
#include <numeric>

#include "dtypes.h"
#include "engines/dense_target.h"
#include "engines/overlap.h"
#include "engines/scan_operations.h"
#include "engines/scanner.h"
#include "operator/layouts.h"
#include "operator/no_kernel.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

using scans::Scanner;
using scans::Work;

// Extremes of narrow floats are floats, those of integers are what they are.
aclDataType wide_type(Scan kind, aclDataType dtype) {
  const bool is_extreme = kind == Scan::kMaximum || kind == Scan::kMinimum;
  if (is_extreme && dtype != ACL_DOUBLE && data_type_category(dtype) == TypeCategory::kFloating) {
    return ACL_FLOAT;
  }
  const bool is_narrow = dtype == ACL_INT8 || dtype == ACL_UINT8 || dtype == ACL_BOOL ||
                         dtype == ACL_INT16 || dtype == ACL_INT32;
  if (is_extreme && is_narrow) return dtype;
  switch (data_type_category(dtype)) {
    case TypeCategory::kFloating:
      return ACL_DOUBLE;
    case TypeCategory::kComplex:
      return ACL_COMPLEX128;
    default:
      return ACL_INT64;
  }
}

template <template <typename> class Of>
Status run_reals(const Work& work, aclDataType wide) {
  if (wide == ACL_DOUBLE) return Scanner<Of<double>>(work).run();
  return Scanner<Of<uint64_t>>(work).run();
}

template <bool kIsMaximum>
Status run_extremes(const Work& work, aclDataType wide) {
  switch (wide) {
    case ACL_DOUBLE:
      return Scanner<scans::Extreme<double, kIsMaximum>>(work).run();
    case ACL_FLOAT:
      return Scanner<scans::Extreme<float, kIsMaximum>>(work).run();
    case ACL_INT8:
      return Scanner<scans::Extreme<int8_t, kIsMaximum>>(work).run();
    case ACL_BOOL:
    case ACL_UINT8:
      return Scanner<scans::Extreme<uint8_t, kIsMaximum>>(work).run();
    case ACL_INT16:
      return Scanner<scans::Extreme<int16_t, kIsMaximum>>(work).run();
    case ACL_INT32:
      return Scanner<scans::Extreme<int32_t, kIsMaximum>>(work).run();
    default:
      return Scanner<scans::Extreme<int64_t, kIsMaximum>>(work).run();
  }
}

Status run_work(Scan kind, const Work& work, aclDataType wide) {
  switch (kind) {
    case Scan::kMaximum:
      return run_extremes<true>(work, wide);
    case Scan::kMinimum:
      return run_extremes<false>(work, wide);
    case Scan::kProduct:
      return run_reals<scans::Product>(work, wide);
    case Scan::kSum:
      break;
  }
  if (wide == ACL_COMPLEX128) return Scanner<scans::Sum<double, 2>>(work).run();
  if (wide == ACL_DOUBLE) return Scanner<scans::Sum<double, 1>>(work).run();
  return Scanner<scans::Sum<uint64_t, 1>>(work).run();
}

TensorView permuted(const TensorView& view, const int* order) {
  TensorView turned = view;
  for (int i = 0; i < view.rank; ++i) {
    turned.shape[i] = view.shape[order[i]];
    turned.strides[i] = view.strides[order[i]];
  }
  return turned;
}

// Turns both so that they are dense, if the same order of dimensions makes them so. The axis goes
// with it. For what has the same results along rows and across columns.
void turn_as_in_memory(TensorView& self, TensorView& out, int64_t& axis) {
  int order[kMaxRank];
  std::iota(order, order + out.rank, 0);
  std::stable_sort(order, order + out.rank,
                   [&](int a, int b) { return out.strides[a] > out.strides[b]; });
  const TensorView from = permuted(self, order), to = permuted(out, order);
  if (!is_contiguous(from) || !is_contiguous(to)) return;
  axis = std::find(order, order + out.rank, axis) - order;
  self = from;
  out = to;
}

}  // namespace

Status scan(Scan kind, const TensorView& given, int64_t dim, const TensorView& result_view,
            const TensorView* places) {
  TensorView self = given, out = result_view;
  int64_t axis = dim < 0 ? dim + self.rank : dim;
  if (kind == Scan::kProduct) turn_as_in_memory(self, out, axis);
  CopiedView input;
  DenseTarget result, indices;
  Status status = dense_as(self, out.dtype, input);
  if (status.ok()) status = result.prepare(out);
  if (status.ok() && places) status = indices.prepare(*places);
  if (!status.ok()) return status;
  const aclDataType wide = wide_type(kind, out.dtype);
  const aclDataType index = places ? places->dtype : ACL_INT64;
  Work work = {start_of(input.view),
               result.data(),
               places ? indices.data() : nullptr,
               data_type_bits(out.dtype) / 8,
               data_type_bits(index) / 8,
               1,
               1,
               1,
               {out.dtype, wide},
               {wide, out.dtype},
               {ACL_INT64, index},
               false};
  if (!work.widen.exists() || !work.narrow.exists()) return no_kernel_for(out);
  for (int i = 0; i < self.rank; ++i) {
    (i < axis ? work.outer : i == axis ? work.length : work.inner) *= self.shape[i];
  }
  const int64_t bytes = 2 * work.item + (places ? work.place_item : 0);
  work.past_cache = work.outer * work.length * work.inner > cache_bytes() / bytes;
  status = run_work(kind, work, wide);
  if (status.ok()) status = result.deliver();
  return status.ok() && places ? indices.deliver() : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
