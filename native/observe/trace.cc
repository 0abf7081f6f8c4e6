// SPDX-License-Identifier: Apache-2.0
#include "observe/trace.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/fork.h"
#include "base/json.h"

namespace aclhost {
namespace {

// Rows of the timeline: host threads below this number, streams from it on.
constexpr int kFirstStreamRow = 1000;
constexpr int kCounterRow = 0;  // counters belong to the process
constexpr int32_t kHost = -1;   // the calling thread instead of a stream

class Trace final : public Observer {
 public:
  explicit Trace(const char* path) : path_(path) {}

  // The launch of work in a stream: a slice of the thread, and an arrow to the work.
  void submitted(const Work& work, int32_t stream, int32_t) override {
    const int row = row_of(kHost);
    const Launch launch{work.call, bytes_of(work), next_launch_++};
    {
      const std::lock_guard<std::mutex> lock(queues_mutex_);
      queues_[stream].push_back(launch);
    }
    add("B", work.call, row, R"(,"args":{"launch":)" + std::to_string(launch.id) + "}");
    add("s", "launch", row, R"(,"cat":"launch","id":)" + std::to_string(launch.id));
    add("E", work.call, row, "");
  }
  void done_here(const Work& work) override { bytes_here() = bytes_of(work); }

  void began(const char* call, const std::string& detail, int32_t stream) override {
    const int row = row_of(stream);
    const Launch launch = stream >= 0 ? launched(call, stream) : Launch{call, bytes_here(), 0};
    bytes_here() = 0;
    add("B", call, row, arguments(detail, launch.bytes));
    if (launch.id == 0) return;
    add("f", "launch", row, R"(,"cat":"launch","bp":"e","id":)" + std::to_string(launch.id));
  }
  void ended(const char* call, int32_t stream) override { add("E", call, row_of(stream), ""); }

  void allocated(const void* start, size_t size, int32_t device) override {
    const std::lock_guard<std::mutex> lock(memory_mutex_);
    sizes_[start] = {size, device};
    count_memory(device, static_cast<int64_t>(size));
  }
  void freed(const char*, const void* start, bool) override {
    const std::lock_guard<std::mutex> lock(memory_mutex_);
    const auto found = sizes_.find(start);
    if (found == sizes_.end()) return;
    const Memory memory = found->second;
    sizes_.erase(found);
    count_memory(memory.device, -static_cast<int64_t>(memory.size));
  }

  void freed_in_stream(const char* call, const void* start, int32_t) override {
    freed(call, start, true);
  }

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

  struct Launch {
    std::string call;
    int64_t bytes;
    uint64_t id;  // 0: none
  };
  struct Memory {
    size_t size;
    int32_t device;
  };

  // What the work reads and writes.
  static int64_t bytes_of(const Work& work) {
    int64_t bytes = 0;
    for (const Region& region : work.regions) {
      int64_t items = 1;
      for (const int64_t size : region.shape) items *= size;
      bytes += items * static_cast<int64_t>(region.item);
    }
    return bytes;
  }

  // Of the work that this thread is about to do itself.
  static int64_t& bytes_here() {
    thread_local int64_t bytes = 0;
    return bytes;
  }

  static std::string arguments(const std::string& detail, int64_t bytes) {
    // A copy reads as many bytes as it writes; they count once.
    char* unit = nullptr;
    const int64_t copied = std::strtoll(detail.c_str(), &unit, 10);
    if (std::strcmp(unit, " bytes") == 0) return arguments("", copied);
    std::string text;
    if (!detail.empty()) text += R"("what":")" + detail + "\"";
    if (bytes > 0) text += (text.empty() ? "" : ",") + (R"("bytes":)" + std::to_string(bytes));
    return text.empty() ? "" : ",\"args\":{" + text + "}";
  }

  // Streams keep the order of launches. What a broken stream leaves out is passed over.
  Launch launched(const char* call, int32_t stream) {
    const std::lock_guard<std::mutex> lock(queues_mutex_);
    std::deque<Launch>& queue = queues_[stream];
    const auto found = std::find_if(queue.begin(), queue.end(),
                                    [&](const Launch& each) { return each.call == call; });
    if (found == queue.end()) return {call, 0, 0};
    Launch launch = *found;
    queue.erase(queue.begin(), found + 1);
    return launch;
  }

  void count_memory(int32_t device, int64_t change) {
    int64_t& used = used_[device];
    used += change;
    const std::string name = device == kNoDevice ? std::string("pinned memory")
                                                 : "memory of device " + std::to_string(device);
    add("C", name.c_str(), kCounterRow, R"(,"args":{"bytes":)" + std::to_string(used) + "}");
  }

  void write_to(FILE* file) const {
    std::fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", file);
    std::fprintf(file,
                 "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":0,"
                 "\"args\":{\"name\":%s}}",
                 getpid(), json_quoted(program_invocation_short_name).c_str());
    for (const int row : rows_) {
      const bool stream = row >= kFirstStreamRow;
      const std::string name = stream ? "stream " + std::to_string(row - kFirstStreamRow)
                                      : "host thread " + std::to_string(row);
      std::fprintf(file,
                   ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,"
                   "\"args\":{\"name\":\"%s\"}}",
                   getpid(), row, name.c_str());
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
    std::snprintf(head, sizeof head, R"({"name":"%s","ph":"%s","pid":%d,"tid":%d,"ts":%.3f)", name,
                  phase, getpid(), row, since.count());
    events_.push_back(head + rest + "}");
    if (row != kCounterRow) rows_.insert(row);
  }

  const std::string path_;
  std::mutex mutex_;
  Clock::time_point start_;  // of the first event
  std::vector<std::string> events_;
  std::set<int> rows_;

  std::mutex queues_mutex_;
  std::map<int32_t, std::deque<Launch>> queues_;  // by stream: launched and not begun
  std::atomic<uint64_t> next_launch_{1};

  std::mutex memory_mutex_;
  std::map<const void*, Memory> sizes_;
  std::map<int32_t, int64_t> used_;  // by device
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
