// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/block_loop.h"
#include "engines/copy.h"
#include "engines/dense.h"
#include "engines/scalars.h"
#include "engines/sort_words.h"
#include "kernels/sorting/rows.h"
#include "operator/index_error.h"
#include "operator/layouts.h"
#include "ops/bucketize.h"
#include "ops/search_sorted.h"
#include "ops/search_sorteds.h"
#include "simd/convert.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int kLanes = 8;  // searches at once: each waits for memory at every step
constexpr int64_t kGrain = 4096;
constexpr int kOrderedLanes = 16;
constexpr int64_t kWorthOrder = 8;  // elements for each key: so few are looked at first,
constexpr int64_t kManyKeys = 64;   // if keys are so many

// The type that numbers of a type are compared in.
aclDataType compared_type(aclDataType dtype) {
  if (data_type_category(dtype) == TypeCategory::kFloating) return loop_type(dtype);
  switch (dtype) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_INT16:
    case ACL_INT32:
      return dtype;
    default:
      return ACL_INT64;
  }
}

// Numbers after their cast to a type, dense and in the type that they are compared in.
class Numbers {
 public:
  Status take(const TensorView& view, aclDataType dtype) {
    const TensorView* from = &view;
    CopiedView cast;
    if (view.dtype != dtype) {
      Status status = make_dense(shape_of(view), dtype, cast);
      if (status.ok()) status = copy(cast.view, view);
      if (!status.ok()) return status;
      from = &cast.view;
    }
    data_ = static_cast<const char*>(from->data) + from->offset * data_type_bits(dtype) / 8;
    if (from == &view && dtype == compared_type(dtype) && is_contiguous(view) &&
        is_aligned(data_, data_type_bits(dtype) / 8)) {
      return {};
    }
    Status status = make_dense(shape_of(view), compared_type(dtype), dense_);
    if (status.ok()) status = copy(dense_.view, *from);
    data_ = dense_.memory.get();
    return status;
  }
  const char* data() const { return data_; }

 private:
  const char* data_ = nullptr;
  CopiedView dense_;
};

// What is compared of a number as it is stored.
template <typename Number>
Number number(Number stored) {
  return stored;
}
inline float number(Half stored) { return widen(stored); }
inline float number(BFloat16 stored) { return widen(stored); }

// All bits are set if a value comes before a key: a mask, which compilers make no branches of.
template <bool right, typename Number>
int64_t before(Number value, Number key) {
  return -static_cast<int64_t>(right ? !(value > key) : !(value >= key));
}

// How far some keys are from the start of a sorted row. A row that is not sorted gives what these
// steps of halving give. No branches: searches wait for memory at every step, and one that guessed
// wrong would hold up the others. Places are left for all steps but the last, which finds one or
// none.
template <typename Stored, typename Number, bool right>
void search_lanes(const Stored* row, int64_t length, const Number* keys, int64_t* out) {
  int64_t low[kLanes], rest[kLanes];
  for (int i = 0; i < kLanes; ++i) low[i] = 0;
  for (int i = 0; i < kLanes; ++i) rest[i] = length;
  for (int step = bit_width(static_cast<uint64_t>(length)); step > 1; --step) {
    for (int i = 0; i < kLanes; ++i) {
      const int64_t half = rest[i] >> 1;
      const int64_t mask = before<right>(number(row[low[i] + half]), keys[i]);
      low[i] += (half + 1) & mask;
      rest[i] = half + (mask & ((rest[i] & 1) - 1));
    }
  }
  for (int i = 0; i < kLanes; ++i) {
    out[i] = low[i] + (rest[i] & before<right>(number(row[std::min(low[i], length - 1)]), keys[i]));
  }
}

// The same places in a row that is sorted, where it does not matter which steps find them: in
// these, all keys have as many places left, so that there is less to keep of each.
template <typename Stored, typename Number, bool right>
void search_ordered_lanes(const Stored* row, int64_t length, const Number* keys, int64_t* out) {
  int64_t low[kOrderedLanes] = {};
  for (int64_t left = length; left > 1; left -= left >> 1) {
    const int64_t half = left >> 1;
    for (int i = 0; i < kOrderedLanes; ++i) {
      low[i] += half & before<right>(number(row[low[i] + half - 1]), keys[i]);
    }
  }
  for (int i = 0; i < kOrderedLanes; ++i) {
    out[i] = low[i] - before<right>(number(row[low[i]]), keys[i]);
  }
}

