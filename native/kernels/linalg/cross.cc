// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "engines/loops_complex.h"
#include "engines/pointwise.h"
#include "kernels/shape/views.h"
#include "operator/no_kernel.h"
#include "ops/linalg_cross.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// All parts are read before one is written: out may be one of the inputs. Integers come as
// unsigned ones: they wrap.
template <typename T>
void cross(const void* const* in, void* const* out, int64_t n, const Number*) {
  const auto part = [in](int k, int64_t i) { return static_cast<const T*>(in[k])[i]; };
  for (int64_t i = 0; i < n; ++i) {
    const T x1 = part(0, i), y1 = part(1, i), z1 = part(2, i);
    const T x2 = part(3, i), y2 = part(4, i), z2 = part(5, i);
    static_cast<T*>(out[0])[i] = static_cast<T>(y1 * z2 - z1 * y2);
    static_cast<T*>(out[1])[i] = static_cast<T>(z1 * x2 - x1 * z2);
    static_cast<T*>(out[2])[i] = static_cast<T>(x1 * y2 - y1 * x2);
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
