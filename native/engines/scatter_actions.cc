// SPDX-License-Identifier: Apache-2.0
#include "engines/scatter_actions.h"

#include <type_traits>

#include "dtypes.h"
#include "engines/runs.h"
#include "simd/memory.h"
#include "simd/rounded_product.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// BOOL: any byte but 0 is true.
struct Truth {
  uint8_t byte;
};

struct Replace {
  template <typename T>
  static T of(T, T b) {
    return b;
  }
};

// Integers wrap; of floating numbers, a NaN wins over others.
struct Add {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    } else {
      return a + b;
    }
  }
  static Truth of(Truth a, Truth b) { return {static_cast<uint8_t>((a.byte | b.byte) != 0)}; }
  template <typename Part>
  static Complex<Part> of(Complex<Part> a, Complex<Part> b) {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
};

struct Multiply {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
  static Truth of(Truth a, Truth b) { return {static_cast<uint8_t>(a.byte != 0 && b.byte != 0)}; }
  template <typename Part>
  static Complex<Part> of(Complex<Part> a, Complex<Part> b) {
    return {rounded_product(a.real, b.real) - rounded_product(a.imaginary, b.imaginary),
            rounded_product(a.real, b.imaginary) + rounded_product(a.imaginary, b.real)};
  }
};

struct Maximum {
  template <typename T>
  static T of(T a, T b) {
    return b > a || b != b ? b : a;
  }
  static Truth of(Truth a, Truth b) { return Add::of(a, b); }
};

struct Minimum {
  template <typename T>
  static T of(T a, T b) {
    return b < a || b != b ? b : a;
  }
  static Truth of(Truth a, Truth b) { return Multiply::of(a, b); }
};

constexpr int64_t kAhead = 32;  // elements

template <typename T, typename Function, typename Integer, bool is_far, bool is_plain>
bool combine_run(const char* dense, int64_t dense_step, char* table, int64_t table_step,
                 const IndexRun& run, int64_t n) {
  constexpr int64_t kItem = sizeof(T), kIndex = sizeof(Integer);
  const int64_t limit = run.index->limit, wrap = run.index->wrap;
  const int64_t stride = is_plain ? kItem : run.index->stride;
  const int64_t index_step = is_plain ? kIndex : run.step;
  const char* const start = run.start;
  if (is_plain) dense_step = kItem, table_step = 0;
  bool good = true;
#pragma GCC unroll 4
  for (int64_t i = 0; i < n; ++i) {
    int64_t value = load<Integer>(start + i * index_step);
    if (is_far && i + kAhead < n) {
      const auto later = static_cast<uint64_t>(load<Integer>(start + (i + kAhead) * index_step));
      __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(table) +
                                                       later * static_cast<uint64_t>(stride)));
    }
    if (static_cast<uint64_t>(value) >= static_cast<uint64_t>(limit)) {
      if (value < 0) value += wrap;
      if (static_cast<uint64_t>(value) >= static_cast<uint64_t>(limit)) {
        good = false;
        continue;
      }
    }
    char* const place = table + i * table_step + value * stride;
    store(place, Function::of(load<T>(place), load<T>(dense + i * dense_step)));
  }
  return good;
}

template <typename T, typename Function, typename Integer>
bool combine_directly(const char* dense, int64_t dense_step, char* table, int64_t table_step,
                      const IndexRun& run, int64_t n) {
  // Arrays side by side and one row that is written to: the compiler knows all distances.
  const bool is_plain = dense_step == sizeof(T) && table_step == 0 && run.step == sizeof(Integer) &&
                        run.index->stride == sizeof(T);
  const auto combine = run.is_far ? combine_run<T, Function, Integer, true, false>
                       : is_plain ? combine_run<T, Function, Integer, false, true>
                                  : combine_run<T, Function, Integer, false, false>;
  return combine(dense, dense_step, table, table_step, run, n);
}

// An index as a loop reads it, with nothing that its stores might change.
template <typename Integer>
class Axis {
 public:
  explicit Axis(const IndexRun& run)
      : start_(run.start),
        step_(run.step),
        limit_(static_cast<uint64_t>(run.index->limit)),
        wrap_(static_cast<uint64_t>(run.index->wrap)),
        stride_(static_cast<uint64_t>(run.index->stride)) {}

