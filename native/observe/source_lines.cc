// SPDX-License-Identifier: Apache-2.0
#include "observe/source_lines.h"

#include <cstdio>
#include <memory>

namespace aclhost {
namespace {

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_for(const std::string& module, const std::vector<uintptr_t>& offsets) {
  std::string command = "addr2line -aCfie " + shell_quoted(module);
  for (const uintptr_t offset : offsets) {
    char number[32];
    std::snprintf(number, sizeof number, " %zx", static_cast<size_t>(offset));
    command += number;
  }
  return command + " 2>/dev/null";
}

bool read_line(FILE* file, std::string* line) {
  line->clear();
  for (int c; (c = std::fgetc(file)) != EOF;) {
    if (c == '\n') return true;
    *line += static_cast<char>(c);
  }
  return !line->empty();
}

}  // namespace

// An address is a line of its own, followed by a line for the function and one for the place, as
// often as functions were inlined.
std::vector<std::vector<SourceLine>> source_lines(const std::string& module,
                                                  const std::vector<uintptr_t>& offsets) {
  std::vector<std::vector<SourceLine>> answers;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command_for(module, offsets).c_str(), "r"),
                                                   pclose);
  std::string function, place;
  while (pipe != nullptr && read_line(pipe.get(), &function)) {
    if (function.rfind("0x", 0) == 0) {
      answers.emplace_back();
      continue;
    }
    if (answers.empty() || !read_line(pipe.get(), &place)) break;
    place = place.substr(0, place.find(" (discriminator"));
    const bool known = !place.empty() && place.find("??") != 0 && place.back() != '?';
    if (function != "??") answers.back().push_back({function, known ? place : ""});
  }
  answers.resize(offsets.size());
  return answers;
}

}  // namespace aclhost
