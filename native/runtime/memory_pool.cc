// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory_pool.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "acl/acl_rt_memory_soma.h"
#include "base/observer.h"
#include "runtime/graph.h"
#include "runtime/memory.h"

namespace aclhost {
namespace {

constexpr size_t kBlock = size_t{2} << 20;  // upstream's least

// Up, or down where there is no larger number.
size_t rounded(size_t size) {
  constexpr size_t kLargest = SIZE_MAX / kBlock * kBlock;
  return size > kLargest ? kLargest : (size + kBlock - 1) / kBlock * kBlock;
}

}  // namespace

void MemoryPool::Amounts::add(size_t size) {
  current += size;
  high = std::max(high, current);
}

MemoryPool::MemoryPool(int32_t device, size_t most) : device_(device), most_(rounded(most)) {}

MemoryPool::~MemoryPool() {
  for (const auto& [size, block] : idle_) release(block.first, MemoryKind::kDevice);
}

// The smallest block that may be used: given back by the same stream, or, if the attributes allow
// it, by another one that is through with it, or that the stream then waits for.
MemoryPool::Blocks::iterator MemoryPool::find_idle(size_t size, Stream& stream) {
  const bool if_reached = reuses_[1] != 0 || reuses_[0] != 0;
  const bool by_waiting = reuses_[2] != 0;
  auto to_await = idle_.end();
  for (auto it = idle_.lower_bound(size); it != idle_.end(); ++it) {
    const Block& block = it->second.second;
    const bool is_own = block.freed == nullptr || block.stream == stream.id();
    if (is_own || (if_reached && block.freed->reached())) return it;
    if (by_waiting && to_await == idle_.end()) to_await = it;
  }
  if (to_await != idle_.end()) queue_wait(stream, to_await->second.second.freed);
  return to_await;
}

void* MemoryPool::take(size_t asked, Stream& stream) {
  if (asked > most_) return nullptr;
  const size_t size = rounded(asked);
  const std::lock_guard<std::mutex> lock(mutex_);
  void* address;
  size_t taken = size;
  if (const auto found = find_idle(size, stream); found != idle_.end()) {
    address = found->second.first;
    taken = found->first;
    idle_.erase(found);
  } else {
    if (size > most_ - reserved_.current) trim_locked(most_ - size);
    if (size > most_ - reserved_.current) return nullptr;
    address = allocate(size, 0, MemoryKind::kDevice, device_);
    if (address == nullptr) return nullptr;
    reserved_.add(size);
  }
  observe([&](Observer& o) { o.allocated(address, asked, device_); });
  used_[address] = taken;
  in_use_.add(taken);
  return address;
}

bool MemoryPool::give_back(void* address, int32_t stream, MarkPtr freed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = used_.find(address);
  if (found == used_.end()) return false;
  const size_t size = found->second;
  used_.erase(found);
  in_use_.current -= size;
  // Before anybody can take it again.
  observe([&](Observer& o) {
    freed == nullptr ? o.freed("aclrtFree", address, true)
                     : o.freed_in_stream("aclrtMemPoolFreeAsync", address, stream);
  });
  idle_.emplace(size, std::make_pair(address, Block{size, stream, std::move(freed)}));
  return true;
}

bool MemoryPool::owns(const void* address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return used_.count(const_cast<void*>(address)) != 0;
}

bool MemoryPool::is_used() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !used_.empty();
}

void MemoryPool::trim_locked(uint64_t keep) {
  for (auto it = idle_.begin(); it != idle_.end() && reserved_.current > keep;) {
    const Block& block = it->second.second;
    if (block.freed != nullptr && !block.freed->reached()) {
      ++it;
      continue;
    }
    reserved_.current -= block.size;
    release(it->second.first, MemoryKind::kDevice);
    it = idle_.erase(it);
  }
}

void MemoryPool::trim(uint64_t keep) {
  const std::lock_guard<std::mutex> lock(mutex_);
  trim_locked(keep);
}

void MemoryPool::trim_idle() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (reserved_.current - in_use_.current > threshold_) {
    trim_locked(in_use_.current + threshold_);
  }
}

// Of those that are 64 bits wide.
uint64_t* MemoryPool::amount(int attribute) {
  switch (attribute) {
    case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
      return &threshold_;
    case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
      return &reserved_.current;
    case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
      return &reserved_.high;
    case ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT:
      return &in_use_.current;
    case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
      return &in_use_.high;
    default:
      return nullptr;
  }
}

bool MemoryPool::get(int attribute, void* value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const uint64_t* found = amount(attribute)) {
    *static_cast<uint64_t*>(value) = *found;
    return true;
  }
  const int place = attribute - ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES;
  if (place < 0 || place > 2) return false;
  *static_cast<uint32_t*>(value) = reuses_[place];
  return true;
}

bool MemoryPool::set(int attribute, const void* value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const int place = attribute - ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES;
  if (place >= 0 && place <= 2) {
    const uint32_t given = *static_cast<const uint32_t*>(value);
    if (given > 1) return false;
    reuses_[place] = given;
    return true;
  }
  if (attribute == ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD) {
    threshold_ = *static_cast<const uint64_t*>(value);
    return true;
  }
  const bool is_high = attribute == ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH ||
                       attribute == ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH;
  if (!is_high || *static_cast<const uint64_t*>(value) != 0) return false;
  Amounts& amounts = attribute == ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH ? in_use_ : reserved_;
  amounts.high = amounts.current;
  return true;
}

}  // namespace aclhost
