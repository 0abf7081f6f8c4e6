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

// Coordinates of places as they follow each other: only what changes is divided again.
class Coordinates {
 public:
  explicit Coordinates(const TensorView& view) : rank_(view.rank), length_(view.shape[rank_ - 1]) {
    std::copy_n(view.shape, rank_, shape_);
  }

  const int64_t* at(int64_t place) {
    if (place < row_ || place >= row_ + length_) {
      int64_t rest = place / length_;
      row_ = rest * length_;
      for (int i = rank_ - 2; i >= 0; --i) {
        values_[i] = rest % shape_[i];
        rest /= shape_[i];
      }
    }
    values_[rank_ - 1] = place - row_;
    return values_;
  }

 private:
  int rank_;
  int64_t length_, row_ = INT64_MIN / 2;
  int64_t shape_[kMaxRank], values_[kMaxRank] = {};
};

// Writes coordinate d of the k-th place at k * step + d * other_step. kRank is 0 for any rank.
template <int kRank>
void write_places(const TensorView& self, const CountedMask& mask, char* out, int64_t step,
                  int64_t other_step) {
  const int rank = kRank > 0 ? kRank : self.rank;
  mask.for_each_chunk([&](const CountedMask::Chunk& chunk) {
    int64_t places[kPlaces];
    Coordinates coordinates(self);
    int64_t row = chunk.before, end_row = chunk.before + chunk.chosen;
    const int64_t end = chunk.first + chunk.count;
    for (int64_t begin = chunk.first; begin < end; begin += kPlaces) {
      const int64_t some = std::min(kPlaces, end - begin);
      const int64_t found = chosen_places(mask.bytes() + begin, some, begin, places);
      for (int64_t k = 0; k < found && row < end_row; ++k, ++row) {
        char* const to = out + row * step * 8;
        const int64_t* const values = coordinates.at(places[k]);
        for (int d = 0; d < rank; ++d) store<int64_t>(to + d * other_step * 8, values[d]);
      }
    }
  });
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
  auto* const write = rank == 1   ? write_places<1>
                      : rank == 2 ? write_places<2>
                      : rank == 3 ? write_places<3>
                                  : write_places<0>;
  write(self, mask, target.data(), columns ? 1 : rank, columns ? found : 1);
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
