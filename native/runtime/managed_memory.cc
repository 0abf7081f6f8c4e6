// SPDX-License-Identifier: Apache-2.0
// Advice for managed memory. Host and device share their pages here, so that it is kept and given
// back, and nothing moves.
#include "runtime/managed_memory.h"

#include <sched.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/immortal.h"
#include "runtime/device.h"
#include "runtime/memory.h"

namespace aclhost {
namespace {

constexpr size_t kUnit = size_t{2} << 20;  // that advice is given for
constexpr int32_t kHostId = -1;
constexpr int32_t kNoId = -2;

struct Place {
  aclrtMemManagedLocationType type = ACL_MEM_LOCATIONTYPE_INVALID;
  int32_t id = kNoId;

  bool operator==(const Place& other) const { return type == other.type && id == other.id; }
};

struct Advice {
  bool is_read_mostly = false;
  Place preferred, prefetched;
  std::set<int32_t> accessed_by;
};

using Units = std::vector<Advice>;

struct AllAdvice {
  std::mutex mutex;
  std::map<uintptr_t, Units> by_start;  // of the allocation

  // What is known about freed memory goes.
  Units& of(const Allocation& memory) {
    for (auto it = by_start.begin(); it != by_start.end();) {
      Allocation found;
      const bool lives = find_allocation(reinterpret_cast<void*>(it->first), &found);
      it = lives && found.kind == MemoryKind::kManaged ? std::next(it) : by_start.erase(it);
    }
    Units& units = by_start[memory.start];
    units.resize((memory.size + kUnit - 1) / kUnit);
    return units;
  }
};

Immortal<AllAdvice> all_advice;

struct Range {
  Allocation memory;
  size_t first, last;  // units
};

// 0 and the units of managed memory that a range touches, or the reported failure.
int32_t find_range(const Call& call, const void* ptr, uint64_t size, bool whole, Range* range) {
  if (ptr == nullptr) return call.null("ptr");
  if (size == 0) return call.fail(ACL_ERROR_INVALID_PARAM, "size", "is 0");
  if (whole && size % kUnit != 0) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "size",
                     "is " + std::to_string(size) + "; it must be a multiple of 2 MiB");
  }
  Allocation& memory = range->memory;
  const auto begin = reinterpret_cast<uintptr_t>(ptr);
  const bool found = find_allocation(ptr, &memory) && memory.kind == MemoryKind::kManaged;
  const size_t room = found ? (memory.size + kUnit - 1) / kUnit * kUnit : 0;
  if (!found || begin - memory.start >= room || size > room - (begin - memory.start)) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "ptr",
                     hex(ptr) + ": these bytes are not all memory of one aclrtMemAllocManaged");
  }
  range->first = (begin - memory.start) / kUnit;
  range->last = (begin - memory.start + size - 1) / kUnit;
  return ACL_SUCCESS;
}

int32_t find_place(const Call& call, aclrtMemManagedLocation location, Place* place) {
  unsigned node = 0;
  switch (static_cast<int>(location.type)) {
    case ACL_MEM_LOCATIONTYPE_DEVICE:
      *place = {location.type, location.id};
      return check_device(call, location.id);
    case ACL_MEM_LOCATIONTYPE_HOST:
      *place = {location.type, kHostId};
      return ACL_SUCCESS;
    case ACL_MEM_LOCATIONTYPE_HOST_NUMA:
      *place = {location.type, location.id};
      if (location.id >= 0) return ACL_SUCCESS;
      break;
    case ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT:
      getcpu(nullptr, &node);
      *place = {ACL_MEM_LOCATIONTYPE_HOST_NUMA, static_cast<int32_t>(node)};
      return ACL_SUCCESS;
    default:
      break;
  }
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "location",
                   "has type " + std::to_string(static_cast<int>(location.type)) + " and id " +
                       std::to_string(location.id) + ", which is no place");
}

void change(Advice& unit, int advise, const Place& place) {
  switch (advise) {
    case ACL_MEM_ADVISE_SET_READ_MOSTLY:
    case ACL_MEM_ADVISE_UNSET_READ_MOSTLY:
      unit.is_read_mostly = advise == ACL_MEM_ADVISE_SET_READ_MOSTLY;
      break;
    case ACL_MEM_ADVISE_SET_PREFERRED_LOCATION:
      unit.preferred = place;
      break;
    case ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
      unit.preferred = {};
      break;
    case ACL_MEM_ADVISE_SET_ACCESSED_BY:
      unit.accessed_by.insert(place.id);
      break;
    default:
      unit.accessed_by.erase(place.id);
  }
}

