// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "base/inline_vector.h"
#include "base/parallel.h"
#include "dtypes.h"
#include "engines/copy.h"
#include "engines/dense_target.h"
#include "kernels/shape/repeat_ends.h"
#include "kernels/shape/views.h"
#include "operator/layouts.h"
#include "ops/repeat_interleave.h"
#include "ops/repeat_interleave_int.h"
#include "ops/repeat_interleave_int_with_dim.h"
#include "ops/repeat_interleave_tensor.h"
#include "ops/repeat_interleave_with_dim.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kParallelBytes = 64 << 10;  // less is not worth a second thread

// Dense tensors as rows of items: each of `count` items in so many places of `length`.
struct Spread {
  const char* from;
  char* to;
  int64_t count, length, bytes;
  const int64_t* ends;  // where the places of each item end

  // kBytes is 0 for items of any size.
  template <int kBytes>
  void put(const char* item, int64_t place, int64_t times) const {
    char* target = to + place * bytes;
    const int64_t size = kBytes > 0 ? kBytes : bytes;
    for (; times > 0; --times, target += size) std::memcpy(target, item, size);
  }

  // Items whose number of places is hard to foretell, though it is small: so many are written
  // whether they stay or not, as long as there is room for them.
  template <int kBytes>
  void put_few(int64_t row, int64_t end, int64_t& begin, int64_t& place,
               const int64_t*& item) const {
    constexpr int64_t kFew = 4;
    const char* source = from + (row * count + (item - ends)) * kBytes;
    const int64_t row_begin = begin - place;
    for (; item < ends + count && end - begin >= kFew; ++item, source += kBytes) {
      const int64_t stop = std::min(row_begin + *item, end), times = stop - begin;
      char* const target = to + begin * kBytes;
      for (int64_t i = 0; i < kFew; ++i) std::memcpy(target + i * kBytes, source, kBytes);
      if (times > kFew) put<kBytes>(source, begin + kFew, times - kFew);
      begin = stop;
    }
    place = begin - row_begin;
  }

  // Places from begin to end, counted over all rows. Behind the last item there are zeros.
  template <int kBytes>
  void run(int64_t begin, int64_t end) const {
    int64_t row = begin / length, place = begin % length;
    const int64_t* item = std::upper_bound(ends, ends + count, place);
    while (begin < end) {
      if constexpr (kBytes > 0) put_few<kBytes>(row, end, begin, place, item);
      const bool is_last = item == ends + count;
      const int64_t stop = std::min((is_last ? length : *item) - place, end - begin);
      if (stop > 0 && is_last) std::memset(to + begin * bytes, 0, stop * bytes);
      if (stop > 0 && !is_last)
        put<kBytes>(from + (row * count + (item - ends)) * bytes, begin, stop);
      begin += stop;
      place += stop;
      if (!is_last) ++item;
      if (place < length) continue;
      place = 0;
      ++row;
      item = ends;
    }
  }

  void run(int64_t begin, int64_t end) const {
    switch (bytes) {
      case 1:
        return run<1>(begin, end);
      case 2:
        return run<2>(begin, end);
      case 4:
        return run<4>(begin, end);
      case 8:
        return run<8>(begin, end);
      default:
        return run<0>(begin, end);
    }
  }
};

int64_t product(const TensorView& view, int first, int end) {
  int64_t count = 1;
  for (int i = first; i < end; ++i) count *= view.shape[i];
  return count;
}

// Along an axis of self; of all elements as one row where the axis is -1.
Status spread(const TensorView& self, const int64_t* ends, int axis, const TensorView& out) {
  CopiedView source;
  source.view = self;
  DenseTarget result;
  Status status = result.prepare(out);
  if (status.ok() && !is_contiguous(self)) status = copy_of(self, source);
  if (!status.ok()) return status;
  const int64_t size = data_type_bits(self.dtype) / 8;
  const int64_t inner = axis < 0 ? 1 : product(self, axis + 1, self.rank);
  const int64_t count = axis < 0 ? self.elements() : self.shape[axis];
  const int64_t outer = axis < 0 ? 1 : product(self, 0, axis);
  const int64_t length = out.shape[std::max(axis, 0)];
  const char* const from = start_of(source.view);
  const Spread work = {from, result.data(), count, length, inner * size, ends};
  const int64_t grain = std::max<int64_t>(kParallelBytes / work.bytes, 1);
  parallel_for(outer * length, grain, [&](int64_t begin, int64_t end) { work.run(begin, end); });
  return result.deliver();
}

