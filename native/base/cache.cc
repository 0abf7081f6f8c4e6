// SPDX-License-Identifier: Apache-2.0
#include "base/cache.h"

#include <unistd.h>

#include <cstdio>

namespace aclhost {
namespace {

constexpr int64_t kUsual = 32 << 20;

// "32768K"; 0 where there is no such file.
int64_t size_in_file(const char* path) {
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return 0;
  long long kilobytes = 0;
  const bool is_read = std::fscanf(file, "%lldK", &kilobytes) == 1;
  std::fclose(file);
  return is_read ? kilobytes * 1024 : 0;
}

}  // namespace

int64_t last_level_cache() {
  // sysconf adds up the caches of all groups of cores on some processors, so the kernel comes
  // first.
  const int64_t size = size_in_file("/sys/devices/system/cpu/cpu0/cache/index3/size");
  if (size > 0) return size;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  const int64_t told = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (told > 0 && told < kUsual) return told;
#endif
  return kUsual;
}

}  // namespace aclhost
