// SPDX-License-Identifier: Apache-2.0
#include "ops/constant_pad_nd.h"

#include <algorithm>

#include "dtypes.h"
#include "engines/copy.h"
#include "kernels/creation/element.h"
#include "kernels/creation/fill.h"
#include "kernels/shape/views.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// What an axis of the result consists of: a border, elements of self, and a border.
struct Parts {
  int64_t before, kept, after;
};

Parts parts_of(const ConstantPadNdArgs& args, int axis) {
  const uint64_t pair = 2 * static_cast<uint64_t>(args.out.rank - 1 - axis);
  const int64_t before = std::max<int64_t>(args.pad.at(pair), 0);
  const int64_t after = std::max<int64_t>(args.pad.at(pair + 1), 0);
  return {before, args.out.shape[axis] - before - after, after};
}

// 8-bit floats are padded with zeros only.
Status fill_border(const TensorView& border, const ScalarValue& value) {
  const bool is_small_float = data_type_category(border.dtype) == TypeCategory::kFloating &&
                              data_type_bits(border.dtype) == 8;
  return is_small_float ? fill_with_zero(border) : fill(border, value);
}

Status fill_borders(const ConstantPadNdArgs& args) {
  const ScalarValue value = as_element(args.value, args.out.dtype);
  TensorView rest = args.out;
  for (int axis = 0; axis < rest.rank; ++axis) {
    const Parts parts = parts_of(args, axis);
    for (const bool last : {false, true}) {
      const int64_t count = last ? parts.after : parts.before;
      if (count == 0) continue;
      TensorView border = rest;
      narrow(border, axis, last ? parts.before + parts.kept : 0, count);
      const Status status = fill_border(border, value);
      if (!status.ok()) return status;
    }
    narrow(rest, axis, parts.before, parts.kept);
  }
  return {};
}

}  // namespace

Status run(const ConstantPadNdArgs& args) {
  TensorView from = args.self, to = args.out;
  for (int axis = 0; axis < to.rank; ++axis) {
    const uint64_t pair = 2 * static_cast<uint64_t>(to.rank - 1 - axis);
    const Parts parts = parts_of(args, axis);
    narrow(from, axis, std::max<int64_t>(-args.pad.at(pair), 0), parts.kept);
    narrow(to, axis, parts.before, parts.kept);
  }
  const Status copied = copy(to, from);
  return copied.ok() ? fill_borders(args) : copied;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
