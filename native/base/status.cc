// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <atomic>

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

const Failure& Status::failure() const { return shared_->failure; }

void Status::keep(Shared* shared) { shared->owners.fetch_add(1, std::memory_order_relaxed); }

void Status::drop(Shared* shared) {
  if (shared->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared;
}

}  // namespace aclhost
