// SPDX-License-Identifier: Apache-2.0
// Findings in two steps: noted where they are made, with strict mode's lock held, and printed
// later without it, because finding files and lines takes its time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "observe/place.h"

namespace aclhost {

struct Finding {
  std::string message;                                // call, parameter, handle, sizes
  std::vector<std::pair<std::string, Place>> places;  // "allocated at", ...
};

namespace findings_detail {
enum class Interest { kNone, kForTheLog, kNew };
Interest interest_in(const char* title, const std::string& subject, const Place& place);
void add(const char* title, Interest interest, Finding finding);
}  // namespace findings_detail

// Notes the finding that `make` describes, unless an equal one (title, subject, place) was noted
// before: then nothing is made, since a mistake in a loop must not cost more than the loop.
template <typename Make>
void note_finding(const char* title, const std::string& subject, const Place& place, Make&& make) {
  const auto interest = findings_detail::interest_in(title, subject, place);
  if (interest != findings_detail::Interest::kNone) findings_detail::add(title, interest, make());
}

void print_findings();

// What an exit status of 0 turns into when there were findings, or when they could not be written.
constexpr int kFindingsStatus = 66;

// At the end of the process: how many there were, and the exit status.
void conclude(int status, bool leaks_checked);

}  // namespace aclhost
