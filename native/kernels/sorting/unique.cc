// SPDX-License-Identifier: Apache-2.0
#include "ops/unique.h"

#include <algorithm>

#include "base/scratch_memory.h"
#include "dtypes.h"
#include "engines/block_loop.h"
#include "engines/copy.h"
#include "engines/dense.h"
#include "engines/sized_target.h"
#include "engines/sort.h"
#include "kernels/sorting/item_order.h"
#include "kernels/sorting/rows.h"
#include "kernels/sorting/runs.h"
#include "ops/unique2.h"
#include "ops/unique_consecutive.h"
#include "ops/unique_dim.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kNoDim = 1000;             // what stands for all elements
constexpr int64_t kWorthCounting = 1 << 13;  // elements of two bytes

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

// Integers of one or two bytes, and BOOL, are counted, not sorted.
template <typename Bits>
class Counted {
 public:
  Counted(const char* numbers, int64_t count, aclDataType dtype)
      : numbers_(numbers), count_(count), dtype_(dtype) {}

  Status write(const Shape& self, Results& results) {
    counts_ = take_scratch<int64_t>(kTables * kValues);
    present_ = take_scratch<Bits>(kValues);
    if (counts_ == nullptr || present_ == nullptr) return no_memory_for_blocks();
    count();
    find();
    Status status = prepare(results, vector_shape(found_), self, found_);
    if (!status.ok()) return status;
    char* const values = results.values.target.data();
    for (int64_t i = 0; i < found_; ++i) store(values + i * sizeof(Bits), present_[i]);
    status = results.values.target.deliver();
    if (status.ok() && results.counts != nullptr && results.counts->wanted) {
      char* const counts = results.counts->target.data();
      for (int64_t i = 0; i < found_; ++i) store(counts + 8 * i, counts_[present_[i]]);
      status = results.counts->target.deliver();
    }
    if (!status.ok() || !results.inverse.wanted) return status;
    write_places(results.inverse.target.data());
    return results.inverse.target.deliver();
  }

 private:
  static constexpr int kValues = 1 << 8 * sizeof(Bits);
  static constexpr int kTables = sizeof(Bits) == 1 ? 8 : 1;  // equal bytes do not wait

  Bits number(int64_t i) const { return load<Bits>(numbers_ + i * sizeof(Bits)); }

  void count() {
    int64_t* const counts = counts_.get();
    std::fill_n(counts, kTables * kValues, 0);
    if (dtype_ == ACL_BOOL) {
      for (int64_t i = 0; i < count_; ++i) counts[1] += number(i) != 0 ? 1 : 0;
      counts[0] = count_ - counts[1];
      return;
    }
    for (int64_t i = 0; i < count_; ++i) ++counts[i % kTables * kValues + number(i)];
    for (int table = 1; table < kTables; ++table) {
      for (int i = 0; i < kValues; ++i) counts[i] += counts[table * kValues + i];
    }
  }

  // Those that occur, in their order.
  void find() {
    const bool is_signed = dtype_ == ACL_INT8 || dtype_ == ACL_INT16;
    const int first = is_signed ? kValues / 2 : 0;
    for (int i = 0; i < kValues; ++i) {
      present_[found_] = static_cast<Bits>(i ^ first);
      found_ += counts_[i ^ first] > 0;
    }
  }

  // The counts become places.
  void write_places(char* to) {
    const Counted own = {numbers_, count_, dtype_};  // which no store changes
    int64_t* const places = counts_.get();
    for (int64_t i = 0; i < found_; ++i) places[present_[i]] = i;
    if (dtype_ == ACL_BOOL) {  // no table, so that there are vectors
      const int64_t last = found_ - 1;
      for (int64_t i = 0; i < own.count_; ++i) store(to + 8 * i, own.number(i) != 0 ? last : 0);
      return;
    }
    for (int64_t i = 0; i < own.count_; ++i) store(to + 8 * i, places[own.number(i)]);
  }

  const char* numbers_;
  int64_t count_;
  aclDataType dtype_;
  int64_t found_ = 0;
  ScratchMemory<int64_t> counts_;
  ScratchMemory<Bits> present_;
};

Status unique(const TensorView& self, Results& results) {
  const int64_t count = self.elements();
  DenseArray read;
  CopiedView sorted, order;
  Status status = read.take(self, self.dtype);
  if (status.ok() && data_type_bits(self.dtype) == 8) {
    return Counted<uint8_t>(read.as<char>(), count, self.dtype).write(shape_of(self), results);
  }
  const bool is_short = self.dtype == ACL_INT16 || self.dtype == ACL_UINT16;
  if (status.ok() && is_short && count >= kWorthCounting) {
    return Counted<uint16_t>(read.as<char>(), count, self.dtype).write(shape_of(self), results);
  }
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
  if (status.ok()) status = sort_items(slices.items(args.self.dtype), order, sorted);
  if (!status.ok()) return status;
  const Items items(sorted.memory.get(), slices.length, slices.elements, args.self.dtype);
  return write_slices(slices, items, reinterpret_cast<const int64_t*>(order.memory.get()), results);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
