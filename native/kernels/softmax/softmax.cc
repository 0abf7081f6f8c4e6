// SPDX-License-Identifier: Apache-2.0
// Softmax along an axis, its logarithm, and the gradients of both.
#include "ops/softmax.h"

#include <algorithm>
#include <limits>

#include "engines/along_axis.h"
#include "engines/lane_sums.h"
#include "engines/line_sums.h"
#include "engines/rows.h"
#include "engines/stored_rows.h"
#include "engines/whole_steps.h"
#include "kernels/softmax/row_softmax.h"
#include "ops/log_softmax.h"
#include "ops/log_softmax_backward.h"
#include "ops/softmax_backward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// A row of 16-bit floats as floats; gives the largest, which NaN is not.
template <typename Stored>
float widen_row(const Stored* x, int64_t n, float* values) {
  constexpr int64_t kStep = kLanes<float>;
  if (n < kStep) {
    for (int64_t i = 0; i < n; ++i) values[i] = widen(x[i]);
    return largest(values, n);
  }
  auto most = splat<Vector<float>>(-std::numeric_limits<float>::infinity());
  const auto take = [&](int64_t at) {
    const auto some = load_widened(x + at);
    store_vector(values + at, some);
    most = maximum(some, most);
  };
  for (int64_t i = 0; i + kStep <= n; i += kStep) take(i);
  take(n - kStep);  // some a second time
  return largest_lane(most);
}

template <typename T>
void softmax_row(RowInput<T>* in, int64_t n, const RowOutput<T>& out) {
  const Range all = {0, n};
  T* const results = out.place(all);
  const T share = static_cast<T>(1 / RowSoftmax<T>(in[0].read(all), n, results).sum);
  make_steps<kSoftmaxStep>(n, results, [=](int64_t i) { return results[i] * share; });
  out.write(all);
}

// Powers of differences that are not made good are exact enough for 16 bits.
template <typename Stored>
void softmax_of(const char* const* in, int64_t n, float* room, char* out) {
  const float most = widen_row(reinterpret_cast<const Stored*>(in[0]), n, room);
  reduce_detail::LaneSums<float, 4> sums;
  add_powers([most](float x) { return power_of_negative(x - most); }, room, n, room, sums);
  const auto share = static_cast<float>(1 / sums.total());
  const auto make = [share](auto power) { return power * share; };
  make_vectors(n, reinterpret_cast<Stored*>(out), make, room);
}

template <typename Stored>
void log_softmax_of(const char* const* in, int64_t n, float* room, char* out) {
  const float most = widen_row(reinterpret_cast<const Stored*>(in[0]), n, room);
  PowerSum<float> sum(most);
  sum.add(room, n);
  const float log_sum = sum.logarithm();
  const auto make = [most, log_sum](auto x) { return (x - most) - log_sum; };
  make_vectors(n, reinterpret_cast<Stored*>(out), make, room);
}

template <typename T>
void log_softmax_row(RowInput<T>* in, int64_t n, const RowOutput<T>& out) {
  T most = -std::numeric_limits<T>::infinity();
  for_each_piece(
      n, [&](Range piece) { most = std::max(most, largest(in[0].read(piece), piece.count)); });
  PowerSum<T> sum(most);
  for_each_piece(n, [&](Range piece) { sum.add(in[0].read(piece), piece.count); });
  const T log_sum = sum.logarithm();
  for_each_piece(n, [&](Range piece) {
    take_away(in[0].read(piece), most, log_sum, piece.count, out.place(piece));
    out.write(piece);
  });
}

// Inputs are the gradients and what the forward gave.
template <typename T>
void softmax_gradient_row(RowInput<T>* in, int64_t n, const RowOutput<T>& out) {
  reduce_detail::LaneSums<T, 4> products;
  for_each_piece(n, [&](Range piece) {
    products.add([](auto a, auto b) { return a * b; }, piece.count, in[0].read(piece),
                 in[1].read(piece));
  });
  const T sum = static_cast<T>(products.total());
  for_each_piece(n, [&](Range piece) {
    const T *const gradient = in[0].read(piece), *const y = in[1].read(piece);
    T* const results = out.place(piece);
    make_steps<kSoftmaxStep>(piece.count, results,
                             [=](int64_t i) { return (gradient[i] - sum) * y[i]; });
    out.write(piece);
  });
}

template <typename Stored>
void softmax_gradient_of(const char* const* in, int64_t n, float*, char* out) {
  auto *const gradient = reinterpret_cast<const Stored*>(in[0]),
              *const y = reinterpret_cast<const Stored*>(in[1]);
  reduce_detail::LaneSums<Stored> products;
  products.add([](auto a, auto b) { return a * b; }, n, gradient, y);
  const auto sum = static_cast<float>(products.total());
  make_vectors(
      n, reinterpret_cast<Stored*>(out), [sum](auto a, auto b) { return (a - sum) * b; }, gradient,
      y);
}

