// SPDX-License-Identifier: Apache-2.0
#include "engines/vector_products.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "base/parallel.h"
#include "base/scratch_memory.h"
#include "engines/block_loop.h"
#include "engines/partial_sums.h"
#include "simd/fused.h"
#include "simd/transpose.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

using namespace partial_sums;

constexpr int kVectors = kPartials / kLanes<float>;
constexpr int kColumnsTogether = 4;
constexpr int64_t kShortTerms = 2 * kPartials - 1;  // more are added faster along a column
constexpr int64_t kGathered = 1024;                 // elements that are brought together at a time
constexpr int64_t kTasks = 16;                      // so many are shared well
constexpr int64_t kPartWork = 1 << 14;              // elements of a part, at least
constexpr int64_t kTaskWork = 1 << 15;              // elements; less is not worth a second thread

// How the result and its sums are cut.
struct Cut {
  explicit Cut(const GemmPlan& plan) : blocks(divided_up(plan.n, kWidth)) {
    const int64_t tasks = plan.batches * blocks;
    const int64_t work = std::min(kWidth, plan.n) * plan.k / kPartWork;
    const int64_t wanted = std::clamp<int64_t>(work, 1, divided_up(kTasks, tasks));
    part = divided_up(divided_up(plan.k, wanted), kWholeSum) * kWholeSum;
    parts = divided_up(plan.k, part);
  }

  int64_t blocks;
  int64_t part, parts;
};

template <typename T, int columns, typename Factor>
void add_partials(const Elements<T>& b, const Factor* factors, Floats (*sums)[kVectors]) {
  for (int v = 0; v < kVectors; ++v) {
    const Floats factor = load_widened(factors + v * kLanes<float>);
    for (int j = 0; j < columns; ++j) {
      const auto value = load_widened(b.data + j * b.step + v * kLanes<float>);
      sums[j][v] = fused_multiply_add(factor, value, sums[j][v]);
    }
  }
}

