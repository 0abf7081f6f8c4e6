// SPDX-License-Identifier: Apache-2.0
#include "observe/shadow.h"

#include <algorithm>
#include <utility>

namespace aclhost {
namespace {

constexpr size_t kRemembered = 4096;    // freed allocations
constexpr uintptr_t kTail = 64 * 1024;  // behind an allocation no other begins

}  // namespace

void Shadow::write(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const uintptr_t first = std::max(run.begin, begin);
    const uintptr_t last = std::min(run.end, end());
    if (first < last) {
      std::fill(written.begin() + (first - begin), written.begin() + (last - begin), true);
    }
  }
}

int64_t Shadow::first_unwritten(const std::vector<Run>& runs) const {
  for (const Run& run : runs) {
    const uintptr_t first = std::max(run.begin, begin);
    const uintptr_t last = std::min(run.end, end());
    if (first >= last) continue;
    const auto stop = written.begin() + (last - begin);
    const auto found = std::find(written.begin() + (first - begin), stop, false);
    if (found != stop) return found - written.begin();
  }
  return -1;
}

void Shadows::add(Shadow shadow) {
  if (shadow.device) shadow.written.resize(shadow.size);
  live_[shadow.begin] = std::move(shadow);
}

Shadow* Shadows::free(const void* start, const Place& place) {
  const auto found = live_.find(reinterpret_cast<uintptr_t>(start));
  if (found == live_.end()) return nullptr;
  freed_.push_front(std::move(found->second));
  live_.erase(found);
  if (freed_.size() > kRemembered) freed_.pop_back();
  freed_.front().freed = place;
  freed_.front().written.clear();
  return &freed_.front();
}

Shadow* Shadows::live(uintptr_t address) {
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) return nullptr;
  Shadow& shadow = (--after)->second;
  return address < shadow.end() + kTail ? &shadow : nullptr;
}

const Shadow* Shadows::freed(uintptr_t address) const {
  for (const Shadow& shadow : freed_) {
    if (address >= shadow.begin && address < shadow.end()) return &shadow;
  }
  return nullptr;
}

}  // namespace aclhost
