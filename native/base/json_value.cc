// SPDX-License-Identifier: Apache-2.0
#include "base/json_value.h"

#include <algorithm>
#include <cstdint>

namespace aclhost {
namespace {

void append_utf8(uint32_t code, std::string* text) {
  if (code < 0x80) {
    *text += static_cast<char>(code);
  } else if (code < 0x800) {
    *text += static_cast<char>(0xC0 | code >> 6);
    *text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    if (code < 0x10000) {
      *text += static_cast<char>(0xE0 | code >> 12);
    } else {
      *text += static_cast<char>(0xF0 | code >> 18);
      *text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    }
    *text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    *text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// Each function reads what is known to be there.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  JsonValue value() {
    space();
    JsonValue result;
    switch (rest_.front()) {
      case '{':
        return container('}', JsonValue::Kind::kObject);
      case '[':
        return container(']', JsonValue::Kind::kArray);
      case '"':
        result.kind = JsonValue::Kind::kText;
        result.text = string();
        return result;
      default:
        rest_.remove_prefix(std::min(rest_.find_first_of(",]} \t\r\n"), rest_.size()));
        return result;
    }
  }

 private:
  void space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  char next() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  JsonValue container(char close, JsonValue::Kind kind) {
    JsonValue result;
    result.kind = kind;
    do {
      next();  // the bracket, or a comma
      space();
      if (rest_.front() == close) break;
      if (kind == JsonValue::Kind::kObject) {
        result.names.push_back(string());
        space();
        next();
      }
      result.items.push_back(value());
      space();
    } while (rest_.front() == ',');
    next();
    return result;
  }

  std::string string() {
    next();
    std::string text;
    for (char c = next(); c != '"'; c = next()) {
      if (c == '\\') {
        escape(&text);
      } else {
        text += c;
      }
    }
    return text;
  }

  void escape(std::string* text) {
    constexpr std::string_view kNames = "bfnrt", kMeant = "\b\f\n\r\t";
    const char c = next();
    if (c == 'u') return append_utf8(code_point(), text);
    const size_t place = kNames.find(c);
    *text += place == std::string_view::npos ? c : kMeant[place];
  }

  uint32_t unit() {
    const std::string digits(rest_.substr(0, 4));
    rest_.remove_prefix(4);
    return static_cast<uint32_t>(std::stoul(digits, nullptr, 16));
  }

  // Those above 16 bits are two units, of which the second has an escape of its own.
  uint32_t code_point() {
    const uint32_t first = unit();
    if (first >> 10 != 0xD800 >> 10 || rest_.substr(0, 2) != "\\u") return first;
    const std::string_view before = rest_;
    rest_.remove_prefix(2);
    const uint32_t second = unit();
    if (second >> 10 == 0xDC00 >> 10) return 0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF);
    rest_ = before;
    return first;
  }

  std::string_view rest_;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  for (size_t i = names.size(); i-- > 0;) {
    if (names[i] == name) return &items[i];
  }
  return nullptr;
}

JsonValue parse_json(std::string_view text) { return Reader(text).value(); }

}  // namespace aclhost
