// SPDX-License-Identifier: Apache-2.0
#include "runtime/shared_buffer.h"

#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "acl/acl_tdt_queue.h"
#include "base/immortal.h"
#include "base/observer.h"
#include "runtime/context.h"
#include "runtime/handle_table.h"
#include "runtime/memory.h"

namespace aclhost {
namespace {

constexpr size_t kLargest = size_t{4} << 30;

Immortal<HandleTable<SharedBuffer, 13>> buffers;
Immortal<std::mutex> mutex;

// For a body of the form `int32_t(const Call&, SharedBuffer&)`.
template <typename Body>
int32_t with_buffer(const char* name, const char* parameter, const void* handle, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (handle == nullptr) return call.null(parameter);
    const std::lock_guard<std::mutex> lock(*mutex);
    const BufferPtr found = find_buffer(call, parameter, handle);
    return found == nullptr ? ACL_ERROR_RT_PARAM_INVALID : body(call, *found);
  });
}

int32_t allocate_buffer(const char* name, void** handle, size_t size, uint32_t type) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (handle == nullptr) return call.null("buf");
    if (size == 0) return call.fail(ACL_ERROR_INVALID_PARAM, "size", "is 0");
    if (size > kLargest) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "size",
                       "is " + std::to_string(size) + "; a buffer has at most " +
                           std::to_string(kLargest) + " bytes (4 GiB)");
    }
    if (type != ACL_TDT_NORMAL_MEM) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "type",
                       "is " + std::to_string(type) + "; it must be ACL_TDT_NORMAL_MEM (0)");
    }
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    const auto made = std::make_shared<SharedBuffer>();
    made->memory = BufferMemory::of(size, context->device());
    if (made->memory == nullptr) {
      return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "size",
                       "of " + std::to_string(size) + " bytes is more than the device has left");
    }
    const std::lock_guard<std::mutex> lock(*mutex);
    *handle = buffer_handle(made);
    return ACL_SUCCESS;
  });
}

// Ends a buffer and, if it is their head, those of its chain.
int32_t free_buffer(const char* name, void* handle) {
  return with_buffer(name, "buf", handle, [&](const Call& call, SharedBuffer& buffer) {
    if (buffer.is_member) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "buf",
                       "belongs to a chain; free the head, which frees all of it");
    }
    end_handles(buffer);
    return ACL_SUCCESS;
  });
}

int32_t get_data(const char* name, const void* handle, void** start, size_t* size) {
  return with_buffer(name, "buf", handle, [&](const Call& call, const SharedBuffer& buffer) {
    if (start == nullptr) return call.null("dataPtr");
    if (size == nullptr) return call.null("size");
    *start = buffer.memory->start;
    *size = buffer.memory->size;
    return ACL_SUCCESS;
  });
}

int32_t set_length(const char* name, const void* handle, size_t length) {
  return with_buffer(name, "buf", handle, [&](const Call& call, SharedBuffer& buffer) {
    if (length > buffer.memory->size) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "len",
                       "is " + std::to_string(length) + "; the buffer has " +
                           std::to_string(buffer.memory->size) + " bytes");
    }
    buffer.length = length;
    return ACL_SUCCESS;
  });
}

int32_t get_length(const char* name, const void* handle, size_t* length) {
  return with_buffer(name, "buf", handle, [&](const Call& call, const SharedBuffer& buffer) {
    if (length == nullptr) return call.null("len");
    *length = buffer.length;
    return ACL_SUCCESS;
  });
}

// 0, or the reported failure: chains have one level.
int32_t check_chain(const Call& call, const SharedBuffer& first, const SharedBuffer& added) {
  const auto refuse = [&](const char* parameter, const SharedBuffer& buffer, const char* why) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, parameter, hex(buffer.handle) + why);
  };
  if (first.is_member) return refuse("headBuf", first, " belongs to a chain; pass its head");
  if (&first == &added) return refuse("buf", added, " is headBuf itself; pass another buffer");
  if (added.is_member) {
    return refuse("buf", added, " belongs to a chain already; pass a buffer of none");
  }
  if (!added.chain.empty()) {
    return refuse("buf", added, " is the head of a chain; pass a buffer of none");
  }
  if (first.chain.size() + 1 < SharedBuffer::kLongestChain) return ACL_SUCCESS;
  return refuse("headBuf", first, " has 128 buffers, the most there is");
}

