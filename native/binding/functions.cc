// SPDX-License-Identifier: Apache-2.0
#include "binding/functions.h"

#include <vector>

#include "base/inline_vector.h"
#include "binding/invocation.h"
#include "binding/repeated.h"

namespace aclhost::python {
namespace {

struct Function {
  Signature signature;
  LastCall last;
};

std::vector<Function>& functions() {
  static auto& all = *new std::vector<Function>;
  return all;
}

nanobind::object call(int number, PyObject* const* given) {
  LastCall& last = functions()[number].last;
  if (nanobind::object result = last.repeat(given); result.is_valid()) return result;
  return Invocation(kFunctions[number]).call(given, &last);
}

}  // namespace

void prepare_functions() {
  functions().reserve(kFunctionCount);
  for (int i = 0; i < kFunctionCount; ++i) {
    const FunctionInfo& function = kFunctions[i];
    functions().push_back({Signature(function.name, function.positional, function.parameters,
                                     function.parameter_count),
                           {}});
  }
}

PyObject* call_function(int number, PyObject* const* arguments, Py_ssize_t count,
                        PyObject* keywords) noexcept {
  try {
    import_array_libraries();
    const Signature& signature = functions()[number].signature;
    InlineVector<PyObject*, 16> values;
    signature.bind(arguments, count, keywords, values.extend(signature.size()));
    return call(number, values.data()).release().ptr();
  } catch (...) {
    return translate_exception();
  }
}

}  // namespace aclhost::python
