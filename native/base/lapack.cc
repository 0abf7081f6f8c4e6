// SPDX-License-Identifier: Apache-2.0
#include "base/lapack.h"

#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/array.h"
#include "base/immortal.h"
#include "base/openblas.h"
#include "base/plain_lapack.h"

namespace aclhost {
namespace {

using plain::Part;

constexpr int kBlock = 64;  // columns that LAPACK has room for while it works

// Note [Row-major matrices in LAPACK]
// LAPACK's matrices are column-major: it sees the transposed of ours. The inverse and the
// determinant do not care, equations a x = b are read as x' a' = b', and a = q r is found as
// a' = r' q', a lower triangle times orthogonal rows. Nothing has to be transposed.
template <typename T>
struct Routines {
  void (*getrf)(const int* m, const int* n, T* a, const int* a_step, int* pivots, int* info);
  void (*getri)(const int* n, T* a, const int* a_step, const int* pivots, T* work, const int* size,
                int* info);
  void (*trsm)(const char* side, const char* half, const char* transposed, const char* unit,
               const int* m, const int* n, const T* factor, const T* a, const int* a_step, T* b,
               const int* b_step);
  void (*gelqf)(const int* m, const int* n, T* a, const int* a_step, T* factors, T* work,
                const int* size, int* info);
  void (*orglq)(const int* m, const int* n, const int* k, T* a, const int* a_step, const T* factors,
                T* work, const int* size, int* info);
};

template <typename T>
constexpr bool kIsComplex = !std::is_same_v<T, Part<T>>;

enum Name { kGetrf, kGetri, kTrsm, kGelqf, kOrglq };
constexpr const char* kNames[] = {"getrf_", "getri_", "trsm_", "gelqf_", "orglq_"};

template <typename T, Name name>
void* find() {
  const bool is_double = sizeof(Part<T>) == sizeof(double);
  const char* const letter = kIsComplex<T> ? (is_double ? "z" : "c") : (is_double ? "d" : "s");
  const bool is_unitary = kIsComplex<T> && name == kOrglq;
  return blas_function((std::string(letter) + (is_unitary ? "unglq_" : kNames[name])).c_str());
}

template <typename T, Name name, typename Function>
bool get(Function& function) {
  function = reinterpret_cast<Function>(once<void*, find<T, name>>());
  return function != nullptr;
}

// None where there is no LAPACK, or where lengths are none of its business.
template <typename T>
std::optional<Routines<T>> routines_for(int64_t rows, int64_t columns) {
  constexpr int64_t kMost = std::numeric_limits<int>::max() / kBlock;
  if (rows == 0 || columns == 0 || rows > kMost || columns > kMost) return std::nullopt;
  Routines<T> found;
  const bool complete = get<T, kGetrf>(found.getrf) && get<T, kGetri>(found.getri) &&
                        get<T, kTrsm>(found.trsm) && get<T, kGelqf>(found.gelqf) &&
                        get<T, kOrglq>(found.orglq);
  if (!complete) return std::nullopt;
  return found;
}

template <typename T>
bool has_zero_pivot(const T* matrix, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (matrix[i * (n + 1)] == T(0)) return true;
  }
  return false;
}

template <typename T>
MatrixOutcome invert_by_lapack(const Routines<T>& lapack, T* matrix, int n) {
  const int size = kBlock * n;
  const Array<int> pivots = make_array<int>(n);
  const Array<T> work = make_array<T>(size);
  if (pivots == nullptr || work == nullptr) return MatrixOutcome::kNoMemory;
  int info = 0;
  lapack.getrf(&n, &n, matrix, &n, pivots.get(), &info);
  if (has_zero_pivot(matrix, n)) return MatrixOutcome::kSingular;
  lapack.getri(&n, matrix, &n, pivots.get(), work.get(), &size, &info);
  return MatrixOutcome::kDone;
}

template <typename T>
MatrixOutcome invert_plainly(T* matrix, int64_t n) {
  const Array<int64_t> rows = make_array<int64_t>(n);
  const Array<T> inverse = make_array<T>(n * n);
  if (rows == nullptr || inverse == nullptr) return MatrixOutcome::kNoMemory;
  plain::factorise_lu(matrix, n, rows.get());
  if (has_zero_pivot(matrix, n)) return MatrixOutcome::kSingular;
  std::fill(inverse.get(), inverse.get() + n * n, T(0));
  for (int64_t i = 0; i < n; ++i) inverse[i * n + rows[i]] = 1;
  plain::solve_triangular(false, false, true, matrix, n, inverse.get(), n);
  plain::solve_triangular(true, false, false, matrix, n, inverse.get(), n);
  std::copy(inverse.get(), inverse.get() + n * n, matrix);
  return MatrixOutcome::kDone;
}

// Matrices so small that calling LAPACK would take longer than computing.
template <typename T, int... before>
MatrixOutcome invert_small(T* matrix, int64_t n, std::integer_sequence<int, before...>) {
  constexpr bool (*kInvert[])(T*) = {plain::invert_small<before + 1, T>...};
  return kInvert[n - 1](matrix) ? MatrixOutcome::kDone : MatrixOutcome::kSingular;
}

template <typename T>
MatrixOutcome invert_any(T* matrix, int64_t n) {
  constexpr int kSmall = 8;
  if (n > 0 && n <= kSmall) {
    return invert_small(matrix, n, std::make_integer_sequence<int, kSmall>());
  }
  const std::optional<Routines<T>> lapack = routines_for<T>(n, n);
  return lapack ? invert_by_lapack(*lapack, matrix, static_cast<int>(n))
                : invert_plainly(matrix, n);
}

template <typename T>
MatrixOutcome invert_as(T* matrix, int64_t n) {
  const MatrixOutcome outcome = invert_any(matrix, n);
  if (outcome == MatrixOutcome::kSingular) {
    std::fill(matrix, matrix + n * n, T(std::numeric_limits<Part<T>>::quiet_NaN()));
  }
  return outcome;
}

// Leaves the upper factor's diagonal. Returns whether an odd number of rows was exchanged.
template <typename T>
MatrixOutcome find_pivots(T* matrix, int64_t n, bool* odd) {
  if (const std::optional<Routines<T>> lapack = routines_for<T>(n, n)) {
    const Array<int> pivots = make_array<int>(n);
    if (pivots == nullptr) return MatrixOutcome::kNoMemory;
    const int size = static_cast<int>(n);
    int info = 0;
    lapack->getrf(&size, &size, matrix, &size, pivots.get(), &info);
    *odd = false;
    for (int i = 0; i < size; ++i) *odd ^= pivots[i] != i + 1;
    return MatrixOutcome::kDone;
  }
  const Array<int64_t> rows = make_array<int64_t>(n);
  if (rows == nullptr) return MatrixOutcome::kNoMemory;
  *odd = plain::factorise_lu(matrix, n, rows.get());
  return MatrixOutcome::kDone;
}

// In double, rounded once.
template <typename T>
MatrixOutcome log_determinant_as(T* matrix, int64_t n, T* sign, T* log) {
  using Wide = std::conditional_t<kIsComplex<T>, std::complex<double>, double>;
  bool odd;
  if (find_pivots(matrix, n, &odd) == MatrixOutcome::kNoMemory) return MatrixOutcome::kNoMemory;
  Wide product = odd ? -1.0 : 1.0;
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Wide pivot(matrix[i * (n + 1)]);
    const double size = std::abs(pivot);
    product = size == 0 ? Wide(0) : product * (pivot / size);
    sum += std::log(size);
    if (size == 0) break;
  }
  *sign = T(product);
  *log = T(static_cast<Part<T>>(sum));
  return MatrixOutcome::kDone;
}

