// SPDX-License-Identifier: Apache-2.0
// The outcome of everything that can fail: a code plus the sentence a user reads.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace aclhost {

struct Failure {
  int32_t code = 0;
  std::string parameter;  // upstream's spelling; empty when no single parameter is at fault
  std::string rule;       // identifier of the violated rule, for example "same_dtype"
  std::string message;    // operator or call, parameter, rule, got, allowed, product, what to do
};

// Copies share the failure. All that failing needs is compiled once, in status.cc, so that the
// kernels' several versions bring no code of their own for it (Note [Instruction sets]).
class [[nodiscard]] Status {
 public:
  Status() = default;  // success costs one null pointer
  Status(const Status& other) : shared_(other.shared_) {
    if (shared_ != nullptr) keep(shared_);
  }
  Status(Status&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  Status& operator=(Status other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~Status() {
    if (shared_ != nullptr) drop(shared_);
  }

  static Status failed(Failure failure);
  // What is left to say when there is no memory for a text: code 507000.
  static Status out_of_memory() noexcept;

  bool ok() const { return shared_ == nullptr; }
  int32_t code() const { return shared_ != nullptr ? failure().code : 0; }
  const Failure& failure() const;  // of a status that is not ok

 private:
  struct Shared;
  static void keep(Shared* shared);
  static void drop(Shared* shared);

  Shared* shared_ = nullptr;
};

}  // namespace aclhost
