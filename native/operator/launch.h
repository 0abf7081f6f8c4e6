// SPDX-License-Identifier: Apache-2.0
// The two phases, once for all operators.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "aclnn/acl_meta.h"
#include "base/calls.h"
#include "base/errors.h"
#include "base/observer.h"
#include "base/recycled.h"
#include "base/registry.h"
#include "base/strict.h"
#include "operator/operator.h"

namespace aclhost {

// Prepared work. Holds copies only, so it outlives every handle it was made from.
class Launch {
 public:
  virtual ~Launch() = default;
  virtual Status execute() = 0;
  virtual int64_t elements() = 0;  // of all tensors together
  virtual Work describe() = 0;
  bool idle = false;   // nothing to compute: phase 1 met an empty tensor
  Status refusal;      // what phase 2 has to report instead of launching
  uint64_t asked = 0;  // the time of memory at phase 2
  virtual std::shared_ptr<Launch> clone() const = 0;
  // Gives another address to every tensor that was copied from this handle.
  virtual void rebind(const aclTensor* source, void* address) = 0;
};

// A launch that touches memory which does not exist would fault on a device: 507015 at
// synchronisation. Also the answer for what was freed before the launch.
Status check_memory(const char* op, const char* tensor, const TensorView& view, uint64_t asked);

// For strict mode, where the program's addresses are not those of the pages.
void make_reachable(TensorView* view);

Region region_of(const char* name, const TensorView& view, Use use);
std::string describe_tensor(const char* name, const TensorView& view);

template <typename Args>
class OperatorLaunch final : public Launch {
 public:
  Args args;

  Status execute() override {
    Status status;
    args.for_each_tensor([&](const char* name, const TensorView& view, Use) {
      if (status.ok()) status = check_memory(Args::kOperator, name, view, asked);
    });
    if (!status.ok()) return status;
    if (!is_strict()) return run(args);
    Args reachable = args;
    reachable.for_each_tensor([](const char*, TensorView& view, Use) { make_reachable(&view); });
    return run(reachable);
  }

  int64_t elements() override { return total_elements(args); }

  Work describe() override {
    Work work{Args::kOperator, {}, ""};
    args.for_each_tensor([&](const char* name, const TensorView& view, Use use) {
      if (!view.present) return;
      if (!view.empty()) work.regions.push_back(region_of(name, view, use));
      work.detail += (work.detail.empty() ? "" : ", ") + describe_tensor(name, view);
    });
    return work;
  }

  std::shared_ptr<Launch> clone() const override { return make(*this); }

  template <typename... From>
  static std::shared_ptr<OperatorLaunch> make(From&&... from) {
    return std::allocate_shared<OperatorLaunch>(Recycled<OperatorLaunch>(),
                                                std::forward<From>(from)...);
  }

  void rebind(const aclTensor* source, void* address) override {
    args.for_each_tensor([&](const char*, TensorView& view, Use) {
      if (view.source == source) view.data = address;
    });
  }
};

struct Executor {
  explicit Executor(std::shared_ptr<Launch> prepared) : launch(std::move(prepared)) {}
  std::shared_ptr<Launch> launch;
  std::mutex mutex;  // guards what the setters change
  bool repeatable = false;
};

Registry<Executor, Kind::kExecutor>& executors();

// Copies what handles describe; remembers the first one that is not a live handle of its kind.
class Arguments {
 public:
  explicit Arguments(const char* op) : op_(op) {}
  void tensor(const char* name, const aclTensor* handle, TensorView* view);
  void scalar(const char* name, const aclScalar* handle, ScalarValue* value);
  void int_array(const char* name, const aclIntArray* handle, IntArrayView* view);
  const Status& status() const { return status_; }

 private:
  void not_live(const char* name, const char* kind, const void* handle, bool stale);
  const char* op_;
  Status status_;
};

namespace launch_detail {
aclnnStatus null_result(const char* op, const char* parameter);
aclnnStatus unknown_soc(const char* op);
aclnnStatus hand_out(const char* op, std::shared_ptr<Launch> launch, uint64_t* workspace_size,
                     aclOpExecutor** executor);
aclnnStatus out_of_memory(const char* op);
}  // namespace launch_detail

// On any failure the two results stay as they were. No operator needs a workspace.
template <typename Args, typename Fill>
aclnnStatus prepare(uint64_t* workspace_size, aclOpExecutor** executor, const Fill& fill) {
  constexpr const char* op = Args::kOperator;
  if (workspace_size == nullptr) return launch_detail::null_result(op, "workspaceSize");
  if (executor == nullptr) return launch_detail::null_result(op, "executor");
  try {
    auto launch = OperatorLaunch<Args>::make();
    Arguments from(op);
    fill(launch->args, from);
    if (!from.status().ok()) return report(from.status());
    const Soc* soc = current_soc();
    if (soc == nullptr) return launch_detail::unknown_soc(op);
    const Verdict verdict = check(launch->args, *soc);
    if (verdict.refused()) return report(verdict.status());
    launch->idle = verdict.idle();
    if (!launch->idle) launch->refusal = check_launch(launch->args, *soc).status();
    return launch_detail::hand_out(op, std::move(launch), workspace_size, executor);
  } catch (...) {
    return launch_detail::out_of_memory(op);
  }
}

template <typename Args, typename Fill>
aclnnStatus phase_one(uint64_t* workspace_size, aclOpExecutor** executor, const Fill& fill) {
  const aclnnStatus status = prepare<Args>(workspace_size, executor, fill);
  call_counter<Args>().add(status == 0);
  return status;
}

aclnnStatus phase_two(const char* op, void* workspace, uint64_t workspace_size,
                      aclOpExecutor* executor, aclrtStream stream);

}  // namespace aclhost
