// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include "base/parallel.h"
#include "dtypes.h"
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

constexpr int64_t kGrain = 1 << 13;  // vectors; fewer are not worth a second thread

// Vectors whose three elements lie side by side. Bringing wide ones apart takes longer than to
// compute with one at a time.
template <typename T>
void cross_vectors(const TensorView& self, const TensorView& other, const TensorView& out) {
  const auto data = [](const TensorView& view) { return static_cast<T*>(view.data) + view.offset; };
  const T *const a = data(self), *const b = data(other);
  T* const c = data(out);
  parallel_for(out.elements() / 3, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = 3 * begin; i < 3 * end; i += 3) {
      const T x1 = a[i], y1 = a[i + 1], z1 = a[i + 2], x2 = b[i], y2 = b[i + 1], z2 = b[i + 2];
      c[i] = y1 * z2 - z1 * y2;
      c[i + 1] = z1 * x2 - x1 * z2;
      c[i + 2] = x1 * y2 - y1 * x2;
    }
  });
}

bool has_whole_vectors(const TensorView& view, const TensorView& out) {
  int64_t step = 1;
  for (int i = out.rank - 1; i >= 0; --i) {
    if (view.rank != out.rank || view.shape[i] != out.shape[i]) return false;
    if (view.shape[i] != 1 && view.strides[i] != step) return false;
    step *= view.shape[i];
  }
  const auto size = static_cast<uintptr_t>(data_type_bits(view.dtype) / 8);
  return view.dtype == out.dtype && reinterpret_cast<uintptr_t>(view.data) % size == 0;
}

// Whether that was it.
bool crossed_vectors(const LinalgCrossArgs& args, int axis) {
  if (axis != -1) return false;
  for (const TensorView* view : {&args.out, &args.self, &args.other}) {
    if (!has_whole_vectors(*view, args.out)) return false;
  }
  switch (args.out.dtype) {
    case ACL_DOUBLE:
      cross_vectors<double>(args.self, args.other, args.out);
      return true;
    case ACL_COMPLEX64:
      cross_vectors<Complex<float>>(args.self, args.other, args.out);
      return true;
    case ACL_COMPLEX128:
      cross_vectors<Complex<double>>(args.self, args.other, args.out);
      return true;
    default:
      return false;
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
  if (crossed_vectors(args, axis)) return {};
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
