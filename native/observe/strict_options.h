// SPDX-License-Identifier: Apache-2.0
// What the environment wants of strict mode; docs/strict.md lists it.
#pragma once

#include <string>
#include <vector>

namespace aclhost {

// A line `TITLE: PATTERN` of the file that ACLHOST_STRICT_SUPPRESS names. `*` stands for anything
// in both; the pattern is looked for in the text of a finding.
struct Suppression {
  std::string title;
  std::string pattern;
};

struct StrictOptions {
  bool text = true;          // on stderr; ACLHOST_STRICT_TEXT=0 silences it
  bool annotations = false;  // for GitHub, if its CI runs this
  std::string json;          // ACLHOST_STRICT_JSON: a file for a line of JSON for each finding
  std::string log;           // ACLHOST_STRICT_LOG: a file for the text, repeated findings included
  std::vector<std::string> only, without;  // ACLHOST_STRICT_CHECKS: "race,leak", "-leak"
  std::vector<Suppression> suppressions;
  std::string problem;  // what could not be understood

  bool wants(const std::string& title) const;
  bool suppresses(const std::string& title, const std::string& text) const;
};

const StrictOptions& strict_options();  // read once

}  // namespace aclhost
