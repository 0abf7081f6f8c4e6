// SPDX-License-Identifier: Apache-2.0
#include "observe/findings.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <tuple>

namespace aclhost {
namespace {

struct Findings {
  std::mutex mutex;
  std::set<std::tuple<std::string, std::string, const void*>> seen;
  int count = 0;
};

Findings& findings() {
  static auto& instance = *new Findings;
  return instance;
}

// For test suites, which want to know what the programs they start did.
void append_to_log(const std::string& text) {
  const char* path = std::getenv("ACLHOST_STRICT_LOG");
  if (path == nullptr) return;
  if (FILE* log = std::fopen(path, "a")) {
    std::fputs(text.c_str(), log);
    std::fclose(log);
  }
}

}  // namespace

void report_finding(const std::string& subject, const Finding& finding) {
  Findings& all = findings();
  std::lock_guard<std::mutex> lock(all.mutex);
  const void* place = finding.places.empty() ? nullptr : finding.places.back().second.key();
  if (!all.seen.insert({finding.title, subject, place}).second) return;
  ++all.count;
  std::string text = "aclhost strict: " + finding.title + ": " + finding.message + "\n";
  for (const auto& [what, where] : finding.places)
    text += "    " + what + " " + where.text() + "\n";
  std::fflush(stdout);  // so that the report stands where it belongs
  std::fputs(text.c_str(), stderr);
  append_to_log(text);
}

int finding_count() {
  std::lock_guard<std::mutex> lock(findings().mutex);
  return findings().count;
}

void conclude(int status) {
  const int count = finding_count();
  if (count == 0) return;
  std::fprintf(stderr, "aclhost strict: %d finding%s\n", count, count == 1 ? "" : "s");
  std::fflush(nullptr);
  if (status == 0) _exit(kFindingsStatus);
}

}  // namespace aclhost
