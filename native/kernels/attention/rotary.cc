// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding: y = x * cos + rotated(x) * sin along the last axis, and its gradient.
//
// A row consists of pairs that are rotated together: (a, b) becomes (-b, a). Modes differ in where
// the two lie.
#include <algorithm>

#include "engines/gather_rows.h"
#include "engines/rows.h"
#include "kernels/creation/fill.h"
#include "ops/rotary_position_embedding.h"
#include "ops/rotary_position_embedding_grad.h"
#include "simd/rounded_product.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kInterleaved = 1, kQuarters = 2, kInterleavedHalves = 3;

// Elements a and b of pair i are at first + i * step and from there `apart` further.
struct Pairs {
  int64_t count;
  int64_t step;
  int64_t apart;
  int64_t sections;  // each with as many pairs; a section follows on the one before
};

Pairs pairs_of(int64_t mode, int64_t columns) {
  if (mode == kInterleaved) return {columns / 2, 2, 1, 1};
  if (mode == kQuarters) return {columns / 4, 1, columns / 4, 2};
  return {columns / 2, 1, columns / 2, 1};
}

// Calls visit(a, b) with the places of every pair; loops without a variable step become vectors.
template <typename Visit>
inline void for_each_pair(const Pairs& pairs, const Visit& visit) {
  if (pairs.step == 2) {
#pragma GCC ivdep
    for (int64_t i = 0; i < pairs.count; ++i) visit(2 * i, 2 * i + 1);
    return;
  }
  for (int64_t section = 0; section < pairs.sections; ++section) {
    const int64_t first = section * 2 * pairs.count;
#pragma GCC ivdep
    for (int64_t i = 0; i < pairs.count; ++i) visit(first + i, first + i + pairs.apart);
  }
}

// Elements of even places, then those of odd ones.
void part_row(const float* from, int64_t n, float* to) {
  for (int64_t i = 0; i < n / 2; ++i) {
    to[i] = from[2 * i];
    to[i + n / 2] = from[2 * i + 1];
  }
}

void join_row(const float* from, int64_t n, float* to) {
  for (int64_t i = 0; i < n / 2; ++i) {
    to[2 * i] = from[i];
    to[2 * i + 1] = from[i + n / 2];
  }
}

// A view whose axes of length 1 are repeated to the shape of another.
TensorView repeated(const TensorView& view, const TensorView& like) {
  TensorView wide = view;
  for (int i = 0; i < wide.rank; ++i) {
    if (wide.shape[i] == like.shape[i]) continue;
    wide.shape[i] = like.shape[i];
    wide.strides[i] = 0;
  }
  return wide;
}

Status gather_all(const TensorView* const (&views)[3], CopiedView (&rows)[3]) {
  Status status;
  for (int i = 0; i < 3 && status.ok(); ++i) status = gather_rows(*views[i], rows[i]);
  return status;
}

void turn_row(const Pairs& pairs, const float* __restrict x, const float* __restrict cos,
              const float* __restrict sin, float* __restrict y) {
  for_each_pair(pairs, [&](int64_t a, int64_t b) {
    const float first = x[a], second = x[b];
    y[a] = rounded_product(first, cos[a]) - rounded_product(second, sin[a]);
    y[b] = rounded_product(second, cos[b]) + rounded_product(first, sin[b]);
  });
}

void turn_row_back(const Pairs& pairs, const float* __restrict dy, const float* __restrict cos,
                   const float* __restrict sin, float* __restrict dx) {
  for_each_pair(pairs, [&](int64_t a, int64_t b) {
    const float first = dy[a], second = dy[b];
    dx[a] = rounded_product(first, cos[a]) + rounded_product(second, sin[b]);
    dx[b] = rounded_product(second, cos[b]) - rounded_product(first, sin[a]);
  });
}

Status turn(const RotaryPositionEmbeddingArgs& args) {
  CopiedView gathered[3];
  const TensorView* const inputs[] = {&args.x, &args.cos, &args.sin};
  const Status status = gather_all(inputs, gathered);
  if (!status.ok()) return status;
  const FloatRows x(gathered[0].view), cos(repeated(gathered[1].view, args.x));
  const FloatRows sin(repeated(gathered[2].view, args.x)), out(args.out);
  const int64_t n = x.columns();
  const Pairs pairs = pairs_of(args.mode, n);
  return for_each_row(x.rows(), n, 5, [&](int64_t row, const RowBuffers& own) {
    const float* from = x.read(row, own.row(0), own.raw());
    if (args.mode == kInterleavedHalves) {
      part_row(from, n, own.row(1));
      from = own.row(1);
    }
    const float* const c = cos.read(row, own.row(2), own.raw());
    const float* const s = sin.read(row, own.row(3), own.raw());
    float* const to = out.place(row, own.row(4));
    turn_row(pairs, from, c, s, to);
    out.write(row, to, own.raw());
  });
}

