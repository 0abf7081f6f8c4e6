// SPDX-License-Identifier: Apache-2.0
// The lines of Python that a call comes from, in processes that run Python.
#pragma once

#include <vector>

#include "observe/symbols.h"

namespace aclhost {

// Of this thread, innermost first, without aclhost's own modules; null where there are none. They
// can be seen while the thread holds the interpreter's lock; ctypes gives it up before it calls, so
// aclhost's modules note them before. What is returned stays, and is the same for the same lines.
const std::vector<Symbol>* python_frames();

void note_python_frames();
void forget_python_frames();

}  // namespace aclhost
