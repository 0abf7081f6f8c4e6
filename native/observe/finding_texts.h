// SPDX-License-Identifier: Apache-2.0
// A finding for people, for programs, and for GitHub.
#pragma once

#include <string>

#include "observe/findings.h"

namespace aclhost {

std::string text_of(const std::string& title, const Finding& finding);

// One line; docs/strict.md describes the keys.
std::string json_of(const std::string& title, const Finding& finding);

// A workflow command that puts the finding at its line of a pull request; GitHub reads it from the
// log.
std::string annotation_of(const std::string& title, const Finding& finding);

}  // namespace aclhost
