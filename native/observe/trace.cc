// SPDX-License-Identifier: Apache-2.0
#include "observe/trace.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/fork.h"

namespace aclhost {
namespace {

// Rows of the timeline: host threads below this number, streams from it on.
constexpr int kFirstStreamRow = 1000;

class Trace final : public Observer {
 public:
  explicit Trace(const char* path) : path_(path) {}

  void began(const char* call, const std::string& detail, int32_t stream) override {
    add("B", call, row_of(stream), detail.empty() ? "" : R"(,"args":{"what":")" + detail + "\"}");
  }
  void ended(const char* call, int32_t stream) override { add("E", call, row_of(stream), ""); }

  // An arrow needs a slice at both of its ends.
  void reached(uint64_t mark, int32_t stream) override {
    const int row = row_of(stream);
    add("B", "aclrtRecordEvent", row, "");
    add("s", "event", row, R"(,"cat":"event","id":)" + std::to_string(mark));
    add("E", "aclrtRecordEvent", row, "");
  }
  void passed(uint64_t mark, int32_t stream) override {
    const int row = row_of(stream);
    add("f", "event", row, R"(,"cat":"event","bp":"e","id":)" + std::to_string(mark));
  }

  void write() {
    std::lock_guard<std::mutex> lock(mutex_);
    // A process that used nothing, like a tool that started the program, must not overwrite its
    // file.
    if (events_.empty()) return;
    FILE* file = std::fopen(path_.c_str(), "w");
    bool complete = false;
    if (file != nullptr) {
      write_to(file);
      complete = std::ferror(file) == 0;
      complete = std::fclose(file) == 0 && complete;
    }
    if (complete) return;
    std::fprintf(stderr, "aclhost trace: cannot write %s: %s; the timeline is not complete\n",
                 path_.c_str(), std::strerror(errno));
  }

 private:
  using Clock = std::chrono::steady_clock;

  void write_to(FILE* file) const {
    std::fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", file);
    std::fputs(R"({"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"aclhost"}})",
               file);
    for (const int row : rows_) {
      const bool stream = row >= kFirstStreamRow;
      const std::string name = stream ? "stream " + std::to_string(row - kFirstStreamRow)
                                      : "host thread " + std::to_string(row);
      std::fprintf(file,
                   ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,"
                   "\"args\":{\"name\":\"%s\"}}",
                   row, name.c_str());
    }
    for (const std::string& event : events_) std::fprintf(file, ",\n%s", event.c_str());
    std::fputs("\n]}\n", file);
  }

  static int row_of(int32_t stream) {
    static std::atomic<int> threads{0};
    if (stream >= 0) return kFirstStreamRow + stream;
    thread_local const int row = ++threads;
    return row;
  }

  void add(const char* phase, const char* name, int row, const std::string& rest) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (events_.empty()) start_ = Clock::now();
    const std::chrono::duration<double, std::micro> since = Clock::now() - start_;
    char head[160];
    std::snprintf(head, sizeof head, R"({"name":"%s","ph":"%s","pid":1,"tid":%d,"ts":%.3f)", name,
                  phase, row, since.count());
    events_.push_back(head + rest + "}");
    rows_.insert(row);
  }

  const std::string path_;
  std::mutex mutex_;
  Clock::time_point start_;  // of the first event
  std::vector<std::string> events_;
  std::set<int> rows_;
};

Trace* instance = nullptr;

}  // namespace

Observer* make_trace_observer(const char* path) {
  instance = new Trace(path);
  when_process_ends([](int) {
    if (!in_forked_child()) instance->write();
  });
  return instance;
}

}  // namespace aclhost
