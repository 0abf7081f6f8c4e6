// SPDX-License-Identifier: Apache-2.0
#include "runtime/data_queue.h"

#include <algorithm>
#include <cstring>

#include "acl/acl_tdt_queue.h"
#include "base/immortal.h"
#include "runtime/context.h"
#include "runtime/copy.h"
#include "runtime/timeout.h"

namespace aclhost {
namespace {

Immortal<DataQueues> queues;

int32_t no_queue(const Call& call, uint32_t number) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "qid",
                   std::to_string(number) +
                       " is no queue of the current device; create one by acltdtCreateQueue");
}

int32_t create(const Call& call, const QueueAttributes& wish, uint32_t* number) {
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  if (wish.depth == 0) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "attr", "has depth 0; 8 is usual");
  }
  const std::lock_guard<std::mutex> lock(queues->mutex);
  const int32_t device = context->device();
  for (const auto& [id, queue] : queues->all) {
    if (*wish.name != '\0' && queue.device == device && queue.name == wish.name) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "attr",
                       "has the name of queue " + std::to_string(id) + ": " + queue.name);
    }
  }
  *number = queues->next++;
  queues->all.emplace(*number, DataQueue{device, wish.name, wish.depth, {}});
  return ACL_SUCCESS;
}

int32_t destroy(const Call& call, uint32_t number) {
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  const std::lock_guard<std::mutex> lock(queues->mutex);
  const DataQueue* queue = queues->find(number, context->device());
  if (queue == nullptr) return no_queue(call, number);
  for (const DataRoute& route : queues->routes) {
    if (route.source == number || route.target == number) {
      return call.fail(ACL_ERROR_FAILURE, "qid",
                       std::to_string(number) + " has a route; call acltdtUnbindQueueRoutes first");
    }
  }
  const std::lock_guard<std::mutex> buffers(buffers_mutex());
  for (const BufferPtr& each : queue->buffers) end_handles(*each);
  queues->all.erase(number);
  queues->changed.notify_all();
  return ACL_SUCCESS;
}

// Waits until `ready(queue)` holds and then calls `body(queue)`: both under the lock. Milliseconds,
// below 0 for ever. A queue that is destroyed meanwhile ends the wait.
template <typename Ready, typename Body>
int32_t when(const Call& call, uint32_t number, int32_t timeout, int32_t too_late,
             const Ready& ready, const Body& body) {
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  std::unique_lock<std::mutex> lock(queues->mutex);
  DataQueue* queue = nullptr;
  const auto is_over = [&] {
    queue = queues->find(number, context->device());
    return queue == nullptr || ready(*queue);
  };
  if (!wait_under(queues->changed, lock, timeout, is_over)) {
    return call.fail(too_late, "qid",
                     "queue " + std::to_string(number) +
                         (queue->is_full() ? " is full" : " is empty") + " after " +
                         std::to_string(timeout) + " ms");
  }
  return queue == nullptr ? no_queue(call, number) : body(*queue);
}

void set_queued(SharedBuffer& buffer, bool is_queued) {
  buffer.is_queued = is_queued;
  for (const BufferPtr& each : buffer.chain) each->is_queued = is_queued;
}

// What is put is found, by a function that says why there is nothing, after the wait: others may
// have freed or put it meanwhile.
template <typename Find>
int32_t put(const Call& call, uint32_t number, int32_t timeout, int32_t too_late,
            const Find& find) {
  const auto has_room = [](const DataQueue& queue) { return !queue.is_full(); };
  return when(call, number, timeout, too_late, has_room, [&](DataQueue& queue) -> int32_t {
    const std::lock_guard<std::mutex> lock(buffers_mutex());
    const BufferPtr buffer = find();
    if (buffer == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    set_queued(*buffer, true);
    queue.buffers.push_back(buffer);
    queues->settle();
    return ACL_SUCCESS;
  });
}

bool is_not_empty(const DataQueue& queue) { return !queue.buffers.empty(); }

BufferPtr take_first(DataQueue& queue) {
  const BufferPtr taken = queue.buffers.front();
  queue.buffers.pop_front();
  const std::lock_guard<std::mutex> lock(buffers_mutex());
  set_queued(*taken, false);
  queues->settle();
  return taken;
}

int32_t check_user_bytes(const Call& call, const void* bytes, size_t size) {
  if (size > SharedBuffer::kUserBytes) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "userDataSize",
                     "is " + std::to_string(size) + "; there are 96 bytes");
  }
  return size != 0 && bytes == nullptr ? call.null("userData") : ACL_SUCCESS;
}

// The bytes become a buffer on the device.
int32_t put_bytes(const Call& call, uint32_t number, const void* data, size_t size,
                  const void* user, size_t user_size, int32_t timeout) {
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  const auto made = std::make_shared<SharedBuffer>();
  made->memory = BufferMemory::of(size, context->device());
  if (made->memory == nullptr) {
    return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "dataSize",
                     "of " + std::to_string(size) + " bytes is more than the device has left");
  }
  if (const int32_t code =
          copy_bytes(call, made->memory->start, size, data, size, ACL_MEMCPY_DEFAULT)) {
    return code;
  }
  made->length = size;
  if (const int32_t code = copy_bytes(call, made->user.data(), SharedBuffer::kUserBytes, user,
                                      user_size, ACL_MEMCPY_HOST_TO_HOST)) {
    return code;
  }
  return put(call, number, timeout, ACL_ERROR_RT_QUEUE_FULL, [&] { return made; });
}

