// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aclhost {

struct SourceLine {
  std::string function;
  std::string place;  // "dir/sample.cpp:12", empty without debug information
};

// What addr2line says about addresses of a module: for each, its function and those that it was
// inlined into. Nothing for what has no symbol, or without addr2line.
std::vector<std::vector<SourceLine>> source_lines(const std::string& module,
                                                  const std::vector<uintptr_t>& offsets);

}  // namespace aclhost
