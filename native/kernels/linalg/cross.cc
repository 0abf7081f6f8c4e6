// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include "engines/loops_complex.h"
#include "engines/pointwise.h"
#include "kernels/shape/views.h"
#include "operator/no_kernel.h"
#include "ops/linalg_cross.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// All parts are read before one is written: out may be one of the inputs. Results go to arrays of
// their own first, or the compiler would not make vectors of them. Integers come as unsigned ones:
// they wrap.
template <typename T>
void cross(const void* const* in, void* const* out, int64_t n, const Number*) {
  constexpr int64_t kSome = 64;
  T x[kSome], y[kSome], z[kSome];
  for (int64_t first = 0; first < n; first += kSome) {
    const auto part = [&](int k) { return static_cast<const T*>(in[k]) + first; };
    const T *const x1 = part(0), *const y1 = part(1), *const z1 = part(2);
    const T *const x2 = part(3), *const y2 = part(4), *const z2 = part(5);
    const int64_t count = std::min(kSome, n - first);
    for (int64_t i = 0; i < count; ++i) {
      x[i] = static_cast<T>(y1[i] * z2[i] - z1[i] * y2[i]);
      y[i] = static_cast<T>(z1[i] * x2[i] - x1[i] * z2[i]);
      z[i] = static_cast<T>(x1[i] * y2[i] - y1[i] * x2[i]);
    }
    const T* const results[] = {x, y, z};
    for (int k = 0; k < 3; ++k) std::copy_n(results[k], count, static_cast<T*>(out[k]) + first);
  }
}

Loop find_loop(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT:
    case ACL_FLOAT16:
    case ACL_BF16:
      return cross<float>;
    case ACL_DOUBLE:
      return cross<double>;
    case ACL_INT8:
    case ACL_UINT8:
      return cross<uint8_t>;
    case ACL_INT16:
      return cross<int16_t>;
    case ACL_INT32:
      return cross<uint32_t>;
    case ACL_INT64:
      return cross<uint64_t>;
    case ACL_COMPLEX64:
      return cross<Complex<float>>;
    case ACL_COMPLEX128:
      return cross<Complex<double>>;
    default:
      return nullptr;
  }
}

// One of three parts along an axis that is counted from the end; a single one stands for all.
TensorView part_of(const TensorView& view, int axis_from_end, int which) {
  TensorView part = view;
  const int axis = view.rank + axis_from_end;
  if (axis >= 0 && view.shape[axis] == 3) narrow(part, axis, which, 1);
  return part;
}

}  // namespace

Status run(const LinalgCrossArgs& args) {
  const Loop loop = find_loop(args.out.dtype);
  if (loop == nullptr) return no_kernel_for(args.out);
  const int axis = static_cast<int>(args.dim < 0 ? args.dim : args.dim - args.self.rank);
  TensorView parts[9];
  Operand operands[9];
  const TensorView* const views[] = {&args.out, &args.self, &args.other};
  for (int k = 0; k < 9; ++k) {
    parts[k] = part_of(*views[k / 3], axis, k % 3);
    operands[k] = {&parts[k], args.out.dtype};
  }
  return pointwise(loop, operands, 3, operands + 3, 6, nullptr);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
