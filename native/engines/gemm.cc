// SPDX-License-Identifier: Apache-2.0
#include "engines/gemm.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <type_traits>

#include "base/parallel.h"
#include "base/scratch_memory.h"
#include "engines/block_loop.h"
#include "engines/copy.h"
#include "engines/gemm_batches.h"
#include "engines/gemm_plan.h"
#include "engines/multiply.h"
#include "engines/overlap.h"
#include "engines/pair_products.h"
#include "engines/vector_products.h"
#include "operator/no_kernel.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kGrainWork = 1 << 18;  // multiplications; less is not worth a second thread
constexpr int64_t kAddendRows = 32;      // that are read together

struct Tile {
  int64_t batch;
  int64_t row, rows;
  int64_t column, columns;
};

Tile tile_at(const GemmPlan& plan, int64_t number) {
  Tile tile;
  tile.column = number % plan.column_tiles * plan.columns;
  number /= plan.column_tiles;
  tile.row = number % plan.row_tiles * plan.rows;
  tile.batch = number / plan.row_tiles;
  tile.rows = std::min(plan.rows, plan.m - tile.row);
  tile.columns = std::min(plan.columns, plan.n - tile.column);
  return tile;
}

// Brings a part of a factor together, rows or columns as arrays: whichever lie closer.
template <typename T>
Matrix<T> pack(const BatchedMatrix& from, int64_t offset, const Panel& part, bool by_rows, T* to) {
  constexpr int64_t kSize = sizeof(T);
  if (from.source != nullptr) {
    if constexpr (std::is_same_v<T, float>) from.source->fill(from.source->context, part, to);
    if (from.source->columns) return {to, 1, part.rows};
    return {to, part.columns, 1};
  }
  if (by_rows || std::llabs(from.column_stride) <= std::llabs(from.row_stride)) {
    for (int64_t i = 0; i < part.rows; ++i) {
      from.cast(from.at(offset, part.row + i, part.column), from.column_stride * from.item_size,
                reinterpret_cast<char*>(to + i * part.columns), kSize, part.columns);
    }
    return {to, part.columns, 1};
  }
  for (int64_t j = 0; j < part.columns; ++j) {
    from.cast(from.at(offset, part.row, part.column + j), from.row_stride * from.item_size,
              reinterpret_cast<char*>(to + j * part.rows), kSize, part.rows);
  }
  return {to, 1, part.rows};
}

template <typename T>
Matrix<T> panel_of(const BatchedMatrix& from, int64_t offset, const Panel& part, bool by_rows,
                   T* scratch) {
  if (!from.direct) return pack(from, offset, part, by_rows, scratch);
  return {reinterpret_cast<const T*>(from.at(offset, part.row, part.column)), from.row_stride,
          from.column_stride};
}

// The memory of a thread.
template <typename T>
struct Scratch {
  explicit Scratch(const GemmPlan& plan) {
    const int64_t depth = std::min(plan.depth, std::max<int64_t>(plan.k, 1));
    const int64_t of_a = plan.a.direct || plan.pairs ? 0 : plan.rows * depth;
    const int64_t of_b = plan.b.direct || plan.pairs ? 0 : plan.columns * depth;
    const int64_t of_tile = plan.out.direct ? 0 : plan.rows * plan.columns;
    const bool reads_addends = plan.adds && !plan.out.direct;
    const int64_t of_addends = reads_addends ? std::min(plan.rows, kAddendRows) * plan.columns : 0;
    const int64_t elements = of_a + of_b + of_tile + of_addends;
    // Allocators of programs are not asked for nothing, which they might refuse.
    if (elements > 0) memory = take_scratch<T>(elements);
    if (plan.pairs) words = take_scratch<uint32_t>(pair_words(plan.rows, plan.columns));
    complete = (elements == 0 || memory != nullptr) && (!plan.pairs || words != nullptr);
    a = memory.get();
    b = a + of_a;
    tile = b + of_b;
    addends = tile + of_tile;
  }

  ScratchMemory<T> memory;
  ScratchMemory<uint32_t> words;
  bool complete;  // there was enough memory
  T* a;
  T* b;
  T* tile;
  T* addends;
};

// The batches of both factors that a tile is made of, some of them added up.
struct Batches {
  Batches(const GemmPlan& plan, int64_t batch, int64_t repeat)
      : a(repeat * plan.a.batch_strides[0]), b(repeat * plan.b.batch_strides[0]) {
    if (plan.repeats != 1) return;
    a = plan.offset_in(plan.a, batch);
    b = plan.offset_in(plan.b, batch);
  }

  int64_t a, b;
};

void sum_pairs(const GemmPlan& plan, const Tile& tile, int64_t first, int64_t last, float* to,
               int64_t to_stride, const Scratch<float>& scratch) {
  for (int64_t repeat = 0; repeat < plan.repeats; ++repeat) {
    const Batches at(plan, tile.batch, repeat);
    const PairTile part = {at.a,        at.b,         tile.row, tile.rows,
                           tile.column, tile.columns, first,    last - first};
    multiply_pairs(plan, part, scratch.words.get(), to, to_stride, repeat > 0);
  }
}

