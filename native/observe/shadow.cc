// SPDX-License-Identifier: Apache-2.0
#include "observe/shadow.h"

#include <algorithm>
#include <utility>

namespace aclhost {
namespace {

constexpr uintptr_t kTail = 64 * 1024;  // behind an allocation no other begins
constexpr uintptr_t kFront = 4096;      // who means bytes so close in front of one means that one

// The part of a run that lies in the allocation, as offsets.
Run inside(const Shadow& shadow, const Run& run) {
  const uintptr_t first = std::max(run.begin, shadow.begin);
  const uintptr_t last = std::min(run.end, shadow.end());
  return first < last ? Run{first - shadow.begin, last - shadow.begin} : Run{0, 0};
}

}  // namespace

void Shadow::write(const Runs& runs) {
  if (!runs.exact) {  // better too much than a false alarm when it is read
    const Run all = inside(*this, {runs.first(), runs.last()});
    return written.write(all.begin, all.end);
  }
  for (const Run& run : runs.list()) {
    const Run part = inside(*this, run);
    written.write(part.begin, part.end);
  }
}

int64_t Shadow::first_unwritten(const Runs& runs) const {
  for (const Run& run : runs.list()) {
    const Run part = inside(*this, run);
    const int64_t found = written.first_unwritten(part.begin, part.end);
    if (found >= 0) return found;
  }
  return -1;
}

void Shadows::add(Shadow shadow) {
  if (shadow.on_device()) shadow.written = WrittenBytes(shadow.size);
  live_[shadow.begin] = std::move(shadow);
}

void Shadows::free(const Shadow& shadow, const Place& place) {
  const uintptr_t begin = shadow.begin;
  freed_.add(begin, {begin, shadow.size, shadow.allocated, place});
  live_.erase(begin);
}

Shadow* Shadows::at(const void* start) {
  const auto found = live_.find(reinterpret_cast<uintptr_t>(start));
  return found == live_.end() ? nullptr : &found->second;
}

Shadow* Shadows::live(uintptr_t address) {
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) return nullptr;
  Shadow& shadow = (--after)->second;
  return address < shadow.end() + kTail ? &shadow : nullptr;
}

Shadow* Shadows::following(uintptr_t address) {
  const auto after = live_.upper_bound(address);
  return after == live_.end() ? nullptr : &after->second;
}

Shadow* Shadows::of(const Runs& runs) {
  if (Shadow* shadow = live(runs.first())) return shadow;
  Shadow* next = following(runs.first());
  if (next == nullptr) return nullptr;
  const bool near = next->begin - runs.first() <= kFront;
  return near || runs.last() > next->begin ? next : nullptr;
}

const FreedShadow* Shadows::freed(uintptr_t address) const {
  const FreedShadow* below = freed_.find_below(address);
  return below != nullptr && below->contains(address) ? below : nullptr;
}

}  // namespace aclhost
