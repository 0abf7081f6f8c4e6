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

Status make_stored_rows(StoredRow make_row, int64_t n, const Matrices& matrices) {
  const FloatRows results(matrices.out), first(matrices.in[0]);
  const FloatRows second(matrices.in[matrices.count - 1]);
  const auto body = [&](int64_t row, const RowBuffers& buffers) {
    const char* const in[kMostAxisInputs] = {first.read_stored(row, nullptr),
                                             second.read_stored(row, nullptr)};
    make_row(in, n, buffers.row(0), results.place_stored(row, nullptr));
  };
  return for_each_row(results.rows(), n, 1, body);
}

// What makes rows of the dtype that all tensors have, if they have one and there is something.
StoredRow find_stored_row(const AxisOperator& op, const Matrices& matrices) {
  const aclDataType dtype = matrices.out.dtype;
  for (int i = 0; i < matrices.count; ++i) {
    if (matrices.in[i].dtype != dtype) return nullptr;
  }
  return dtype == ACL_FLOAT16 ? op.of_half : dtype == ACL_BF16 ? op.of_bfloat16 : nullptr;
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
  const StoredRow make_row = axis.inner == 1 ? find_stored_row(op, matrices) : nullptr;
  status = make_row != nullptr     ? make_stored_rows(make_row, axis.n, matrices)
           : rounded == ACL_DOUBLE ? make(op.in_double, axis, matrices)
                                   : make(op.in_float, axis, matrices);
  return status.ok() ? result.close() : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
