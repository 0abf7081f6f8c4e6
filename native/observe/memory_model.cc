// SPDX-License-Identifier: Apache-2.0
#include "observe/memory_model.h"

#include <utility>

#include "base/errors.h"

namespace aclhost {
namespace {

std::string bytes(size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::string hex(uintptr_t address) { return aclhost::hex(reinterpret_cast<const void*>(address)); }

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
    const std::string subject = std::string(work.call) + ": " + output.name;
    report_finding(subject, {"overlapping tensors",
                             subject + " shares memory with " + other.name +
                                 " without being the same view; the result depends on the order of "
                                 "computation",
                             {{"used at", here}}});
  }
}

}  // namespace

void MemoryModel::allocated(const void* start, size_t size, bool device) {
  Shadow shadow;
  shadow.begin = reinterpret_cast<uintptr_t>(start);
  shadow.size = size;
  shadow.device = device;
  shadow.allocated = Place::here();
  shadows_.add(std::move(shadow));
}

void MemoryModel::freed(const char* call, const void* start, bool found) {
  const Place here = Place::here();
  if (!found) return bad_free(call, start, here);
  const Shadow* shadow = shadows_.free(start, here);
  if (shadow == nullptr) return;
  for (const PendingUse& use : shadow->uses) {
    if (order.before_host(use.moment)) continue;
    report_finding(
        call,
        {"use after free",
         std::string(call) + " frees " + aclhost::hex(start) + " (" + bytes(shadow->size) +
             ") while " + use.what + " may still be running; synchronize its stream first",
         {{"allocated at", shadow->allocated}, {"queued at", use.place}, {"freed at", here}}});
    return;
  }
}

void MemoryModel::bad_free(const char* call, const void* start, const Place& here) const {
  const std::string what = std::string(call) + " of " + aclhost::hex(start);
  const Shadow* gone = shadows_.freed(reinterpret_cast<uintptr_t>(start));
  if (gone == nullptr) {
    report_finding(call, {"invalid free",
                          what + ", which no allocation of that kind starts at",
                          {{"freed at", here}}});
    return;
  }
  report_finding(call, {"double free",
                        what + " (" + bytes(gone->size) + "), which was freed before",
                        {{"allocated at", gone->allocated},
                         {"first freed at", gone->freed},
                         {"freed again at", here}}});
}

void MemoryModel::submitted(const Work& work, int32_t stream) {
  const Moment moment = order.submit(stream);
  check(work, &moment);
}

void MemoryModel::done_here(const Work& work) { check(work, nullptr); }

void MemoryModel::check(const Work& work, const Moment* moment) {
  const Place here = Place::here();
  std::vector<std::vector<Run>> runs;
  for (const Region& region : work.regions) runs.push_back(runs_of(region));
  for (size_t i = 0; i < runs.size(); ++i) {
    check_overlap(work, runs, i, here);
    check_memory({work, work.regions[i], runs[i], moment, here});
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    note({work, work.regions[i], runs[i], moment, here});
  }
}

void MemoryModel::check_memory(const Use& use) {
  Shadow* shadow = shadows_.live(use.first());
  if (shadow == nullptr || (!shadow->device && !use.is_copy())) return check_unknown(use);
  if (use.last() > shadow->end()) {
    report_finding(use.subject(), {"out of bounds",
                                   use.subject() + (use.region.writes ? " writes " : " reads ") +
                                       bytes(use.last() - use.first()) + " at " + hex(use.first()) +
                                       ", " + bytes(use.last() - shadow->end()) +
                                       " beyond the end of its allocation of " +
                                       bytes(shadow->size) + use.detail(),
                                   {{"allocated at", shadow->allocated}, {"used at", use.here}}});
  }
  check_order(use, *shadow);
  if (shadow->device && use.region.reads) check_written(use, *shadow);
}

