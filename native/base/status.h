// SPDX-License-Identifier: Apache-2.0
// The outcome of everything that can fail: a code plus the sentence a user reads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace aclhost {

struct Failure {
  int32_t code = 0;
  std::string parameter;  // upstream's spelling; empty when no single parameter is at fault
  std::string rule;       // identifier of the violated rule, for example "same_dtype"
  std::string message;    // operator or call, parameter, rule, got, allowed, product, what to do
};

class [[nodiscard]] Status {
 public:
  Status() = default;  // success costs one null pointer

  static Status failed(Failure failure) {
    Status status;
    status.failure_ = std::make_shared<const Failure>(std::move(failure));
    return status;
  }

  bool ok() const { return failure_ == nullptr; }
  int32_t code() const { return failure_ ? failure_->code : 0; }
  const Failure& failure() const { return *failure_; }

 private:
  std::shared_ptr<const Failure> failure_;
};

}  // namespace aclhost