// What does not fit stays where it is. A buffer whose bytes are taken is freed.
int32_t take_bytes(const Call& call, uint32_t number, void* data, size_t room, size_t* size,
                   void* user, size_t user_size, int32_t timeout) {
  return when(call, number, timeout, ACL_ERROR_RT_QUEUE_EMPTY, is_not_empty,
              [&](DataQueue& queue) -> int32_t {
                const SharedBuffer& first = *queue.buffers.front();
                *size = first.length;
                if (first.length > room) return too_many(call, "dataSize", room, first.length);
                if (const int32_t code = copy_bytes(call, data, room, first.memory->start,
                                                    first.length, ACL_MEMCPY_DEFAULT)) {
                  return code;
                }
                if (const int32_t code = copy_bytes(call, user, user_size, first.user.data(),
                                                    user_size, ACL_MEMCPY_HOST_TO_HOST)) {
                  return code;
                }
                {
                  const std::lock_guard<std::mutex> lock(buffers_mutex());
                  end_handles(first);
                }
                take_first(queue);
                return ACL_SUCCESS;
              });
}

// Null, with the failure reported, for what cannot be put. The caller holds the mutex of buffers.
BufferPtr find_to_put(const Call& call, const void* handle) {
  BufferPtr found = find_buffer(call, "buf", handle);
  if (found == nullptr || !found->is_member) return found;
  call.fail(ACL_ERROR_RT_PARAM_INVALID, "buf", hex(handle) + " belongs to a chain; pass its head");
  return nullptr;
}

}  // namespace

DataQueues& data_queues() { return *queues; }

DataQueue* DataQueues::find(uint32_t number, int32_t device) {
  const auto found = all.find(number);
  return found == all.end() || found->second.device != device ? nullptr : &found->second;
}

// A buffer leaves its queue when all that it is for have room; the last one gets the buffer itself.
void DataQueues::settle() {
  for (bool moved = true; moved;) {
    moved = false;
    for (auto& [number, queue] : all) {
      std::vector<DataQueue*> targets;
      for (const DataRoute& route : routes) {
        if (route.source == number) targets.push_back(&all.at(route.target));
      }
      const auto has_room = [](const DataQueue* target) { return !target->is_full(); };
      if (queue.buffers.empty() || targets.empty() ||
          !std::all_of(targets.begin(), targets.end(), has_room)) {
        continue;
      }
      const BufferPtr carried = queue.buffers.front();
      queue.buffers.pop_front();
      for (DataQueue* target : targets) {
        const bool is_last = target == targets.back();
        const BufferPtr given = is_last ? carried : copy_reference(*carried);
        set_queued(*given, true);
        target->buffers.push_back(given);
      }
      moved = true;
    }
  }
  changed.notify_all();
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError acltdtCreateQueue(const acltdtQueueAttr* attr, uint32_t* qid) {
  return acl_call("acltdtCreateQueue", [&](const Call& call) -> int32_t {
    if (qid == nullptr) return call.null("qid");
    if (attr == nullptr) return create(call, QueueAttributes{}, qid);
    const auto found = find_queue_attributes(attr);
    if (found != nullptr) return create(call, *found, qid);
    return call.fail(ACL_ERROR_INVALID_PARAM, "attr",
                     hex(attr) + " is not a description of acltdtCreateQueueAttr");
  });
}

extern "C" aclError acltdtDestroyQueue(uint32_t qid) {
  return acl_call("acltdtDestroyQueue", [&](const Call& call) { return destroy(call, qid); });
}

extern "C" aclError acltdtEnqueue(uint32_t qid, acltdtBuf buf, int32_t timeout) {
  return acl_call("acltdtEnqueue", [&](const Call& call) -> int32_t {
    if (buf == nullptr) return call.null("buf");
    const auto find = [&] { return find_to_put(call, buf); };
    {
      const std::lock_guard<std::mutex> lock(buffers_mutex());
      if (find() == nullptr) return ACL_ERROR_RT_PARAM_INVALID;  // without a wait
    }
    return put(call, qid, timeout, ACL_ERROR_FAILURE, find);
  });
}

extern "C" aclError acltdtDequeue(uint32_t qid, acltdtBuf* buf, int32_t timeout) {
  return acl_call("acltdtDequeue", [&](const Call& call) -> int32_t {
    if (buf == nullptr) return call.null("buf");
    return when(call, qid, timeout, ACL_ERROR_FAILURE, is_not_empty, [&](DataQueue& queue) {
      const BufferPtr taken = take_first(queue);
      const std::lock_guard<std::mutex> lock(buffers_mutex());
      *buf = buffer_handle(taken);
      return ACL_SUCCESS;
    });
  });
}

extern "C" aclError acltdtEnqueueData(uint32_t qid, const void* data, size_t dataSize,
                                      const void* userData, size_t userDataSize, int32_t timeout,
                                      uint32_t) {
  return acl_call("acltdtEnqueueData", [&](const Call& call) -> int32_t {
    if (data == nullptr) return call.null("data");
    if (dataSize == 0) return call.fail(ACL_ERROR_INVALID_PARAM, "dataSize", "is 0");
    if (const int32_t code = check_user_bytes(call, userData, userDataSize)) return code;
    return put_bytes(call, qid, data, dataSize, userData, userDataSize, timeout);
  });
}

extern "C" aclError acltdtDequeueData(uint32_t qid, void* data, size_t dataSize,
                                      size_t* retDataSize, void* userData, size_t userDataSize,
                                      int32_t timeout) {
  return acl_call("acltdtDequeueData", [&](const Call& call) -> int32_t {
    if (data == nullptr) return call.null("data");
    if (retDataSize == nullptr) return call.null("retDataSize");
    if (dataSize == 0) return call.fail(ACL_ERROR_INVALID_PARAM, "dataSize", "is 0");
    if (const int32_t code = check_user_bytes(call, userData, userDataSize)) return code;
    return take_bytes(call, qid, data, dataSize, retDataSize, userData, userDataSize, timeout);
  });
}
