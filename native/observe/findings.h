// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "observe/place.h"

namespace aclhost {

struct Finding {
  std::string title;                                  // a few words: "use after free"
  std::string message;                                // call, parameter, handle, sizes
  std::vector<std::pair<std::string, Place>> places;  // "allocated at", ...
};

// Prints the finding, unless an equal one (title, message's subject, place) was printed before.
void report_finding(const std::string& subject, const Finding& finding);

// What an exit status of 0 turns into when there were findings.
constexpr int kFindingsStatus = 66;

int finding_count();

// At the end of the process: a last line, and the exit status.
void conclude(int status);

}  // namespace aclhost
