// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <cstdio>

namespace aclhost {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Each function consumes what it is named after and says whether it was there.
class Checker {
 public:
  Checker(std::string_view text, int max_depth) : rest_(text), depth_left_(max_depth) {}

  bool document() {
    space();
    if (peek() != '{' || !container('}')) return false;
    space();
    return rest_.empty();
  }

 private:
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }

  bool take(char expected) {
    if (rest_.empty() || rest_.front() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool word(std::string_view expected) {
    if (rest_.substr(0, expected.size()) != expected) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  void space() {
    while (take(' ') || take('\t') || take('\n') || take('\r')) {
    }
  }

  bool value() {
    switch (peek()) {
      case '{':
        return container('}');
      case '[':
        return container(']');
      case '"':
        return string();
      default:
        return word("true") || word("false") || word("null") || number();
    }
  }

  bool container(char close) {
    if (depth_left_-- == 0) return false;
    rest_.remove_prefix(1);
    space();
    bool good = take(close);
    if (!good) {
      do {
        space();
        if (!(close == '}' ? member() : value())) return false;
        space();
      } while (take(','));
      good = take(close);
    }
    ++depth_left_;
    return good;
  }

  bool member() {
    if (!string()) return false;
    space();
    if (!take(':')) return false;
    space();
    return value();
  }

  bool string() {
    if (!take('"')) return false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c == '\\' && !escape()) return false;
    }
    return false;
  }

  bool escape() {
    if (take('u')) {
      for (int i = 0; i < 4; ++i) {
        if (!is_hex_digit(peek())) return false;
        rest_.remove_prefix(1);
      }
      return true;
    }
    for (const char c : std::string_view("\"\\/bfnrt")) {
      if (take(c)) return true;
    }
    return false;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      return digits();
    }
    return true;
  }

  bool digits() {
    const size_t before = rest_.size();
    while (is_digit(peek())) rest_.remove_prefix(1);
    return rest_.size() < before;
  }

  std::string_view rest_;
  int depth_left_;
};

}  // namespace

bool is_json_object(std::string_view text, int max_depth) {
  return Checker(text, max_depth).document();
}

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      quoted += code;
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace aclhost
