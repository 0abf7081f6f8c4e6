// SPDX-License-Identifier: Apache-2.0
#include "observe/findings.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <set>
#include <tuple>

#include "observe/output_file.h"

namespace aclhost {
namespace {

struct Noted {
  const char* title;
  bool is_new;
  Finding finding;
};

struct Findings {
  std::mutex mutex;
  std::set<std::tuple<std::string, std::string, const void*>> seen;
  int count = 0;
  int repeated = 0;
  std::deque<Noted> noted;         // not yet printed
  std::atomic<size_t> waiting{0};  // how many these are
  std::mutex printing;             // held while texts are made and written
  bool log_failed = false;         // guarded by printing
};

constexpr int kMostRepeated = 10000;  // a loop must not fill the disk

Findings& findings() {
  static auto& instance = *new Findings;
  return instance;
}

const char* log_path() {
  const char* path = std::getenv("ACLHOST_STRICT_LOG");
  return path == nullptr || *path == '\0' ? nullptr : path;
}

// For test suites, which want to know what the programs they start did.
void append_to_log(Findings& all, const std::string& text) {
  const char* path = log_path();
  if (path == nullptr || all.log_failed) return;
  const std::string problem = append_to_file(path, text);
  if (problem.empty()) return;
  all.log_failed = true;
  std::fprintf(stderr, "aclhost strict: cannot write %s: %s; findings are missing there\n", path,
               problem.c_str());
}

std::string text_of(const Noted& noted) {
  std::string text = std::string("aclhost strict: ") + noted.title + ": " + noted.finding.message;
  for (const auto& [what, where] : noted.finding.places) {
    text += "\n    " + what + " " + where.text();
  }
  return text + "\n";
}

bool take(Findings& all, Noted* noted) {
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.noted.empty()) return false;
  *noted = std::move(all.noted.front());
  all.noted.pop_front();
  --all.waiting;
  return true;
}

}  // namespace

namespace findings_detail {

Interest interest_in(const char* title, const std::string& subject, const Place& place) {
  Findings& all = findings();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.seen.insert({title, subject, place.key()}).second) return Interest::kNew;
  // A log belongs to a suite, in which one test's mistake may be another's as well.
  const bool logged = log_path() != nullptr && ++all.repeated <= kMostRepeated;
  return logged ? Interest::kForTheLog : Interest::kNone;
}

void add(const char* title, Interest interest, Finding finding) {
  Findings& all = findings();
  std::lock_guard<std::mutex> lock(all.mutex);
  const bool is_new = interest == Interest::kNew;
  if (is_new) ++all.count;
  all.noted.push_back({title, is_new, std::move(finding)});
  ++all.waiting;
}

}  // namespace findings_detail

void print_findings() {
  Findings& all = findings();
  if (all.waiting.load(std::memory_order_relaxed) == 0) return;
  std::lock_guard<std::mutex> printing(all.printing);
  for (Noted noted; take(all, &noted);) {
    const std::string text = text_of(noted);
    append_to_log(all, text);
    if (!noted.is_new) continue;
    std::fflush(stdout);  // so that the report stands where it belongs
    std::fputs(text.c_str(), stderr);
  }
}

void conclude(int status) {
  print_findings();
  Findings& all = findings();
  std::lock_guard<std::mutex> printing(all.printing);  // of another thread, perhaps
  append_to_log(all, "");  // no findings must not look like a log that cannot be written
  if (all.count == 0 && !all.log_failed) return;
  std::fprintf(stderr, "aclhost strict: %d finding%s\n", all.count, all.count == 1 ? "" : "s");
  std::fflush(nullptr);
  if (status == 0) _exit(kFindingsStatus);
}

}  // namespace aclhost
