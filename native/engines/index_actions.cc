// SPDX-License-Identifier: Apache-2.0
#include "engines/index_actions.h"

#include <cstring>
#include <type_traits>

#include "engines/runs.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

template <int64_t kItem>
void gather_elements(char* dense, int64_t step, char* table, const int64_t* offsets, int64_t n) {
  for (int64_t i = 0; i < n; ++i) std::memcpy(dense + i * step, table + offsets[i], kItem);
}

template <int64_t kItem>
void scatter_elements(char* dense, int64_t step, char* table, const int64_t* offsets, int64_t n) {
  for (int64_t i = 0; i < n; ++i) std::memcpy(table + offsets[i], dense + i * step, kItem);
}

template <int64_t kItem>
void gather_row(char* dense, int64_t dense_step, char* table, int64_t table_step, int64_t n) {
  copy_run(table, table_step, dense, dense_step, kItem, n);
}

template <int64_t kItem>
void scatter_row(char* dense, int64_t dense_step, char* table, int64_t table_step, int64_t n) {
  copy_run(dense, dense_step, table, table_step, kItem, n);
}

template <int64_t kItem>
void clear(char* dense, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) std::memset(dense + i * step, 0, kItem);
}

template <typename Visit>
Action of_width(int64_t item_size, const Visit& visit) {
  switch (item_size) {
    case 1:
      return visit(std::integral_constant<int64_t, 1>());
    case 2:
      return visit(std::integral_constant<int64_t, 2>());
    case 4:
      return visit(std::integral_constant<int64_t, 4>());
    case 8:
      return visit(std::integral_constant<int64_t, 8>());
    default:
      return visit(std::integral_constant<int64_t, 16>());
  }
}

// BOOL: any byte but 0 is true.
struct Truth {
  uint8_t byte;
};

template <typename Part>
struct Complex {
  Part real, imaginary;
};

// Integers wrap; of floating numbers, a NaN wins over others.
struct Add {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using Bits = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Bits>(static_cast<Bits>(a) + static_cast<Bits>(b)));
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
    return {a.real * b.real - a.imaginary * b.imaginary,
            a.real * b.imaginary + a.imaginary * b.real};
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

template <typename T, typename Function>
void combine_elements(char* dense, int64_t step, char* table, const int64_t* offsets, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    char* const place = table + offsets[i];
    store(place, Function::of(load<T>(place), load<T>(dense + i * step)));
  }
}

template <typename T, typename Function>
void combine_row(char* dense, int64_t dense_step, char* table, int64_t table_step, int64_t n) {
  constexpr int64_t kItem = sizeof(T);
  if (dense_step == kItem && table_step == kItem) {
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
Action combining_by() {
  return {combine_elements<T, Function>, combine_row<T, Function>, nullptr};
}

template <typename T>
Action combining_of(Combine how) {
  if (how == Combine::kAdd) return combining_by<T, Add>();
  if (how == Combine::kMultiply) return combining_by<T, Multiply>();
  if constexpr (!std::is_same_v<T, Complex<float>> && !std::is_same_v<T, Complex<double>>) {
    if (how == Combine::kMaximum) return combining_by<T, Maximum>();
    if (how == Combine::kMinimum) return combining_by<T, Minimum>();
  }
  return {nullptr, nullptr, nullptr};
}

}  // namespace

Action gathering(int64_t item_size) {
  return of_width(item_size, [](auto width) -> Action {
    constexpr int64_t kItem = decltype(width)::value;
    return {gather_elements<kItem>, gather_row<kItem>, clear<kItem>};
  });
}

Action scattering(int64_t item_size) {
  return of_width(item_size, [](auto width) -> Action {
    constexpr int64_t kItem = decltype(width)::value;
    return {scatter_elements<kItem>, scatter_row<kItem>, nullptr};
  });
}

Action combining(aclDataType dtype, Combine how) {
  switch (dtype) {
    case ACL_FLOAT:
      return combining_of<float>(how);
    case ACL_DOUBLE:
      return combining_of<double>(how);
    case ACL_INT8:
      return combining_of<int8_t>(how);
    case ACL_UINT8:
      return combining_of<uint8_t>(how);
    case ACL_INT16:
      return combining_of<int16_t>(how);
    case ACL_INT32:
      return combining_of<int32_t>(how);
    case ACL_INT64:
      return combining_of<int64_t>(how);
    case ACL_BOOL:
      return combining_of<Truth>(how);
    case ACL_COMPLEX64:
      return combining_of<Complex<float>>(how);
    case ACL_COMPLEX128:
      return combining_of<Complex<double>>(how);
    default:
      return {nullptr, nullptr, nullptr};
  }
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
