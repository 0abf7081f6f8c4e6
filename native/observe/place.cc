// SPDX-License-Identifier: Apache-2.0
#include "observe/place.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace aclhost {
namespace {

constexpr int kDepth = 24;    // of the stack that is looked at
constexpr size_t kShown = 3;  // callers that a report names

struct AddressRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

// dladdr would do, but it searches for a symbol each time.
AddressRange own_code() {
  AddressRange range;
  dl_iterate_phdr(
      [](dl_phdr_info* module, size_t, void* result) {
        for (int i = 0; i < module->dlpi_phnum; ++i) {
          const auto& segment = module->dlpi_phdr[i];
          const uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
          const auto self = reinterpret_cast<uintptr_t>(&own_code);
          if (segment.p_type != PT_LOAD || self < begin || self >= begin + segment.p_memsz)
            continue;
          *static_cast<AddressRange*>(result) = {begin, begin + segment.p_memsz};
          return 1;
        }
        return 0;
      },
      &range);
  return range;
}

bool is_ours(void* frame) {
  static const AddressRange own = own_code();
  const auto address = reinterpret_cast<uintptr_t>(frame);
  return address >= own.begin && address < own.end;
}

// The name of a function without its result, template arguments and parameters.
std::string short_name(std::string full) {
  const std::string unnamed = "(anonymous namespace)::";
  for (size_t at; (at = full.find(unnamed)) != std::string::npos;) full.erase(at, unnamed.size());
  std::string name;
  int depth = 0;
  for (const char c : full) {
    depth += c == '<' ? 1 : 0;
    if (c == '(' && depth == 0) break;
    if (c == ' ' && depth == 0)
      name.clear();
    else if (depth == 0)
      name += c;
    depth -= c == '>' ? 1 : 0;
  }
  return name.empty() ? full : name;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// "function (file:line)" from the debug info, or nothing.
std::string from_debug_info(const char* module, uintptr_t offset) {
  char number[32];
  std::snprintf(number, sizeof number, "%zx", static_cast<size_t>(offset));
  const std::string command =
      "addr2line -Cfe " + shell_quoted(module) + " " + number + " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  char function[1024] = {}, line[1024] = {};
  if (pipe == nullptr || std::fgets(function, sizeof function, pipe.get()) == nullptr ||
      std::fgets(line, sizeof line, pipe.get()) == nullptr) {
    return "";
  }
  std::string place = line;
  place = place.substr(0, place.find_first_of(" \n"));  // drops "(discriminator 2)"
  std::string name = function;
  name.erase(name.find('\n'));
  if (place.find("??") != std::string::npos || place.back() == '?') return "";
  return short_name(name) + " (" + base_name(place) + ")";
}

std::string describe(void* frame) {
  Dl_info info{};
  if (dladdr(frame, &info) == 0) return "an unknown function";
  // The return address may belong to the next line already.
  const uintptr_t offset =
      reinterpret_cast<uintptr_t>(frame) - reinterpret_cast<uintptr_t>(info.dli_fbase) - 1;
  std::string text = from_debug_info(info.dli_fname, offset);
  if (!text.empty()) return text;
  const std::string function =
      info.dli_sname != nullptr ? short_name(demangled(info.dli_sname)) : "an unnamed function";
  return function + " (" + base_name(info.dli_fname) + ")";
}

}  // namespace

Place Place::here(int skipped) {
  void* stack[kDepth];
  const int depth = backtrace(stack, kDepth);
  Place place;
  int first = 0;
  while (first < depth && is_ours(stack[first])) ++first;
  for (int i = first; i < depth && place.frames_.size() < kShown; ++i) {
    if (!is_ours(stack[i]) && skipped-- <= 0) place.frames_.push_back(stack[i]);
  }
  return place;
}

std::string Place::text() const {
  std::string text;
  for (void* frame : frames_) {
    const std::string caller = describe(frame);
    const bool start_code =
        caller.find("libc") != std::string::npos || caller.rfind("_start", 0) == 0;
    if (start_code && !text.empty()) break;
    text += (text.empty() ? "" : ", called from ") + caller;
  }
  return text.empty() ? "an unknown place" : text;
}

}  // namespace aclhost
