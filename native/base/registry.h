// SPDX-License-Identifier: Apache-2.0
// Handles that can be checked without being dereferenced.
//
// Clients destroy twice, keep stale handles and pass uninitialised pointers. So a handle is never
// an address: it encodes a kind, a slot and the slot's generation. A lookup pins the slot for as
// long as the returned Ref lives, so a destroy on another thread cannot pull the object away.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "base/fork_mutex.h"
#include "base/observer.h"

namespace aclhost {

enum class Kind : uint64_t {
  kTensor = 1,
  kScalar,
  kIntArray,
  kFloatArray,
  kBoolArray,
  kTensorList,
  kScalarList,
  kExecutor,
  kStream,
  kContext,
  kEvent,
  kDataBuffer,
  kCommunicator,
};

// What observers call an object; null for those whose owners tell of them, because some are made
// without the program's doing.
constexpr const char* observed_name(Kind kind) {
  constexpr const char* kNames[] = {nullptr,       "tensor",      "scalar",      "int array",
                                    "float array", "bool array",  "tensor list", "scalar list",
                                    "executor",    nullptr,       nullptr,       "event",
                                    "data buffer", "communicator"};
  return kNames[static_cast<int>(kind)];
}

// 0x5A | kind (4 bits) | generation (28) | slot (24). No user-space address looks like this.
namespace handle_bits {
constexpr uint64_t kMark = 0x5AULL << 56;
constexpr int kKindShift = 52;
constexpr int kGenerationShift = 24;
constexpr uint64_t kGenerationMask = (1ULL << 28) - 1;
constexpr uint64_t kSlotMask = (1ULL << 24) - 1;

constexpr uint64_t tag(Kind kind) { return kMark | static_cast<uint64_t>(kind) << kKindShift; }
}  // namespace handle_bits

// A registry is a variable of a namespace that is zero when the library is loaded, and lives as
// long as the process.
template <typename T, Kind kKind>
class Registry {
  // state: generation in the upper half (odd while live), pins in the lower half.
  struct Slot {
    std::atomic<uint64_t> state;
    uint64_t next_free;  // while the slot is free: index + 1 of the next one
    alignas(T) std::byte storage[sizeof(T)];
    T* object() { return std::launder(reinterpret_cast<T*>(storage)); }
  };

 public:
  // Keeps the object alive; empty when the handle was not valid.
  class Ref {
   public:
    Ref() = default;
    Ref(Ref&& other) noexcept
        : registry_(std::exchange(other.registry_, nullptr)), index_(other.index_) {}
    Ref& operator=(Ref&& other) noexcept {
      release();
      registry_ = std::exchange(other.registry_, nullptr);
      index_ = other.index_;
      return *this;
    }
    ~Ref() { release(); }

    explicit operator bool() const { return registry_ != nullptr; }
    T* operator->() const { return registry_->slot(index_).object(); }
    T& operator*() const { return *registry_->slot(index_).object(); }

   private:
    friend class Registry;
    Ref(Registry* registry, uint64_t index) : registry_(registry), index_(index) {}
    void release() {
      if (registry_ != nullptr) std::exchange(registry_, nullptr)->unpin(index_);
    }
    Registry* registry_ = nullptr;
    uint64_t index_ = 0;
  };

  // A handle to a new object, or null when all 2^24 slots are in use.
  template <typename... Args>
  void* create(Args&&... args) {
    uint64_t index;
    if (!take_slot(&index)) return nullptr;
    Slot& slot = this->slot(index);
    try {
      new (slot.storage) T(std::forward<Args>(args)...);
    } catch (...) {
      give_slot(index);
      throw;
    }
    const uint64_t generation = (slot.state.load(std::memory_order_relaxed) >> 32) + 1;
    slot.state.store(generation << 32, std::memory_order_release);
    void* handle = reinterpret_cast<void*>(handle_bits::tag(kKind) |
                                           generation << handle_bits::kGenerationShift | index);
    if constexpr (kName != nullptr) observe([&](Observer& o) { o.created(handle, kName); });
    return handle;
  }

  Ref find(const void* handle) {
    uint64_t index = 0, generation = 0;
    if (!decode(handle, &index, &generation)) return {};
    std::atomic<uint64_t>& state = slot(index).state;
    uint64_t seen = state.load(std::memory_order_acquire);
    do {
      if (seen >> 32 != generation) return {};
    } while (!state.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel));
    return Ref(this, index);
  }

  // Ends the handle at once; the object goes when its last pin does. False if it was not valid.
  bool destroy(const void* handle) {
    uint64_t index = 0, generation = 0;
    if (!decode(handle, &index, &generation)) return false;
    std::atomic<uint64_t>& state = slot(index).state;
    uint64_t seen = state.load(std::memory_order_acquire);
    do {
      if (seen >> 32 != generation) return false;
    } while (!state.compare_exchange_weak(seen, seen + (1ULL << 32), std::memory_order_acq_rel));
    if constexpr (kName != nullptr) observe([&](Observer& o) { o.destroyed(handle); });
    if ((seen & UINT32_MAX) == 0) reclaim(index);
    return true;
  }