template <typename T>
void log_softmax_gradient_row(RowInput<T>* in, int64_t n, const RowOutput<T>& out) {
  reduce_detail::LaneSums<T, 4> sums;
  for_each_piece(n, [&](Range piece) {
    const T* const gradient = in[0].read(piece);
    sums.add([](auto a, auto) { return a; }, piece.count, gradient, gradient);
  });
  const T sum = static_cast<T>(sums.total());
  for_each_piece(n, [&](Range piece) {
    const T *const gradient = in[0].read(piece), *const y = in[1].read(piece);
    T* const results = out.place(piece);
    make_steps<kSoftmaxStep>(piece.count, results,
                             [=](int64_t i) { return gradient[i] - math::exp(y[i]) * sum; });
    out.write(piece);
  });
}

template <typename Stored>
void log_softmax_gradient_of(const char* const* in, int64_t n, float*, char* out) {
  const Stored* const rows[] = {reinterpret_cast<const Stored*>(in[0]),
                                reinterpret_cast<const Stored*>(in[1])};
  reduce_detail::LaneSums<Stored> sums;
  sums.add([](auto a, auto) { return a; }, n, rows[0], rows[0]);
  const auto sum = static_cast<float>(sums.total());
  make_chunks<2>(rows, n, reinterpret_cast<Stored*>(out),
                 [sum](int64_t, int64_t, const auto& values, float* results) {
#pragma GCC ivdep
                   for (int64_t i = 0; i < kStoredChunk; ++i) {
                     results[i] = values[0][i] - math::exp(values[1][i]) * sum;
                   }
                 });
}

template <typename T>
struct ColumnTotals {
  explicit ColumnTotals(int64_t width) : sums(width, part, totals) {}

  T part[kMostColumns];
  double totals[kMostColumns];
  LineSums<T> sums;
};

template <typename T>
void largest_of_columns(const Lines<const T>& x, int64_t n, int64_t width, T* largest) {
  std::copy_n(x.first, width, largest);
  for (int64_t i = 1; i < n; ++i) {
    const T* const line = x.line(i);
    for (int64_t j = 0; j < width; ++j) largest[j] = line[j] > largest[j] ? line[j] : largest[j];
  }
}

template <typename T>
void softmax_columns(const Lines<const T>* in, int64_t n, int64_t width, Lines<T> out) {
  T largest[kMostColumns];
  largest_of_columns(in[0], n, width, largest);
  ColumnTotals<T> totals(width);
  for (int64_t i = 0; i < n; ++i) {
    const T* const x = in[0].line(i);
    T* const powers = out.line(i);
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) powers[j] = power_below(x[j], largest[j]);
    totals.sums.add(powers);
  }
  totals.sums.finish();
  T shares[kMostColumns];
  for (int64_t j = 0; j < width; ++j) shares[j] = static_cast<T>(1 / totals.totals[j]);
  for (int64_t i = 0; i < n; ++i) {
    T* const line = out.line(i);
    for (int64_t j = 0; j < width; ++j) line[j] *= shares[j];
  }
}

template <typename T>
void log_softmax_columns(const Lines<const T>* in, int64_t n, int64_t width, Lines<T> out) {
  T largest[kMostColumns];
  largest_of_columns(in[0], n, width, largest);
  double sums[kMostColumns] = {};  // as in PowerSum
  for (int64_t i = 0; i < n; ++i) {
    const T* const x = in[0].line(i);
    T powers[kMostColumns];
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) powers[j] = summed_power(x[j], largest[j]);
    for (int64_t j = 0; j < width; ++j) sums[j] += powers[j];
  }
  T log_sums[kMostColumns];
  for (int64_t j = 0; j < width; ++j) log_sums[j] = log_of_powers<T>(sums[j]);
  for (int64_t i = 0; i < n; ++i) {
    const T* const x = in[0].line(i);
    T* const line = out.line(i);
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) line[j] = (x[j] - largest[j]) - log_sums[j];
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
                                   {softmax_row<double>, softmax_columns<double>},
                                   softmax_of<Half>,
                                   softmax_of<BFloat16>};
constexpr AxisOperator kLogSoftmax = {{log_softmax_row<float>, log_softmax_columns<float>},
                                      {log_softmax_row<double>, log_softmax_columns<double>},
                                      log_softmax_of<Half>,
                                      log_softmax_of<BFloat16>};
constexpr AxisOperator kSoftmaxGradient = {
    {softmax_gradient_row<float>, softmax_gradient_columns<float>},
    {},
    softmax_gradient_of<Half>,
    softmax_gradient_of<BFloat16>};
constexpr AxisOperator kLogSoftmaxGradient = {
    {log_softmax_gradient_row<float>, log_softmax_gradient_columns<float>},
    {},
    log_softmax_gradient_of<Half>,
    log_softmax_gradient_of<BFloat16>};

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
