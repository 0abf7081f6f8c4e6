// SPDX-License-Identifier: Apache-2.0
#include "base/machine_memory.h"

#include <errno.h>
#include <sys/sysinfo.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace aclhost {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Of a unit, from the digits behind a point: "5" is half of it.
size_t parse_fraction(const char* text, int shift) {
  double value = 0, place = 1;
  for (; is_digit(*text); ++text) value += (place /= 10) * (*text - '0');
  return static_cast<size_t>(value * static_cast<double>(size_t{1} << shift) + 0.5);
}

}  // namespace

bool parse_size(const char* text, size_t* size) {
  if (!is_digit(*text)) return false;
  char* end = nullptr;
  errno = 0;
  const uint64_t number = std::strtoull(text, &end, 10);
  if (errno != 0) return false;
  const char* digits = *end == '.' ? end + 1 : nullptr;
  const char* unit = end + (digits == nullptr ? 0 : 1 + std::strspn(digits, "0123456789"));
  const std::string units = "KMGT";
  const size_t place = *unit == '\0' ? 0 : units.find(*unit) + 1;
  const bool good = *unit == '\0' ? digits == nullptr : place != 0 && unit[1] == '\0';
  if (!good || (digits != nullptr && digits == unit)) return false;
  const int shift = static_cast<int>(place) * 10;
  const size_t fraction = digits == nullptr ? 0 : parse_fraction(digits, shift);
  if (number > (SIZE_MAX - fraction) >> shift) return false;
  *size = (number << shift) + fraction;
  return true;
}

size_t machine_memory() {
  struct sysinfo machine{};
  sysinfo(&machine);
  return static_cast<size_t>(machine.totalram) * machine.mem_unit;
}

}  // namespace aclhost
