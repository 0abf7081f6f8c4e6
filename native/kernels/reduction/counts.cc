// SPDX-License-Identifier: Apache-2.0
// How often values occur.
#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "acl/acl.h"
#include "engines/dense.h"
#include "kernels/reduction/one_tensor.h"
#include "operator/index_error.h"
#include "ops/bincount.h"
#include "ops/histc.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// Adds up weights, or ones, by place, which is cast to INT32; places outside are passed over and
// the first is kept.
template <typename Place, typename Total, typename Weight>
BadIndex add_up(const Place* places, int64_t n, const Weight& weight, Total* totals, int64_t size) {
  BadIndex bad;
  for (int64_t i = 0; i < n; ++i) {
    const auto place = static_cast<int32_t>(places[i]);
    if (place >= 0 && place < size) {
      totals[place] += weight(i);
    } else if (bad.position < 0) {
      bad = {i, place};
    }
  }
  return bad;
}

template <typename Total, typename Weight>
Status count(const BincountArgs& args, const Weight& weight, aclDataType dtype,
             aclDataType rounded) {
  DenseArray places;
  const bool is_long = args.self.dtype == ACL_INT64;
  Status status = places.take(args.self, is_long ? ACL_INT64 : ACL_INT32);
  if (!status.ok()) return status;
  const int64_t size = args.out.shape[0];
  const std::unique_ptr<Total[]> totals(new (std::nothrow) Total[size]());
  if (totals == nullptr) return no_memory_for_copy();
  const int64_t n = args.self.elements();
  const BadIndex bad = is_long ? add_up(places.as<int64_t>(), n, weight, totals.get(), size)
                               : add_up(places.as<int32_t>(), n, weight, totals.get(), size);
  status = deliver(totals.get(), dtype, rounded, args.out);
  if (!status.ok() || bad.position < 0) return status;
  return place_out_of_range(args.kOperator, "self", args.self, bad, size);
}

template <typename T>
struct Range {
  T least;
  T most;
};

bool is_finite(const Range<float>& range) {
  return std::isfinite(range.least) && std::isfinite(range.most);
}
bool is_finite(const Range<int64_t>&) { return true; }

// Values that are not finite, where they are to tell the range.
Status no_intervals(const char* op) {
  Failure failure;
  failure.code = ACL_ERROR_RT_AICORE_EXCEPTION;
  failure.parameter = "self";
  failure.rule = "finite_range";
  failure.message = std::string(op) +
                    ": self must be finite where min equals max and its values tell the range; got "
                    "an infinity or NaN. Pass a min below max.";
  return Status::failed(std::move(failure));
}

// The limits in the type that is computed with; of the values themselves where they are equal.
template <typename T>
Status find_range(const HistcArgs& args, aclDataType dtype, Range<T>* range) {
  const float least = args.min.to_float(), most = args.max.to_float();
  constexpr float kEqual = 1e-6f;
  const bool is_given = std::is_integral_v<T> ? range->least != range->most
                                              : least != most && !(most - least < kEqual);
  if (!is_given) {
    TensorView least_view = row_major_view(Shape{}, dtype), most_view = least_view;
    least_view.data = &range->least;
    most_view.data = &range->most;
    const Operand outs[] = {{&least_view, dtype}, {&most_view, dtype}};
    const Operand ins[] = {{&args.self, dtype}};
    const Status status = reduce({Reduce::kRange, dtype}, outs, 2, ins, 1);
    if (!status.ok()) return status;
    if (!is_finite(*range)) return no_intervals(args.kOperator);
  }
  if (range->least == range->most) {
    range->least -= 1;
    range->most += 1;
  }
  return {};
}

// The bin of a value within the range. Integers wrap.
int64_t bin_of(float value, const Range<float>& range, int64_t bins) {
  const float bin = (value - range.least) * static_cast<float>(bins) / (range.most - range.least);
  return bin >= 0 && bin < 0x1p62f ? static_cast<int64_t>(bin) : -1;
}
int64_t bin_of(int64_t value, const Range<int64_t>& range, int64_t bins) {
  const auto distance = static_cast<uint64_t>(value) - static_cast<uint64_t>(range.least);
  const auto length = static_cast<uint64_t>(range.most) - static_cast<uint64_t>(range.least);
  if (length == 0) return -1;
  return static_cast<int64_t>(distance * static_cast<uint64_t>(bins) / length);
}

template <typename T>
Status histogram(const HistcArgs& args, aclDataType dtype, Range<T> range) {
  Status status = fill(args.out, double_value(0.0));
  if (status.ok()) status = find_range(args, dtype, &range);
  if (!status.ok()) return status;
  DenseArray values;
  status = values.take(args.self, dtype);
  if (!status.ok()) return status;
  const std::unique_ptr<int64_t[]> counts(new (std::nothrow) int64_t[args.bins]());
  if (counts == nullptr) return no_memory_for_copy();
  const T* const value = values.as<T>();
  const int64_t n = args.self.elements();
  for (int64_t i = 0; i < n; ++i) {
    if (!(value[i] >= range.least && value[i] <= range.most)) continue;
    const int64_t bin = bin_of(value[i], range, args.bins);
    if (bin >= 0 && bin <= args.bins) ++counts[std::min(bin, args.bins - 1)];
  }
  return deliver(counts.get(), ACL_INT64, ACL_INT64, args.out);
}

}  // namespace

Status run(const BincountArgs& args) {
  if (args.self.empty()) {
    return args.minlength > 0 ? fill(args.out, double_value(0.0)) : Status();
  }
  if (!args.weights.present) {
    return count<int64_t>(args, [](int64_t) { return 1; }, ACL_INT64, ACL_INT64);
  }
  DenseArray weights;
  const Status status = weights.take(args.weights, ACL_DOUBLE);
  if (!status.ok()) return status;
  const double* const weight = weights.as<double>();
  return count<double>(
      args, [weight](int64_t i) { return weight[i]; }, ACL_DOUBLE,
      args.weights.dtype == ACL_FLOAT ? ACL_FLOAT : ACL_DOUBLE);
}

Status run(const HistcArgs& args) {
  if (args.self.empty()) return fill(args.out, double_value(0.0));
  if (loop_type(args.self.dtype) == ACL_FLOAT) {
    return histogram<float>(
        args, ACL_FLOAT,
        {number_of(args.min, args.self.dtype).f, number_of(args.max, args.self.dtype).f});
  }
  return histogram<int64_t>(
      args, ACL_INT64, {number_of(args.min, ACL_INT64).i64, number_of(args.max, ACL_INT64).i64});
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
