// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace aclhost {

struct Symbol {
  std::string text;  // "main (sample.cpp:12)", or "main (module)" without debug information
  bool is_program;   // as opposed to the C and C++ libraries
  std::string function = {};
  std::string file = {};
  int line = 0;  // 0: neither file nor line are known
};

// The functions at some return addresses, innermost first; one for each that was inlined there.
// Remembers what addr2line said, which takes long.
std::vector<Symbol> symbols_of(const std::vector<void*>& frames);

}  // namespace aclhost
