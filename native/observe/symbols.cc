// SPDX-License-Identifier: Apache-2.0
#include "observe/symbols.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "observe/source_lines.h"

namespace aclhost {
namespace {

using Known = std::map<std::pair<std::string, uintptr_t>, std::vector<Symbol>>;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

// The name of a function without its result, template arguments and parameters.
std::string short_name(std::string full) {
  const std::string unnamed = "(anonymous namespace)::";
  for (size_t at; (at = full.find(unnamed)) != std::string::npos;) full.erase(at, unnamed.size());
  const size_t lambda = full.find("{lambda(");
  if (lambda != std::string::npos) full.replace(lambda, std::string::npos, "{lambda}");
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

// Code that starts threads and programs, and that stands between a program and its callbacks.
bool is_system(const std::string& module) {
  for (const char* name : {"libc.so", "libc-2", "libpthread", "ld-linux", "libstdc++", "ld-2"}) {
    if (starts_with(module, name)) return true;
  }
  return false;
}

bool is_library_function(const std::string& name) {
  return starts_with(name, "std::") || starts_with(name, "__gnu_cxx::") || name == "_start";
}

// A module of the process and an address in it, as its file counts them.
struct Location {
  std::string path;  // for other processes, wherever this one has moved to since
  std::string name;
  uintptr_t offset = 0;
  std::string function;  // from the dynamic symbols, which many functions lack
};

// Modules that were named relative to a directory are found in the kernel's list.
std::string absolute_path(const std::string& given, uintptr_t address) {
  if (given.empty() || given.front() == '/') return given;
  const std::unique_ptr<FILE, int (*)(FILE*)> maps(std::fopen("/proc/self/maps", "r"), std::fclose);
  char line[4096 + 256], path[4096];
  while (maps != nullptr && std::fgets(line, sizeof line, maps.get()) != nullptr) {
    uintptr_t begin = 0, end = 0;
    const int count = std::sscanf(line, "%zx-%zx %*s %*s %*s %*s %4095[^\n]", &begin, &end, path);
    if (count == 3 && address >= begin && address < end) return path;
  }
  return given;
}

bool locate(void* frame, Location* found) {
  Dl_info info{};
  link_map* module = nullptr;
  void** extra = reinterpret_cast<void**>(&module);
  if (dladdr1(frame, &info, extra, RTLD_DL_LINKMAP) == 0 || module == nullptr) return false;
  const auto address = reinterpret_cast<uintptr_t>(frame) - 1;  // inside the call
  const bool is_executable = module->l_name == nullptr || *module->l_name == '\0';
  found->path = is_executable ? "/proc/" + std::to_string(getpid()) + "/exe"
                              : absolute_path(module->l_name, address);
  found->name = base_name(info.dli_fname);
  found->offset = address - module->l_addr;
  found->function =
      info.dli_sname != nullptr ? short_name(demangled(info.dli_sname)) : "an unnamed function";
  return true;
}

std::vector<Symbol> describe(const Location& at, const std::vector<SourceLine>& lines) {
  if (is_system(at.name)) return {{at.function + " (" + at.name + ")", false, at.function}};
  std::vector<Symbol> symbols;
  for (const SourceLine& line : lines) {
    const std::string name = short_name(line.function);
    const std::string place = line.place.empty() ? at.name : base_name(line.place);
    symbols.push_back({name + " (" + place + ")", !is_library_function(name), name});
    const size_t colon = line.place.rfind(':');
    if (colon == std::string::npos) continue;
    symbols.back().file = line.place.substr(0, colon);
    symbols.back().line = std::atoi(line.place.c_str() + colon + 1);
  }
  if (!symbols.empty()) return symbols;
  return {{at.function + " (" + at.name + ")", !is_library_function(at.function), at.function}};
}

// Asks for all unknown addresses of a module at once.
void learn(const std::vector<Location>& locations, Known& known) {
  std::map<std::string, std::vector<uintptr_t>> unknown;
  for (const Location& at : locations) {
    if (known.count({at.path, at.offset}) == 0 && !is_system(at.name)) {
      unknown[at.path].push_back(at.offset);
    }
  }
  std::map<std::pair<std::string, uintptr_t>, std::vector<SourceLine>> lines;
  for (const auto& [path, offsets] : unknown) {
    const std::vector<std::vector<SourceLine>> answers = source_lines(path, offsets);
    for (size_t i = 0; i < answers.size(); ++i) lines[{path, offsets[i]}] = answers[i];
  }
  for (const Location& at : locations) {
    const auto key = std::make_pair(at.path, at.offset);
    if (known.count(key) == 0) known[key] = describe(at, lines[key]);
  }
}

}  // namespace

std::vector<Symbol> symbols_of(const std::vector<void*>& frames) {
  static auto& mutex = *new std::mutex;
  static auto& known = *new Known;
  std::vector<Location> locations;
  for (void* frame : frames) {
    Location at;
    if (locate(frame, &at)) locations.push_back(std::move(at));
  }
  std::lock_guard<std::mutex> lock(mutex);
  learn(locations, known);
  std::vector<Symbol> symbols;
  for (const Location& at : locations) {
    const std::vector<Symbol>& these = known[{at.path, at.offset}];
    symbols.insert(symbols.end(), these.begin(), these.end());
  }
  return symbols;
}

}  // namespace aclhost