  uint64_t value(int64_t i) const {
    return static_cast<uint64_t>(int64_t{load<Integer>(start_ + i * step_)});
  }
  bool has(uint64_t value) const { return value < limit_; }
  uint64_t wrapped(uint64_t value) const { return value + (value >> 63) * wrap_; }
  uint64_t offset(uint64_t value) const { return value * stride_; }

 private:
  const char* start_;
  int64_t step_;
  uint64_t limit_, wrap_, stride_;
};

template <typename T, typename Integer>
bool replace_pairs(const char* dense, int64_t dense_step, char* table, int64_t table_step,
                   const IndexRun& first, const IndexRun& second, int64_t n) {
  const Axis<Integer> a(first), b(second);
  bool good = true;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t x = a.value(i), y = b.value(i);
    if (!a.has(x) || !b.has(y)) {
      x = a.wrapped(x);
      y = b.wrapped(y);
      if (!a.has(x) || !b.has(y)) {
        good = false;
        continue;
      }
    }
    store(table + i * table_step + static_cast<int64_t>(a.offset(x) + b.offset(y)),
          load<T>(dense + i * dense_step));
  }
  return good;
}

template <typename T, typename Function>
void combine_elements(const char* dense, const int64_t* from, char* table, const int64_t* to,
                      int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    char* const place = table + to[i];
    store(place, Function::of(load<T>(place), load<T>(dense + from[i])));
  }
}

template <typename T, typename Function>
void combine_row(const char* dense, int64_t dense_step, char* table, int64_t table_step,
                 int64_t n) {
  constexpr int64_t kItem = sizeof(T);
  if (dense_step == kItem && table_step == kItem) {  // the compiler takes vectors
    for (int64_t i = 0; i < n; ++i) {
      char* const place = table + i * kItem;
      store(place, Function::of(load<T>(place), load<T>(dense + i * kItem)));
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    char* const place = table + i * table_step;
    store(place, Function::of(load<T>(place), load<T>(dense + i * dense_step)));
  }
}

template <typename T, typename Function>
ScatterAction by() {
  return {{combine_directly<T, Function, int32_t>, combine_directly<T, Function, int64_t>},
          {},
          combine_elements<T, Function>,
          combine_row<T, Function>};
}

template <typename T>
void replace_row(const char* dense, int64_t dense_step, char* table, int64_t table_step,
                 int64_t n) {
  copy_run(dense, dense_step, table, table_step, sizeof(T), n);
}

template <typename T>
ScatterAction replacing() {
  ScatterAction action = by<T, Replace>();
  action.pairs[0] = replace_pairs<T, int32_t>;
  action.pairs[1] = replace_pairs<T, int64_t>;
  action.row = replace_row<T>;
  return action;
}

ScatterAction replacing_width(int64_t item_size) {
  switch (item_size) {
    case 1:
      return replacing<uint8_t>();
    case 2:
      return replacing<uint16_t>();
    case 4:
      return replacing<uint32_t>();
    case 8:
      return replacing<uint64_t>();
    default:
      return replacing<Complex<double>>();
  }
}

template <typename T>
ScatterAction combining(Combine how) {
  if (how == Combine::kAdd) return by<T, Add>();
  if (how == Combine::kMultiply) return by<T, Multiply>();
  if constexpr (!std::is_same_v<T, Complex<float>> && !std::is_same_v<T, Complex<double>>) {
    if (how == Combine::kMaximum) return by<T, Maximum>();
    if (how == Combine::kMinimum) return by<T, Minimum>();
  }
  return {};
}

}  // namespace

ScatterAction scattering(aclDataType dtype, Combine how) {
  if (how == Combine::kReplace) return replacing_width(data_type_bits(dtype) / 8);
  switch (dtype) {
    case ACL_FLOAT:
      return combining<float>(how);
    case ACL_DOUBLE:
      return combining<double>(how);
    case ACL_INT8:
      return combining<int8_t>(how);
    case ACL_UINT8:
      return combining<uint8_t>(how);
    case ACL_INT16:
      return combining<int16_t>(how);
    case ACL_INT32:
      return combining<int32_t>(how);
    case ACL_INT64:
      return combining<int64_t>(how);
    case ACL_BOOL:
      return combining<Truth>(how);
    case ACL_COMPLEX64:
      return combining<Complex<float>>(how);
    case ACL_COMPLEX128:
      return combining<Complex<double>>(how);
    default:
      return {};
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