int32_t append(const char* name, const void* head, const void* handle) {
  return with_buffer(name, "headBuf", head, [&](const Call& call, SharedBuffer& first) -> int32_t {
    if (handle == nullptr) return call.null("buf");
    const BufferPtr added = find_buffer(call, "buf", handle);
    if (added == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    if (const int32_t code = check_chain(call, first, *added)) return code;
    added->is_member = true;
    first.chain.push_back(added);
    return ACL_SUCCESS;
  });
}

int32_t count_chain(const char* name, const void* head, uint32_t* number) {
  return with_buffer(name, "headBuf", head, [&](const Call& call, const SharedBuffer& first) {
    if (number == nullptr) return call.null("num");
    *number = static_cast<uint32_t>(first.chain.size() + 1);
    return ACL_SUCCESS;
  });
}

int32_t get_from_chain(const char* name, const void* head, uint32_t index, void** found) {
  return with_buffer(name, "headBuf", head, [&](const Call& call, const SharedBuffer& first) {
    if (found == nullptr) return call.null("buf");
    if (index > first.chain.size()) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "index",
                       "is " + std::to_string(index) + "; the chain has " +
                           std::to_string(first.chain.size() + 1) + " buffers");
    }
    *found = index == 0 ? first.handle : buffer_handle(first.chain[index - 1]);
    return ACL_SUCCESS;
  });
}

// For a copy of the form `void(char* user)` from or to the program's own bytes.
template <typename Copy>
int32_t with_user_bytes(const char* name, const void* handle, const void* bytes, size_t size,
                        size_t offset, Copy&& copy) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (size > SharedBuffer::kUserBytes || offset > SharedBuffer::kUserBytes - size) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "size",
                       std::to_string(size) + " and offset " + std::to_string(offset) +
                           " are more than the 96 bytes that there are");
    }
    if (handle == nullptr) return call.null("buf");
    if (bytes == nullptr) return call.null("dataPtr");
    const std::lock_guard<std::mutex> lock(*mutex);
    const BufferPtr found = find_buffer(call, "buf", handle);
    if (found == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    copy(found->user.data() + offset);
    return ACL_SUCCESS;
  });
}

int32_t get_user_bytes(const char* name, const void* handle, void* to, size_t size, size_t offset) {
  return with_user_bytes(name, handle, to, size, offset,
                         [&](const char* user) { std::memcpy(to, user, size); });
}

int32_t set_user_bytes(const char* name, const void* handle, const void* from, size_t size,
                       size_t offset) {
  return with_user_bytes(name, handle, from, size, offset,
                         [&](char* user) { std::memcpy(user, from, size); });
}

int32_t copy_handle(const char* name, const void* handle, void** copy) {
  return with_buffer(name, "buf", handle, [&](const Call& call, const SharedBuffer& buffer) {
    if (copy == nullptr) return call.null("newBuf");
    *copy = buffer_handle(copy_reference(buffer));
    return ACL_SUCCESS;
  });
}

}  // namespace

std::shared_ptr<BufferMemory> BufferMemory::of(size_t size, int32_t device) {
  void* start = allocate(size, 0, MemoryKind::kDevice, device);
  if (start == nullptr) return nullptr;
  observe([&](Observer& o) { o.allocated(start, size, device); });
  return std::make_shared<BufferMemory>(start, size);
}

BufferMemory::~BufferMemory() {
  const bool found = release(start, MemoryKind::kDevice);
  observe([&](Observer& o) { o.freed("acltdtFreeBuf", start, found); });
}

std::mutex& buffers_mutex() { return *mutex; }

BufferPtr find_buffer(const Call& call, const char* parameter, const void* handle) {
  const BufferPtr found = buffers->find(handle);
  if (found != nullptr && !found->is_queued) return found;
  call.fail(ACL_ERROR_RT_PARAM_INVALID, parameter,
            hex(handle) + (found == nullptr
                               ? " is not a buffer of aclrtAllocBuf or acltdtAllocBuf; it may be "
                                 "freed"
                               : " lies in a queue, which it belongs to until acltdtDequeue"));
  return nullptr;
}

BufferPtr copy_reference(const SharedBuffer& buffer) {
  const auto copy = std::make_shared<SharedBuffer>();
  copy->memory = buffer.memory;
  copy->length = buffer.length;
  copy->user = buffer.user;
  for (const BufferPtr& each : buffer.chain) {
    copy->chain.push_back(copy_reference(*each));
    copy->chain.back()->is_member = true;
  }
  return copy;
}