// See Note [Row-major matrices in LAPACK].
template <typename T>
void solve_triangular_as(Triangle triangle, const T* a, int64_t n, T* x, int64_t columns) {
  const std::optional<Routines<T>> lapack = routines_for<T>(n, columns);
  if (!lapack) {
    plain::solve_triangular(triangle.upper, triangle.transposed, triangle.unit, a, n, x, columns);
    return;
  }
  const int size = static_cast<int>(n), width = static_cast<int>(columns);
  const T one = 1;
  lapack->trsm("R", triangle.upper ? "L" : "U", triangle.transposed ? "T" : "N",
               triangle.unit ? "U" : "N", &width, &size, &one, a, &size, x, &width);
}

// The same.
template <typename T>
bool factorise_qr_by_lapack(const Routines<T>& lapack, T* a, int rows, int columns, T* factors,
                            T* q, int q_columns) {
  const int size = kBlock * std::max(rows, columns);
  const Array<T> work = make_array<T>(size);
  if (work == nullptr) return false;
  int info = 0;
  lapack.gelqf(&columns, &rows, a, &columns, factors, work.get(), &size, &info);
  if (q == nullptr) return true;
  const int count = std::min(rows, columns);
  for (int64_t i = 0; i < rows; ++i) {
    std::copy(a + i * columns, a + i * columns + count, q + i * q_columns);
  }
  lapack.orglq(&q_columns, &rows, &count, q, &q_columns, factors, work.get(), &size, &info);
  return true;
}