float total(Floats* partials) {
  for (int half = kVectors / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) partials[i] += partials[i + half];
  }
  float sums[kLanes<float>];
  store_vector(sums, partials[0]);
  for (int half = kLanes<float> / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

// sums[j] = the sum of factors[p] * b[j][p].
template <typename T, int columns, typename Factor>
void sum_columns(const Elements<T>& b, const Factor* factors, int64_t terms, float* sums) {
  Floats partials[columns][kVectors] = {};
  int64_t p = 0;
  for (; p + kPartials <= terms; p += kPartials) {
    add_partials<T, columns>({b.data + p, b.step}, factors + p, partials);
  }
  if (p < terms) {
    T end[columns][kPartials] = {};
    Factor last[kPartials] = {};
    for (int j = 0; j < columns; ++j) {
      std::memcpy(end[j], b.data + j * b.step + p, (terms - p) * sizeof(T));
    }
    std::copy_n(factors + p, terms - p, last);
    add_partials<T, columns>({end[0], kPartials}, last, partials);
  }
  for (int j = 0; j < columns; ++j) sums[j] = total(partials[j]);
}

// The same of few terms and at least a vector of columns: turned, so that partial sums are added
// for several columns at once. The last columns may be computed twice.
template <typename T>
void sum_short_columns(const Elements<T>& b, const float* factors, int64_t terms, int64_t columns,
                       float* sums) {
  const int64_t used = used_partials(terms);
  alignas(64) T turned[kShortTerms * kLanes<float>];
  for (int64_t next = 0; next < columns; next += kLanes<float>) {
    const int64_t j = std::min(next, columns - kLanes<float>);
    transpose(Columns<T>{b.data + j * b.step, b.step}, terms, kLanes<float>, turned);
    Floats partials[kPartials];
    std::fill_n(partials, used, Floats{});
    for (int64_t p = 0; p < terms; ++p) {
      Floats& partial = partials[p % kPartials];
      const Floats values = load_widened(turned + p * kLanes<float>);
      partial = fused_multiply_add(splat<Floats>(factors[p]), values, partial);
    }
    for (int64_t half = used / 2; half > 0; half /= 2) {
      for (int64_t i = 0; i < half; ++i) partials[i] += partials[i + half];
    }
    store_vector(sums + j, partials[0]);
  }
}

// Of each vector's parts of 2 `half` lanes, the halves that begin at the lane `first`: those of a,
// then those of b.
template <int half, int first, int... lane>
Floats halves_of(Floats a, Floats b, std::integer_sequence<int, lane...>) {
  constexpr int kAll = sizeof...(lane), kOfOne = kAll / 2;
  return __builtin_shufflevector(
      a, b, (lane / kOfOne * kAll + lane % kOfOne / half * 2 * half + lane % half + first)...);
}

// Lanes are added in pairs, for as many vectors as there are lanes; the first one has the sums.
template <int half = kLanes<float> / 2>
void add_lanes(Floats* vectors) {
  constexpr auto kLanesOfAll = std::make_integer_sequence<int, kLanes<float>>{};
  for (int i = 0; i < half; ++i) {
    const Floats a = vectors[2 * i], b = vectors[2 * i + 1];
    vectors[i] = halves_of<half, 0>(a, b, kLanesOfAll) + halves_of<half, half>(a, b, kLanesOfAll);
  }
  if constexpr (half > 1) add_lanes<half / 2>(vectors);
}

// sums[j] = the sum of factors[p] * b[j][p], of as many columns as a vector has lanes. The partial
// sums that have terms fill so many vectors, and the terms whole ones.
template <typename T, int vectors>
void sum_column_group(const Elements<T>& b, const float* factors, int64_t terms, float* sums) {
  constexpr int64_t kLength = kLanes<float>, kTerms = vectors * kLength;
  Floats folded[kLength];
  for (int64_t first = 0; first < kLength; first += kColumnsTogether) {
    Floats partials[kColumnsTogether][vectors] = {};
    const T* const data = b.data + first * b.step;
    for (int64_t p = 0; p < terms; p += kTerms) {
      for (int v = 0; v < vectors; ++v) {
        const int64_t place = p + v * kLength;
        if (place == terms) break;
        const auto factor = load_vector<Floats>(factors + place);
        for (int j = 0; j < kColumnsTogether; ++j) {
          const Floats values = load_widened(data + j * b.step + place);
          partials[j][v] = fused_multiply_add(factor, values, partials[j][v]);
        }
      }
    }
    for (int half = vectors / 2; half > 0; half /= 2) {
      for (int j = 0; j < kColumnsTogether; ++j) {
        for (int i = 0; i < half; ++i) partials[j][i] += partials[j][i + half];
      }
    }
    for (int j = 0; j < kColumnsTogether; ++j) folded[first + j] = partials[j][0];
  }
  add_lanes(folded);
  store_vector(sums, folded[0]);
}

// The last columns may be computed twice.
template <typename T, int vectors>
void sum_column_groups(const Elements<T>& b, const float* factors, int64_t terms, int64_t columns,
                       float* sums) {
  for (int64_t next = 0; next < columns; next += kLanes<float>) {
    const int64_t j = std::min(next, columns - kLanes<float>);
    sum_column_group<T, vectors>({b.data + j * b.step, b.step}, factors, terms, sums + j);
  }
}

// Null: terms are no whole vectors, or too few.
template <typename T>
auto find_groups(int64_t terms) -> decltype(&sum_column_groups<T, 1>) {
  const int64_t used = used_partials(terms);
  if (terms % kLanes<float> != 0) return nullptr;
  if (used == kPartials) return sum_column_groups<T, kVectors>;
  return used == kPartials / 2 ? sum_column_groups<T, kVectors / 2> : nullptr;
}

// A single sum whose factors are arrays of one dtype: neither of them is cast first.
using SumArrays = void (*)(const char* a, const char* b, int64_t terms, float* sum);

template <typename T>
void sum_arrays(const char* a, const char* b, int64_t terms, float* sum) {
  const Elements<T> column = {reinterpret_cast<const T*>(b), 0};
  sum_columns<T, 1>(column, reinterpret_cast<const T*>(a), terms, sum);
}

SumArrays find_sum_of_arrays(const GemmPlan& plan) {
  const bool are_arrays = plan.a.column_stride == 1 && plan.b.row_stride == 1;
  if (plan.n != 1 || !are_arrays || plan.a.dtype != plan.b.dtype) return nullptr;
  if (plan.a.dtype == ACL_FLOAT16) return sum_arrays<Half>;
  return plan.a.dtype == ACL_BF16 ? sum_arrays<BFloat16> : nullptr;
}

// The terms and columns of a block.
struct Block {
  const char* first;
  int64_t terms, columns;
  const float* factors;
};

using SumBlock = void (*)(const BatchedMatrix& b, const Block& block, float* sums);

template <typename T>
void sum_block(const BatchedMatrix& b, const Block& block, float* sums) {
  const auto* const data = reinterpret_cast<const T*>(block.first);
  if (b.row_stride != 1) {
    return sum_rows<T>({data, b.row_stride}, block.factors, block.terms, block.columns, sums);
  }
  const Elements<T> all = {data, b.column_stride};
  if (block.columns >= kLanes<float>) {
    if (const auto sum_groups = find_groups<T>(block.terms)) {
      return sum_groups(all, block.factors, block.terms, block.columns, sums);
    }
    if (block.terms <= kShortTerms) {
      return sum_short_columns<T>(all, block.factors, block.terms, block.columns, sums);
    }
  }
  int64_t j = 0;
  for (; j + kColumnsTogether <= block.columns; j += kColumnsTogether) {
    const Elements<T> some = {data + j * b.column_stride, b.column_stride};
    sum_columns<T, kColumnsTogether>(some, block.factors, block.terms, sums + j);
  }
  for (; j < block.columns; ++j) {
    const Elements<T> one = {data + j * b.column_stride, b.column_stride};
    sum_columns<T, 1>(one, block.factors, block.terms, sums + j);
  }
}

// Elements that lie or are otherwise, cast and brought together.
void sum_scattered(const BatchedMatrix& b, const Block& block, float* sums) {
  for (int64_t j = 0; j < block.columns; ++j) {
    Floats partials[1][kVectors] = {};
    for (int64_t p = 0; p < block.terms; p += kGathered) {
      float values[kGathered], factors[kGathered];
      const int64_t n = std::min(kGathered, block.terms - p);
      const int64_t padded = divided_up(n, kPartials) * kPartials;
      std::fill(values + n, values + padded, 0.0F);
      std::fill(factors + n, factors + padded, 0.0F);
      std::copy_n(block.factors + p, n, factors);
      const char* const from = block.first + (p * b.row_stride + j * b.column_stride) * b.item_size;
      b.cast(from, b.row_stride * b.item_size, reinterpret_cast<char*>(values), sizeof(float), n);
      for (int64_t i = 0; i < padded; i += kPartials) {
        add_partials<float, 1>({values + i, 0}, factors + i, partials);
      }
    }
    sums[j] = total(partials[0]);
  }
}

SumBlock find_sum(const BatchedMatrix& b) {
  const bool has_rows = b.column_stride == 1 && b.columns >= kLanes<float>;
  if (b.row_stride != 1 && !has_rows) return sum_scattered;
  switch (b.dtype) {
    case ACL_FLOAT:
      return sum_block<float>;
    case ACL_FLOAT16:
      return sum_block<Half>;
    case ACL_BF16:
      return sum_block<BFloat16>;
    default:
      return sum_scattered;
  }
}

// Parts of the vectors as floats: where they are, or cast and brought together by a thread.
class Factors {
 public:
  Factors(const GemmPlan& plan, int64_t part) : plan_(plan) {
    const bool aligned = reinterpret_cast<uintptr_t>(plan.a.data) % alignof(float) == 0;
    const bool side_by_side = plan.a.column_stride == 1 || plan.k == 1;
    ready_ = plan.a.dtype == ACL_FLOAT && aligned && side_by_side;
    if (!ready_) cast_ = take_scratch<float>(part);
  }

  // False: there is not enough memory.
  bool complete() const { return ready_ || cast_ != nullptr; }

  const float* of(int64_t batch, int64_t first, int64_t terms) {
    const char* const from = plan_.a.at(plan_.offset_in(plan_.a, batch), 0, first);
    if (ready_) return reinterpret_cast<const float*>(from);
    if (batch != batch_ || first != first_) {
      plan_.a.cast(from, plan_.a.column_stride * plan_.a.item_size,
                   reinterpret_cast<char*>(cast_.get()), sizeof(float), terms);
    }
    batch_ = batch;
    first_ = first;
    return cast_.get();
  }

 private:
  const GemmPlan& plan_;
  bool ready_;
  ScratchMemory<float> cast_;
  int64_t batch_ = -1, first_ = -1;  // of what is there
};

}  // namespace

