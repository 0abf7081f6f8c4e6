// SPDX-License-Identifier: Apache-2.0
#include "base/isa.h"

#include <cstdlib>
#include <string_view>

#include "base/immortal.h"

namespace aclhost {
namespace {

Isa best_isa() {
#if defined(__x86_64__) && !defined(ACLHOST_BASELINE_ONLY)
  // All that the options in CMakeLists.txt let the compiler use: virtual machines hide any of it.
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("f16c");
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_avx2 && has_avx512) return Isa::kAvx512;
  if (has_avx2) return Isa::kAvx2;
#endif
  return Isa::kBaseline;
}

Isa choose_isa() {
  const Isa best = best_isa();
  const char* wish = std::getenv("ACLHOST_ISA");
  if (wish == nullptr) return best;
  const std::string_view name = wish;
  if (name == "baseline") return Isa::kBaseline;
  if (name == "avx2" && best >= Isa::kAvx2) return Isa::kAvx2;
  return best;
}

}  // namespace

Isa current_isa() { return once<Isa, choose_isa>(); }

}  // namespace aclhost
