// SPDX-License-Identifier: Apache-2.0
// What the library makes of a processor: argv[1] lists its features. Prints the instruction set
// and the bytes that count as the cache.
#include <cstdio>
#include <cstring>

static const char* features = "";
static bool has_feature(const char* name) { return std::strstr(features, name) != nullptr; }
#define __builtin_cpu_supports(name) has_feature("+" name "+")
#include "base/cache.cc"
#include "base/isa.cc"
#include "simd/cache.h"

int main(int, char** argv) {
  features = argv[1];
  std::printf("%d %lld\n", static_cast<int>(aclhost::current_isa()),
              static_cast<long long>(aclhost::cache_bytes()));
}
