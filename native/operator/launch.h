// SPDX-License-Identifier: Apache-2.0
// The two phases, once for all operators.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "aclnn/acl_meta.h"
#include "base/observer.h"
#include "base/registry.h"
#include "operator/args.h"
#include "operator/descriptor.h"
#include "operator/dump.h"
#include "runtime/task.h"

namespace aclhost {

// Prepared work. Holds copies only, so it outlives every handle it was made from.
struct Launch {
  explicit Launch(const Operator& op) : args(op) {}

  // `asked` is the time of memory when it was queued. With a dump, its tensors are written.
  Status execute(uint64_t asked, Dump* dump, const DumpedLaunch& launch);
  Work describe() const;
  bool touches(const MemoryRange& range) const;
  // Gives another address to every tensor that was copied from this handle.
  void rebind(const aclTensor* source, void* address);

  Args args;
  bool idle = false;  // nothing to compute: phase 1 met an empty tensor
  Status refusal;     // what phase 2 has to report instead of launching
};

struct Executor {
  explicit Executor(std::shared_ptr<Launch> prepared) : launch(std::move(prepared)) {}
  std::shared_ptr<Launch> launch;
  std::mutex mutex;  // guards what the setters of addresses change
  std::atomic<bool> repeatable{false};
};

Registry<Executor, Kind::kExecutor>& executors();

// One argument as the C function got it.
struct Given {
  Given(float value) : real(value) {}
  Given(double value) : real(value) {}
  template <typename Value>  // an integer, a bool or a dtype
  Given(Value value) : integer(static_cast<int64_t>(value)) {}
  template <typename Handle>
  Given(Handle* handle) : pointer(handle) {}

  union {
    const void* pointer;
    int64_t integer;
    double real;
  };
};

// On any failure the two results stay as they were. No kernel needs a workspace: those that are
// asked for are those that upstream's operators ask for.
aclnnStatus phase_one(const Operator& op, const Given* given, uint64_t* workspace_size,
                      aclOpExecutor** executor);

aclnnStatus phase_two(const char* op, void* workspace, uint64_t workspace_size,
                      aclOpExecutor* executor, aclrtStream stream);

}  // namespace aclhost
