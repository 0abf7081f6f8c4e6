// SPDX-License-Identifier: Apache-2.0
// Work that waits in a stream, without an allocation for each piece of it.
#pragma once

#include <cxxabi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/status.h"

namespace aclhost {

struct MemoryRange {
  uintptr_t begin;
  uintptr_t end;

  static MemoryRange of(const void* start, size_t size) {
    const auto begin = reinterpret_cast<uintptr_t>(start);
    return {begin, size > UINTPTR_MAX - begin ? UINTPTR_MAX : begin + size};
  }
  bool overlaps(const MemoryRange& other) const { return begin < other.end && other.begin < end; }
};

// A Status() that is moved and never copied. A small one is held in place. A body that touches
// memory says so: bool touches(const MemoryRange&) const.
class Task {
 public:
  Task() = default;

  template <typename Body, typename = std::enable_if_t<!std::is_same_v<std::decay_t<Body>, Task>>>
  Task(Body&& body) : actions_(&Actions::template of<Held<std::decay_t<Body>>>()) {
    new (storage_) Held<std::decay_t<Body>>(std::forward<Body>(body));
  }

  Task(Task&& other) noexcept { take(other); }
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      clear();
      take(other);
    }
    return *this;
  }
  ~Task() { clear(); }

  Status operator()() { return actions_->run(storage_); }
  bool touches(const MemoryRange& range) const { return actions_->touches(storage_, range); }

  // Ends what the task holds.
  void clear() {
    if (actions_ != nullptr) std::exchange(actions_, nullptr)->end(storage_);
  }

 private:
  static constexpr size_t kInPlace = 64;

  template <typename Body>
  static constexpr bool kFits =
      sizeof(Body) <= kInPlace && alignof(Body) <= alignof(std::max_align_t) &&
      std::is_nothrow_move_constructible_v<Body>;

  template <typename Body>
  struct InPlace {
    explicit InPlace(Body given) : body(std::move(given)) {}
    Status operator()() { return body(); }
    const Body& get() const { return body; }
    Body body;
  };

  template <typename Body>
  struct Elsewhere {
    explicit Elsewhere(Body given) : body(new Body(std::move(given))) {}
    Elsewhere(Elsewhere&& other) noexcept : body(std::exchange(other.body, nullptr)) {}
    ~Elsewhere() { delete body; }
    Status operator()() { return (*body)(); }
    const Body& get() const { return *body; }
    Body* body;
  };

  template <typename Body>
  using Held = std::conditional_t<kFits<Body>, InPlace<Body>, Elsewhere<Body>>;

  template <typename Body>
  static auto body_touches(const Body& body, const MemoryRange& range, int)
      -> decltype(body.touches(range)) {
    return body.touches(range);
  }
  template <typename Body>
  static bool body_touches(const Body&, const MemoryRange&, long) {
    return false;
  }

  // What a type of body can do.
  struct Actions {
    Status (*run)(void*);
    void (*move)(void* from, void* to);  // ends the source
    void (*end)(void*);
    bool (*touches)(const void*, const MemoryRange&);

    template <typename Body>
    static const Actions& of() {
      static constexpr Actions actions = {[](void* body) { return (*static_cast<Body*>(body))(); },
                                          [](void* from, void* to) {
                                            new (to) Body(std::move(*static_cast<Body*>(from)));
                                            static_cast<Body*>(from)->~Body();
                                          },
                                          [](void* body) { static_cast<Body*>(body)->~Body(); },
                                          [](const void* body, const MemoryRange& range) {
                                            const auto* held = static_cast<const Body*>(body);
                                            return body_touches(held->get(), range, 0);
                                          }};
      return actions;
    }
  };

  void take(Task& other) {
    actions_ = std::exchange(other.actions_, nullptr);
    if (actions_ != nullptr) actions_->move(other.storage_, storage_);
  }

  const Actions* actions_ = nullptr;
  alignas(std::max_align_t) std::byte storage_[kInPlace];
};

// What a task leaves behind that threw.
Status task_failure(const char* what) noexcept;

// What `task`, a Status(), gives.
template <typename Task>
Status run_task(Task&& task) {
  try {
    return task();
  } catch (abi::__forced_unwind&) {
    throw;  // the thread ends: a function of the program called pthread_exit
  } catch (const std::exception& problem) {
    return task_failure(problem.what());
  } catch (...) {
    return task_failure("an exception without a text");
  }
}

// First in, first out; its memory grows to the longest queue there was.
template <typename Element>
class Fifo {
 public:
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  const Element& at(size_t place) const { return elements_[(first_ + place) % elements_.size()]; }

  void push(Element element) {
    if (count_ == elements_.size()) grow();
    elements_[(first_ + count_) % elements_.size()] = std::move(element);
    ++count_;
  }

  Element pop() {
    Element element = std::move(elements_[first_]);
    first_ = (first_ + 1) % elements_.size();
    --count_;
    return element;
  }

 private:
  void grow() {
    std::vector<Element> larger(elements_.empty() ? 8 : 2 * elements_.size());
    for (size_t i = 0; i < count_; ++i) {
      larger[i] = std::move(elements_[(first_ + i) % elements_.size()]);
    }
    elements_ = std::move(larger);
    first_ = 0;
  }

  std::vector<Element> elements_;
  size_t first_ = 0;
  size_t count_ = 0;
};

}  // namespace aclhost
