// SPDX-License-Identifier: Apache-2.0
#include "observe/python_frames.h"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string>

namespace aclhost {
namespace {

constexpr size_t kMost = 3;  // as many as a report shows

// The interpreter's functions, if there is one in this process: no library of ours links it.
struct Interpreter {
  int (*is_initialized)() = nullptr;
  int (*holds_lock)() = nullptr;
  void* (*frame)() = nullptr;  // borrowed; the others return references of ours
  void* (*code)(void* frame) = nullptr;
  void* (*back)(void* frame) = nullptr;
  int (*line)(void* frame) = nullptr;
  void* (*attribute)(void* object, const char* name) = nullptr;
  const char* (*utf8)(void* text) = nullptr;
  void (*release)(void* object) = nullptr;
  void (*clear_error)() = nullptr;

  template <typename Function>
  static bool find(const char* name, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
    return *function != nullptr;
  }

  bool find_all() {
    return find("Py_IsInitialized", &is_initialized) && find("PyGILState_Check", &holds_lock) &&
           find("PyEval_GetFrame", &frame) && find("PyFrame_GetCode", &code) &&
           find("PyFrame_GetBack", &back) && find("PyFrame_GetLineNumber", &line) &&
           find("PyObject_GetAttrString", &attribute) && find("PyUnicode_AsUTF8", &utf8) &&
           find("Py_DecRef", &release) && find("PyErr_Clear", &clear_error);
  }
};

const Interpreter* interpreter() {
  static const Interpreter* const found = [] {
    auto* functions = new Interpreter;
    return functions->find_all() ? functions : nullptr;
  }();
  return found;
}

// Where aclhost's Python modules lie: this library is in toolkit/lib64 below them.
const std::string& own_directory() {
  static const auto& directory = *new std::string([] {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&interpreter), &info) == 0) return std::string();
    const std::string path = info.dli_fname;
    const size_t at = path.rfind("/toolkit/lib64/");
    return at == std::string::npos ? std::string() : path.substr(0, at + 1);
  }());
  return directory;
}

bool is_own(const std::string& file) {
  return !own_directory().empty() && file.rfind(own_directory(), 0) == 0;
}

std::string text_of(const Interpreter& python, void* code, const char* name) {
  void* const object = python.attribute(code, name);
  const char* const text = object == nullptr ? nullptr : python.utf8(object);
  if (text == nullptr) python.clear_error();
  const std::string copy = text == nullptr ? "" : text;
  if (object != nullptr) python.release(object);
  return copy;
}

Symbol symbol_of(const Interpreter& python, void* frame) {
  void* const code = python.code(frame);
  const std::string function = text_of(python, code, "co_name");
  const std::string file = text_of(python, code, "co_filename");
  python.release(code);
  const int line = python.line(frame);
  const std::string name = file.substr(file.rfind('/') + 1);
  return {function + " (" + name + ":" + std::to_string(line) + ")", true, function, file, line};
}

std::vector<Symbol> walk(const Interpreter& python) {
  std::vector<Symbol> symbols;
  void* frame = python.frame();
  for (bool borrowed = true; frame != nullptr && symbols.size() < kMost; borrowed = false) {
    Symbol symbol = symbol_of(python, frame);
    if (!is_own(symbol.file)) symbols.push_back(std::move(symbol));
    void* const outer = python.back(frame);
    if (!borrowed) python.release(frame);
    frame = outer;
    if (symbols.size() == kMost && frame != nullptr) python.release(frame);
  }
  return symbols;
}

// One for each list of lines.
const std::vector<Symbol>* intern(std::vector<Symbol> symbols) {
  static auto& mutex = *new std::mutex;
  static auto& known = *new std::map<std::string, std::vector<Symbol>>;
  std::string key;
  for (const Symbol& symbol : symbols) key += symbol.file + symbol.text + "\n";
  const std::lock_guard<std::mutex> lock(mutex);
  return &known.try_emplace(key, std::move(symbols)).first->second;
}

const std::vector<Symbol>* seen_now() {
  const Interpreter* const python = interpreter();
  if (python == nullptr || python->is_initialized() == 0 || python->holds_lock() == 0) {
    return nullptr;
  }
  std::vector<Symbol> symbols = walk(*python);
  return symbols.empty() ? nullptr : intern(std::move(symbols));
}

thread_local const std::vector<Symbol>* noted = nullptr;

}  // namespace

const std::vector<Symbol>* python_frames() { return noted != nullptr ? noted : seen_now(); }
void note_python_frames() { noted = seen_now(); }
void forget_python_frames() { noted = nullptr; }

}  // namespace aclhost
