// SPDX-License-Identifier: Apache-2.0
// Where in the program something happened.
#pragma once

#include <string>
#include <vector>

namespace aclhost {

class Place {
 public:
  // The callers of this thread, without this library's own functions and without the first few of
  // the others.
  static Place here(int skipped = 0);

  // "main (sample.cpp:12), called from ..."; with debug info and addr2line, file and line.
  std::string text() const;

  // The same for the same call; to report a mistake in a loop once.
  const void* key() const { return frames_.empty() ? nullptr : frames_.front(); }

 private:
  std::vector<void*> frames_;
};

}  // namespace aclhost
