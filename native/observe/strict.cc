// SPDX-License-Identifier: Apache-2.0
#include "observe/strict.h"

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "base/errors.h"
#include "base/fork.h"
#include "observe/fault.h"
#include "observe/findings.h"
#include "observe/memory_model.h"
#include "observe/remembered.h"

namespace aclhost {
namespace {

struct HandleRecord {
  const char* kind;
  Place created;
  Place ended;
  bool ran = false;  // of an executor
};

const char* leak_title(const std::string& kind, bool ran) {
  if (kind == "executor" && !ran) return "executor never run";
  return kind == "callback" ? "callback never processed" : "leak";
}

const char* leak_text(const std::string& kind, bool ran) {
  if (kind == "executor" && !ran) return " was neither run nor destroyed";
  return kind == "callback" ? " was launched, but no aclrtProcessReport took it"
                            : " was never destroyed";
}

class Strict final : public Observer {
 public:
  void created(const void* handle, const char* kind) override {
    locked([&] { handles_[handle] = {kind, Place::here(), {}}; });
  }

  void destroyed(const void* handle) override {
    locked([&] {
      const auto found = handles_.find(handle);
      if (found == handles_.end()) return;
      found->second.ended = Place::here();
      ended_.add(handle, found->second);
      handles_.erase(found);
    });
  }

  void ran(const void* executor) override {
    locked([&] {
      const auto found = handles_.find(executor);
      if (found != handles_.end()) found->second.ran = true;
    });
  }

  void misused(const char* call, const char* parameter, const void* handle) override {
    locked([&] { note_misuse(call, parameter, handle); });
  }

  void allocated(const void* start, size_t size, int32_t device) override {
    locked([&] { memory_.allocated(start, size, device); });
  }
  void freed(const char* call, const void* start, bool found) override {
    locked([&] { memory_.freed(call, start, found); });
  }
  void freed_in_stream(const char* call, const void* start, int32_t stream) override {
    locked([&] { memory_.freed_in_stream(call, start, stream); });
  }
  void peer_access(int32_t device, int32_t peer, bool on) override {
    locked([&] { memory_.peer_access(device, peer, on); });
  }
  void submitted(const Work& work, int32_t stream, int32_t device) override {
    locked([&] { memory_.submitted(work, stream, device); });
  }
  void done_here(const Work& work) override {
    locked([&] { memory_.done_here(work); });
  }

  void recorded(uint64_t mark, int32_t stream) override {
    locked([&] { memory_.recorded(mark, stream); });
  }
  void awaits(uint64_t mark, int32_t stream) override {
    locked([&] { memory_.awaits(mark, stream); });
  }
  void passed(uint64_t mark, int32_t) override {
    locked([&] { memory_.passed(mark); });
  }
  void mark_ended(uint64_t mark) override {
    locked([&] { memory_.mark_ended(mark); });
  }
  void joined_stream(int32_t stream) override {
    locked([&] { memory_.joined_stream(stream); });
  }
  void joined_mark(uint64_t mark) override {
    locked([&] { memory_.joined_mark(mark); });
  }
  void stream_ended(int32_t stream) override {
    locked([&] { memory_.stream_ended(stream); });
  }

  void finalized() override {
    locked([&] { finalized_ = true; });
  }

  // In a handler. Whoever holds the lock may be stopped, so this does not wait for ever.
  bool explain_fault(const void* address) {
    std::unique_lock<std::timed_mutex> lock(mutex_, std::chrono::seconds(2));
    const bool goes_on = memory_.touched_by_host(address);
    if (lock.owns_lock()) lock.unlock();
    print_findings();
    return goes_on;
  }

  // What is still there when the process ends. Some programs free after aclFinalize, which is fine.
  // Without it, nobody knows what the program meant to do yet: false.
  bool report_leaks() {
    locked([&] {
      if (!finalized_) return;
      for (const auto& [handle, record] : handles_) note_leak(handle, record);
      memory_.note_leaks();
    });
    return finalized_;
  }

 private:
  template <typename Body>
  void locked(Body&& body) {
    {
      const std::lock_guard<std::timed_mutex> lock(mutex_);
      body();
    }
    print_findings();
  }

  void note_misuse(const char* call, const char* parameter, const void* handle) const {
    const Place here = Place::here();
    const std::string name = call;
    const bool again = name.find("Destroy") != std::string::npos;
    const char* title = again ? "double destroy" : "use after destroy";
    note_finding(title, name + parameter, here, [&] {
      const HandleRecord* record = ended_.find(handle);
      const std::string kind = record == nullptr ? "handle" : record->kind;
      Finding finding{name + ": " + parameter + " is the " + kind + " " + hex(handle) +
                          (kind == "executor" ? ", which has run or was destroyed before"
                                              : ", which was destroyed before"),
                      {}};
      if (record != nullptr) {
        finding.places = {{"created at", record->created}, {"ended at", record->ended}};
      }
      finding.places.emplace_back("used at", here);
      return finding;
    });
  }

  static void note_leak(const void* handle, const HandleRecord& record) {
    const std::string kind = record.kind;
    note_finding(leak_title(kind, record.ran), kind, record.created, [&] {
      return Finding{kind + " " + hex(handle) + leak_text(kind, record.ran),
                     {{"created at", record.created}}};
    });
  }

  std::timed_mutex mutex_;
  MemoryModel memory_;
  std::map<const void*, HandleRecord> handles_;
  Remembered<const void*, HandleRecord> ended_;
  bool finalized_ = false;
};

Strict& strict() {
  static auto& instance = *new Strict;
  return instance;
}

}  // namespace

Observer* make_strict_observer() {
  Strict& instance = strict();
  watch_faults([](const void* address) { return strict().explain_fault(address); });
  when_process_ends([](int status) {
    if (in_forked_child()) return;  // the findings are its parent's
    const bool leaks_checked = strict().report_leaks();
    conclude(status, leaks_checked);
  });
  return &instance;
}

}  // namespace aclhost
