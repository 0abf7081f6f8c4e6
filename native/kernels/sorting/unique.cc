// SPDX-License-Identifier: Apache-2.0
#include "ops/unique.h"

#include <algorithm>
#include <numeric>

#include "dtypes.h"
#include "engines/copy.h"
#include "engines/dense.h"
#include "engines/sized_target.h"
#include "engines/sort.h"
#include "kernels/sorting/rows.h"
#include "kernels/sorting/runs.h"
#include "ops/unique2.h"
#include "ops/unique_consecutive.h"
#include "ops/unique_dim.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kNoDim = 1000;  // what stands for all elements

Shape vector_shape(int64_t length) {
  Shape shape;
  shape.rank = 1;
  shape.dims[0] = length;
  return shape;
}

// A result that may be unwanted, and then is empty.
struct Part {
  Part(const char* parameter, const SizedResult& result, bool is_wanted)
      : name(parameter), sized(result), target(result), wanted(is_wanted) {}

  Status prepare(const char* op, const Shape& shape) {
    return wanted ? target.prepare(op, name, shape) : sized.set_shape(op, name, {0});
  }

  const char* name;
  const SizedResult& sized;
  SizedTarget target;
  bool wanted;
};

struct Results {
  const char* op;
  Part values;
  Part inverse;
  Part* counts;  // null: there are none
};

// The shapes of the results, of which values may turn out too small.
Status prepare(Results& results, const Shape& values, const Shape& inverse, int64_t runs) {
  Status status = results.values.prepare(results.op, values);
  if (status.ok()) status = results.inverse.prepare(results.op, inverse);
  if (status.ok() && results.counts != nullptr) {
    status = results.counts->prepare(results.op, vector_shape(runs));
  }
  return status;
}

// Everything but the values.
Status deliver(const Results& results, const Runs& runs, const int64_t* order) {
  Status status;
  if (results.inverse.wanted) {
    runs.write_places(order, results.inverse.target.data());
    status = results.inverse.target.deliver();
  }
  if (status.ok() && results.counts != nullptr && results.counts->wanted) {
    runs.write_lengths(results.counts->target.data());
    status = results.counts->target.deliver();
  }
  return status;
}

Status write_unique(const Items& items, const Shape& self, const int64_t* order, Results& results) {
  Runs runs;
  Status status = runs.find(items);
  if (status.ok()) {
    status = prepare(results, vector_shape(runs.count()), self, runs.count());
  }
  if (!status.ok()) return status;
  runs.write_items(items, results.values.target.data());
  status = results.values.target.deliver();
  return status.ok() ? deliver(results, runs, order) : status;
}

Status unique(const TensorView& self, Results& results) {
  const int64_t count = self.elements();
  DenseArray read;
  CopiedView sorted, order;
  Status status = read.take(self, self.dtype);
  if (status.ok()) status = make_dense(vector_shape(count), self.dtype, sorted);
  if (status.ok() && results.inverse.wanted) {
    status = make_dense(vector_shape(count), ACL_INT64, order);
  }
  if (!status.ok()) return status;
  SortedPart part = {self.dtype, count, false, PartStart::kGiven, 0, count, true};
  int64_t* const places = reinterpret_cast<int64_t*>(order.memory.get());
  status = sort_rows(part, 1, read.as<char>(), sorted.memory.get(), places);
  if (!status.ok()) return status;
  const Items items(sorted.memory.get(), count, 1, self.dtype, true);
  return write_unique(items, shape_of(self), places, results);
}

// Slices along an axis as dense items.
struct Slices {
  Status take(const TensorView& self, int64_t dim) {
    axis = row_axis(dim, self);
    view = with_axis_at(self, axis, 0);
    length = view.shape[0];
    elements = self.elements() / length;
    return read.take(view, view.dtype);
  }
  Items items(aclDataType dtype) const { return Items(read.as<char>(), length, elements, dtype); }

  int axis;
  TensorView view;
  int64_t length, elements;
  DenseArray read;
};

