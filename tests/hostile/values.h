// SPDX-License-Identifier: Apache-2.0
// What a hostile program passes: things that live, that lived, and that never did.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

constexpr size_t kPage = 4096;
constexpr size_t kArea = 16 * kPage;  // of memory that the program maps itself

// Handles of one kind, shared by all threads. What was destroyed stays for a while.
class Handles {
 public:
  // Returns what was there before, for its maker to end.
  void* keep(void* handle, uint32_t place) {
    return handle == nullptr ? nullptr : slots_[place % kSlots].exchange(handle);
  }
  void* at(uint32_t place) const { return slots_[place % kSlots].load(std::memory_order_relaxed); }

 private:
  static constexpr int kSlots = 24;
  std::atomic<void*> slots_[kSlots] = {};
};

// Mapped by the program. Pages without access on both sides keep copies from leaving an area.
class Areas {
 public:
  Areas() {
    writable = area(PROT_READ | PROT_WRITE);
    read_only = area(PROT_READ);
    hidden = area(PROT_NONE);
    truncated = truncated_file();
  }
  char* writable;
  char* read_only;
  char* hidden;
  char* truncated;

 private:
  static char* area(int access) {
    void* whole = mmap(nullptr, kArea + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char* inner = static_cast<char*>(whole) + kPage;
    if (mprotect(inner, kArea, access) != 0) std::abort();
    return inner;
  }
  // One page of a file, mapped as if it had more.
  static char* truncated_file() {
    char* inner = area(PROT_NONE);
    FILE* file = std::tmpfile();
    if (file == nullptr || ftruncate(fileno(file), kPage) != 0) std::abort();
    const int access = PROT_READ | PROT_WRITE;
    if (mmap(inner, kArea, access, MAP_SHARED | MAP_FIXED, fileno(file), 0) != inner) std::abort();
    std::fclose(file);
    return inner;
  }
};

struct World {
  Areas areas;
  Handles contexts, streams, events, tensors, scalars, int_arrays, executors, lists;
  Handles memory, pinned;
  Handles graphs, groups, tasks, notifies;
};

// Random values of one thread.
class Values {
 public:
  Values(World& world, uint64_t seed) : world_(world), random_(seed) {}

  uint32_t number(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  uint32_t place() { return static_cast<uint32_t>(random_()); }
  bool rarely(uint32_t one_in) { return number(one_in) == 0; }

  // Mostly one that was good once.
  void* handle(const Handles& kind) {
    if (!rarely(16)) return kind.at(place());
    switch (number(6)) {
      case 0:
        return nullptr;
      case 1:
        return reinterpret_cast<void*>(random_());
      case 2:
        return world_.tensors.at(place());
      case 3:
        return world_.streams.at(place());
      case 4:
        return world_.areas.hidden;
      default:  // a handle with a bit flipped
        return reinterpret_cast<void*>(reinterpret_cast<uint64_t>(kind.at(place())) ^
                                       (uint64_t{1} << number(64)));
    }
  }

  void* address() {
    const size_t offset = rarely(4) ? number(kArea) : 0;
    switch (number(12)) {
      case 0:
        return nullptr;
      case 1:
        return reinterpret_cast<void*>(uint64_t{number(kPage)});
      case 2:
        return reinterpret_cast<void*>(random_() | uint64_t{1} << 63);  // no program has these
      case 3:
        return world_.areas.hidden + offset;
      case 4:
        return world_.areas.read_only + offset;
      case 5:
        return world_.areas.truncated + offset;
      case 6:
      case 7:
        return world_.areas.writable + offset;
      case 8:
        return static_cast<char*>(world_.pinned.at(place())) + offset;
      default:
        return static_cast<char*>(world_.memory.at(place())) + offset;
    }
  }

  size_t size() {
    constexpr size_t kSizes[] = {0,     1,         7,          64,        4095,         4096,
                                 65536, 1u << 20,  UINT32_MAX, SIZE_MAX,  SIZE_MAX / 2, kArea,
                                 16384, kArea + 1, 1000,       1ull << 40};
    return rarely(3) ? number(kArea) : kSizes[number(sizeof kSizes / sizeof *kSizes)];
  }

  int enumerator(int count) {
    if (!rarely(8)) return static_cast<int>(number(static_cast<uint32_t>(count)));
    constexpr int kOdd[] = {-1, 1000, INT32_MAX, INT32_MIN};
    return kOdd[number(4)];
  }

  int64_t dimension() {
    constexpr int64_t kOdd[] = {-1, 0, 1, INT32_MAX, INT64_MAX, INT64_MIN, int64_t{1} << 32};
    return rarely(10) ? kOdd[number(7)] : 1 + number(12);
  }

  World& world() { return world_; }

 private:
  World& world_;
  std::mt19937_64 random_;
};
