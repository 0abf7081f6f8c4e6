// SPDX-License-Identifier: Apache-2.0
#include "observe/strict.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "observe/fault.h"
#include "observe/findings.h"
#include "observe/shadow.h"
#include "runtime/memory.h"

namespace aclhost {
namespace {

struct HandleRecord {
  const char* kind;
  Place created;
  Place destroyed;
};

std::string bytes(size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

class Strict final : public Observer {
 public:
  void created(const void* handle, const char* kind) override {
    std::lock_guard<std::mutex> lock(mutex_);
    handles_[handle] = {kind, Place::here(), {}};
  }

  void destroyed(const void* handle) override {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = handles_.find(handle);
    if (found == handles_.end()) return;
    found->second.destroyed = Place::here();
    ended_[handle] = std::move(found->second);
    handles_.erase(found);
    if (ended_.size() > kRemembered) ended_.erase(ended_.begin());
  }

  void misused(const char* call, const char* parameter, const void* handle) override {
    std::lock_guard<std::mutex> lock(mutex_);
    const std::string name = call;
    const bool again = name.find("Destroy") != std::string::npos;
    Finding finding{again ? "double destroy" : "use after destroy",
                    name + ": " + parameter + " " + hex(handle) + " was destroyed before",
                    {}};
    const auto found = ended_.find(handle);
    if (found != ended_.end()) {
      finding.message +=
          std::string(" (a") +
          (found->second.kind[0] == 'e' || found->second.kind[0] == 'i' ? "n " : " ") +
          found->second.kind + ")";
      finding.places = {{"created at", found->second.created},
                        {"ended at", found->second.destroyed}};
    }
    finding.places.emplace_back("used at", Place::here());
    report_finding(name + parameter, finding);
  }

  void allocated(const void* start, size_t size, bool device) override {
    Shadow shadow;
    shadow.begin = reinterpret_cast<uintptr_t>(start);
    shadow.size = size;
    shadow.device = device;
    shadow.allocated = Place::here();
    std::lock_guard<std::mutex> lock(mutex_);
    shadows_.add(std::move(shadow));
  }

  void freed(const char* call, const void* start, bool found) override {
    std::lock_guard<std::mutex> lock(mutex_);
    const Place here = Place::here();
    if (!found) return bad_free(call, start, here);
    const Shadow* shadow = shadows_.free(start, here);
    if (shadow == nullptr) return;
    for (const PendingUse& use : shadow->uses) {
      if (order_.before_host(use.moment)) continue;
      report_finding(
          call,
          {"use after free",
           std::string(call) + " frees " + hex(start) + " (" + bytes(shadow->size) + ") while " +
               use.what + " may still be running; synchronize its stream first",
           {{"allocated at", shadow->allocated}, {"queued at", use.place}, {"freed at", here}}});
      return;
    }
  }

  void submitted(const Work& work, int32_t stream) override {
    std::lock_guard<std::mutex> lock(mutex_);
    const Moment moment = order_.submit(stream);
    check(work, &moment);
  }

  void done_here(const Work& work) override {
    std::lock_guard<std::mutex> lock(mutex_);
    check(work, nullptr);
  }

  void recorded(const void* mark, int32_t stream) override {
    std::lock_guard<std::mutex> lock(mutex_);
    order_.record(mark, stream);
  }
  void awaits(const void* mark, int32_t stream) override {
    std::lock_guard<std::mutex> lock(mutex_);
    order_.await(mark, stream);
  }
  void joined_stream(int32_t stream) override {
    std::lock_guard<std::mutex> lock(mutex_);
    order_.join_stream(stream);
  }
  void joined_mark(const void* mark) override {
    std::lock_guard<std::mutex> lock(mutex_);
    order_.join_mark(mark);
  }

  void finalized() override {
    std::lock_guard<std::mutex> lock(mutex_);
    finalized_ = true;
  }

  void explain_fault(const void* address) {
    const Place here = Place::here(1);  // without the frame that the kernel put in between
    const auto number = reinterpret_cast<uintptr_t>(address);
    Finding finding{"host access to device memory",
                    "the program itself reads or writes " + hex(address) +
                        ", which is device memory; copy with aclrtMemcpy",
                    {}};
    if (const Shadow* shadow = shadows_.live(number)) {
      finding.message += " (byte " + std::to_string(number - shadow->begin) + " of " +
                         std::to_string(shadow->size) + ")";
      finding.places.emplace_back("allocated at", shadow->allocated);
    } else if (const Shadow* gone = shadows_.freed(number)) {
      finding.message += " and freed";
      finding.places = {{"allocated at", gone->allocated}, {"freed at", gone->freed}};
    }
    finding.places.emplace_back("used at", here);
    report_finding("fault", finding);
  }

  // What is still there when the process ends. Some programs free after aclFinalize, which is fine.
  void report_leaks() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!finalized_) return;
    for (const auto& [handle, record] : handles_) {
      const std::string kind = record.kind;
      const bool executor = kind == "executor";
      report_finding(kind,
                     {executor ? "executor never run" : "leak",
                      kind + " " + hex(handle) +
                          (executor ? " was neither run nor destroyed" : " was never destroyed"),
                      {{"created at", record.created}}});
    }
    for (const auto& [start, shadow] : shadows_.all()) {
      report_finding("memory", {"leak",
                                bytes(shadow.size) + " of " +
                                    (shadow.device ? "device" : "pinned host") + " memory at " +
                                    hex(reinterpret_cast<const void*>(start)) + " were never freed",
                                {{"allocated at", shadow.allocated}}});
    }
  }

