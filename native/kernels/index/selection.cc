// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/copy.h"
#include "engines/dense_target.h"
#include "engines/mask.h"
#include "engines/sized_target.h"
#include "operator/layouts.h"
#include "ops/inplace_masked_scatter.h"
#include "ops/masked_select.h"
#include "ops/nonzero.h"
#include "ops/nonzero_v2.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kPlaces = 1024;  // that are found at once

// Writes coordinates of chosen elements: as columns, each dimension's one after the other, or as
// rows, each element's.
template <bool columns>
class PlaceWriter {
 public:
  PlaceWriter(const TensorView& self, int64_t found, char* out)
      : shape_(shape_of(self)),
        step_(columns ? 1 : self.rank),
        other_(columns ? found : 1),
        out_(out) {}

  void write(const CountedMask& mask, const CountedMask::Chunk& chunk) const {
    int64_t places[kPlaces];
    int64_t row = chunk.before;
    const int64_t end = chunk.first + chunk.count, end_row = chunk.before + chunk.chosen;
    for (int64_t begin = chunk.first; begin < end; begin += kPlaces) {
      const int64_t some = std::min(kPlaces, end - begin);
      const int64_t chosen = chosen_places(mask.bytes() + begin, some, begin, places);
      const int64_t found = std::min(chosen, end_row - row);
      for (int64_t k = 0; k < found;) k += write_line(places + k, found - k, row + k);
      row += found;
    }
  }

 private:
  // The places that differ in the last coordinate only; returns how many there are.
  int64_t write_line(const int64_t* places, int64_t most, int64_t row) const {
    const int last = shape_.rank - 1;
    const int64_t length = shape_.dims[last];
    int64_t rest = places[0] / length;
    const int64_t begin = rest * length;
    int64_t count = 0;
    for (char* to = at(row, last); count < most && places[count] - begin < length; ++count) {
      store<int64_t>(to + count * step(), places[count] - begin);
    }
    for (int d = last - 1; d >= 0; --d) {
      const int64_t value = rest % shape_.dims[d];
      rest /= shape_.dims[d];
      char* const to = at(row, d);
      for (int64_t k = 0; k < count; ++k) store<int64_t>(to + k * step(), value);
    }
    return count;
  }

  int64_t step() const { return columns ? 8 : 8 * step_; }  // vectors where it is known
  char* at(int64_t row, int d) const { return out_ + 8 * (row * step_ + d * other_); }

  const Shape shape_;
  const int64_t step_, other_;
  char* const out_;
};

template <bool columns>
void write_places(const TensorView& self, const CountedMask& mask, char* out) {
  const PlaceWriter<columns> writer(self, mask.chosen(), out);
  mask.for_each_chunk([&](const CountedMask::Chunk& chunk) { writer.write(mask, chunk); });
}

Status find_places(const char* op, const TensorView& self, const SizedResult& out, bool columns) {
  CountedMask mask;
  Status status = mask.count(self, shape_of(self));
  if (!status.ok()) return status;
  const int64_t found = mask.chosen(), rank = self.rank;
  Shape shape;
  shape.rank = 2;
  shape.dims[columns ? 0 : 1] = rank;
  shape.dims[columns ? 1 : 0] = found;
  SizedTarget target(out);
  status = target.prepare(op, "out", shape);
  if (!status.ok() || rank == 0) return status;
  const auto write = columns ? write_places<true> : write_places<false>;
  write(self, mask, target.data());
  return target.deliver();
}

// The elements, broadcast, as a dense array of a type, or themselves where they are one.
Status dense_values(const TensorView& self, const Shape& shape, aclDataType dtype,
                    CopiedView& dense) {
  if (has_shape(self, shape)) return dense_as(self, dtype, dense);
  const Status status = make_dense(shape, dtype, dense);
  return status.ok() ? copy(dense.view, self) : status;
}

Shape broadcast_shape(const TensorView& a, const TensorView& b) {
  Shape shape = shape_of(a.rank < b.rank ? b : a);
  const TensorView& shorter = a.rank < b.rank ? a : b;
  for (int i = 0, own = shape.rank - shorter.rank; i < shorter.rank; ++i, ++own) {
    if (shape.dims[own] == 1) shape.dims[own] = shorter.shape[i];
  }
  return shape;
}

}  // namespace

Status run(const NonzeroArgs& args) {
  return find_places(args.kOperator, args.self, args.out, false);
}

Status run(const NonzeroV2Args& args) {
  return find_places(args.kOperator, args.self, args.out, true);
}

Status run(const MaskedSelectArgs& args) {
  const Shape shape = broadcast_shape(args.self, args.mask);
  CountedMask mask;
  Status status = mask.count(args.mask, shape);
  CopiedView values;
  if (status.ok()) status = dense_values(args.self, shape, args.out.view().dtype, values);
  Shape chosen;
  chosen.rank = 1;
  chosen.dims[0] = mask.chosen();
  SizedTarget target(args.out);
  if (status.ok()) status = target.prepare(args.kOperator, "out", chosen);
  if (!status.ok()) return status;
  const int64_t size = data_type_bits(values.view.dtype) / 8;
  const char* const from = start_of(values.view);
  char* const to = target.data();
  mask.for_each_chunk([&](const CountedMask::Chunk& chunk) {
    pack_chosen(mask.bytes() + chunk.first, from + chunk.first * size, to + chunk.before * size,
                size, chunk.count, chunk.chosen);
  });
  return target.deliver();
}

Status run(const InplaceMaskedScatterArgs& args) {
  CountedMask mask;
  Status status = mask.count(args.mask, shape_of(args.selfRef));
  if (!status.ok()) return status;
  if (mask.chosen() > args.source.elements()) {
    return too_few_elements(args.kOperator, "source", args.source, mask.chosen());
  }
  if (mask.chosen() == 0) return {};
  CopiedView values;
  status = dense_as(args.source, args.selfRef.dtype, values);
  DenseTarget room;
  if (status.ok()) status = room.prepare_with_contents(args.selfRef);
  if (!status.ok()) return status;
  const int64_t size = data_type_bits(args.selfRef.dtype) / 8;
  const char* const from = start_of(values.view);
  char* const to = room.data();
  mask.for_each_chunk([&](const CountedMask::Chunk& chunk) {
    unpack_chosen(mask.bytes() + chunk.first, from + chunk.before * size, to + chunk.first * size,
                  size, chunk.count, chunk.chosen);
  });
  return room.deliver();
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