Status turn_back(const RotaryPositionEmbeddingGradArgs& args) {
  CopiedView gathered[3];
  const TensorView* const inputs[] = {&args.dy, &args.cos, &args.sin};
  const Status status = gather_all(inputs, gathered);
  if (!status.ok()) return status;
  const FloatRows dy(gathered[0].view), cos(repeated(gathered[1].view, args.dy));
  const FloatRows sin(repeated(gathered[2].view, args.dy)), dx(args.dxOut);
  const int64_t n = dy.columns();
  const Pairs pairs = pairs_of(args.mode, n);
  return for_each_row(dy.rows(), n, 5, [&](int64_t row, const RowBuffers& own) {
    const float* const from = dy.read(row, own.row(0), own.raw());
    const float* const c = cos.read(row, own.row(2), own.raw());
    const float* const s = sin.read(row, own.row(3), own.raw());
    float* const to = dx.place(row, own.row(4));
    if (args.mode == kInterleavedHalves) {
      turn_row_back(pairs, from, c, s, own.row(1));
      join_row(own.row(1), n, to);
    } else {
      turn_row_back(pairs, from, c, s, to);
    }
    dx.write(row, to, own.raw());
  });
}

// The axes that cos has before those along which it is repeated: all rows that one of its rows
// serves lie one after the other.
TensorView grouped(const TensorView& view, const TensorView& cos) {
  TensorView by_group = view;
  int axis = 0;
  for (const bool repeats : {false, true}) {
    for (int i = 0; i + 1 < view.rank; ++i) {
      if ((cos.shape[i] != view.shape[i]) != repeats) continue;
      by_group.shape[axis] = view.shape[i];
      by_group.strides[axis++] = view.strides[i];
    }
  }
  return by_group;
}

// One row of the gradients of cos and sin: sums in double over the rows that it serves.
Status sum_tables(const RotaryPositionEmbeddingGradArgs& args) {
  const FloatRows dy(grouped(args.dy, args.cos)), x(grouped(args.xOptional, args.cos));
  const FloatRows dcos(args.dcosOut), dsin(args.dsinOut);
  const int64_t n = dy.columns(), groups = dcos.rows(), size = dy.rows() / groups;
  const Pairs pairs = pairs_of(args.mode, n);
  const auto sum_group = [&](int64_t group, const BuffersOf<double>& own) {
    double *const of_cos = own.row(0), *const of_sin = own.row(1);
    auto* const dy_row = reinterpret_cast<float*>(own.row(2));
    float *const x_row = dy_row + n, *const parted = dy_row + 2 * n, *const out = dy_row + 3 * n;
    std::fill_n(of_cos, 2 * n, 0.0);
    for (int64_t row = group * size; row < (group + 1) * size; ++row) {
      const float* const g = dy.read(row, dy_row, own.raw());
      const float* from = x.read(row, x_row, own.raw());
      if (args.mode == kInterleavedHalves) {
        part_row(from, n, parted);
        from = parted;
      }
      for_each_pair(pairs, [&](int64_t a, int64_t b) {
        of_cos[a] += double{g[a]} * from[a];
        of_cos[b] += double{g[b]} * from[b];
        of_sin[a] -= double{g[a]} * from[b];
        of_sin[b] += double{g[b]} * from[a];
      });
    }
    std::copy_n(of_cos, n, out);
    dcos.write(group, out, own.raw());
    std::copy_n(of_sin, n, out);
    dsin.write(group, out, own.raw());
  };
  return for_each_row<double>(groups, n, 4, sum_group, n * size);
}

}  // namespace

Status run(const RotaryPositionEmbeddingArgs& args) { return turn(args); }

Status run(const RotaryPositionEmbeddingGradArgs& args) {
  Status status = turn_back(args);
  if (!status.ok() || args.xOptional.present) return status.ok() ? sum_tables(args) : status;
  status = fill_with_zero(args.dcosOut);
  return status.ok() ? fill_with_zero(args.dsinOut) : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