void* buffer_handle(const BufferPtr& buffer) {
  if (buffer->handle == nullptr) buffer->handle = buffers->add(buffer);
  return buffer->handle;
}

void end_handles(const SharedBuffer& buffer) {
  for (const BufferPtr& each : buffer.chain) buffers->remove(each->handle);
  buffers->remove(buffer.handle);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtAllocBuf(aclrtMbuf* buf, size_t size) {
  return allocate_buffer("aclrtAllocBuf", buf, size, ACL_TDT_NORMAL_MEM);
}
extern "C" aclError acltdtAllocBuf(size_t size, uint32_t type, acltdtBuf* buf) {
  return allocate_buffer("acltdtAllocBuf", buf, size, type);
}

extern "C" aclError aclrtFreeBuf(aclrtMbuf buf) { return free_buffer("aclrtFreeBuf", buf); }
extern "C" aclError acltdtFreeBuf(acltdtBuf buf) { return free_buffer("acltdtFreeBuf", buf); }

extern "C" aclError aclrtGetBufData(const aclrtMbuf buf, void** dataPtr, size_t* size) {
  return get_data("aclrtGetBufData", buf, dataPtr, size);
}
extern "C" aclError acltdtGetBufData(const acltdtBuf buf, void** dataPtr, size_t* size) {
  return get_data("acltdtGetBufData", buf, dataPtr, size);
}

extern "C" aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len) {
  return set_length("aclrtSetBufDataLen", buf, len);
}
extern "C" aclError acltdtSetBufDataLen(acltdtBuf buf, size_t len) {
  return set_length("acltdtSetBufDataLen", buf, len);
}

extern "C" aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t* len) {
  return get_length("aclrtGetBufDataLen", buf, len);
}
extern "C" aclError acltdtGetBufDataLen(acltdtBuf buf, size_t* len) {
  return get_length("acltdtGetBufDataLen", buf, len);
}

extern "C" aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf) {
  return append("aclrtAppendBufChain", headBuf, buf);
}
extern "C" aclError acltdtAppendBufChain(acltdtBuf headBuf, acltdtBuf buf) {
  return append("acltdtAppendBufChain", headBuf, buf);
}

extern "C" aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t* num) {
  return count_chain("aclrtGetBufChainNum", headBuf, num);
}
extern "C" aclError acltdtGetBufChainNum(acltdtBuf headBuf, uint32_t* num) {
  return count_chain("acltdtGetBufChainNum", headBuf, num);
}

extern "C" aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index, aclrtMbuf* buf) {
  return get_from_chain("aclrtGetBufFromChain", headBuf, index, buf);
}
extern "C" aclError acltdtGetBufFromChain(acltdtBuf headBuf, uint32_t index, acltdtBuf* buf) {
  return get_from_chain("acltdtGetBufFromChain", headBuf, index, buf);
}

extern "C" aclError aclrtGetBufUserData(const aclrtMbuf buf, void* dataPtr, size_t size,
                                        size_t offset) {
  return get_user_bytes("aclrtGetBufUserData", buf, dataPtr, size, offset);
}
extern "C" aclError acltdtGetBufUserData(const acltdtBuf buf, void* dataPtr, size_t size,
                                         size_t offset) {
  return get_user_bytes("acltdtGetBufUserData", buf, dataPtr, size, offset);
}

extern "C" aclError aclrtSetBufUserData(aclrtMbuf buf, const void* dataPtr, size_t size,
                                        size_t offset) {
  return set_user_bytes("aclrtSetBufUserData", buf, dataPtr, size, offset);
}
extern "C" aclError acltdtSetBufUserData(acltdtBuf buf, const void* dataPtr, size_t size,
                                         size_t offset) {
  return set_user_bytes("acltdtSetBufUserData", buf, dataPtr, size, offset);
}

extern "C" aclError aclrtCopyBufRef(const aclrtMbuf buf, aclrtMbuf* newBuf) {
  return copy_handle("aclrtCopyBufRef", buf, newBuf);
}
extern "C" aclError acltdtCopyBufRef(const acltdtBuf buf, acltdtBuf* newBuf) {
  return copy_handle("acltdtCopyBufRef", buf, newBuf);
}
