// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aclhost {

struct JsonValue {
  enum class Kind { kText, kArray, kObject, kOther };  // the last: numbers, true, false, null

  bool is(Kind wanted) const { return kind == wanted; }
  const JsonValue* find(std::string_view name) const;  // of an object; null if it has none

  Kind kind = Kind::kOther;
  std::string text;
  std::vector<JsonValue> items;    // of an array, or of an object
  std::vector<std::string> names;  // of an object's items
};

// Of a text that is_json_object() accepts.
JsonValue parse_json(std::string_view text);

}  // namespace aclhost
