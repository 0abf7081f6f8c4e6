// SPDX-License-Identifier: Apache-2.0
// Searches for an element: one that differs, or one that is a number.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "dtypes.h"
#include "engines/copy.h"
#include "engines/loops.h"
#include "engines/pointwise.h"
#include "engines/scalars.h"
#include "operator/no_kernel.h"
#include "ops/equal.h"
#include "ops/is_in_scalar_tensor.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// What loops are told in place of numbers: what elements are compared with, and where to say that
// one of them is what is looked for. Then all loops stop.
struct Search {
  Number number;
  std::atomic<bool>* found;
};
const Search& search_of(const Number* numbers) { return *reinterpret_cast<const Search*>(numbers); }

// Elements of which is_one(i) holds, block by block.
template <typename IsOne>
void search(int64_t n, std::atomic<bool>& found, const IsOne& is_one) {
  constexpr int64_t kBlock = 2048;
  for (int64_t begin = 0; begin < n && !found.load(std::memory_order_relaxed); begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock);
    uint32_t any = 0;
    for (int64_t i = begin; i < end; ++i) any |= is_one(i) ? 1u : 0u;
    if (any != 0) found.store(true, std::memory_order_relaxed);
  }
}

// BOOL, as any byte.
struct Truth {
  uint8_t byte;

  bool operator==(Truth other) const { return (byte != 0) == (other.byte != 0); }
};

// 16-bit floats: NaN is not the same as any, zeros are all the same.
template <typename T>
struct Stored {
  uint16_t bits;

  bool operator==(Stored other) const {
    constexpr uint16_t kMagnitude = 0x7FFF;
    const bool both_zero = ((bits | other.bits) & kMagnitude) == 0;
    return (bits == other.bits && (bits & kMagnitude) <= loops::kInfinityBits<T>) || both_zero;
  }
};

// An element of in[0] that is not that of in[1].
template <typename T>
struct Difference {
  static void run(const void* const* in, void* const*, int64_t n, const Number* numbers) {
    const T *a = static_cast<const T*>(in[0]), *b = static_cast<const T*>(in[1]);
    search(n, *search_of(numbers).found, [&](int64_t i) { return !(a[i] == b[i]); });
  }
};

// An element of in[0] that is the number.
template <typename T>
struct Occurrence {
  static void run(const void* const* in, void* const*, int64_t n, const Number* numbers) {
    const T* const a = static_cast<const T*>(in[0]);
    T number;
    std::memcpy(&number, &search_of(numbers).number, sizeof number);
    search(n, *search_of(numbers).found, [&](int64_t i) { return a[i] == number; });
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
      return Comparison<Truth>::run;
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

Loop find_narrow_difference(aclDataType dtype) {
  if (dtype == ACL_FLOAT16) return Difference<Stored<Half>>::run;
  return dtype == ACL_BF16 ? Difference<Stored<BFloat16>>::run : nullptr;
}

Status look_for(Loop loop, const Operand* ins, int count, const Number& number, bool* found,
                bool narrow = false) {
  if (loop == nullptr) return no_kernel_for(*ins[0].view);
  std::atomic<bool> any{false};
  const Search search = {number, &any};
  const Status status = pointwise(loop, nullptr, 0, ins, count,
                                  reinterpret_cast<const Number*>(&search), narrow, nullptr, &any);
  *found = any;
  return status;
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
  const Loop narrow = find_narrow_difference(dtype);
  const Loop loop = narrow != nullptr ? narrow : find_loop<Difference>(dtype);
  const Status status = look_for(loop, ins, 2, {}, &differ, narrow != nullptr);
  return status.ok() ? put(args.out, !differ) : status;
}

Status run(const IsInScalarTensorArgs& args) {
  if (args.testElements.empty()) return put(args.out, args.invert);
  const aclDataType dtype = compared_in(args.testElements, args.element);
  const Operand in = {&args.testElements, dtype};
  const Number element = number_of(args.element, dtype);
  bool found = false;
  const Status status = look_for(find_loop<Occurrence>(dtype), &in, 1, element, &found);
  return status.ok() ? put(args.out, found != args.invert) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