int32_t advise_range(const Call& call, const void* ptr, uint64_t size, int advise,
                     aclrtMemManagedLocation location) {
  Range range;
  if (const int32_t code = find_range(call, ptr, size, true, &range)) return code;
  if (advise < ACL_MEM_ADVISE_SET_READ_MOSTLY || advise > ACL_MEM_ADVISE_UNSET_ACCESSED_BY) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "advise",
                     "is " + std::to_string(advise) + "; pass 0 to 5");
  }
  const bool has_place =
      advise == ACL_MEM_ADVISE_SET_PREFERRED_LOCATION || advise >= ACL_MEM_ADVISE_SET_ACCESSED_BY;
  Place place;
  if (has_place) {
    if (const int32_t code = find_place(call, location, &place)) return code;
  }
  const std::lock_guard<std::mutex> lock(all_advice->mutex);
  Units& units = all_advice->of(range.memory);
  for (size_t i = range.first; i <= range.last; ++i) change(units[i], advise, place);
  return ACL_SUCCESS;
}

// What all units have in common; nothing, where they differ.
Place common_place(const Units& units, const Range& range, Place Advice::* member) {
  const Place first = units[range.first].*member;
  for (size_t i = range.first; i <= range.last; ++i) {
    if (!(units[i].*member == first)) return {};
  }
  return first;
}

bool all_read_mostly(const Units& units, const Range& range) {
  bool all = true;
  for (size_t i = range.first; i <= range.last; ++i) all = all && units[i].is_read_mostly;
  return all;
}

// Those by whom all units are accessed.
std::vector<int32_t> common_accesses(const Units& units, const Range& range) {
  std::vector<int32_t> common(units[range.first].accessed_by.begin(),
                              units[range.first].accessed_by.end());
  for (size_t i = range.first; i <= range.last; ++i) {
    const auto is_missing = [&](int32_t id) { return units[i].accessed_by.count(id) == 0; };
    common.erase(std::remove_if(common.begin(), common.end(), is_missing), common.end());
  }
  return common;
}

std::vector<int32_t> answer_of(int attribute, const Units& units, const Range& range) {
  const Place preferred = common_place(units, range, &Advice::preferred);
  const Place prefetched = common_place(units, range, &Advice::prefetched);
  switch (attribute) {
    case ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
      return {all_read_mostly(units, range) ? 1 : 0};
    case ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
      return common_accesses(units, range);
    case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
      return {preferred.type};
    case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
      return {prefetched.type};
    case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
    case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
      return {preferred.id};
    default:
      return {prefetched.id};
  }
}

int32_t get_attribute(const Call& call, int attribute, const void* ptr, size_t size, void* data,
                      size_t room) {
  if (data == nullptr) return call.null("data");
  Range range;
  if (const int32_t code = find_range(call, ptr, size, false, &range)) return code;
  if (attribute < ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ||
      attribute > ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "attribute",
                     "is " + std::to_string(attribute) + "; pass 1 to 8");
  }
  const bool is_list = attribute == ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
  if (room == 0 || room % sizeof(int32_t) != 0 || (!is_list && room != sizeof(int32_t))) {
    return call.fail(
        ACL_ERROR_RT_PARAM_INVALID, "dataSize",
        "is " + std::to_string(room) + "; it must be 4" + (is_list ? ", or a multiple of it" : ""));
  }
  const std::lock_guard<std::mutex> lock(all_advice->mutex);
  std::vector<int32_t> answer = answer_of(attribute, all_advice->of(range.memory), range);
  answer.resize(room / sizeof(int32_t), kNoId);
  std::copy(answer.begin(), answer.end(), static_cast<int32_t*>(data));
  return ACL_SUCCESS;
}

}  // namespace

int32_t note_prefetch(const Call& call, const void* ptr, size_t size,
                      aclrtMemManagedLocation location) {
  Range range;
  Place place;
  if (const int32_t code = find_range(call, ptr, size, true, &range)) return code;
  if (const int32_t code = find_place(call, location, &place)) return code;
  const std::lock_guard<std::mutex> lock(all_advice->mutex);
  Units& units = all_advice->of(range.memory);
  for (size_t i = range.first; i <= range.last; ++i) units[i].prefetched = place;
  return ACL_SUCCESS;
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtMemManagedAdvise(const void* const ptr, uint64_t size,
                                          aclrtMemManagedAdviseType advise,
                                          aclrtMemManagedLocation location) {
  return acl_call("aclrtMemManagedAdvise", [&](const Call& call) {
    return advise_range(call, ptr, size, static_cast<int>(advise), location);
  });
}

extern "C" aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute, const void* ptr,
                                           size_t size, void* data, size_t dataSize) {
  return acl_call("aclrtMemManagedGetAttr", [&](const Call& call) {
    return get_attribute(call, static_cast<int>(attribute), ptr, size, data, dataSize);
  });
}

extern "C" aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute* attributes,
                                            size_t numAttributes, const void* ptr, size_t size,
                                            void** data, size_t* dataSizes) {
  return acl_call("aclrtMemManagedGetAttrs", [&](const Call& call) -> int32_t {
    if (attributes == nullptr) return call.null("attributes");
    if (data == nullptr) return call.null("data");
    if (dataSizes == nullptr) return call.null("dataSizes");
    for (size_t i = 0; i < numAttributes; ++i) {
      const int number = static_cast<int>(attributes[i]);
      const int32_t code = get_attribute(call, number, ptr, size, data[i], dataSizes[i]);
      if (code != ACL_SUCCESS) return code;
    }
    return ACL_SUCCESS;
  });
}
