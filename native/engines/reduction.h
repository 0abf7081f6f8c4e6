// SPDX-License-Identifier: Apache-2.0
// Many values to one, over any set of dimensions, without their types.
//
// Note [Order of reductions of loops]
// It follows from the shapes alone. Where a result takes at least few_values, which depends on kind
// and type, and the last dimension goes, its values, in the order of positions, are cut in parts of
// kReducedPart; a part is reduced in lanes. So are fewer than few_results where the dimensions that
// go are neighbours: memory may then run along them or across. Else all results grow together, by
// one value each at a time, in groups of positions; if they are few, in several lanes that take
// turns. Parts, groups and their lanes are joined in halves.
// Of what may be reduced in any order, the dimension along which memory runs takes the place of the
// last one, and positions follow memory.
#pragma once

#include "engines/pointwise.h"
#include "engines/reducers.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Changes states; each was made of that many values.
using Finish = void (*)(char* states, int64_t count, int64_t values, double number);

struct Reduction {
  Reduce kind;
  aclDataType values;  // what is reduced, or of a map what its loop stores
  Loop map = nullptr;  // null: the values of the only input
  const Number* numbers = nullptr;
  Finish finish = nullptr;
  double number = 0.0;  // for finish
  // The map and the reducer at once, of an array of the only input's values; may be null.
  ReduceArray reduce_plain = nullptr;
};

// The inputs broadcast to one shape. Outputs, aligned at its right, lack dimensions that are
// reduced or have them with length 1. Output k takes field k of the states, rounded to the
// operand's dtype, then cast to the view's; one without a view is left out.
Status reduce(const Reduction& reduction, const Operand* outs, int out_count, const Operand* ins,
              int in_count);

// Divides sums of values of a loop's type by how many they are made of; integers towards zero.
Finish find_mean(aclDataType values);

// A view of a result that has each dimension of the input, those of the mask with length 1.
TensorView with_reduced(const TensorView& result, const TensorView& in, uint32_t mask);

// The dimensions that values name, negative ones counted from the end; none named: all.
uint32_t mask_of(const IntArrayView& dims, int rank);
uint32_t mask_of(int64_t dim, int rank);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