// An address that is not, or no longer, device memory.
void MemoryModel::check_unknown(const Use& use) const {
  if (const Shadow* gone = shadows_.freed(use.first())) {
    report_finding(
        use.subject(),
        {"use after free",
         use.subject() + " uses " + bytes(use.last() - use.first()) + " at " + hex(use.first()) +
             ", in an allocation of " + bytes(gone->size) + " that was freed",
         {{"allocated at", gone->allocated}, {"freed at", gone->freed}, {"used at", use.here}}});
    return;
  }
  if (use.is_copy()) return;  // copies go to and from the host
  report_finding(use.subject(), {"not device memory",
                                 use.subject() + " is at " + hex(use.first()) +
                                     ", which is memory of the host; allocate it with aclrtMalloc "
                                     "and copy",
                                 {{"used at", use.here}}});
}

void MemoryModel::check_order(const Use& use, Shadow& shadow) {
  auto& pending = shadow.uses;
  // What the program has awaited comes before everything it does from now on.
  for (size_t i = pending.size(); i-- > 0;) {
    if (!order.before_host(pending[i].moment)) continue;
    if (i + 1 < pending.size()) pending[i] = std::move(pending.back());
    pending.pop_back();
  }
  const Moment* moment = use.moment;
  for (const PendingUse& other : pending) {
    if (!other.writes && !use.region.writes) continue;
    if (moment != nullptr && order.before_stream(other.moment, moment->stream)) continue;
    if (!intersect(other.runs, use.runs)) continue;
    const bool fetches_result = moment == nullptr && other.writes && use.region.reads;
    report_finding(
        use.subject(),
        {fetches_result ? "missing synchronisation" : "race",
         use.subject() + (use.region.writes ? " writes " : " reads ") + hex(use.first()) +
             (moment == nullptr ? " while nobody has waited for "
                                : " while nothing orders it after ") +
             other.what + (other.writes ? ", which writes it" : ", which reads it") +
             (moment == nullptr ? "; call aclrtSynchronizeStream first"
                                : "; record an event there and wait for it here"),
         {{"allocated at", shadow.allocated}, {"queued at", other.place}, {"used at", use.here}}});
    return;
  }
}

void MemoryModel::check_written(const Use& use, Shadow& shadow) {
  const int64_t unwritten = shadow.first_unwritten(use.runs);
  if (unwritten < 0) return;
  report_finding(use.subject(),
                 {"uninitialised read",
                  use.subject() + " reads " + hex(shadow.begin) + ", of which byte " +
                      std::to_string(unwritten) + " of " + std::to_string(shadow.size) +
                      " was never written" + use.detail(),
                  {{"allocated at", shadow.allocated}, {"used at", use.here}}});
  shadow.write(use.runs);  // once is enough
}

void MemoryModel::note(const Use& use) {
  Shadow* shadow = shadows_.live(use.first());
  if (shadow == nullptr) return;
  if (use.region.writes && shadow->device) shadow->write(use.runs);
  if (use.moment == nullptr) return;
  const std::string what =
      std::string(use.work.call) + " on stream " + std::to_string(use.moment->stream);
  shadow->uses.push_back({*use.moment, use.region.writes, use.runs, what, use.here});
}

void MemoryModel::touched_by_host(const void* address) {
  const Place here = Place::here(1);  // without the frame that the kernel put in between
  const auto number = reinterpret_cast<uintptr_t>(address);
  Finding finding{"host access to device memory",
                  "the program itself reads or writes " + aclhost::hex(address) +
                      ", which is device memory; copy with aclrtMemcpy",
                  {}};
  if (const Shadow* shadow = shadows_.live(number)) {
    finding.message += " (byte " + std::to_string(number - shadow->begin) + " of " +
                       std::to_string(shadow->size) + ")";
    finding.places.emplace_back("allocated at", shadow->allocated);
  } else if (const Shadow* gone = shadows_.freed(number)) {
    finding.message += " (freed)";
    finding.places = {{"allocated at", gone->allocated}, {"freed at", gone->freed}};
  }
  finding.places.emplace_back("used at", here);
  report_finding("fault", finding);
}

void MemoryModel::report_leaks() const {
  for (const auto& [start, shadow] : shadows_.all()) {
    report_finding("memory",
                   {"leak",
                    bytes(shadow.size) + " of " + (shadow.device ? "device" : "pinned host") +
                        " memory at " + hex(start) + " were never freed",
                    {{"allocated at", shadow.allocated}}});
  }
}

}  // namespace aclhost
