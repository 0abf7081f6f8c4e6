// SPDX-License-Identifier: Apache-2.0
#include "runtime/access.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <memory>

// Linux 5.14 has these; C libraries before it do not name them.
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

namespace aclhost {
namespace {

// Beyond, only permissions are looked at: a view of a few elements may span memory that nobody
// wants to have brought in.
constexpr size_t kMostBroughtIn = size_t{1} << 30;

// The permissions of all mappings, as the kernel lists them.
bool permitted(uintptr_t begin, uintptr_t end, Access access) {
  const std::unique_ptr<FILE, int (*)(FILE*)> maps(std::fopen("/proc/self/maps", "re"),
                                                   std::fclose);
  if (maps == nullptr) return true;  // nobody can tell
  char line[512];
  bool at_start = true;
  while (begin < end && std::fgets(line, sizeof line, maps.get()) != nullptr) {
    uintptr_t first = 0, last = 0;
    char read = 0, write = 0;
    const bool parsed = at_start && std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %c%c", &first,
                                                &last, &read, &write) == 4;
    at_start = false;
    for (const char* c = line; *c != '\0'; ++c) at_start = *c == '\n';
    if (!parsed || last <= begin) continue;
    if (first > begin || (access == Access::kRead ? read != 'r' : write != 'w')) return false;
    begin = last;
  }
  return begin >= end;
}

}  // namespace

bool accessible(const void* pointer, size_t size, Access access) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if (size > UINTPTR_MAX - address) return false;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = address / page * page;
  void* start = reinterpret_cast<void*>(first);
  const size_t length = address + size - first;
  // The kernel answers ENOMEM where any page is missing. This comes first, so that a range which
  // leaves its mapping brings nothing in.
  if (msync(start, length, MS_ASYNC) != 0) return false;
  if (length > kMostBroughtIn) return permitted(address, address + size, access);
  const int advice = access == Access::kRead ? MADV_POPULATE_READ : MADV_POPULATE_WRITE;
  int result;
  do {
    result = madvise(start, length, advice);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return true;
  // An older kernel, or memory of a device that cannot be brought in.
  return errno == EINVAL && permitted(address, address + size, access);
}

}  // namespace aclhost
