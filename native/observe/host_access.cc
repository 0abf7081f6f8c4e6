// SPDX-License-Identifier: Apache-2.0
// What the program itself does to memory, as far as anybody can see it: frees and faults.
#include <string>

#include "observe/memory_model.h"
#include "observe/words.h"
#include "runtime/pages.h"

namespace aclhost {
namespace {

constexpr uintptr_t kNear = 4096;  // an access in front of an allocation may mean that one
constexpr uintptr_t kHeader = 16;  // where the C library looks when it frees

}  // namespace

void MemoryModel::bad_free(const char* call, const void* start, const Place& here) {
  const auto message = [&] { return std::string(call) + " of " + aclhost::hex(start); };
  const auto address = reinterpret_cast<uintptr_t>(start);
  if (const FreedShadow* gone = shadows_.freed(address)) {
    note_finding("double free", call, here, [&] {
      return Finding{message() + " (" + bytes(gone->size) + "), which was freed before",
                     {{"allocated at", gone->allocated},
                      {"first freed at", gone->freed},
                      {"freed again at", here}}};
    });
    return;
  }
  note_finding("invalid free", call, here, [&] {
    return Finding{message() + ", which no allocation of that kind starts at",
                   {{"freed at", here}}};
  });
}

bool MemoryModel::touched_by_host(const void* address) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  if (!is_hidden(address)) return touched_pinned(number);
  const Place here = Place::interrupted();
  note_finding("host access to device memory", "", here, [&] {
    Finding finding{"the program itself reads or writes " + aclhost::hex(address), {}};
    if (const Shadow* shadow = shadows_.live(number)) {
      finding.message += ", which is device memory (byte " +
                         std::to_string(number - shadow->begin) + " of " +
                         std::to_string(shadow->size) + "); copy with aclrtMemcpy";
      finding.places.emplace_back("allocated at", shadow->allocated);
    } else if (const FreedShadow* gone = shadows_.freed(number)) {
      finding.message += ", which was device memory and is freed";
      finding.places = {{"allocated at", gone->allocated}, {"freed at", gone->freed}};
    } else if (const Shadow* next = shadows_.following(number);
               next != nullptr && next->begin - number <= kNear) {
      const uintptr_t distance = next->begin - number;
      finding.message += ", " + bytes(distance) + " before device memory of " + bytes(next->size);
      if (distance <= kHeader)
        finding.message += "; aclrtFree is what frees it, not free or delete";
      finding.places.emplace_back("allocated at", next->allocated);
    } else {
      finding.message += ", an address of the device without an allocation";
    }
    finding.places.emplace_back("used at", here);
    return finding;
  });
  return false;
}

bool MemoryModel::touched_pinned(uintptr_t address) {
  const Place here = Place::interrupted();
  if (Shadow* shadow = shadows_.live(address)) {
    const PinnedGuard* guard = shadow->guards.open_at(address);
    guarded_.erase(shadow->begin);
    if (guard == nullptr) return true;  // another thread met it first
    const char* title = guard->reading_allowed ? "race" : "missing synchronisation";
    note_finding(title, "pinned memory", here, [&] {
      return Finding{
          "the program itself " +
              std::string(guard->reading_allowed ? "writes " : "reads or writes ") + hex(address) +
              ", which is pinned memory, while nobody has waited for " + guard->call +
              " on stream " + std::to_string(guard->moment.stream) +
              (guard->reading_allowed ? ", which reads it" : ", which writes it") +
              "; call aclrtSynchronizeStream first",
          {{"allocated at", shadow->allocated}, {"queued at", guard->place}, {"used at", here}}};
    });
    return true;
  }
  if (const FreedShadow* gone = shadows_.freed(address)) {
    note_finding("use after free", "pinned memory", here, [&] {
      return Finding{
          "the program itself reads or writes " + hex(address) +
              ", in pinned memory that was freed",
          {{"allocated at", gone->allocated}, {"freed at", gone->freed}, {"used at", here}}};
    });
  }
  return false;
}

}  // namespace aclhost
