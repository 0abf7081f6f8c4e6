// SPDX-License-Identifier: Apache-2.0
#include "base/svd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/array.h"
#include "base/immortal.h"
#include "base/openblas.h"
#include "base/plain_svd.h"

namespace aclhost {
namespace {

using plain::conjugate;
using plain::Part;

template <typename T>
constexpr bool kIsComplex = !std::is_same_v<T, Part<T>>;

// A matrix, and where its parts go; u and v may be null.
template <typename T>
struct Problem {
  T* a;
  int64_t rows, columns;
  T *sigma, *u, *v;
  int64_t u_columns, v_columns;

  int64_t least() const { return std::min(rows, columns); }
};

template <typename T>
using Gesdd = void (*)(const char* job, const int* m, const int* n, T* a, const int* a_step,
                       Part<T>* s, T* u, const int* u_step, T* vt, const int* vt_step, T* work,
                       const int* size, int* integers, int* info);
template <typename T>
using ComplexGesdd = void (*)(const char* job, const int* m, const int* n, T* a, const int* a_step,
                              Part<T>* s, T* u, const int* u_step, T* vt, const int* vt_step,
                              T* work, const int* size, Part<T>* reals, int* integers, int* info);

template <typename T>
void* find_gesdd() {
  const bool is_double = sizeof(Part<T>) == sizeof(double);
  const char* const letter = kIsComplex<T> ? (is_double ? "z" : "c") : (is_double ? "d" : "s");
  return blas_function((std::string(letter) + "gesdd_").c_str());
}

// LAPACK sees the transposed of our matrices (Note [Row-major matrices in LAPACK]): its left
// vectors are our right ones, conjugated and in rows, its right ones our left ones.
template <typename T>
class ByLapack {
 public:
  explicit ByLapack(const Problem<T>& problem) : problem_(problem) {}

  // False: there is no LAPACK, or too little memory, or it gave up.
  bool decompose() {
    constexpr int64_t kMost = 1 << 14;  // its sizes of memory have 32 bits
    routine_ = once<void*, find_gesdd<T>>();
    if (routine_ == nullptr || problem_.rows > kMost || problem_.columns > kMost) return false;
    const int64_t k = problem_.least(), larger = std::max(problem_.rows, problem_.columns);
    singular_ = make_array<Part<T>>(k);
    right_ = make_array<T>(problem_.v == nullptr ? 1 : problem_.columns * problem_.v_columns);
    integers_ = make_array<int>(8 * k);
    reals_ =
        make_array<Part<T>>(kIsComplex<T> ? k * std::max(5 * k + 7, 2 * larger + 2 * k + 1) : 1);
    if (!singular_ || !right_ || !integers_ || !reals_) return false;
    T size = 0;
    if (call(&size, -1) != 0) return false;
    const auto length = static_cast<int>(std::real(size));
    const Array<T> work = make_array<T>(length);
    if (work == nullptr || call(work.get(), length) != 0) return false;
    deliver();
    return true;
  }

 private:
  int call(T* work, int size) {
    const bool with_vectors = problem_.v != nullptr;
    const bool whole =
        problem_.u_columns == problem_.rows && problem_.v_columns == problem_.columns;
    const char* const job = !with_vectors ? "N" : whole ? "A" : "S";
    const auto m = static_cast<int>(problem_.columns), n = static_cast<int>(problem_.rows);
    const int u_step = m, vt_step = static_cast<int>(std::max<int64_t>(problem_.u_columns, 1));
    T nothing = 0;
    T* const left = with_vectors ? problem_.u : &nothing;
    int info = 0;
    if constexpr (kIsComplex<T>) {
      reinterpret_cast<ComplexGesdd<T>>(routine_)(job, &m, &n, problem_.a, &m, singular_.get(),
                                                  right_.get(), &u_step, left, &vt_step, work,
                                                  &size, reals_.get(), integers_.get(), &info);
    } else {
      reinterpret_cast<Gesdd<T>>(routine_)(job, &m, &n, problem_.a, &m, singular_.get(),
                                           right_.get(), &u_step, left, &vt_step, work, &size,
                                           integers_.get(), &info);
    }
    return info;
  }

  void deliver() {
    std::copy(singular_.get(), singular_.get() + problem_.least(), problem_.sigma);
    if (problem_.v == nullptr) return;
    for (int64_t i = 0; i < problem_.columns; ++i) {
      for (int64_t j = 0; j < problem_.v_columns; ++j) {
        problem_.v[i * problem_.v_columns + j] = conjugate(right_[j * problem_.columns + i]);
      }
    }
  }