// Nor is there a NaN in it.
template <typename Stored>
bool is_ordered(const Stored* row, int64_t length) {
  bool ordered = number(row[0]) == number(row[0]);
  for (int64_t i = 1; i < length; ++i) ordered &= number(row[i - 1]) <= number(row[i]);
  return ordered;
}

// Finds the places of so many keys at once.
template <int lanes, auto find, typename Stored, typename Number>
void search_by(const Stored* row, int64_t length, const Number* keys, int64_t count, int64_t* out) {
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) find(row, length, keys + i, out + i);
  if (i == count) return;
  Number last[lanes] = {};
  int64_t found[lanes];
  std::copy(keys + i, keys + count, last);
  find(row, length, last, found);
  std::copy_n(found, count - i, out + i);
}

template <typename Stored, typename Number, bool right>
void search(const Stored* row, int64_t length, const Number* keys, int64_t count, int64_t* out) {
  const bool ordered =
      count >= kManyKeys && length / kWorthOrder < count && is_ordered(row, length);
  const auto search =
      ordered
          ? search_by<kOrderedLanes, search_ordered_lanes<Stored, Number, right>, Stored, Number>
          : search_by<kLanes, search_lanes<Stored, Number, right>, Stored, Number>;
  search(row, length, keys, count, out);
}

struct Search {
  const char* rows;
  int64_t length;    // of a row
  int64_t row_keys;  // keys that belong to one row
  const char* keys;
  int64_t count;
  int64_t* out;
};

template <typename Stored, bool right>
void search_all(const Search& s) {
  using Number = decltype(number(Stored()));
  const Stored* const rows = reinterpret_cast<const Stored*>(s.rows);
  const Number* const keys = reinterpret_cast<const Number*>(s.keys);
  parallel_for(s.count, kGrain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t row = begin / s.row_keys, last = std::min(end, (row + 1) * s.row_keys);
      search<Stored, Number, right>(rows + row * s.length, s.length, keys + begin, last - begin,
                                    s.out + begin);
      begin = last;
    }
  });
}

template <typename Stored>
void search_all(const Search& s, bool right) {
  right ? search_all<Stored, true>(s) : search_all<Stored, false>(s);
}

void search_all(const Search& s, aclDataType dtype, bool right) {
  switch (dtype) {
    case ACL_FLOAT16:
      return search_all<Half>(s, right);
    case ACL_BF16:
      return search_all<BFloat16>(s, right);
    case ACL_FLOAT:
      return search_all<float>(s, right);
    case ACL_DOUBLE:
      return search_all<double>(s, right);
    case ACL_INT8:
      return search_all<int8_t>(s, right);
    case ACL_UINT8:
      return search_all<uint8_t>(s, right);
    case ACL_INT16:
      return search_all<int16_t>(s, right);
    case ACL_INT32:
      return search_all<int32_t>(s, right);
    default:
      return search_all<int64_t>(s, right);
  }
}

// Rows in the order that a sorter names, in memory of their own. Indices out of range count as 0.
template <typename Bits>
BadIndex reorder(const Search& s, int64_t elements, const int64_t* sorter, char* sorted) {
  const Bits* const from = reinterpret_cast<const Bits*>(s.rows);
  Bits* const to = reinterpret_cast<Bits*>(sorted);
  FirstBadIndex bad;
  parallel_for(elements, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = sorter[i];
      const bool good = static_cast<uint64_t>(index) < static_cast<uint64_t>(s.length);
      if (!good) bad.add({i, index});
      to[i] = from[i / s.length * s.length + (good ? index : 0)];
    }
  });
  return bad.get();
}

struct Searched {
  const char* op;
  const TensorView& sequence;
  const TensorView& keys;
  const TensorView* sorter;  // null: the sequence is sorted
  aclDataType dtype;         // of both, before they are compared
  bool right;
  const TensorView& out;
};

