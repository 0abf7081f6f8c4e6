// SPDX-License-Identifier: Apache-2.0
// Allocators that a program registers for its streams. They are kept and found again; programs
// bring the workspaces of operators, so that nothing is ever asked of them.
#include <map>
#include <mutex>

#include "acl/acl_rt_allocator.h"
#include "base/call.h"
#include "base/immortal.h"
#include "runtime/context.h"
#include "runtime/handle_table.h"
#include "runtime/stream_options.h"
#include "runtime/with_stream.h"

namespace aclhost {
namespace {

struct Allocator {
  aclrtAllocator object = nullptr;
  aclrtAllocatorAllocFunc allocate = nullptr;
  aclrtAllocatorFreeFunc release = nullptr;
  aclrtAllocatorAllocAdviseFunc advise = nullptr;
  aclrtAllocatorGetAddrFromBlockFunc address = nullptr;
};

struct Registered {
  aclrtAllocatorDesc handle;
  Allocator allocator;
};

struct ByStream {
  std::mutex mutex;
  std::map<int32_t, Registered> all;
};

Immortal<HandleTable<Allocator, 8>> descriptions;
Immortal<ByStream> by_stream;

int32_t no_description(const Call& call, aclrtAllocatorDesc desc) {
  return call.fail(ACL_ERROR_INVALID_PARAM, "allocatorDesc",
                   hex(desc) + " is not a description of aclrtAllocatorCreateDesc");
}

// Looks the description up and sets one of its members.
template <typename Member, typename Value>
int32_t set(const char* name, aclrtAllocatorDesc desc, Member member, Value value) {
  return acl_call(name, [&](const Call& call) {
    if (desc == nullptr) return call.null("allocatorDesc");
    if (value == nullptr) return call.null("func");
    const auto found = descriptions->find(desc);
    if (found == nullptr) return no_description(call, desc);
    (*found).*member = value;
    return ACL_SUCCESS;
  });
}

int32_t enroll(const Call& call, aclrtStream stream, aclrtAllocatorDesc desc) {
  if (desc == nullptr) return call.null("allocatorDesc");
  const StreamRef found = find_stream(stream);
  if (!found) return stream_not_found(call, stream);
  const auto allocator = descriptions->find(desc);
  if (allocator == nullptr || allocator->object == nullptr || allocator->allocate == nullptr ||
      allocator->release == nullptr || allocator->address == nullptr) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "allocatorDesc",
                     "lacks the object, or a function to allocate, to free or to get an address");
  }
  const std::lock_guard<std::mutex> lock(by_stream->mutex);
  by_stream->all[found->id()] = {desc, *allocator};
  return ACL_SUCCESS;
}

Registered registered_for(const Stream& stream) {
  const std::lock_guard<std::mutex> lock(by_stream->mutex);
  const auto found = by_stream->all.find(stream.id());
  return found == by_stream->all.end() ? Registered{} : found->second;
}

}  // namespace

void forget_allocator(int32_t stream) {
  const std::lock_guard<std::mutex> lock(by_stream->mutex);
  by_stream->all.erase(stream);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclrtAllocatorDesc aclrtAllocatorCreateDesc() {
  void* handle = nullptr;
  static_cast<void>(acl_call("aclrtAllocatorCreateDesc", [&](const Call&) {
    handle = descriptions->add(std::make_shared<Allocator>());
    return ACL_SUCCESS;
  }));
  return handle;
}

extern "C" aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc) {
  return acl_call("aclrtAllocatorDestroyDesc", [&](const Call& call) {
    if (allocatorDesc == nullptr) return call.null("allocatorDesc");
    return descriptions->remove(allocatorDesc) ? ACL_SUCCESS : no_description(call, allocatorDesc);
  });
}

extern "C" aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc,
                                               aclrtAllocator allocator) {
  return set("aclrtAllocatorSetObjToDesc", allocatorDesc, &Allocator::object, allocator);
}

extern "C" aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorAllocFunc func) {
  return set("aclrtAllocatorSetAllocFuncToDesc", allocatorDesc, &Allocator::allocate, func);
}

extern "C" aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                    aclrtAllocatorFreeFunc func) {
  return set("aclrtAllocatorSetFreeFuncToDesc", allocatorDesc, &Allocator::release, func);
}

extern "C" aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                           aclrtAllocatorAllocAdviseFunc func) {
  return set("aclrtAllocatorSetAllocAdviseFuncToDesc", allocatorDesc, &Allocator::advise, func);
}

extern "C" aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
    aclrtAllocatorDesc allocatorDesc, aclrtAllocatorGetAddrFromBlockFunc func) {
  return set("aclrtAllocatorSetGetAddrFromBlockFuncToDesc", allocatorDesc, &Allocator::address,
             func);
}

extern "C" aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc) {
  return acl_call("aclrtAllocatorRegister",
                  [&](const Call& call) { return enroll(call, stream, allocatorDesc); });
}

extern "C" aclError aclrtAllocatorUnregister(aclrtStream stream) {
  return with_stream("aclrtAllocatorUnregister", stream, [](const Call&, const Stream& found) {
    forget_allocator(found.id());
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtAllocatorGetByStream(
    aclrtStream stream, aclrtAllocatorDesc* allocatorDesc, aclrtAllocator* allocator,
    aclrtAllocatorAllocFunc* allocFunc, aclrtAllocatorFreeFunc* freeFunc,
    aclrtAllocatorAllocAdviseFunc* allocAdviseFunc,
    aclrtAllocatorGetAddrFromBlockFunc* getAddrFromBlockFunc) {
  return with_stream("aclrtAllocatorGetByStream", stream, [&](const Call&, const Stream& found) {
    const Registered registered = registered_for(found);
    if (allocatorDesc != nullptr) *allocatorDesc = registered.handle;
    if (allocator != nullptr) *allocator = registered.allocator.object;
    if (allocFunc != nullptr) *allocFunc = registered.allocator.allocate;
    if (freeFunc != nullptr) *freeFunc = registered.allocator.release;
    if (allocAdviseFunc != nullptr) *allocAdviseFunc = registered.allocator.advise;
    if (getAddrFromBlockFunc != nullptr) *getAddrFromBlockFunc = registered.allocator.address;
    return ACL_SUCCESS;
  });
}
