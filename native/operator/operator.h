// SPDX-License-Identifier: Apache-2.0
// What generated checks are made of.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "base/soc.h"
#include "base/status.h"
#include "operator/views.h"

namespace aclhost {

// The outcome of an operator's checks: refused, accepted, or accepted with nothing to compute.
class Verdict {
 public:
  static Verdict proceed() { return Verdict({}, false); }
  static Verdict nothing_to_do() { return Verdict({}, true); }
  static Verdict refuse(Status status) { return Verdict(std::move(status), false); }

  bool refused() const { return !status_.ok(); }
  bool idle() const { return idle_; }
  const Status& status() const { return status_; }

 private:
  Verdict(Status status, bool idle) : status_(std::move(status)), idle_(idle) {}
  Status status_;
  bool idle_;
};

// What an operator does to a tensor.
enum class Use { kRead, kWrite, kReadWrite };

// Elements of all tensors together. Absurd sizes must neither overflow nor look small.
template <typename Args>
int64_t total_elements(Args& args) {
  uint64_t sum = 0;
  args.for_each_tensor([&](const char*, const TensorView& view, Use) {
    sum = std::min<uint64_t>(sum + std::min<uint64_t>(view.elements(), INT64_MAX), INT64_MAX);
  });
  return static_cast<int64_t>(sum);
}

// One rule of one operator, as declared.
struct RuleText {
  const char* op;
  int32_t code;
  const char* id;
  const char* parameter;
  const char* sentence;
  const char* advice;
};

// The refusal a user reads: operator, rule with the parameter, got, product, what to do.
Verdict violation(const RuleText& rule, const std::string& got, const Soc& soc);

// The sentence for the current product, of those in the order of the Product enum.
const char* by_product(const Soc& soc, std::initializer_list<const char*> sentences);

}  // namespace aclhost
