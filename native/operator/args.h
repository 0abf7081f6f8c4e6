// SPDX-License-Identifier: Apache-2.0
// The arguments of one call of any operator: plain values in the order of its parameters.
//
// Phase 1 copies them out of the handles, so they outlive every handle (see views.h).
#pragma once

#include <cstdint>

#include "base/inline_vector.h"
#include "base/soc.h"
#include "operator/views.h"

namespace aclhost {

struct Operator;

// What an argument is made of: values of its own, or some of those that Args keeps by kind.
struct Argument {
  Argument() = default;
  Argument(bool is_present, uint32_t first_value, uint32_t values)
      : present(is_present), first(first_value), count(values) {}

  bool present = false;  // false: the caller passed a null pointer
  uint32_t first = 0;
  uint32_t count = 0;
  union {
    int64_t integer = 0;  // integers, bools, dtypes
    double real;          // floats, doubles
  };
};

class Args {
 public:
  explicit Args(const Operator& of) : op(&of) {}

  const TensorView& tensor(int param) const { return tensors[arguments[param].first]; }
  ListView<TensorView> tensor_list(int param) const { return list(param, tensors.data()); }
  const ScalarValue& scalar(int param) const { return scalars[arguments[param].first]; }
  ListView<ScalarValue> scalar_list(int param) const { return list(param, scalars.data()); }
  ListView<int64_t> int_array(int param) const { return list(param, integers.data()); }
  ListView<float> float_array(int param) const { return list(param, floats.data()); }
  ListView<char> bool_array(int param) const { return list(param, bytes.data()); }
  const char* text(int param) const {
    return arguments[param].present ? bytes.data() + arguments[param].first : nullptr;
  }
  int64_t integer(int param) const { return arguments[param].integer; }
  double real(int param) const { return arguments[param].real; }

  const Operator* op;
  const Soc* soc = nullptr;

  InlineVector<Argument, 12> arguments;
  InlineVector<TensorView, 4> tensors;  // of tensors and of lists
  InlineVector<ScalarValue, 4> scalars;
  InlineVector<int64_t, 16> integers;
  InlineVector<float, 4> floats;
  InlineVector<char, 32> bytes;  // bools, and texts with their ends

 private:
  template <typename T>
  ListView<T> list(int param, const T* pool) const {
    const Argument& argument = arguments[param];
    return {argument.present, argument.count, pool + argument.first};
  }
};

// Elements of all tensors together. Absurd sizes must neither overflow nor look small.
int64_t total_elements(const Args& args);

}  // namespace aclhost
