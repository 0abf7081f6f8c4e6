// SPDX-License-Identifier: Apache-2.0
// Whether work uses memory that exists, is where the program says, and holds something.
#include <string>

#include "observe/memory_model.h"
#include "observe/words.h"
#include "runtime/pages.h"

namespace aclhost {
namespace {

// "on device 1", or "of the host".
std::string where(const Shadow* shadow) {
  if (shadow == nullptr) return "memory of the host";
  if (!shadow->on_device()) return "pinned memory of the host";
  return "memory of device " + std::to_string(shadow->device);
}

bool same_view(const Region& a, const Region& b) {
  return a.start == b.start && a.shape == b.shape && a.strides == b.strides && a.item == b.item;
}

}  // namespace

// Two tensors of one operator; the very same view is how programs work in place.
void MemoryModel::check_overlaps(const Work& work, const ModelTask& task) const {
  for (size_t i = 0; i < work.regions.size(); ++i) {
    const Use output{task, task.touches[i]};
    if (!output.touch.writes) continue;
    if (overlaps_itself(work.regions[i], output.touch.runs)) {
      note_finding("overlapping tensors", output.subject(), task.here, [&] {
        return Finding{output.subject() +
                           " has several elements at one address (a stride of 0, for example); "
                           "which of them stays depends on the order of computation" +
                           output.detail(),
                       {{"used at", task.here}}};
      });
    }
    for (size_t j = 0; j < work.regions.size(); ++j) {
      const Touch& other = task.touches[j];
      if (j == i || (other.writes && j > i)) continue;
      if (same_view(work.regions[i], work.regions[j])) continue;
      if (!intersect(output.touch.runs.list(), other.runs.list())) continue;
      note_finding("overlapping tensors", output.subject(), task.here, [&] {
        return Finding{output.subject() + " shares memory with " + other.name +
                           " without being the same view; the result depends on the order of "
                           "computation",
                       {{"used at", task.here}}};
      });
    }
  }
}

void MemoryModel::check_memory(const Use& use) {
  const Shadow* shadow = shadows_.of(use.touch.runs);
  const bool wanted = shadow != nullptr && (shadow->on_device() || use.is_copy());
  if (!wanted) return check_unknown(use);
  check_bounds(use, *shadow);
  check_side(use, shadow);
  if (use.task.moment && shadow->on_device()) check_device(use, *shadow);
}

void MemoryModel::check_bounds(const Use& use, const Shadow& shadow) const {
  const bool early = use.first() < shadow.begin;
  if (!early && use.last() <= shadow.end()) return;
  note_finding("out of bounds", use.subject(), use.task.here, [&] {
    const std::string how =
        early ? bytes(shadow.begin - use.first()) + " before the start of its allocation of "
              : bytes(use.last() - shadow.end()) + " beyond the end of its allocation of ";
    return Finding{use.subject() + use.verb() + bytes(use.span()) + " at " + hex(use.first()) +
                       ", " + how + bytes(shadow.size) + use.detail(),
                   {{"allocated at", shadow.allocated}, {"used at", use.task.here}}};
  });
}

// An address that is not, or no longer, memory of the wanted kind.
void MemoryModel::check_unknown(const Use& use) {
  if (const FreedShadow* gone = shadows_.freed(use.first())) {
    note_finding("use after free", use.subject(), use.task.here, [&] {
      return Finding{use.subject() + " uses " + bytes(use.span()) + " at " + hex(use.first()) +
                         ", in an allocation of " + bytes(gone->size) + " that was freed",
                     {{"allocated at", gone->allocated},
                      {"freed at", gone->freed},
                      {"used at", use.task.here}}};
    });
    return;
  }
  const bool device_address = is_hidden(reinterpret_cast<const void*>(use.first()));
  if (use.is_copy() && !device_address) return check_side(use, shadows_.live(use.first()));
  note_finding("not device memory", use.subject(), use.task.here, [&] {
    return Finding{use.subject() + " is at " + hex(use.first()) + ", " +
                       (device_address ? "where the device has no allocation"
                                       : "which is " + where(shadows_.live(use.first()))) +
                       "; allocate it with aclrtMalloc and copy",
                   {{"used at", use.task.here}}};
  });
}

// A null shadow: memory that the runtime did not allocate.
void MemoryModel::check_side(const Use& use, const Shadow* shadow) const {
  const bool on_device = shadow != nullptr && shadow->on_device();
  const Side side = use.touch.side;
  if (side == Side::kNotSaid || (side == Side::kDevice) == on_device) return;
  note_finding("wrong direction", use.task.call, use.task.here, [&] {
    Finding finding{use.subject() + " is at " + hex(use.first()) + ", which is " + where(shadow) +
                        ", but kind says that it is the " +
                        (side == Side::kDevice ? "device's" : "host's"),
                    {}};
    if (shadow != nullptr) finding.places.emplace_back("allocated at", shadow->allocated);
    finding.places.emplace_back("used at", use.task.here);
    return finding;
  });
}

// Peers reach each other's memory, whichever of them has asked for it.
bool MemoryModel::reach(int32_t device, int32_t other) const {
  return device == other || peers_.count({device, other}) != 0 ||
         peers_.count({other, device}) != 0;
}

void MemoryModel::check_device(const Use& use, const Shadow& shadow) const {
  const int32_t here = use.task.device;
  if (reach(here, shadow.device)) return;
  note_finding("memory of another device", use.subject(), use.task.here, [&] {
    return Finding{use.subject() + " is at " + hex(use.first()) + ", which is " + where(&shadow) +
                       ", but the stream is one of device " + std::to_string(here) +
                       " and nobody has called aclrtDeviceEnablePeerAccess",
                   {{"allocated at", shadow.allocated}, {"used at", use.task.here}}};
  });
}

// A copy by the program itself, from one device to another.
void MemoryModel::check_devices(const ModelTask& task) {
  const Shadow* known = nullptr;
  for (const Touch& touch : task.touches) {
    const Shadow* shadow = shadows_.of(touch.runs);
    if (shadow == nullptr || !shadow->on_device()) continue;
    if (known == nullptr) known = shadow;
    if (reach(known->device, shadow->device)) continue;
    note_finding("memory of another device", task.call, task.here, [&] {
      return Finding{std::string(task.call) + " copies between " + where(known) + " and " +
                         where(shadow) + ", but nobody has called aclrtDeviceEnablePeerAccess",
                     {{"allocated at", known->allocated},
                      {"allocated at", shadow->allocated},
                      {"used at", task.here}}};
    });
  }
}

void MemoryModel::check_order(const Use& use, Shadow& shadow) {
  const Moment* moment = use.task.moment ? &*use.task.moment : nullptr;
  const PendingUse* other =
      shadow.uses.conflict(order_, use.touch.runs.list(), use.touch.writes, moment);
  if (other == nullptr) return;
  const bool here = moment == nullptr;
  const bool fetches_result = here && other->writes && use.touch.reads;
  const char* title = fetches_result ? "missing synchronisation" : "race";
  note_finding(title, use.subject(), use.task.here, [&] {
    return Finding{
        use.subject() + use.verb() + hex(use.first()) +
            (here ? " while nobody has waited for " : " while nothing orders it after ") +
            what(*other) + (other->writes ? ", which writes it" : ", which reads it") +
            (here ? "; call aclrtSynchronizeStream first"
                  : "; record an event there and wait for it here"),
        {{"allocated at", shadow.allocated},
         {"queued at", other->place},
         {"used at", use.task.here}}};
  });
}

void MemoryModel::check_written(const Use& use, Shadow& shadow) {
  const int64_t unwritten = shadow.first_unwritten(use.touch.runs);
  if (unwritten < 0) return;
  note_finding("uninitialised read", use.subject(), use.task.here, [&] {
    return Finding{use.subject() + " reads " + hex(shadow.begin) + ", of which byte " +
                       std::to_string(unwritten) + " of " + std::to_string(shadow.size) +
                       " was never written" + use.detail(),
                   {{"allocated at", shadow.allocated}, {"used at", use.task.here}}};
  });
  shadow.write(use.touch.runs);  // once is enough
}

}  // namespace aclhost