  const Problem<T>& problem_;
  void* routine_ = nullptr;
  Array<Part<T>> singular_, reals_;
  Array<T> right_;
  Array<int> integers_;
};

// A power of two that brings the largest element near 1: squares neither overflow nor vanish.
template <typename T>
Part<T> scale_of(const T* a, int64_t count) {
  constexpr int kMost = std::numeric_limits<Part<T>>::max_exponent - 2;
  Part<T> largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    largest = std::max({largest, std::abs(std::real(a[i])), std::abs(std::imag(a[i]))});
  }
  if (largest == 0) return 1;
  return std::ldexp(Part<T>(1), std::clamp(-std::ilogb(largest), -kMost, kMost));
}

// Of a, or of a* where it has more columns than rows.
template <typename T>
MatrixOutcome decompose_plainly(const Problem<T>& problem, const T* a) {
  const bool turned = problem.rows < problem.columns;
  const int64_t rows = std::max(problem.rows, problem.columns), columns = problem.least();
  const Array<T> own = make_array<T>(rows * columns), v = make_array<T>(columns * columns);
  const Array<Part<T>> lengths = make_array<Part<T>>(columns);
  if (own == nullptr || v == nullptr || lengths == nullptr) return MatrixOutcome::kNoMemory;
  const Part<T> scale = scale_of(a, rows * columns);
  for (int64_t i = 0; i < rows * columns; ++i) {
    const int64_t row = i / columns, column = i % columns;
    own[i] = (turned ? conjugate(a[column * problem.columns + row]) : a[i]) * scale;
  }
  plain::make_orthogonal(own.get(), rows, columns, v.get());
  plain::sort_columns(own.get(), rows, columns, v.get(), lengths.get());
  std::transform(lengths.get(), lengths.get() + columns, problem.sigma,
                 [scale](Part<T> length) { return T(length / scale); });
  if (problem.u == nullptr) return MatrixOutcome::kDone;
  T* const longer = turned ? problem.v : problem.u;
  T* const shorter = turned ? problem.u : problem.v;
  plain::normalise_columns(own.get(), rows, columns, lengths.get(), longer,
                           turned ? problem.v_columns : problem.u_columns);
  std::copy(v.get(), v.get() + columns * columns, shorter);
  return MatrixOutcome::kDone;
}

// What turns a column so that its largest element is a positive number.
template <typename T>
T turn_of(const plain::Column<T>& column) {
  int64_t largest = 0;
  for (int64_t i = 1; i < column.rows; ++i) {
    if (std::abs(column[i]) > std::abs(column[largest])) largest = i;
  }
  const Part<T> size = std::abs(column[largest]);
  return size == 0 ? T(1) : conjugate(column[largest]) / size;
}

// Both vectors of a singular value turn together; those that belong to none by themselves.
template <typename T>
void choose_signs(const Problem<T>& problem) {
  const int64_t shared = problem.least();
  for (int64_t j = 0; j < std::max(problem.u_columns, problem.v_columns); ++j) {
    T turn = 1;
    if (j < problem.u_columns) {
      const auto u = plain::column_of(problem.u, problem.rows, problem.u_columns, j);
      turn = turn_of(u);
      for (int64_t i = 0; i < u.rows; ++i) u[i] *= turn;
    }
    if (j >= problem.v_columns) continue;
    const auto v = plain::column_of(problem.v, problem.columns, problem.v_columns, j);
    if (j >= shared) turn = turn_of(v);
    for (int64_t i = 0; i < v.rows; ++i) v[i] *= turn;
  }
}

template <typename T>
bool is_finite(const T* a, int64_t count) {
  return std::all_of(a, a + count, [](T value) {
    return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
  });
}

template <typename T>
void fill_with_nan(const Problem<T>& problem) {
  const T nan = std::numeric_limits<Part<T>>::quiet_NaN();
  std::fill_n(problem.sigma, problem.least(), nan);
  if (problem.u == nullptr) return;
  std::fill_n(problem.u, problem.rows * problem.u_columns, nan);
  std::fill_n(problem.v, problem.columns * problem.v_columns, nan);
}

template <typename T>
MatrixOutcome decompose_as(const Problem<T>& problem) {
  const int64_t count = problem.rows * problem.columns;
  if (!is_finite(problem.a, count)) {
    fill_with_nan(problem);
    return MatrixOutcome::kDone;
  }
  const Array<T> copy = make_array<T>(count);
  if (copy == nullptr) return MatrixOutcome::kNoMemory;
  std::copy(problem.a, problem.a + count, copy.get());
  if (!ByLapack<T>(problem).decompose()) {
    const MatrixOutcome outcome = decompose_plainly(problem, copy.get());
    if (outcome != MatrixOutcome::kDone) return outcome;
  }
  if (problem.u != nullptr) choose_signs(problem);
  return MatrixOutcome::kDone;
}

template <typename T>
MatrixOutcome decompose_in(void* a, int64_t rows, int64_t columns, const Svd& to) {
  return decompose_as<T>({static_cast<T*>(a), rows, columns, static_cast<T*>(to.sigma),
                          static_cast<T*>(to.u), static_cast<T*>(to.v), to.u_columns,
                          to.v_columns});
}

}  // namespace

MatrixOutcome decompose(aclDataType dtype, void* a, int64_t rows, int64_t columns, const Svd& to) {
  switch (dtype) {
    case ACL_DOUBLE:
      return decompose_in<double>(a, rows, columns, to);
    case ACL_COMPLEX64:
      return decompose_in<std::complex<float>>(a, rows, columns, to);
    case ACL_COMPLEX128:
      return decompose_in<std::complex<double>>(a, rows, columns, to);
    default:
      return decompose_in<float>(a, rows, columns, to);
  }
}

}  // namespace aclhost