Status apply_sorter(const Searched& what, aclDataType compared, Search& s, CopiedView& sorted) {
  DenseArray sorter;
  Status status = sorter.take(*what.sorter, ACL_INT64);
  if (status.ok()) status = make_dense(shape_of(what.sequence), compared, sorted);
  if (!status.ok()) return status;
  const int bits = data_type_bits(compared);
  const auto order = bits == 8    ? reorder<uint8_t>
                     : bits == 16 ? reorder<uint16_t>
                     : bits == 32 ? reorder<uint32_t>
                                  : reorder<uint64_t>;
  const BadIndex bad =
      order(s, what.sequence.elements(), sorter.as<int64_t>(), sorted.memory.get());
  s.rows = sorted.memory.get();
  if (bad.position < 0) return {};
  return axis_index_out_of_range(what.op, "sorter", *what.sorter, bad, s.length, false);
}

// Whether the sequence is better searched where it lies: few keys meet few of its 16-bit floats, so
// it is not worth widening all.
bool stays(const Searched& what) {
  constexpr int64_t kMany = 64;  // elements for each key
  const TensorView& sequence = what.sequence;
  return what.sorter == nullptr && sequence.dtype == what.dtype &&
         data_type_category(what.dtype) == TypeCategory::kFloating &&
         data_type_bits(what.dtype) == 16 && is_contiguous(sequence) &&
         is_aligned(sequence.data, 2) && sequence.elements() / kMany > what.keys.elements();
}

Status find_places(const Searched& what) {
  if (what.out.empty()) return {};
  if (what.sequence.empty()) return fill(what.out, double_value(0.0));
  const aclDataType compared = compared_type(what.dtype);
  Numbers sequence, keys;
  WrittenRows out;
  const bool in_place = stays(what);
  Status status = in_place ? Status() : sequence.take(what.sequence, what.dtype);
  if (status.ok()) status = keys.take(what.keys, what.dtype);
  if (status.ok()) status = out.take(what.out, ACL_INT64);
  if (!status.ok()) return status;
  const int rank = what.sequence.rank, own = what.keys.rank;
  const char* const stored =
      static_cast<const char*>(what.sequence.data) + 2 * what.sequence.offset;
  Search s = {in_place ? stored : sequence.data(),
              rank > 0 ? what.sequence.shape[rank - 1] : 1,
              1,
              keys.data(),
              what.keys.elements(),
              out.indices()};
  s.row_keys = rank > 1 ? what.keys.shape[own - 1] : s.count;
  CopiedView sorted;
  Status found;
  if (what.sorter != nullptr) {
    found = apply_sorter(what, compared, s, sorted);
    if (sorted.memory == nullptr) return found;
  }
  search_all(s, in_place ? what.dtype : compared, what.right);
  status = out.give();
  return found.ok() ? status : found;
}

}  // namespace

Status run(const SearchSortedArgs& args) {
  return find_places({args.kOperator, args.sortedSequence, args.self,
                      args.sorter.present ? &args.sorter : nullptr,
                      promote(args.sortedSequence.dtype, args.self.dtype), args.right, args.out});
}

// A single key, and a single place whatever the shape of out.
Status run(const SearchSortedsArgs& args) {
  const Shape one = {1, {1}};
  CopiedView key;
  Status status = make_dense(one, args.sortedSequence.dtype, key);
  if (status.ok()) status = fill(key.view, double_value(args.self.to_float()));
  if (!status.ok()) return status;
  TensorView out = args.out;
  out.rank = 1;
  out.shape[0] = out.strides[0] = 1;
  return find_places({args.kOperator, args.sortedSequence, key.view,
                      args.sorter.present ? &args.sorter : nullptr, key.view.dtype, args.right,
                      out});
}

Status run(const BucketizeArgs& args) {
  const aclDataType own = args.self.dtype, boundaries = args.boundaries.dtype;
  const bool keeps = data_type_category(boundaries) == TypeCategory::kFloating ||
                     data_type_category(own) != TypeCategory::kFloating;
  return find_places({args.kOperator, args.boundaries, args.self, nullptr,
                      args.self.rank == 0 && keeps ? boundaries : promote(own, boundaries),
                      args.right, args.out});
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
