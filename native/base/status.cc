// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <atomic>

#include "acl/acl_base.h"

namespace aclhost {

struct Status::Shared {
  Failure failure;
  std::atomic<int64_t> owners{1};
};

Status Status::failed(Failure failure) {
  Status status;
  status.shared_ = new Shared{std::move(failure)};
  return status;
}

namespace {

// Made when the library is loaded, when memory is there.
Status made_early() {
  return Status::failed({ACL_ERROR_RT_INTERNAL_ERROR, "", "no_exception",
                         "a task of the stream could not finish: out of memory"});
}

const Status& reserve() {
  static const Status* const instance = new Status(made_early());
  return *instance;
}

__attribute__((constructor)) void prepare() { reserve(); }

}  // namespace

Status Status::out_of_memory() noexcept { return reserve(); }

const Failure& Status::failure() const { return shared_->failure; }

void Status::keep(Shared* shared) { shared->owners.fetch_add(1, std::memory_order_relaxed); }

void Status::drop(Shared* shared) {
  if (shared->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared;
}

}  // namespace aclhost
