// SPDX-License-Identifier: Apache-2.0
#include "observe/strict_options.h"

#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace aclhost {
namespace {

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Titles are written with hyphens or spaces.
std::string as_title(std::string name) {
  std::replace(name.begin(), name.end(), '-', ' ');
  return trimmed(name);
}

void read_checks(const std::string& text, StrictOptions& options) {
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    word = trimmed(word);
    if (word.empty()) continue;
    const bool off = word.front() == '-';
    (off ? options.without : options.only).push_back(as_title(off ? word.substr(1) : word));
  }
}

void read_suppressions(const std::string& path, StrictOptions& options) {
  if (path.empty()) return;
  std::ifstream file(path);
  if (!file) {
    options.problem = "cannot read " + path + ": " + std::strerror(errno);
    return;
  }
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) {
      options.problem = path + ", line " + std::to_string(number) + ": write TITLE: PATTERN";
      continue;
    }
    options.suppressions.push_back(
        {as_title(line.substr(0, colon)), trimmed(line.substr(colon + 1))});
  }
}

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

StrictOptions read() {
  StrictOptions options;
  options.text = variable("ACLHOST_STRICT_TEXT") != "0";
  options.annotations = variable("GITHUB_ACTIONS") == "true";
  options.json = variable("ACLHOST_STRICT_JSON");
  options.log = variable("ACLHOST_STRICT_LOG");
  read_checks(variable("ACLHOST_STRICT_CHECKS"), options);
  read_suppressions(variable("ACLHOST_STRICT_SUPPRESS"), options);
  return options;
}

}  // namespace

bool StrictOptions::wants(const std::string& title) const {
  const auto listed = [&](const std::vector<std::string>& titles) {
    return std::find(titles.begin(), titles.end(), title) != titles.end();
  };
  return (only.empty() || listed(only)) && !listed(without);
}

bool StrictOptions::suppresses(const std::string& title, const std::string& text) const {
  return std::any_of(suppressions.begin(), suppressions.end(), [&](const Suppression& each) {
    return matches(each.title, title) && matches("*" + each.pattern + "*", text);
  });
}

const StrictOptions& strict_options() {
  static const auto& options = *new StrictOptions(read());
  return options;
}

}  // namespace aclhost