// Terms [first, last) of the sums of a tile, added to what is there or not.
template <typename T>
void sum_up(const GemmPlan& plan, const Tile& tile, int64_t first, int64_t last, T* to,
            int64_t to_stride, const Scratch<T>& scratch, bool add = false) {
  if constexpr (std::is_same_v<T, float>) {
    if (plan.pairs) return sum_pairs(plan, tile, first, last, to, to_stride, scratch);
  }
  const bool by_rows = !multiplies_columns<T>();
  for (int64_t repeat = 0; repeat < plan.repeats; ++repeat) {
    const Batches at(plan, tile.batch, repeat);
    int64_t k = first;
    do {
      const int64_t depth = std::min(plan.depth, last - k);
      const Panel of_a = {tile.batch, tile.row, tile.rows, k, depth};
      const int64_t batch = plan.repeats == 1 ? tile.batch : repeat;
      const Panel of_b = {batch, k, depth, tile.column, tile.columns};
      const Matrix<T> a = panel_of(plan.a, at.a, of_a, false, scratch.a);
      const Matrix<T> b = panel_of(plan.b, at.b, of_b, by_rows, scratch.b);
      multiply(tile.rows, tile.columns, depth, a, b, to, to_stride, add);
      add = true;
      k += depth;
    } while (k < last);
  }
}

template <typename T>
T number_as(double value) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<int64_t>(value));
  return static_cast<T>(value);
}

// Some rows of the addend, one behind the other; or columns, where these lie closer.
template <typename T>
bool take_addends(const BatchedMatrix& addend, int64_t offset, const Tile& part, T* to) {
  constexpr int64_t kSize = sizeof(T);
  const int64_t row_step = addend.row_stride * addend.item_size;
  const int64_t column_step = addend.column_stride * addend.item_size;
  const auto take = [&](int64_t row, int64_t column, int64_t step, int64_t count, T* place) {
    addend.cast(addend.at(offset, part.row + row, part.column + column), step,
                reinterpret_cast<char*>(place), kSize, count);
  };
  if (part.rows > 1 && row_step != 0 && std::llabs(row_step) < std::llabs(column_step)) {
    for (int64_t j = 0; j < part.columns; ++j) take(0, j, row_step, part.rows, to + j * part.rows);
    return true;
  }
  if (row_step == column_step * part.columns) {
    take(0, 0, column_step, part.rows * part.columns, to);
  } else {
    for (int64_t i = 0; i < part.rows; ++i) {
      take(i, 0, column_step, part.columns, to + i * part.columns);
    }
  }
  return false;
}

template <typename T>
void add_addend(const GemmPlan& plan, const Tile& tile, T* sums, T* addends) {
  const int64_t offset = plan.offset_in(plan.addend, tile.batch), columns = tile.columns;
  const T beta = number_as<T>(plan.beta);
  for (int64_t row = 0; row < tile.rows; row += kAddendRows) {
    Tile part = tile;
    part.row += row;
    part.rows = std::min(kAddendRows, tile.rows - row);
    T* const to = sums + row * columns;
    if (take_addends(plan.addend, offset, part, addends)) {
      for (int64_t i = 0; i < part.rows; ++i) {
        const T* const from = addends + i;
        for (int64_t j = 0; j < columns; ++j) to[i * columns + j] += beta * from[j * part.rows];
      }
    } else {
      for (int64_t i = 0; i < part.rows * columns; ++i) to[i] += beta * addends[i];
    }
  }
}

// What is left to do with the sums of a tile.
template <typename T>
void finish(const GemmPlan& plan, const Tile& tile, T* sums, T* addends) {
  constexpr int64_t kSize = sizeof(T);
  const BatchedMatrix& out = plan.out;
  const int64_t offset = plan.offset_in(out, tile.batch);
  if (plan.alpha != 1) {
    const T alpha = number_as<T>(plan.alpha);
    for (int64_t i = 0; i < tile.rows * tile.columns; ++i) sums[i] *= alpha;
  }
  if (plan.adds) add_addend(plan, tile, sums, addends);
  const int64_t row_step = out.row_stride * out.item_size;
  const int64_t column_step = out.column_stride * out.item_size;
  const auto put = [&](int64_t row, int64_t column, int64_t from_step, int64_t step,
                       int64_t count) {
    const T* const from = sums + row * tile.columns + column;
    out.cast(reinterpret_cast<const char*>(from), from_step * kSize,
             out.at(offset, tile.row + row, tile.column + column), step, count);
  };
  if (row_step == column_step * tile.columns) {
    put(0, 0, 1, column_step, tile.rows * tile.columns);
  } else if (tile.rows > 1 && std::llabs(row_step) < std::llabs(column_step)) {
    for (int64_t j = 0; j < tile.columns; ++j) put(0, j, tile.columns, row_step, tile.rows);
  } else {
    for (int64_t i = 0; i < tile.rows; ++i) put(i, 0, 1, column_step, tile.columns);
  }
}