template <typename T>
MatrixOutcome factorise_qr_as(T* a, int64_t rows, int64_t columns, T* q, int64_t q_columns) {
  const Array<T> factors = make_array<T>(std::min(rows, columns));
  if (factors == nullptr) return MatrixOutcome::kNoMemory;
  if (const std::optional<Routines<T>> lapack = routines_for<T>(rows, columns)) {
    const bool done =
        factorise_qr_by_lapack(*lapack, a, static_cast<int>(rows), static_cast<int>(columns),
                               factors.get(), q, static_cast<int>(q_columns));
    if (!done) return MatrixOutcome::kNoMemory;
  } else {
    plain::reflect_columns(a, rows, columns, factors.get());
    if (q != nullptr) {
      plain::multiply_reflections(a, rows, columns, factors.get(), q, q_columns);
    }
  }
  for (int64_t i = 1; i < rows; ++i) {
    std::fill(a + i * columns, a + i * columns + std::min(i, columns), T(0));
  }
  return MatrixOutcome::kDone;
}

void* find_potrf() { return blas_function("spotrf_"); }

// Calls body with a null pointer to the type.
template <typename Body>
auto with_type(aclDataType dtype, const Body& body) {
  switch (dtype) {
    case ACL_DOUBLE:
      return body(static_cast<double*>(nullptr));
    case ACL_COMPLEX64:
      return body(static_cast<std::complex<float>*>(nullptr));
    case ACL_COMPLEX128:
      return body(static_cast<std::complex<double>*>(nullptr));
    default:
      return body(static_cast<float*>(nullptr));
  }
}

}  // namespace

void factorise_cholesky(bool upper, float* a, int64_t n) {
  using Potrf = void (*)(const char* half, const int* n, float* a, const int* a_step, int* info);
  const auto potrf = reinterpret_cast<Potrf>(once<void*, find_potrf>());
  // Both halves are the same: LAPACK's upper one is our lower one.
  int info = 1;
  std::unique_ptr<float[]> copy;
  if (potrf != nullptr && n > 0 && n <= std::numeric_limits<int>::max()) {
    copy.reset(new (std::nothrow) float[n * n]);
  }
  if (copy != nullptr) {
    const int size = static_cast<int>(n);
    std::copy(a, a + n * n, copy.get());
    potrf("U", &size, a, &size, &info);
    if (info != 0) std::copy(copy.get(), copy.get() + n * n, a);
  }
  if (info != 0) plain::factorise_cholesky(a, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) {
      a[i * n + j] = upper ? a[j * n + i] : 0;
      if (upper) a[j * n + i] = 0;
    }
  }
}

MatrixOutcome invert(aclDataType dtype, void* matrix, int64_t n) {
  return with_type(dtype,
                   [&](auto* type) { return invert_as(static_cast<decltype(type)>(matrix), n); });
}

MatrixOutcome log_determinant(aclDataType dtype, void* matrix, int64_t n, void* sign, void* log) {
  return with_type(dtype, [&](auto* type) {
    using Pointer = decltype(type);
    return log_determinant_as(static_cast<Pointer>(matrix), n, static_cast<Pointer>(sign),
                              static_cast<Pointer>(log));
  });
}

void solve_triangular(aclDataType dtype, Triangle triangle, const void* a, int64_t n, void* x,
                      int64_t columns) {
  with_type(dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    solve_triangular_as(triangle, static_cast<const T*>(a), n, static_cast<T*>(x), columns);
  });
}

MatrixOutcome factorise_qr(aclDataType dtype, void* a, int64_t rows, int64_t columns, void* q,
                           int64_t q_columns) {
  return with_type(dtype, [&](auto* type) {
    using Pointer = decltype(type);
    return factorise_qr_as(static_cast<Pointer>(a), rows, columns, static_cast<Pointer>(q),
                           q_columns);
  });
}

}  // namespace aclhost
