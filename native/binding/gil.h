// SPDX-License-Identifier: Apache-2.0
// Computing without Python's global lock.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace aclhost::python {

// Other threads may run Python while one of these lives. When the interpreter ends meanwhile, a
// daemon thread does not come back: before Python 3.14 asking for the lock then unwinds the stack,
// which C++ does not survive, so the thread stops here until the process ends.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      while (true) pause();
    }
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace aclhost::python