  // True for a handle this registry once gave out and has since ended.
  bool was_ours(const void* handle) {
    uint64_t index = 0, generation = 0;
    if (!decode(handle, &index, &generation)) return false;
    const uint64_t now = slot(index).state.load(std::memory_order_acquire) >> 32;
    return generation < now;
  }

  // Whether find would give something. For those who need not keep the object alive.
  bool is_live(const void* handle) const {
    uint64_t index = 0, generation = 0;
    if (!decode(handle, &index, &generation)) return false;
    return slot(index).state.load(std::memory_order_acquire) >> 32 == generation;
  }

  // How many objects there are: counted now, because nearly nobody asks.
  int64_t live() const {
    int64_t count = 0;
    for_each_handle([&](void*) { ++count; });
    return count;
  }

  // Every live object once, pinned while visited.
  template <typename Visit>
  void for_each(Visit&& visit) {
    for_each_handle([&](void* handle) {
      if (Ref ref = find(handle)) visit(handle, *ref);
    });
  }

 private:
  static constexpr const char* kName = observed_name(kKind);
  static constexpr uint64_t kChunk = 4096;
  static constexpr uint64_t kChunks = (handle_bits::kSlotMask + 1) / kChunk;
  static_assert(alignof(Slot) <= alignof(std::max_align_t), "calloc aligns no better");

  template <typename Visit>
  void for_each_handle(const Visit& visit) const {
    const uint64_t count = used_.load(std::memory_order_acquire);
    for (uint64_t index = 0; index < count; ++index) {
      const uint64_t generation = slot(index).state.load(std::memory_order_acquire) >> 32;
      if (generation % 2 == 0) continue;
      visit(reinterpret_cast<void*>(handle_bits::tag(kKind) |
                                    generation << handle_bits::kGenerationShift | index));
    }
  }

  Slot& slot(uint64_t index) const {
    return chunks_[index / kChunk].load(std::memory_order_acquire)[index % kChunk];
  }

  bool decode(const void* handle, uint64_t* index, uint64_t* generation) const {
    const auto bits = reinterpret_cast<uint64_t>(handle);
    if (bits >> handle_bits::kKindShift != handle_bits::tag(kKind) >> handle_bits::kKindShift) {
      return false;
    }
    *index = bits & handle_bits::kSlotMask;
    *generation = bits >> handle_bits::kGenerationShift & handle_bits::kGenerationMask;
    const bool was_handed_out = *generation % 2 == 1;
    return was_handed_out && *index < used_.load(std::memory_order_acquire);
  }

  void unpin(uint64_t index) {
    const uint64_t before = slot(index).state.fetch_sub(1, std::memory_order_acq_rel);
    const bool live = (before >> 32) % 2 == 1;
    if (!live && (before & UINT32_MAX) == 1) reclaim(index);
  }

  void reclaim(uint64_t index) {
    slot(index).object()->~T();
    give_slot(index);
  }

  bool take_slot(uint64_t* index) {
    if (recent_.load(std::memory_order_relaxed) != 0) {
      const uint64_t recent = recent_.exchange(0, std::memory_order_acquire);
      *index = recent - 1;
      if (recent != 0) return true;
    }
    std::lock_guard<ForkMutex> lock(mutex_);
    if (first_free_ != 0) {
      *index = first_free_ - 1;
      first_free_ = slot(*index).next_free;
      return true;
    }
    const uint64_t next = used_.load(std::memory_order_relaxed);
    if (next > handle_bits::kSlotMask) return false;
    if (next % kChunk == 0) {
      // All bits zero is a free slot, and pages that nobody touched cost nothing.
      void* chunk = std::calloc(kChunk, sizeof(Slot));
      if (chunk == nullptr) throw std::bad_alloc();
      chunks_[next / kChunk].store(static_cast<Slot*>(chunk), std::memory_order_release);
    }
    used_.store(next + 1, std::memory_order_release);
    *index = next;
    return true;
  }

  void give_slot(uint64_t index) {
    // A slot whose generations are used up retires, so that no old handle ever becomes valid again.
    const uint64_t generation = slot(index).state.load(std::memory_order_relaxed) >> 32;
    if (generation + 2 > handle_bits::kGenerationMask) return;
    uint64_t none = recent_.load(std::memory_order_relaxed);
    if (none == 0 && recent_.compare_exchange_strong(none, index + 1, std::memory_order_release)) {
      return;
    }
    std::lock_guard<ForkMutex> lock(mutex_);
    slot(index).next_free = first_free_;
    first_free_ = index + 1;
  }

  ForkMutex mutex_;
  uint64_t first_free_ = 0;  // index + 1; 0 for none
  // The same of another free slot: who makes and ends one object after the other needs no lock.
  std::atomic<uint64_t> recent_{0};
  std::atomic<Slot*> chunks_[kChunks] = {};
  std::atomic<uint64_t> used_{0};
};

}  // namespace aclhost