template <typename T>
void compute_tile(const GemmPlan& plan, const Tile& tile, const Scratch<T>& scratch) {
  if (plan.out.direct) {
    const int64_t offset = plan.offset_in(plan.out, tile.batch);
    T* const to = reinterpret_cast<T*>(plan.out.at(offset, tile.row, tile.column));
    return sum_up(plan, tile, 0, plan.k, to, plan.out.row_stride, scratch, plan.adds);
  }
  sum_up(plan, tile, 0, plan.k, scratch.tile, tile.columns, scratch);
  finish(plan, tile, scratch.tile, scratch.addends);
}

// Calls body(number, scratch) for all numbers; false: there was no memory.
template <typename T, typename Body>
bool for_each_task(const GemmPlan& plan, int64_t count, const Body& body) {
  const double work = static_cast<double>(plan.rows) * plan.columns * plan.part_length;
  const auto grain = static_cast<int64_t>(std::max(kGrainWork / std::max(work, 1.0), 1.0));
  std::atomic<bool> enough_memory{true};
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    const Scratch<T> scratch(plan);
    if (!scratch.complete) {
      enough_memory = false;
      return;
    }
    for (int64_t number = begin; number < end; ++number) body(number, scratch);
  });
  return enough_memory;
}

// Sums are cut as well: all parts of all tiles, then tile by tile the parts in their order.
template <typename T>
bool compute_parts(const GemmPlan& plan) {
  const int64_t area = plan.rows * plan.columns, count = plan.tiles() * plan.parts;
  const ScratchMemory<T> sums = take_scratch<T>(count * area);
  if (sums == nullptr) return false;
  const bool computed =
      for_each_task<T>(plan, count, [&](int64_t number, const Scratch<T>& scratch) {
        const Tile tile = tile_at(plan, number / plan.parts);
        const int64_t first = number % plan.parts * plan.part_length;
        const int64_t last = std::min(first + plan.part_length, plan.k);
        sum_up(plan, tile, first, last, sums.get() + number * area, tile.columns, scratch);
      });
  return computed &&
         for_each_task<T>(plan, plan.tiles(), [&](int64_t number, const Scratch<T>& scratch) {
           const Tile tile = tile_at(plan, number);
           T* const total = sums.get() + number * plan.parts * area;
           for (int64_t part = 1; part < plan.parts; ++part) {
             const T* const more = total + part * area;
             for (int64_t i = 0; i < tile.rows * tile.columns; ++i) total[i] += more[i];
           }
           finish(plan, tile, total, scratch.addends);
         });
}

template <typename T>
Status compute(const GemmPlan& plan) {
  const bool computed =
      plan.parts > 1
          ? compute_parts<T>(plan)
          : for_each_task<T>(plan, plan.tiles(), [&](int64_t number, const Scratch<T>& scratch) {
              compute_tile(plan, tile_at(plan, number), scratch);
            });
  return computed ? Status{} : no_memory_for_blocks();
}

void finish_row(const void* context, int64_t batch, int64_t first, int64_t count, float* sums) {
  const auto& plan = *static_cast<const GemmPlan*>(context);
  constexpr int64_t kPiece = 1024;
  float addends[kPiece];
  for (int64_t at = 0; at < count; at += kPiece) {
    const Tile piece = {batch, 0, 1, first + at, std::min(kPiece, count - at)};
    finish(plan, piece, sums + at, addends);
  }
}

Status compute_separate(const Gemm& product) {
  GemmPlan plan;
  if (!make_plan(product, &plan)) return no_kernel_for(product.out);
  if (multiplies_vector(plan)) return multiply_vector(plan, finish_row, &plan);
  switch (plan.computed) {
    case ACL_FLOAT:
      return compute<float>(plan);
    case ACL_DOUBLE:
      return compute<double>(plan);
    case ACL_INT8:
      return compute<uint8_t>(plan);
    case ACL_INT32:
      return compute<uint32_t>(plan);
    default:
      return compute<uint64_t>(plan);
  }
}

}  // namespace

Status gemm(const Gemm& product) {
  const TensorView& out = product.out;
  if (out.empty()) return {};
  if (may_rewrite(out)) {
    CopiedView whole;
    Status status = make_dense(shape_of(out), out.dtype, whole);
    if (!status.ok()) return status;
    status = gemm({whole.view, product.a, product.b, product.addend, product.alpha, product.beta,
                   product.sums_batches, product.b_panels});
    return status.ok() ? copy(out, whole.view) : status;
  }
  return wants_groups(product) ? multiply_groups(product) : compute_separate(product);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
