// SPDX-License-Identifier: Apache-2.0
// Comparisons element by element into a dense tensor of truths, then a look at all of them.
#include <cstring>

#include "dtypes.h"
#include "engines/copy.h"
#include "engines/overlap.h"
#include "engines/pointwise.h"
#include "engines/scalars.h"
#include "operator/no_kernel.h"
#include "ops/equal.h"
#include "ops/is_in_scalar_tensor.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// in[0] with in[1].
template <typename T>
struct WithArray {
  static void run(const void* const* in, void* const* out, int64_t n, const Number*) {
    const T *a = static_cast<const T*>(in[0]), *b = static_cast<const T*>(in[1]);
    auto* const to = static_cast<uint8_t*>(out[0]);
    for (int64_t i = 0; i < n; ++i) to[i] = a[i] == b[i];
  }
};

// in[0] with a number.
template <typename T>
struct WithNumber {
  static void run(const void* const* in, void* const* out, int64_t n, const Number* numbers) {
    const T* const a = static_cast<const T*>(in[0]);
    T number;
    std::memcpy(&number, numbers, sizeof number);
    auto* const to = static_cast<uint8_t*>(out[0]);
    for (int64_t i = 0; i < n; ++i) to[i] = a[i] == number;
  }
};

template <template <typename> typename Comparison>
Loop find_loop(aclDataType dtype) {
  switch (loop_type(dtype)) {
    case ACL_FLOAT:
      return Comparison<float>::run;
    case ACL_DOUBLE:
      return Comparison<double>::run;
    case ACL_BOOL:
    case ACL_INT8:
    case ACL_UINT8:
      return Comparison<uint8_t>::run;
    case ACL_INT16:
    case ACL_UINT16:
      return Comparison<uint16_t>::run;
    case ACL_INT32:
    case ACL_UINT32:
      return Comparison<uint32_t>::run;
    case ACL_INT64:
    case ACL_UINT64:
      return Comparison<uint64_t>::run;
    default:
      return nullptr;
  }
}

// Sets *found to whether `wanted`, 0 or 1, is among the truths.
Status look_for(int wanted, Loop loop, const Operand* ins, int count, const Number* number,
                bool* found) {
  if (loop == nullptr) return no_kernel_for(*ins[0].view);
  CopiedView truths;
  const Status status = make_dense(shape_of(*ins[0].view), ACL_BOOL, truths);
  if (!status.ok()) return status;
  const Operand out = {&truths.view, ACL_BOOL};
  const Status computed = pointwise(loop, &out, 1, ins, count, number);
  if (!computed.ok()) return computed;
  const auto size = static_cast<size_t>(truths.view.elements());
  *found = std::memchr(truths.view.data, wanted, size) != nullptr;
  return {};
}

Status put(const TensorView& out, bool truth) {
  ScalarValue value;
  value.present = true;
  value.dtype = ACL_BOOL;
  value.bytes[0] = truth;
  return fill(out, value);
}

// Few elements keep their type if they are floating, or if the scalar is not.
aclDataType compared_in(const TensorView& elements, const ScalarValue& scalar) {
  constexpr int64_t kFew = 10;
  const auto is_floating = [](aclDataType dtype) {
    return data_type_category(dtype) == TypeCategory::kFloating;
  };
  const bool keeps = is_floating(elements.dtype) || !is_floating(scalar.dtype);
  if (elements.elements() < kFew && keeps) return elements.dtype;
  return promote(elements.dtype, scalar.dtype);
}

}  // namespace

Status run(const EqualArgs& args) {
  if (!same_shape(args.self, args.other)) return put(args.out, false);
  if (args.self.empty()) return put(args.out, true);
  const aclDataType dtype = promote(args.self.dtype, args.other.dtype);
  const Operand ins[] = {{&args.self, dtype}, {&args.other, dtype}};
  bool differ = false;
  const Status status = look_for(0, find_loop<WithArray>(dtype), ins, 2, nullptr, &differ);
  return status.ok() ? put(args.out, !differ) : status;
}

Status run(const IsInScalarTensorArgs& args) {
  if (args.testElements.empty()) return put(args.out, args.invert);
  const aclDataType dtype = compared_in(args.testElements, args.element);
  const Operand in = {&args.testElements, dtype};
  const Number element = number_of(args.element, dtype);
  bool found = false;
  const Status status = look_for(1, find_loop<WithNumber>(dtype), &in, 1, &element, &found);
  return status.ok() ? put(args.out, found != args.invert) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
