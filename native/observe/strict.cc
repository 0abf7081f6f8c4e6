// SPDX-License-Identifier: Apache-2.0
#include "observe/strict.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/errors.h"
#include "base/fork.h"
#include "observe/fault.h"
#include "observe/findings.h"
#include "observe/memory_model.h"

namespace aclhost {
namespace {

constexpr size_t kRemembered = 4096;  // ended handles

struct HandleRecord {
  const char* kind;
  Place created;
  Place ended;
};

class Strict final : public Observer {
  using Lock = std::lock_guard<std::mutex>;

 public:
  void created(const void* handle, const char* kind) override {
    const Lock lock(mutex_);
    handles_[handle] = {kind, Place::here(), {}};
  }

  void destroyed(const void* handle) override {
    const Lock lock(mutex_);
    const auto found = handles_.find(handle);
    if (found == handles_.end()) return;
    found->second.ended = Place::here();
    ended_[handle] = std::move(found->second);
    handles_.erase(found);
    if (ended_.size() > kRemembered) ended_.erase(ended_.begin());
  }

  void misused(const char* call, const char* parameter, const void* handle) override {
    const Lock lock(mutex_);
    const std::string name = call;
    const bool again = name.find("Destroy") != std::string::npos;
    Finding finding{again ? "double destroy" : "use after destroy", "", {}};
    const auto found = ended_.find(handle);
    const std::string kind = found == ended_.end() ? "handle" : found->second.kind;
    finding.message = name + ": " + parameter + " is the " + kind + " " + hex(handle) +
                      (kind == "executor" ? ", which has run or was destroyed before"
                                          : ", which was destroyed before");
    if (found != ended_.end()) {
      finding.places = {{"created at", found->second.created}, {"ended at", found->second.ended}};
    }
    finding.places.emplace_back("used at", Place::here());
    report_finding(name + parameter, finding);
  }

  void allocated(const void* start, size_t size, bool device) override {
    const Lock lock(mutex_);
    memory_.allocated(start, size, device);
  }
  void freed(const char* call, const void* start, bool found) override {
    const Lock lock(mutex_);
    memory_.freed(call, start, found);
  }
  void submitted(const Work& work, int32_t stream) override {
    const Lock lock(mutex_);
    memory_.submitted(work, stream);
  }
  void done_here(const Work& work) override {
    const Lock lock(mutex_);
    memory_.done_here(work);
  }

  void recorded(const void* mark, int32_t stream) override {
    const Lock lock(mutex_);
    memory_.order.record(mark, stream);
  }
  void awaits(const void* mark, int32_t stream) override {
    const Lock lock(mutex_);
    memory_.order.await(mark, stream);
  }
  void joined_stream(int32_t stream) override {
    const Lock lock(mutex_);
    memory_.order.join_stream(stream);
  }
  void joined_mark(const void* mark) override {
    const Lock lock(mutex_);
    memory_.order.join_mark(mark);
  }

  void finalized() override {
    const Lock lock(mutex_);
    finalized_ = true;
  }

  // Without the lock: the thread that faulted may hold it.
  void explain_fault(const void* address) { memory_.touched_by_host(address); }

  // What is still there when the process ends. Some programs free after aclFinalize, which is fine.
  void report_leaks() {
    const Lock lock(mutex_);
    if (!finalized_) return;
    for (const auto& [handle, record] : handles_) {
      const std::string kind = record.kind;
      const bool executor = kind == "executor";
      const char* what = executor ? " was neither run nor destroyed" : " was never destroyed";
      report_finding(kind, {executor ? "executor never run" : "leak",
                            kind + " " + hex(handle) + what,
                            {{"created at", record.created}}});
    }
    memory_.report_leaks();
  }

 private:
  std::mutex mutex_;
  MemoryModel memory_;
  std::map<const void*, HandleRecord> handles_;
  std::map<const void*, HandleRecord> ended_;
  bool finalized_ = false;
};

Strict& strict() {
  static auto& instance = *new Strict;
  return instance;
}

}  // namespace

Observer* make_strict_observer() {
  Strict& instance = strict();
  watch_faults([](const void* address) { strict().explain_fault(address); });
  on_exit(
      [](int status, void*) {
        if (in_forked_child()) return;  // the findings are its parent's
        strict().report_leaks();
        conclude(status);
      },
      nullptr);
  return &instance;
}

}  // namespace aclhost
