// SPDX-License-Identifier: Apache-2.0
// Where in the program something happened.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "observe/symbols.h"

namespace aclhost {

class Place {
 public:
  // The callers of this thread, without this library's own functions.
  static Place here();
  // The same in a handler: the instruction that was interrupted, and its callers.
  static Place interrupted();

  // The innermost functions of the program, or the lines of Python where it is a Python program.
  // With debug info and addr2line there are files and lines.
  std::vector<Symbol> symbols() const;
  // "main (sample.cpp:12), called from ..."
  std::string text() const;

  // The same for the same call; to report a mistake in a loop once.
  const void* key() const { return python_ != nullptr ? python_ : frames_.front(); }

 private:
  struct Walk;
  static constexpr size_t kFrames = 6;
  static Place of_stack(bool in_handler);

  std::array<void*, kFrames> frames_{};  // return addresses, null behind the last
  const std::vector<Symbol>* python_ = nullptr;
};

}  // namespace aclhost
