// SPDX-License-Identifier: Apache-2.0
#include "observe/place.h"

#include <link.h>
#include <unwind.h>

#include <cstdint>
#include <vector>

#include "observe/python_frames.h"
#include "observe/symbols.h"

namespace aclhost {
namespace {

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

bool is_ours(uintptr_t address) {
  static const AddressRange own = own_code();
  return address >= own.begin && address < own.end;
}

}  // namespace

// Frames from the innermost on; the walk ends as soon as enough are found, which saves most of its
// time in programs that are nested deeply.
struct Place::Walk {
  bool in_handler;
  bool outside = false;  // of this library, at least once
  size_t count = 0;
  Place place;

  static _Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
    return static_cast<Walk*>(data)->add(context) ? _URC_NO_REASON : _URC_END_OF_STACK;
  }

  bool add(_Unwind_Context* context) {
    int exact = 0;  // else a return address, behind the call
    const uintptr_t address = _Unwind_GetIPInfo(context, &exact) + (exact != 0 ? 1 : 0);
    if (is_ours(address)) return true;
    const bool kernels = in_handler && !outside;  // the frame that the kernel put in between
    outside = true;
    if (!kernels) place.frames_[count++] = reinterpret_cast<void*>(address);
    return count < kFrames;
  }
};

Place Place::of_stack(bool in_handler) {
  Walk walk{in_handler, false, 0, {}};
  _Unwind_Backtrace(&Walk::visit, &walk);
  walk.place.python_ = python_frames();
  return walk.place;
}

Place Place::here() { return of_stack(false); }
Place Place::interrupted() { return of_stack(true); }

std::vector<Symbol> Place::symbols() const {
  if (python_ != nullptr) return *python_;
  std::vector<void*> frames;
  for (void* frame : frames_) {
    if (frame != nullptr) frames.push_back(frame);
  }
  const std::vector<Symbol> all = symbols_of(frames);
  std::vector<Symbol> shown;
  for (const Symbol& symbol : all) {
    if (symbol.is_program && shown.size() < kShown) shown.push_back(symbol);
  }
  if (shown.empty() && !all.empty()) shown.push_back(all.front());
  return shown;
}

std::string Place::text() const {
  std::string text;
  for (const Symbol& symbol : symbols()) {
    text += (text.empty() ? "" : ", called from ") + symbol.text;
  }
  return text.empty() ? "an unknown place" : text;
}

}  // namespace aclhost
