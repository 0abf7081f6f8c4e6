// SPDX-License-Identifier: Apache-2.0
#include "engines/along_axis.h"

#include <algorithm>

#include "engines/matrix.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kColumnElements = 16384;  // of a block of columns, if they are not too few
constexpr int64_t kLeastColumns = 64;

// A tensor as [outer][n][inner].
struct Axis {
  Axis(const TensorView& view, int64_t dim)
      : number(view.rank == 0 ? 0 : static_cast<int>(dim < 0 ? dim + view.rank : dim)) {
    for (int i = 0; i < view.rank; ++i) {
      (i < number ? outer : i == number ? n : inner) *= view.shape[i];
    }
  }
  int number;
  int64_t outer = 1, n = 1, inner = 1;
};

struct Matrices {
  TensorView out;
  TensorView in[kMostAxisInputs];
  int count;
};

template <typename T>
Status make_rows(const AxisLoops<T>& loops, int64_t n, const Matrices& matrices) {
  const Rows<T> results(matrices.out), first(matrices.in[0]);
  const Rows<T> second(matrices.in[matrices.count - 1]);
  const auto body = [&](int64_t row, const BuffersOf<T>& buffers) {
    char* const raw = buffers.raw();
    RowInput<T> in[kMostAxisInputs] = {{first, row, buffers.row(0), raw},
                                       {second, row, buffers.row(1), raw}};
    loops.row(in, n, RowOutput<T>(results, row, buffers.row(matrices.count), raw));
  };
  return for_each_row<T>(results.rows(), n, matrices.count + 1, body);
}

// Some columns of all lines from one on.
template <typename T>
Lines<const T> read_lines(const Rows<T>& rows, int64_t line, int64_t n, Range columns, T* values,
                          char* raw) {
  if (rows.direct()) return {rows.place(line, nullptr) + columns.begin, rows.step()};
  for (int64_t i = 0; i < n; ++i) {
    rows.read_part(line + i, columns, values + i * columns.count, raw);
  }
  return {values, columns.count};
}

template <typename T>
Status make_columns(const AxisLoops<T>& loops, const Axis& axis, const Matrices& matrices) {
  const Rows<T> results(matrices.out), first(matrices.in[0]);
  const Rows<T> second(matrices.in[matrices.count - 1]);
  const int64_t n = axis.n, fitting = kColumnElements / n / kLeastColumns * kLeastColumns;
  const int64_t width = std::min(std::clamp(fitting, kLeastColumns, kMostColumns), axis.inner);
  const int64_t blocks = (axis.inner + width - 1) / width;
  const auto body = [&](int64_t unit, const BuffersOf<T>& buffers) {
    const int64_t line = unit / blocks * n, begin = unit % blocks * width;
    const Range columns = {begin, std::min(width, axis.inner - begin)};
    char* const raw = buffers.raw();
    Lines<const T> in[kMostAxisInputs];
    in[0] = read_lines(first, line, n, columns, buffers.row(0), raw);
    if (matrices.count > 1) in[1] = read_lines(second, line, n, columns, buffers.row(1), raw);
    Lines<T> out = {buffers.row(matrices.count), columns.count};
    if (results.direct()) out = {results.place(line, nullptr) + begin, results.step()};
    loops.columns(in, n, columns.count, out);
    if (results.direct()) return;
    for (int64_t i = 0; i < n; ++i) results.write_part(line + i, columns, out.line(i), raw);
  };
  return for_each_row<T>(axis.outer * blocks, n * width, matrices.count + 1, body);
}

template <typename T>
Status make(const AxisLoops<T>& loops, const Axis& axis, const Matrices& matrices) {
  if (axis.inner == 1) return make_rows(loops, axis.n, matrices);
  return make_columns(loops, axis, matrices);
}

}  // namespace

Status along_axis(const AxisOperator& op, int64_t dim, aclDataType rounded, const TensorView& out,
                  std::initializer_list<const TensorView*> ins) {
  if (out.empty()) return {};
  const Axis axis(out, dim);
  const int split = axis.inner == 1 ? axis.number : std::min(axis.number + 1, out.rank);
  MatrixInput inputs[kMostAxisInputs];
  MatrixOutput result;
  Matrices matrices;
  matrices.count = 0;
  for (const TensorView* in : ins) {
    MatrixInput& input = inputs[matrices.count];
    const Status status = input.open(*in, rounded, split);
    if (!status.ok()) return status;
    copy_view(input.view(), &matrices.in[matrices.count++]);
  }
  Status status = result.open(out, rounded, split);
  if (!status.ok()) return status;
  copy_view(result.view(), &matrices.out);
  status = rounded == ACL_DOUBLE ? make(op.in_double, axis, matrices)
                                 : make(op.in_float, axis, matrices);
  return status.ok() ? result.close() : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
