// SPDX-License-Identifier: Apache-2.0
// Memory apart from addresses: a file of the kernel's that has no name.
#pragma once

#include <unistd.h>

#include "acl/acl_rt.h"
#include "runtime/handle_table.h"
#include "runtime/memory.h"

namespace aclhost {

struct Physical {
  Physical(int opened, size_t bytes, const aclrtPhysicalMemProp& asked)
      : file(opened), size(bytes), device(static_cast<int32_t>(asked.location.id)), prop(asked) {}
  ~Physical() {
    close(file);
    discharge(device, size);
  }
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;

  const int file;
  const size_t size;  // charged by the maker
  const int32_t device;
  const aclrtPhysicalMemProp prop;
};

HandleTable<Physical, 1>& physical_memory();

}  // namespace aclhost