// The same number for all. Where it fits, out is a broadcast self; else places beyond are left out.
Status spread_evenly(const TensorView& self, int64_t times, int axis, const TensorView& out) {
  const int64_t count = axis < 0 ? self.elements() : self.shape[axis];
  const int64_t length = out.shape[std::max(axis, 0)];
  if (length <= 0) return {};
  if (times > 0 && length % times == 0 && length / times == count) {
    CopiedView dense;  // what comes together is read together then
    if (times > 1 && !is_contiguous(self)) {
      const Status status = copy_of(self, dense);
      if (!status.ok()) return status;
    }
    TensorView from = dense.memory != nullptr ? dense.view : self, to = out;
    split_axis(to, std::max(axis, 0), count, times);
    if (axis < 0) split_axis(to, 0, self.shape, self.rank);
    insert_axis(from, axis < 0 ? self.rank : axis + 1, 1, 0);
    return copy(to, from);
  }
  InlineVector<int64_t, 64> ends;
  int64_t* const numbers = ends.extend(static_cast<size_t>(count));
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) numbers[i] = sum += std::min(times, length - sum);
  return spread(self, ends.data(), axis, out);
}

template <typename Args>
Status spread_by_tensor(const Args& args, int axis) {
  const int64_t length = args.out.shape[std::max(axis, 0)];
  if (length <= 0) return {};
  RepeatEnds ends;
  Status status = ends.add_up(args.repeats, length);
  if (!status.ok()) return status;
  const int64_t count = axis < 0 ? args.self.elements() : args.self.shape[axis];
  status = args.repeats.elements() == 1 && count != 1
               ? spread_evenly(args.self, ends.first(), axis, args.out)
               : spread(args.self, ends.data(), axis, args.out);
  return status.ok() ? ends.report(args.kOperator, args.repeats) : status;
}

bool is_one_element(const TensorView& view) { return view.elements() == 1; }

}  // namespace

Status run(const RepeatInterleaveArgs& args) {
  const bool is_once = args.outputSize == args.self.elements() && is_one_element(args.repeats);
  if (is_once && args.out.rank != 1) return copy(args.out, args.self);
  return is_once ? spread_evenly(args.self, 1, -1, args.out) : spread_by_tensor(args, -1);
}

Status run(const RepeatInterleaveIntArgs& args) {
  if (args.repeats == 1 && args.out.rank != 1) return copy(args.out, args.self);
  return spread_evenly(args.self, args.repeats, -1, args.out);
}

Status run(const RepeatInterleaveIntWithDimArgs& args) {
  if (args.repeats == 1) return copy(args.out, args.self);
  return spread_evenly(args.self, args.repeats, axis_of(args.dim, args.self.rank), args.out);
}

// Repeats the positions 0, 1, 2 and so on.
Status run(const RepeatInterleaveTensorArgs& args) {
  CopiedView positions;
  Status status = make_dense(shape_of(args.repeats), args.out.dtype, positions);
  RepeatEnds ends;
  if (status.ok()) status = ends.add_up(args.repeats, args.out.shape[0]);
  if (!status.ok()) return status;
  const int64_t count = args.repeats.elements();
  for (int64_t i = 0; i < count; ++i) {
    if (args.out.dtype == ACL_INT32) {
      static_cast<int32_t*>(positions.view.data)[i] = static_cast<int32_t>(i);
    } else {
      static_cast<int64_t*>(positions.view.data)[i] = i;
    }
  }
  status = spread(positions.view, ends.data(), -1, args.out);
  return status.ok() ? ends.report(args.kOperator, args.repeats) : status;
}

Status run(const RepeatInterleaveWithDimArgs& args) {
  return spread_by_tensor(args, axis_of(args.dim, args.self.rank));
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
