// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <new>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/block_loop.h"
#include "engines/copy.h"
#include "ops/cumsum.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kColumns = 512;     // that grow together
constexpr int64_t kGrain = 16 << 10;  // elements; less is not worth a second thread

// A dense tensor with memory of its own.
struct Dense {
  Dense(const Shape& shape, aclDataType dtype) : view(row_major_view(shape, dtype)) {
    memory.reset(new (std::nothrow) char[view.elements() * data_type_bits(dtype) / 8]);
    view.data = memory.get();
  }

  TensorView view;
  std::unique_ptr<char[]> memory;
};

// What sums are made in.
aclDataType wide_type(aclDataType dtype) {
  switch (data_type_category(dtype)) {
    case TypeCategory::kFloating:
      return ACL_DOUBLE;
    case TypeCategory::kComplex:
      return ACL_COMPLEX128;
    default:
      return ACL_INT64;
  }
}

// Adds the value before along the axis; an element is `parts` numbers.
template <typename Number, int parts>
void add_up(const TensorView& view, int axis) {
  int64_t inner = parts, outer = 1;
  for (int i = axis + 1; i < view.rank; ++i) inner *= view.shape[i];
  for (int i = 0; i < axis; ++i) outer *= view.shape[i];
  const int64_t length = view.rank > 0 ? view.shape[axis] : 1;
  const int64_t columns = std::min(inner, kColumns), blocks = (inner + columns - 1) / columns;
  Number* const data = static_cast<Number*>(view.data);
  const int64_t grain = std::max<int64_t>(1, kGrain / (columns * length));
  parallel_for(outer * blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t first = unit % blocks * columns;
      const int64_t count = std::min(columns, inner - first);
      Number* row = data + unit / blocks * length * inner + first;
      for (int64_t i = 1; i < length; ++i, row += inner) {
        for (int64_t k = 0; k < count; ++k) row[inner + k] += row[k];
      }
    }
  });
}

void add_up_wide(const TensorView& view, int axis) {
  if (view.dtype == ACL_DOUBLE) return add_up<double, 1>(view, axis);
  if (view.dtype == ACL_COMPLEX128) return add_up<double, 2>(view, axis);
  add_up<uint64_t, 1>(view, axis);
}

}  // namespace

Status run(const CumsumArgs& args) {
  const Shape shape = shape_of(args.self);
  const Dense sums(shape, wide_type(args.out.dtype));
  if (sums.memory == nullptr) return no_memory_for_blocks();
  Status status;
  if (args.self.dtype == args.out.dtype) {
    status = copy(sums.view, args.self);
  } else {
    const Dense cast(shape, args.out.dtype);
    if (cast.memory == nullptr) return no_memory_for_blocks();
    status = copy(cast.view, args.self);
    if (status.ok()) status = copy(sums.view, cast.view);
  }
  if (!status.ok()) return status;
  const int64_t axis = args.dim < 0 ? args.dim + std::max(args.self.rank, 1) : args.dim;
  add_up_wide(sums.view, static_cast<int>(axis));
  return copy(args.out, sums.view);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
