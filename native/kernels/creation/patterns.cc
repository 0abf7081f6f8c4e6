// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/copy.h"
#include "engines/loop_nest.h"
#include "kernels/creation/fill.h"
#include "ops/eye.h"
#include "ops/one_hot.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

TensorView diagonal_of(const TensorView& matrix) {
  TensorView diagonal = matrix;
  diagonal.rank = 1;
  diagonal.shape[0] = std::min(matrix.shape[0], matrix.shape[1]);
  diagonal.strides[0] = matrix.strides[0] + matrix.strides[1];
  return diagonal;
}

TensorView without_axis(const TensorView& view, int axis) {
  TensorView rest = view;
  --rest.rank;
  std::copy(view.shape + axis + 1, view.shape + view.rank, rest.shape + axis);
  std::copy(view.strides + axis + 1, view.strides + view.rank, rest.strides + axis);
  return rest;
}

TensorView first_element(const TensorView& view) {
  TensorView first = view;
  first.rank = 0;
  return first;
}

int64_t load_class(const char* address, int64_t item_size) {
  if (item_size == 8) return load<int64_t>(address);
  return item_size == 4 ? load<int32_t>(address) : load<uint8_t>(address);
}

// What is written: the element of the value, that many bytes further for each class.
struct Mark {
  const char* value;
  int64_t classes;
  int64_t axis_stride;
};

// Positions [begin, end): places of class 0, and the classes.
void mark_range(const Mark& mark, const LoopNest& nest, int64_t begin, int64_t end) {
  const LoopNest::Operand &places = nest.operand[0], &classes = nest.operand[1];
  Block block(nest, begin);
  for (; begin < end; begin += block.count) {
    block.advance(nest);
    block.count = std::min(end - begin, nest.shape[0] - block.index[0]);
    char* to = address_of(nest, places, block);
    const char* from = address_of(nest, classes, block);
    for (int64_t i = 0; i < block.count; ++i) {
      const int64_t number = load_class(from + i * classes.strides[0], classes.item_size);
      if (number < 0 || number >= mark.classes) continue;
      std::memcpy(to + i * places.strides[0] + number * mark.axis_stride, mark.value,
                  places.item_size);
    }
  }
}

}  // namespace

Status run(const EyeArgs& args) {
  const Status zeros = fill_with_zero(args.out);
  return zeros.ok() ? fill_with_one(diagonal_of(args.out)) : zeros;
}

Status run(const OneHotArgs& args) {
  constexpr int64_t kGrain = 4096;
  Status status = copy(args.out, first_element(args.offValue));
  if (!status.ok()) return status;
  const int axis = static_cast<int>(args.axis < 0 ? args.self.rank : args.axis);
  const TensorView places = without_axis(args.out, axis);
  const TensorView* const views[] = {&places, &args.self};
  const LoopNest nest = make_nest(views, 2, 1);
  const int64_t size = nest.operand[0].item_size;
  const Mark mark = {static_cast<const char*>(args.onValue.data) + args.onValue.offset * size,
                     args.numClasses, args.out.strides[axis] * size};
  parallel_for(nest.total, kGrain,
               [&](int64_t begin, int64_t end) { mark_range(mark, nest, begin, end); });
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