 private:
  static constexpr size_t kRemembered = 4096;  // ended handles

  void bad_free(const char* call, const void* start, const Place& here) {
    const Shadow* gone = shadows_.freed(reinterpret_cast<uintptr_t>(start));
    if (gone != nullptr) {
      report_finding(call, {"double free",
                            std::string(call) + " of " + hex(start) + " (" + bytes(gone->size) +
                                "), which was freed before",
                            {{"allocated at", gone->allocated},
                             {"first freed at", gone->freed},
                             {"freed again at", here}}});
      return;
    }
    report_finding(call, {"invalid free",
                          std::string(call) + " of " + hex(start) +
                              ", which no allocation of that kind starts at",
                          {{"freed at", here}}});
  }

  // A null moment: the program's own thread does it, now.
  void check(const Work& work, const Moment* moment) {
    const Place here = Place::here();
    std::vector<std::vector<Run>> runs;
    for (const Region& region : work.regions) runs.push_back(runs_of(region));
    for (size_t i = 0; i < runs.size(); ++i) {
      check_overlap(work, runs, i, here);
      check_region(work, work.regions[i], runs[i], moment, here);
    }
    for (size_t i = 0; i < runs.size(); ++i)
      note_region(work, work.regions[i], runs[i], moment, here);
  }

  static std::string subject(const Work& work, const Region& region) {
    return std::string(work.call) + ": " + region.name;
  }

  // Two tensors of one operator; the very same view is how programs work in place.
  void check_overlap(const Work& work, const std::vector<std::vector<Run>>& runs, size_t i,
                     const Place& here) {
    const Region& output = work.regions[i];
    if (!output.writes) return;
    for (size_t j = 0; j < runs.size(); ++j) {
      const Region& other = work.regions[j];
      const bool same = other.start == output.start && other.shape == output.shape &&
                        other.strides == output.strides && other.item == output.item;
      if (j == i || same || (other.writes && j > i) || !intersect(runs[i], runs[j])) continue;
      report_finding(subject(work, output),
                     {"overlapping tensors",
                      subject(work, output) + " shares memory with " + other.name +
                          " without being the same view; the result depends on the order of "
                          "computation",
                      {{"used at", here}}});
    }
  }

