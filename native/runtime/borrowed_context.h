// SPDX-License-Identifier: Apache-2.0
// A context for functions of the program that run on threads of the library.
#pragma once

#include "acl/acl_base.h"

namespace aclhost {

// While one lives, a thread without a context has this one.
class BorrowedContext {
 public:
  explicit BorrowedContext(aclrtContext context);
  ~BorrowedContext();
  BorrowedContext(const BorrowedContext&) = delete;
  BorrowedContext& operator=(const BorrowedContext&) = delete;

 private:
  const aclrtContext context_;  // null: the thread has one of its own
  const aclrtContext before_;
};

}  // namespace aclhost