bool multiplies_vector(const GemmPlan& plan) {
  return plan.has_vector && plan.m == 1 && plan.k > 0 && plan.repeats == 1 &&
         plan.computed == ACL_FLOAT && plan.b.source == nullptr;
}

Status multiply_vector(const GemmPlan& plan, StoreRow store, const void* context) {
  const Cut cut(plan);
  const SumBlock sum = find_sum(plan.b);
  const SumArrays of_arrays = find_sum_of_arrays(plan);
  const int64_t rows = plan.batches * cut.parts;
  const bool direct = plan.out.direct && cut.parts == 1;
  const std::unique_ptr<float[]> sums(direct ? nullptr : new (std::nothrow) float[rows * plan.n]);
  if (sums == nullptr && !direct) return no_memory_for_blocks();
  const auto place = [&](int64_t row, int64_t column) {
    if (!direct) return sums.get() + row * plan.n + column;
    return reinterpret_cast<float*>(plan.out.at(plan.offset_in(plan.out, row), 0, column));
  };
  std::atomic<bool> enough_memory{true};
  const int64_t work = std::min(kWidth, plan.n) * std::min(cut.part, plan.k);
  const auto compute = [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end && of_arrays != nullptr; ++number) {
      const int64_t batch = number / cut.parts, first = number % cut.parts * cut.part;
      const char* const a = plan.a.at(plan.offset_in(plan.a, batch), 0, first);
      const char* const b = plan.b.at(plan.offset_in(plan.b, batch), first, 0);
      of_arrays(a, b, std::min(cut.part, plan.k - first), place(number, 0));
    }
    if (of_arrays != nullptr) return;
    Factors factors(plan, cut.part);
    if (!factors.complete()) {
      enough_memory = false;
      return;
    }
    for (int64_t number = begin; number < end; ++number) {
      const int64_t block = number % cut.blocks, row = number / cut.blocks;
      const int64_t batch = row / cut.parts, first = row % cut.parts * cut.part;
      const int64_t column = block * kWidth, terms = std::min(cut.part, plan.k - first);
      const char* const data = plan.b.at(plan.offset_in(plan.b, batch), first, column);
      sum(plan.b, {data, terms, std::min(kWidth, plan.n - column), factors.of(batch, first, terms)},
          place(row, column));
    }
  };
  parallel_for(rows * cut.blocks, std::max<int64_t>(kTaskWork / work, 1), compute);
  if (!enough_memory) return no_memory_for_blocks();
  if (direct) return {};
  for (int64_t batch = 0; batch < plan.batches; ++batch) {
    float* const all = sums.get() + batch * cut.parts * plan.n;
    for (int64_t part = 1; part < cut.parts; ++part) {
      for (int64_t j = 0; j < plan.n; ++j) all[j] += all[part * plan.n + j];
    }
    store(context, batch, 0, plan.n, all);
  }
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
