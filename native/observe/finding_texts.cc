// SPDX-License-Identifier: Apache-2.0
#include "observe/finding_texts.h"

#include <cstdio>
#include <cstdlib>

#include "base/json.h"

namespace aclhost {
namespace {

std::string json_frame(const Symbol& symbol) {
  std::string text = "{\"function\":" + json_quoted(symbol.function);
  if (symbol.line > 0) {
    text += ",\"file\":" + json_quoted(symbol.file) + ",\"line\":" + std::to_string(symbol.line);
  }
  return text + "}";
}

// Of a workflow command, whose lines end where the text does.
std::string escaped(const std::string& text, bool in_property) {
  std::string result;
  for (const char c : text) {
    if (c == '%' || c == '\n' || c == '\r' || (in_property && (c == ':' || c == ','))) {
      char code[4];
      std::snprintf(code, sizeof code, "%%%02X", c);
      result += code;
    } else {
      result += c;
    }
  }
  return result;
}

// GitHub knows files by their place in the repository.
std::string in_workspace(const std::string& file) {
  const char* const root = std::getenv("GITHUB_WORKSPACE");
  const std::string prefix = root == nullptr ? "" : std::string(root) + "/";
  return prefix.size() > 1 && file.rfind(prefix, 0) == 0 ? file.substr(prefix.size()) : file;
}

// The last place is where it went wrong.
Symbol where(const Finding& finding) {
  for (auto place = finding.places.rbegin(); place != finding.places.rend(); ++place) {
    for (const Symbol& symbol : place->second.symbols()) {
      if (symbol.line > 0) return symbol;
    }
  }
  return {};
}

}  // namespace

std::string text_of(const std::string& title, const Finding& finding) {
  std::string text = "aclhost strict: " + title + ": " + finding.message;
  for (const auto& [what, place] : finding.places) text += "\n    " + what + " " + place.text();
  return text + "\n";
}

std::string json_of(const std::string& title, const Finding& finding) {
  std::string text =
      "{\"title\":" + json_quoted(title) + ",\"message\":" + json_quoted(finding.message);
  text += ",\"places\":[";
  for (size_t i = 0; i < finding.places.size(); ++i) {
    const auto& [what, place] = finding.places[i];
    text += (i == 0 ? "" : ",") + ("{\"what\":" + json_quoted(what)) + ",\"frames\":[";
    const std::vector<Symbol> symbols = place.symbols();
    for (size_t j = 0; j < symbols.size(); ++j) {
      text += (j == 0 ? "" : ",") + json_frame(symbols[j]);
    }
    text += "]}";
  }
  return text + "]}\n";
}

std::string annotation_of(const std::string& title, const Finding& finding) {
  const Symbol at = where(finding);
  std::string text = "::error ";
  if (at.line > 0) {
    text +=
        "file=" + escaped(in_workspace(at.file), true) + ",line=" + std::to_string(at.line) + ",";
  }
  return text + "title=" + escaped("aclhost strict: " + title, true) +
         "::" + escaped(finding.message, false) + "\n";
}

}  // namespace aclhost
