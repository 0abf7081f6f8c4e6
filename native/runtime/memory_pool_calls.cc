// SPDX-License-Identifier: Apache-2.0
// The C functions of memory pools.
#include <algorithm>
#include <atomic>
#include <string>

#include "acl/acl_rt_memory_soma.h"
#include "base/call.h"
#include "base/immortal.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/graph.h"
#include "runtime/handle_table.h"
#include "runtime/memory.h"
#include "runtime/memory_pool.h"
#include "runtime/model.h"

namespace aclhost {
namespace {

using PoolPtr = std::shared_ptr<MemoryPool>;

Immortal<HandleTable<MemoryPool, 12>> pools;
std::atomic<int> pool_count{0};

// Looks the pool up for a body of the form `int32_t(const Call&, MemoryPool&)`.
template <typename Body>
int32_t with_pool(const char* name, const void* handle, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (handle == nullptr) return call.null("memPool");
    const PoolPtr found = pools->find(handle);
    if (found != nullptr) return body(call, *found);
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "memPool",
                     hex(handle) + " is not a pool of aclrtMemPoolCreate; it may be destroyed");
  });
}

int32_t check_props(const Call& call, const aclrtMemPoolProps& props) {
  if (props.allocType != ACL_MEM_ALLOCATION_TYPE_PINNED) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "poolProps->allocType",
                     "must be ACL_MEM_ALLOCATION_TYPE_PINNED (0)");
  }
  if (props.location.type != ACL_MEM_LOCATION_TYPE_DEVICE) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "poolProps->location.type",
                     "must be ACL_MEM_LOCATION_TYPE_DEVICE (1)");
  }
  const auto is_set = [](unsigned char byte) { return byte != 0; };
  if (std::any_of(std::begin(props.reserved), std::end(props.reserved), is_set)) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "poolProps->reserved", "must be all 0");
  }
  if (const int32_t code = check_device(call, static_cast<int32_t>(props.location.id))) return code;
  if (props.maxSize <= device_memory()) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "poolProps->maxSize",
                   "is " + std::to_string(props.maxSize) + " bytes; the device has " +
                       std::to_string(device_memory()));
}

// 0 and a stream that the memory goes with, or the reported failure.
int32_t check_stream(const Call& call, const Stream& stream) {
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  if (context->id() != stream.context_id()) {
    return call.fail(ACL_ERROR_RT_STREAM_CONTEXT, "stream", "belongs to another context");
  }
  if (const int32_t code = refuse_captured(call, stream)) return code;
  return refuse_bound(call, stream);
}

int32_t no_value(const Call& call, int attribute) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "attr",
                   "is " + std::to_string(attribute) +
                       ", which does not exist, cannot be set, or has another range: 0 or 1 for "
                       "reuse, 0 for high marks");
}

PoolPtr pool_of(const void* address) {
  PoolPtr found;
  pools->for_each([&](const PoolPtr& pool) {
    if (pool->owns(address)) found = pool;
  });
  return found;
}

int32_t take(const Call& call, MemoryPool& pool, void** ptr, size_t size, aclrtStream stream) {
  const StreamRef found = streams().find(stream);
  if (!found) return no_stream(call, stream);
  if (const int32_t code = check_stream(call, *found)) return code;
  void* address = pool.take(size, *found);
  if (address == nullptr) {
    return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "size",
                     "of " + std::to_string(size) +
                         " bytes is more than the pool, or the device, has left; give memory back "
                         "or call aclrtMemPoolTrimTo for other pools");
  }
  *ptr = address;
  return ACL_SUCCESS;
}

int32_t give_back(const Call& call, void* ptr, aclrtStream stream) {
  const StreamRef found = find_stream(stream);
  if (!found) return stream_not_found(call, stream);
  if (const int32_t code = check_stream(call, *found)) return code;
  const PoolPtr pool = pool_of(ptr);
  const auto freed = std::make_shared<Mark>();
  if (pool != nullptr) {
    queue_record(*found, freed);
    if (pool->give_back(ptr, found->id(), freed)) return ACL_SUCCESS;
  }
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "ptr",
                   hex(ptr) + " is no memory of aclrtMemPoolMallocAsync that is in use");
}

}  // namespace

void trim_pools(int32_t device) {
  if (pool_count.load(std::memory_order_acquire) == 0) return;
  pools->for_each([&](const PoolPtr& pool) {
    if (pool->device() == device) pool->trim_idle();
  });
}

bool return_to_pool(void* address) {
  if (pool_count.load(std::memory_order_acquire) == 0) return false;
  const PoolPtr pool = pool_of(address);
  return pool != nullptr && pool->give_back(address, -1, nullptr);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtMemPoolCreate(aclrtMemPool* memPool, const aclrtMemPoolProps* poolProps) {
  return acl_call("aclrtMemPoolCreate", [&](const Call& call) -> int32_t {
    if (memPool == nullptr) return call.null("memPool");
    if (poolProps == nullptr) return call.null("poolProps");
    if (const int32_t code = check_props(call, *poolProps)) return code;
    if (!current_context()) return no_context(call);
    const size_t most = poolProps->maxSize == 0 ? device_memory() : poolProps->maxSize;
    const auto device = static_cast<int32_t>(poolProps->location.id);
    *memPool = pools->add(std::make_shared<MemoryPool>(device, most));
    ++pool_count;
    observe([&](Observer& o) { o.created(*memPool, "memory pool"); });
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtMemPoolDestroy(const aclrtMemPool memPool) {
  return with_pool("aclrtMemPoolDestroy", memPool, [&](const Call& call, MemoryPool& pool) {
    if (pool.is_used()) {
      return call.fail(ACL_ERROR_RT_INTERNAL_ERROR, "memPool",
                       "has memory in use; call aclrtMemPoolFreeAsync for it first");
    }
    if (pools->remove(memPool)) --pool_count;
    observe([&](Observer& o) { o.destroyed(memPool); });
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
  return with_pool("aclrtMemPoolSetAttr", memPool, [&](const Call& call, MemoryPool& pool) {
    if (value == nullptr) return call.null("value");
    const int number = static_cast<int>(attr);
    return pool.set(number, value) ? ACL_SUCCESS : no_value(call, number);
  });
}

extern "C" aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
  return with_pool("aclrtMemPoolGetAttr", memPool, [&](const Call& call, MemoryPool& pool) {
    if (value == nullptr) return call.null("value");
    const int number = static_cast<int>(attr);
    return pool.get(number, value) ? ACL_SUCCESS : no_value(call, number);
  });
}

extern "C" aclError aclrtMemPoolMallocAsync(void** ptr, size_t size, aclrtMemPool memPool,
                                            aclrtStream stream) {
  return with_pool("aclrtMemPoolMallocAsync", memPool,
                   [&](const Call& call, MemoryPool& pool) -> int32_t {
                     if (ptr == nullptr) return call.null("ptr");
                     if (stream == nullptr) return call.null("stream");
                     return size == 0 ? ACL_SUCCESS : take(call, pool, ptr, size, stream);
                   });
}

extern "C" aclError aclrtMemPoolFreeAsync(void* ptr, aclrtStream stream) {
  return acl_call("aclrtMemPoolFreeAsync", [&](const Call& call) {
    return ptr == nullptr ? call.null("ptr") : give_back(call, ptr, stream);
  });
}

extern "C" aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep) {
  return with_pool("aclrtMemPoolTrimTo", memPool, [&](const Call&, MemoryPool& pool) {
    pool.trim(minBytesToKeep);
    return ACL_SUCCESS;
  });
}