Status write_slices(const Slices& slices, const Items& items, const int64_t* order,
                    Results& results) {
  Runs runs;
  Status status = runs.find(items);
  if (!status.ok()) return status;
  Shape packed_shape = shape_of(slices.view);
  packed_shape.dims[0] = runs.count();
  Shape shape = packed_shape;
  std::rotate(shape.dims, shape.dims + 1, shape.dims + slices.axis + 1);
  CopiedView packed;
  status = make_dense(packed_shape, items.dtype, packed);
  if (status.ok()) status = prepare(results, shape, vector_shape(slices.length), runs.count());
  if (!status.ok()) return status;
  runs.write_items(items, packed.memory.get());
  TensorView values = row_major_view(shape, items.dtype);
  values.data = results.values.target.data();
  status = copy(with_axis_at(values, slices.axis, 0), packed.view);
  if (status.ok()) status = results.values.target.deliver();
  return status.ok() ? deliver(results, runs, order) : status;
}

// Slices in the order of their first numbers that differ.
Status sort_slices(const Items& items, CopiedView& order, CopiedView& sorted) {
  Status status = make_dense(vector_shape(items.count), ACL_INT64, order);
  if (status.ok()) status = make_dense(vector_shape(items.count * items.bytes), ACL_INT8, sorted);
  if (!status.ok()) return status;
  int64_t* const places = reinterpret_cast<int64_t*>(order.memory.get());
  std::iota(places, places + items.count, 0);
  std::sort(places, places + items.count, [&](int64_t a, int64_t b) {
    const int compared = compare_items(items, a, b);
    return compared < 0 || (compared == 0 && a < b);
  });
  for (int64_t i = 0; i < items.count; ++i) {
    std::copy_n(items.data + places[i] * items.bytes, items.bytes,
                sorted.memory.get() + i * items.bytes);
  }
  return {};
}

}  // namespace

Status run(const UniqueArgs& args) {
  Results results = {args.kOperator,
                     {"valueOut", args.valueOut, true},
                     {"inverseOut", args.inverseOut, args.returnInverse},
                     nullptr};
  return unique(args.self, results);
}

Status run(const Unique2Args& args) {
  Part counts("countsOut", args.countsOut, args.returnCounts);
  Results results = {args.kOperator,
                     {"valueOut", args.valueOut, true},
                     {"inverseOut", args.inverseOut, args.returnInverse},
                     &counts};
  return unique(args.self, results);
}

Status run(const UniqueConsecutiveArgs& args) {
  Part counts("countsOut", args.countsOut, args.returnCounts);
  Results results = {args.kOperator,
                     {"valueOut", args.valueOut, true},
                     {"inverseOut", args.inverseOut, args.returnInverse},
                     &counts};
  Slices slices;
  if (args.dim != kNoDim) {
    const Status status = slices.take(args.self, args.dim);
    if (!status.ok()) return status;
    return write_slices(slices, slices.items(args.self.dtype), nullptr, results);
  }
  const Status status = slices.read.take(args.self, args.self.dtype);
  if (!status.ok()) return status;
  const Items items(slices.read.as<char>(), args.self.elements(), 1, args.self.dtype);
  return write_unique(items, shape_of(args.self), nullptr, results);
}

Status run(const UniqueDimArgs& args) {
  Part counts("countsOut", args.countsOut, true);
  Results results = {args.kOperator,
                     {"valueOut", args.valueOut, true},
                     {"inverseOut", args.inverseOut, args.returnInverse},
                     &counts};
  Slices slices;
  Status status = slices.take(args.self, args.dim);
  CopiedView order, sorted;
  if (status.ok()) status = sort_slices(slices.items(args.self.dtype), order, sorted);
  if (!status.ok()) return status;
  const Items items(sorted.memory.get(), slices.length, slices.elements, args.self.dtype);
  return write_slices(slices, items, reinterpret_cast<const int64_t*>(order.memory.get()), results);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
