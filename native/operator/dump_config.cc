// SPDX-License-Identifier: Apache-2.0
#include "operator/dump_config.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <initializer_list>

#include "operator/dump_writer.h"

namespace aclhost {
namespace {

using Kind = JsonValue::Kind;

constexpr size_t kLongestPath = 512;
constexpr size_t kMostSteps = 100;

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

// The member as a text; the default if there is none.
std::string text_of(const JsonValue& dump, const char* name, const char* otherwise) {
  const JsonValue* const found = dump.find(name);
  return found == nullptr ? otherwise : found->text;
}

std::string check_texts(const JsonValue& dump) {
  for (const char* name : {"dump_path", "dump_mode", "dump_op_switch", "dump_level", "dump_scene",
                           "dump_data", "dump_debug", "dump_kernel_data", "dump_step"}) {
    const JsonValue* const found = dump.find(name);
    if (found != nullptr && !found->is(Kind::kText)) {
      return quoted(name) + " has to be a text";
    }
  }
  return "";
}

std::string check_word(const JsonValue& dump, const char* name,
                       std::initializer_list<const char*> words) {
  const JsonValue* const found = dump.find(name);
  if (found == nullptr) return "";
  std::string known;
  for (const char* word : words) {
    if (found->text == word) return "";
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  return quoted(name) + " is " + quoted(found->text) + "; known are " + known;
}

std::string check_words(const JsonValue& dump) {
  std::string problem = check_word(dump, "dump_mode", {"input", "output", "all"});
  const auto then = [&](const char* name, std::initializer_list<const char*> words) {
    if (problem.empty()) problem = check_word(dump, name, words);
  };
  then("dump_data", {"tensor", "stats"});
  then("dump_op_switch", {"on", "off"});
  then("dump_level", {"op", "kernel", "all"});
  then("dump_debug", {"on", "off"});
  then("dump_scene", {"lite_exception", "aic_err_brief_dump", "aic_err_norm_dump",
                      "aic_err_detail_dump", "watcher"});
  return problem;
}

std::string check_list(const JsonValue& dump) {
  const JsonValue* const list = dump.find("dump_list");
  if (list == nullptr) return "";
  if (!list->is(Kind::kArray)) return "\"dump_list\" has to be an array";
  const bool are_objects = std::all_of(list->items.begin(), list->items.end(),
                                       [](const auto& each) { return each.is(Kind::kObject); });
  return are_objects ? "" : "\"dump_list\" has to hold objects; [{}] stands for all operators";
}

std::string read_columns(const JsonValue& dump, DumpSettings* settings) {
  const JsonValue* const stats = dump.find("dump_stats");
  if (stats == nullptr) return "";
  if (!stats->is(Kind::kArray) || stats->items.empty()) {
    return "\"dump_stats\" has to be an array of texts";
  }
  if (!settings->statistics) return "\"dump_stats\" needs \"dump_data\": \"stats\"";
  for (const JsonValue& each : stats->items) {
    for (const char* known :
         {"Max", "Min", "Avg", "Nan", "Negative Inf", "Positive Inf", "L2norm"}) {
      if (each.text == known) settings->columns.push_back(each.text);
    }
    if (settings->columns.empty() || settings->columns.back() != each.text) {
      return "\"dump_stats\" holds " + quoted(each.text) +
             "; known are Max, Min, Avg, Nan, Negative Inf, Positive Inf, L2norm";
    }
  }
  return "";
}

// Numbers and ranges: 0|3-5|10.
std::string check_steps(const JsonValue& dump) {
  std::string rest = text_of(dump, "dump_step", "");
  const std::string wrong = "\"dump_step\" is " + quoted(rest) + "; write it like 0|3-5|10";
  for (size_t count = 0; !rest.empty(); ++count) {
    const size_t end = std::min(rest.find('|'), rest.size());
    const std::string part = rest.substr(0, end);
    rest.erase(0, end + 1);
    const size_t dash = std::min(part.find('-'), part.size());
    const std::string first = part.substr(0, dash),
                      last = part.substr(std::min(dash + 1, part.size()));
    const auto is_number = [](const std::string& text) {
      return !text.empty() && text.size() <= 18 &&
             text.find_first_not_of("0123456789") == std::string::npos;
    };
    if (count == kMostSteps || !is_number(first)) return wrong;
    if (dash == part.size()) continue;
    if (!is_number(last) || std::stoll(first) > std::stoll(last)) return wrong;
  }
  return "";
}

std::string check_path(const JsonValue& dump) {
  const std::string path = text_of(dump, "dump_path", "");
  if (path.empty()) return "\"dump_path\" is missing; name a directory that exists";
  if (path.size() > kLongestPath) return "\"dump_path\" has more than 512 bytes";
  struct stat about{};
  if (stat(path.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
    return "\"dump_path\" is " + quoted(path) + ", which is no directory; make it before";
  }
  if (access(path.c_str(), R_OK | W_OK) == 0) return "";
  return "\"dump_path\" is " + quoted(path) + ", which this process may not read and write";
}

std::string time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &parts);
  return text;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Where upstream looks for a place, in this order.
std::string exception_place(const JsonValue& dump) {
  for (const std::string& place : {variable("NPU_COLLECT_PATH"), variable("ASCEND_WORK_PATH"),
                                   text_of(dump, "dump_path", "")}) {
    if (!place.empty()) return place;
  }
  return ".";
}

// Wishes that exclude each other.
std::string check_conflicts(const JsonValue& dump) {
  const bool launches = text_of(dump, "dump_op_switch", "off") == "on";
  const bool overflows = text_of(dump, "dump_debug", "off") == "on";
  const std::string scene = text_of(dump, "dump_scene", "");
  if (!scene.empty() && (launches || overflows)) {
    return "\"dump_scene\" cannot be together with " +
           std::string(launches ? "\"dump_op_switch\"" : "\"dump_debug\"") + ": \"on\"";
  }
  if (launches && overflows) return "\"dump_debug\" and \"dump_op_switch\" cannot both be on";
  if (scene == "watcher" && text_of(dump, "dump_mode", "output") != "output") {
    return "\"dump_mode\" has to be \"output\" where \"dump_scene\" is \"watcher\"";
  }
  return "";
}

}  // namespace

std::string read_dump_config(const JsonValue& config, DumpSettings* settings) {
  const JsonValue* const dump = config.find("dump");
  if (dump == nullptr) return "";
  if (!dump->is(Kind::kObject)) return "\"dump\" has to be an object";
  if (dump->items.empty()) return "";
  for (const auto check : {check_texts, check_words, check_list, check_conflicts}) {
    if (std::string problem = check(*dump); !problem.empty()) return problem;
  }
  const std::string scene = text_of(*dump, "dump_scene", "");
  if (!scene.empty() && scene != "watcher") {
    settings->exception_path = absolute_path(exception_place(*dump)) + "/extra-info/data-dump";
    return "";
  }
  for (const auto check : {check_path, check_steps}) {
    if (std::string problem = check(*dump); !problem.empty()) return problem;
  }
  const std::string mode = text_of(*dump, "dump_mode", "output");
  settings->path = absolute_path(text_of(*dump, "dump_path", "")) + "/" + time_text();
  settings->launches = text_of(*dump, "dump_op_switch", "off") == "on";
  settings->inputs = mode != "output";
  settings->outputs = mode != "input";
  settings->statistics = text_of(*dump, "dump_data", "tensor") == "stats";
  return read_columns(*dump, settings);
}

}  // namespace aclhost
