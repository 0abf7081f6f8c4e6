// SPDX-License-Identifier: Apache-2.0
#include "base/machine_memory.h"

#include <sys/sysinfo.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace aclhost {

bool parse_size(const char* text, size_t* size) {
  char* end = nullptr;
  const uint64_t number = std::strtoull(text, &end, 10);
  if (end == text || *text == '-') return false;
  const std::string units = "KMGT";
  const size_t unit = *end == '\0' ? 0 : units.find(*end) + 1;
  const bool good = *end == '\0' || (unit != 0 && end[1] == '\0');
  const int shift = static_cast<int>(unit) * 10;
  if (!good || number > SIZE_MAX >> shift) return false;
  *size = number << shift;
  return true;
}

size_t machine_memory() {
  struct sysinfo machine{};
  sysinfo(&machine);
  return static_cast<size_t>(machine.totalram) * machine.mem_unit;
}

}  // namespace aclhost
