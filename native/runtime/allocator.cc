// SPDX-License-Identifier: Apache-2.0
#include "runtime/allocator.h"

#include <cxxabi.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "acl/acl_rt_allocator.h"
#include "base/call.h"
#include "base/immortal.h"
#include "runtime/borrowed_context.h"
#include "runtime/context.h"
#include "runtime/handle_table.h"
#include "runtime/pages.h"
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

}  // namespace

// Calls the functions of the program on whichever thread runs the launch.
class StreamAllocator final : public ScratchSource {
 public:
  StreamAllocator(aclrtAllocatorDesc handle, const Allocator& functions, aclrtContext context)
      : handle(handle), functions(functions), context_(context) {}

  void* take(size_t bytes, void** block) override {
    const Asking asking(context_);
    try {
      *block = allocate(bytes);
      if (*block == nullptr) return nullptr;
      if (void* const address = address_of(*block, bytes)) {
        advised_.store(address, std::memory_order_relaxed);
        return reachable(address);
      }
      functions.release(functions.object, *block);
    } catch (abi::__forced_unwind&) {
      throw;         // the thread ends
    } catch (...) {  // kernels let no exception through
    }
    return nullptr;
  }

  void give_back(void* block) override {
    const Asking asking(context_);
    try {
      functions.release(functions.object, block);
    } catch (abi::__forced_unwind&) {
      throw;
    } catch (...) {
    }
  }

  const aclrtAllocatorDesc handle;
  const Allocator functions;
  int users = 0;  // launches; guarded by the mutex of all

 private:
  // What the functions launch takes its memory from its own stream's allocator.
  class Asking {
   public:
    explicit Asking(aclrtContext context)
        : context_(context), source_(set_scratch_source(nullptr)) {}
    ~Asking() { set_scratch_source(source_); }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;

   private:
    const BorrowedContext context_;
    ScratchSource* const source_;
  };

  // Null: there is none that can be written to.
  void* address_of(void* block, size_t bytes) const {
    try {
      void* const address = functions.address(block);
      const bool is_usable = address != nullptr && is_accessible(address, bytes, Access::kWrite);
      return is_usable ? address : nullptr;
    } catch (abi::__forced_unwind&) {
      throw;
    } catch (...) {
      return nullptr;
    }
  }

  // The place of the block before is the best one to have: its pages are there.
  void* allocate(size_t bytes) {
    void* const place = advised_.load(std::memory_order_relaxed);
    void* block = nullptr;
    if (functions.advise != nullptr && place != nullptr) {
      block = functions.advise(functions.object, bytes, place);
    }
    return block != nullptr ? block : functions.allocate(functions.object, bytes);
  }

  const aclrtContext context_;  // for threads that have none
  std::atomic<void*> advised_{nullptr};
};

std::atomic<int> registered_allocators{0};

namespace {

struct ByStream {
  std::mutex mutex;
  std::condition_variable unused;
  std::map<int32_t, std::shared_ptr<StreamAllocator>> all;
};

Immortal<HandleTable<Allocator, 8>> descriptions;
Immortal<ByStream> by_stream;
__constinit thread_local int uses_here = 0;  // of launches that this thread runs

// Puts another allocator, or null, in the place of a stream's. When it returns, no launch calls the
// former one any more; but a function of an allocator cannot wait for its own launch.
void exchange(int32_t stream, std::shared_ptr<StreamAllocator> next) {
  std::unique_lock<std::mutex> lock(by_stream->mutex);
  std::shared_ptr<StreamAllocator> former;
  if (next != nullptr) {
    former = std::exchange(by_stream->all[stream], std::move(next));
  } else if (const auto found = by_stream->all.find(stream); found != by_stream->all.end()) {
    former = std::move(found->second);
    by_stream->all.erase(found);
  }
  registered_allocators.store(static_cast<int>(by_stream->all.size()));
  if (former == nullptr || uses_here > 0) return;
  by_stream->unused.wait(lock, [&] { return former->users == 0; });
}

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

aclrtContext context_of(const Stream& stream) {
  aclrtContext found = nullptr;
  contexts().for_each([&](void* handle, const Context& context) {
    if (context.id() == stream.context_id()) found = handle;
  });
  return found;
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
  exchange(found->id(), std::make_shared<StreamAllocator>(desc, *allocator, context_of(*found)));
  return ACL_SUCCESS;
}

std::shared_ptr<StreamAllocator> registered_for(const Stream& stream) {
  const std::lock_guard<std::mutex> lock(by_stream->mutex);
  const auto found = by_stream->all.find(stream.id());
  return found == by_stream->all.end() ? nullptr : found->second;
}

}  // namespace

void AllocatorUse::begin(int32_t stream) {
  {
    const std::lock_guard<std::mutex> lock(by_stream->mutex);
    const auto found = by_stream->all.find(stream);
    if (found == by_stream->all.end()) return;
    allocator_ = found->second;
    ++allocator_->users;
  }
  ++uses_here;
  memory_.emplace();
  before_ = set_scratch_source(allocator_.get());
}

void AllocatorUse::end() {
  set_scratch_source(before_);
  --uses_here;
  const std::lock_guard<std::mutex> lock(by_stream->mutex);
  if (--allocator_->users == 0) by_stream->unused.notify_all();
}

void forget_allocator(int32_t stream) {
  if (registered_allocators.load() != 0) exchange(stream, nullptr);
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
    const std::shared_ptr<StreamAllocator> registered = registered_for(found);
    const Allocator functions = registered == nullptr ? Allocator{} : registered->functions;
    if (allocatorDesc != nullptr) {
      *allocatorDesc = registered == nullptr ? nullptr : registered->handle;
    }
    if (allocator != nullptr) *allocator = functions.object;
    if (allocFunc != nullptr) *allocFunc = functions.allocate;
    if (freeFunc != nullptr) *freeFunc = functions.release;
    if (allocAdviseFunc != nullptr) *allocAdviseFunc = functions.advise;
    if (getAddrFromBlockFunc != nullptr) *getAddrFromBlockFunc = functions.address;
    return ACL_SUCCESS;
  });
}
