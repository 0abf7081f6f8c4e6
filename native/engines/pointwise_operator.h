// SPDX-License-Identifier: Apache-2.0
// Operators whose kernel is a traced function: tables of loops and of where their operands are.
#pragma once

#include <cstdint>

#include "engines/pointwise.h"
#include "operator/args.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int32_t kComputed = -1;  // instead of a term: the dtype that is computed in
constexpr int32_t kWhole = -1;     // instead of a term: the tensor itself

struct TypedLoop {
  aclDataType dtype;        // FLOAT16 and BF16 where they have a loop of their own
  Loop loop;                // null: they have none; of others, the elements stay what they are
  int32_t inputs;           // how many it reads, from the first one on
  Loop row_loop = nullptr;  // for a single element of the first input, where that is a column
};

struct TensorSource {
  int32_t param;
  int32_t dtype;  // a term: what an input is cast to, what a result is rounded to
  int32_t view;   // a term: the elements that are meant
};

// What stands for a number that the caller left out.
enum class Absent : uint8_t { kZero, kLeast, kMost };

struct NumberSource {
  int32_t param;  // means nothing where `value` is a term
  int32_t dtype;  // a term; kComputed keeps what the loop's type can hold
  Absent absent;
  int32_t value;  // a term: the number itself; kComputed: it is the argument
};

template <typename T>
struct Table {
  const T* rows;
  int32_t count;

  constexpr Table() : rows(nullptr), count(0) {}
  template <int32_t n>
  constexpr Table(const T (&array)[n]) : rows(array), count(n) {}
};

struct PointwiseKernel {
  int32_t computed;        // a term: the dtype
  int32_t variant;         // a term: which of several functions; kComputed if there is one
  Table<TypedLoop> loops;  // for every variant the same dtypes
  int32_t dtypes;          // how many
  int32_t reduction;       // a term: 0 none, 1 mean, 2 sum; kComputed: never one
  Table<TensorSource> inputs;
  Table<TensorSource> outputs;
  Table<NumberSource> numbers;
};

Status run_pointwise(const Args& args, const PointwiseKernel& kernel);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
