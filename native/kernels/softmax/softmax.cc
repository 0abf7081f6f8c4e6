// SPDX-License-Identifier: Apache-2.0
// Softmax along an axis, its logarithm, and the gradients of both.
#include "ops/softmax.h"

#include "engines/along_axis.h"
#include "engines/lane_sums.h"
#include "engines/line_sums.h"
#include "kernels/softmax/row_softmax.h"
#include "ops/log_softmax.h"
#include "ops/log_softmax_backward.h"
#include "ops/softmax_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <typename T>
void softmax_row(const T* const* in, int64_t n, T* out) {
  const T share = static_cast<T>(1 / RowSoftmax<T>(in[0], n, out).sum);
  for (int64_t i = 0; i < n; ++i) out[i] *= share;
}

template <typename T>
void log_softmax_row(const T* const* in, int64_t n, T* out) {
  log_softmax(in[0], n, out);
}

// Inputs are the gradients and what the forward gave.
template <typename T>
void softmax_gradient_row(const T* const* in, int64_t n, T* out) {
  const T *const gradient = in[0], *const y = in[1];
  reduce_detail::LaneSums<T, 4> products;
  products.add([](auto a, auto b) { return a * b; }, n, gradient, y);
  const T sum = static_cast<T>(products.total());
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = (gradient[i] - sum) * y[i];
}

template <typename T>
void log_softmax_gradient_row(const T* const* in, int64_t n, T* out) {
  const T *const gradient = in[0], *const y = in[1];
  reduce_detail::LaneSums<T, 4> sums;
  sums.add([](auto a, auto) { return a; }, n, gradient, gradient);
  const T sum = static_cast<T>(sums.total());
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = gradient[i] - math::exp(y[i]) * sum;
}

template <typename T>
struct ColumnTotals {
  explicit ColumnTotals(int64_t width) : sums(width, part, totals) {}

  T part[kMostColumns];
  double totals[kMostColumns];
  LineSums<T> sums;
};

// The largest value of each column, and the sums of powers, which stay in `powers`.
template <typename T>
struct ColumnSoftmax {
  ColumnSoftmax(const Lines<const T>& x, int64_t n, int64_t width, Lines<T> powers)
      : totals(width) {
    std::copy_n(x.first, width, largest);
    for (int64_t i = 1; i < n; ++i) {
      const T* const line = x.line(i);
      for (int64_t j = 0; j < width; ++j) largest[j] = line[j] > largest[j] ? line[j] : largest[j];
    }
    for (int64_t i = 0; i < n; ++i) {
      const T* const line = x.line(i);
      T* const to = powers.line(i);
#pragma GCC ivdep
      for (int64_t j = 0; j < width; ++j) to[j] = power_below(line[j], largest[j]);
      totals.sums.add(to);
    }
    totals.sums.finish();
  }

  T largest[kMostColumns];
  ColumnTotals<T> totals;
};

template <typename T>
void softmax_columns(const Lines<const T>* in, int64_t n, int64_t width, Lines<T> out) {
  const ColumnSoftmax<T> softmax(in[0], n, width, out);
  const double* const sums = softmax.totals.totals;
  T shares[kMostColumns];
  for (int64_t j = 0; j < width; ++j) shares[j] = static_cast<T>(1 / sums[j]);
  for (int64_t i = 0; i < n; ++i) {
    T* const line = out.line(i);
    for (int64_t j = 0; j < width; ++j) line[j] *= shares[j];
  }
}

template <typename T>
void log_softmax_columns(const Lines<const T>* in, int64_t n, int64_t width, Lines<T> out) {
  T powers[kMostColumns];
  const ColumnSoftmax<T> softmax(in[0], n, width, {powers, 0});
  const double* const sums = softmax.totals.totals;
  T log_sums[kMostColumns];
  for (int64_t j = 0; j < width; ++j) log_sums[j] = log_of_powers<T>(sums[j]);
  for (int64_t i = 0; i < n; ++i) {
    const T* const x = in[0].line(i);
    T* const line = out.line(i);
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) line[j] = (x[j] - softmax.largest[j]) - log_sums[j];
  }
}

template <typename T>
void round_sums(ColumnTotals<T>& totals, int64_t width, T* sums) {
  totals.sums.finish();
  for (int64_t j = 0; j < width; ++j) sums[j] = static_cast<T>(totals.totals[j]);
}

template <typename T>
void softmax_gradient_columns(const Lines<const T>* in, int64_t n, int64_t width, Lines<T> out) {
  ColumnTotals<T> totals(width);
  for (int64_t i = 0; i < n; ++i) totals.sums.add(in[0].line(i), in[1].line(i));
  T sums[kMostColumns];
  round_sums(totals, width, sums);
  for (int64_t i = 0; i < n; ++i) {
    const T *const gradient = in[0].line(i), *const y = in[1].line(i);
    T* const line = out.line(i);
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) line[j] = (gradient[j] - sums[j]) * y[j];
  }
}

template <typename T>
void log_softmax_gradient_columns(const Lines<const T>* in, int64_t n, int64_t width,
                                  Lines<T> out) {
  ColumnTotals<T> totals(width);
  for (int64_t i = 0; i < n; ++i) totals.sums.add(in[0].line(i));
  T sums[kMostColumns];
  round_sums(totals, width, sums);
  for (int64_t i = 0; i < n; ++i) {
    const T *const gradient = in[0].line(i), *const y = in[1].line(i);
    T* const line = out.line(i);
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) line[j] = gradient[j] - math::exp(y[j]) * sums[j];
  }
}

constexpr AxisOperator kSoftmax = {{softmax_row<float>, softmax_columns<float>},
                                   {softmax_row<double>, softmax_columns<double>}};
constexpr AxisOperator kLogSoftmax = {{log_softmax_row<float>, log_softmax_columns<float>},
                                      {log_softmax_row<double>, log_softmax_columns<double>}};
constexpr AxisOperator kSoftmaxGradient = {
    {softmax_gradient_row<float>, softmax_gradient_columns<float>}, {}};
constexpr AxisOperator kLogSoftmaxGradient = {
    {log_softmax_gradient_row<float>, log_softmax_gradient_columns<float>}, {}};

}  // namespace

Status run(const SoftmaxArgs& args) {
  return along_axis(kSoftmax, args.dim, args.self.dtype, args.out, {&args.self});
}

Status run(const LogSoftmaxArgs& args) {
  return along_axis(kLogSoftmax, args.dim, args.out.dtype, args.out, {&args.self});
}

Status run(const SoftmaxBackwardArgs& args) {
  return along_axis(kSoftmaxGradient, args.dim, args.output.dtype, args.out,
                    {&args.gradOutput, &args.output});
}

Status run(const LogSoftmaxBackwardArgs& args) {
  return along_axis(kLogSoftmaxGradient, args.dim, args.output.dtype, args.out,
                    {&args.gradOutput, &args.output});
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