  void check_region(const Work& work, const Region& region, const std::vector<Run>& runs,
                    const Moment* moment, const Place& here) {
    const uintptr_t first = runs.front().begin;
    const uintptr_t last = runs.back().end;
    Shadow* shadow = shadows_.live(first);
    const bool copy = std::string(work.call).rfind("aclrt", 0) == 0;
    if (shadow == nullptr) return check_unknown(work, region, first, last - first, copy, here);
    if (!shadow->device && !copy) {
      return not_device(work, region, first, "memory of aclrtMallocHost", here);
    }
    if (last > shadow->end()) {
      const std::string verb = region.writes ? " writes " : " reads ";
      report_finding(
          subject(work, region),
          {"out of bounds",
           subject(work, region) + verb + bytes(last - first) + " at " +
               hex(reinterpret_cast<const void*>(first)) + ", " + bytes(last - shadow->end()) +
               " beyond the end of its allocation of " + bytes(shadow->size) + detail(work),
           {{"allocated at", shadow->allocated}, {"used at", here}}});
    }
    check_pending(work, region, runs, *shadow, moment, here);
    if (!shadow->device || !region.reads) return;
    const int64_t unwritten = shadow->first_unwritten(runs);
    if (unwritten < 0) return;
    report_finding(
        subject(work, region),
        {"uninitialised read",
         subject(work, region) + " reads " + hex(reinterpret_cast<const void*>(shadow->begin)) +
             ", of which byte " + std::to_string(unwritten) + " of " +
             std::to_string(shadow->size) + " was never written" + detail(work),
         {{"allocated at", shadow->allocated}, {"used at", here}}});
    shadow->write(runs);  // once is enough
  }

  static std::string detail(const Work& work) {
    return work.detail.empty() ? "" : " (" + work.detail + ")";
  }

  void check_unknown(const Work& work, const Region& region, uintptr_t first, size_t size,
                     bool copy, const Place& here) {
    if (const Shadow* gone = shadows_.freed(first)) {
      report_finding(
          subject(work, region),
          {"use after free",
           subject(work, region) + " uses " + bytes(size) + " at " +
               hex(reinterpret_cast<const void*>(first)) + ", in an allocation of " +
               bytes(gone->size) + " that was freed",
           {{"allocated at", gone->allocated}, {"freed at", gone->freed}, {"used at", here}}});
      return;
    }
    if (!copy) not_device(work, region, first, "host memory", here);
  }

  void not_device(const Work& work, const Region& region, uintptr_t first, const char* what,
                  const Place& here) {
    report_finding(subject(work, region),
                   {"not device memory",
                    subject(work, region) + " is at " + hex(reinterpret_cast<const void*>(first)) +
                        ", which is " + what + "; allocate it with aclrtMalloc and copy",
                    {{"used at", here}}});
  }

  void check_pending(const Work& work, const Region& region, const std::vector<Run>& runs,
                     Shadow& shadow, const Moment* moment, const Place& here) {
    auto& uses = shadow.uses;
    // What the program has awaited comes before everything it does from now on.
    for (size_t i = uses.size(); i-- > 0;) {
      if (!order_.before_host(uses[i].moment)) continue;
      uses[i] = std::move(uses.back());
      uses.pop_back();
    }
    for (const PendingUse& use : uses) {
      if (!use.writes && !region.writes) continue;
      if (moment != nullptr && (use.moment.stream == moment->stream ||
                                order_.before_stream(use.moment, moment->stream))) {
        continue;
      }
      if (!intersect(use.runs, runs)) continue;
      const bool copies_result = moment == nullptr && use.writes && region.reads;
      const std::string what =
          moment == nullptr ? " while nobody has waited for " : " while nothing orders it after ";
      report_finding(
          subject(work, region),
          {copies_result ? "missing synchronisation" : "race",
           subject(work, region) + (region.writes ? " writes " : " reads ") +
               hex(reinterpret_cast<const void*>(runs.front().begin)) + what + use.what +
               (use.writes ? ", which writes it" : ", which reads it") +
               (moment == nullptr ? "; call aclrtSynchronizeStream first"
                                  : "; record an event there and wait for it here"),
           {{"allocated at", shadow.allocated}, {"queued at", use.place}, {"used at", here}}});
      return;
    }
  }

  void note_region(const Work& work, const Region& region, const std::vector<Run>& runs,
                   const Moment* moment, const Place& here) {
    Shadow* shadow = shadows_.live(runs.front().begin);
    if (shadow == nullptr) return;
    if (region.writes && shadow->device) shadow->write(runs);
    if (moment == nullptr) return;
    shadow->uses.push_back({*moment, region.writes, runs,
                            std::string(work.call) + " on stream " + std::to_string(moment->stream),
                            here});
  }

  std::mutex mutex_;
  Order order_;
  Shadows shadows_;
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
        strict().report_leaks();
        conclude(status);
      },
      nullptr);
  return &instance;
}

}  // namespace aclhost
