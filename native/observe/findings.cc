// SPDX-License-Identifier: Apache-2.0
#include "observe/findings.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <deque>
#include <mutex>
#include <set>
#include <tuple>

#include "observe/finding_texts.h"
#include "observe/output_file.h"
#include "observe/strict_options.h"

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
  int count = 0;       // of those that were printed; guarded by printing
  int suppressed = 0;  // the same
  int repeated = 0;
  std::deque<Noted> noted;         // not yet printed
  std::atomic<size_t> waiting{0};  // how many these are
  std::mutex printing;             // held while texts are made and written
  bool file_failed = false;        // guarded by printing
};

constexpr int kMostRepeated = 10000;  // a loop must not fill the disk

Findings& findings() {
  static auto& instance = *new Findings;
  return instance;
}

// For test suites and tools, which want to know what the programs they start did.
void append(Findings& all, const std::string& path, const std::string& text) {
  if (path.empty() || all.file_failed) return;
  const std::string problem = append_to_file(path.c_str(), text);
  if (problem.empty()) return;
  all.file_failed = true;
  std::fprintf(stderr, "aclhost strict: cannot write %s: %s; findings are missing there\n",
               path.c_str(), problem.c_str());
}

void print(Findings& all, const Noted& noted) {
  const StrictOptions& options = strict_options();
  const std::string text = text_of(noted.title, noted.finding);
  if (options.suppresses(noted.title, text)) {
    all.suppressed += noted.is_new ? 1 : 0;
    return;
  }
  append(all, options.log, text);
  if (!noted.is_new) return;
  ++all.count;
  if (!options.json.empty()) append(all, options.json, json_of(noted.title, noted.finding));
  std::string shown = options.text ? text : "";
  if (options.annotations) shown += annotation_of(noted.title, noted.finding);
  if (shown.empty()) return;
  std::fflush(stdout);  // so that the report stands where it belongs
  std::fputs(shown.c_str(), stderr);
}

std::string counted(const Findings& all, bool leaks_checked) {
  std::string text = std::to_string(all.count) + (all.count == 1 ? " finding" : " findings");
  if (all.suppressed > 0) text += ", " + std::to_string(all.suppressed) + " suppressed";
  if (!leaks_checked && strict_options().wants("leak")) {
    text += "; leaks were not checked: aclFinalize was never called";
  }
  return text;
}

std::string json_summary(const Findings& all, bool leaks_checked) {
  return "{\"findings\":" + std::to_string(all.count) +
         ",\"suppressed\":" + std::to_string(all.suppressed) +
         ",\"leaks_checked\":" + (leaks_checked ? "true" : "false") + "}\n";
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
  if (!strict_options().wants(title)) return Interest::kNone;
  Findings& all = findings();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.seen.insert({title, subject, place.key()}).second) return Interest::kNew;
  // A log belongs to a suite, in which one test's mistake may be another's as well.
  const bool logged = !strict_options().log.empty() && ++all.repeated <= kMostRepeated;
  return logged ? Interest::kForTheLog : Interest::kNone;
}

void add(const char* title, Interest interest, Finding finding) {
  Findings& all = findings();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.noted.push_back({title, interest == Interest::kNew, std::move(finding)});
  ++all.waiting;
}

}  // namespace findings_detail

void print_findings() {
  Findings& all = findings();
  if (all.waiting.load(std::memory_order_relaxed) == 0) return;
  std::lock_guard<std::mutex> printing(all.printing);
  for (Noted noted; take(all, &noted);) print(all, noted);
}

void conclude(int status, bool leaks_checked) {
  print_findings();
  Findings& all = findings();
  std::lock_guard<std::mutex> printing(all.printing);  // of another thread, perhaps
  const StrictOptions& options = strict_options();
  append(all, options.log, "");  // no findings must not look like a log that cannot be written
  append(all, options.json, json_summary(all, leaks_checked));
  std::fflush(stdout);
  if (options.text) {
    std::fprintf(stderr, "aclhost strict: %s\n", counted(all, leaks_checked).c_str());
  }
  if (!options.problem.empty()) {
    std::fprintf(stderr, "aclhost strict: %s\n", options.problem.c_str());
  }
  if (all.count == 0 && !all.file_failed && options.problem.empty()) return;
  std::fflush(nullptr);
  if (status == 0) _exit(kFindingsStatus);
}

}  // namespace aclhost
