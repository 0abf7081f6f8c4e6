// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace aclhost {

// Whether the text is one JSON object and nothing else, with at most max_depth objects and arrays
// inside each other. See json_value.h for its content.
bool is_json_object(std::string_view text, int max_depth);

// The text as a string of JSON, with its quotes.
std::string json_quoted(std::string_view text);

}  // namespace aclhost
