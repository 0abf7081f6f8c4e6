// SPDX-License-Identifier: Apache-2.0
// The benchmark's loop through the C functions of any operator, as a client calls them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "binding/gil.h"
#include "binding/raise.h"

namespace nb = nanobind;

namespace aclhost::python {
namespace {

// Note [Any signature]
// Phase 1 has another signature for each operator. On x86-64 and AArch64 integers and pointers
// take one sequence of registers and then the stack, numbers another one: up to eight in registers.
// So a call that passes all integers in order, then all numbers, arrives as the declared one does;
// what is passed beyond is not looked at. A float is the lower half of its register.
#if !defined(__x86_64__) && !defined(__aarch64__)
#error "look at how this processor's functions get their arguments"
#endif
constexpr size_t kNumbers = 8;

using PhaseTwo = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

template <typename Type, size_t>
using Repeated = Type;

template <size_t... Word, size_t... Number>
aclnnStatus call_with(uintptr_t function, const uint64_t* words, const double* numbers,
                      std::index_sequence<Word...>, std::index_sequence<Number...>) {
  using Function = aclnnStatus (*)(Repeated<uint64_t, Word>..., Repeated<double, Number>...);
  return reinterpret_cast<Function>(function)(words[Word]..., numbers[Number]...);
}

template <size_t count>
aclnnStatus call_with(uintptr_t function, const uint64_t* words, const double* numbers) {
  return call_with(function, words, numbers, std::make_index_sequence<count>(),
                   std::make_index_sequence<kNumbers>());
}

using Caller = aclnnStatus (*)(uintptr_t, const uint64_t*, const double*);
constexpr size_t kCounts[] = {8, 16, 48};
constexpr Caller kCallers[] = {call_with<kCounts[0]>, call_with<kCounts[1]>, call_with<kCounts[2]>};

// Both phases and a synchronisation. The workspace is kept and grows, as clients do it.
class CLoop {
 public:
  // Addresses of the functions; of phase 1, all arguments but the last two.
  CLoop(uintptr_t phase_one, uintptr_t phase_two, std::vector<uint64_t> words,
        std::vector<double> numbers, uintptr_t stream)
      : phase_one_(phase_one),
        phase_two_(reinterpret_cast<PhaseTwo>(phase_two)),
        words_(std::move(words)),
        numbers_(std::move(numbers)),
        stream_(reinterpret_cast<aclrtStream>(stream)) {
    words_.push_back(reinterpret_cast<uintptr_t>(&size_));
    words_.push_back(reinterpret_cast<uintptr_t>(&executor_));
    size_t caller = 0;
    while (caller < std::size(kCounts) && kCounts[caller] < words_.size()) ++caller;
    if (caller == std::size(kCounts) || numbers_.size() > kNumbers) {
      raise(PyExc_ValueError, "no function has so many parameters");
    }
    call_ = kCallers[caller];
    words_.resize(kCounts[caller]);
    numbers_.resize(kNumbers);
  }
  CLoop(const CLoop&) = delete;  // phase 1 writes to members
  CLoop& operator=(const CLoop&) = delete;
  ~CLoop() { free(); }

  // What it holds of the device.
  void free() {
    if (workspace_ != nullptr) aclrtFree(workspace_);
    workspace_ = nullptr;
    room_ = 0;
  }

  // The status of the last call: that of the first that failed.
  aclnnStatus run(int64_t calls) {
    const WithoutGil unlocked;
    aclnnStatus status = ACL_SUCCESS;
    for (int64_t i = 0; i < calls && status == ACL_SUCCESS; ++i) status = run_once();
    return status;
  }

 private:
  aclnnStatus run_once() {
    aclnnStatus status = call_(phase_one_, words_.data(), numbers_.data());
    if (status == ACL_SUCCESS) status = reach(size_);
    if (status == ACL_SUCCESS) status = phase_two_(workspace_, size_, executor_, stream_);
    return status == ACL_SUCCESS ? aclrtSynchronizeStream(stream_) : status;
  }

  aclError reach(uint64_t size) {
    if (size <= room_) return ACL_SUCCESS;
    free();
    const aclError status = aclrtMalloc(&workspace_, size, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status == ACL_SUCCESS) room_ = size;
    return status;
  }

  uintptr_t phase_one_;
  PhaseTwo phase_two_;
  std::vector<uint64_t> words_;
  std::vector<double> numbers_;
  aclrtStream stream_;
  Caller call_ = nullptr;
  uint64_t size_ = 0;
  aclOpExecutor* executor_ = nullptr;
  void* workspace_ = nullptr;
  uint64_t room_ = 0;
};

}  // namespace

void bind_c_loop(nb::module_& module) {
  nb::class_<CLoop>(module, "CLoop")
      .def(nb::init<uintptr_t, uintptr_t, std::vector<uint64_t>, std::vector<double>, uintptr_t>(),
           nb::arg("phase_one"), nb::arg("phase_two"), nb::arg("words"), nb::arg("numbers"),
           nb::arg("stream"))
      .def("run", &CLoop::run, nb::arg("calls"))
      .def("free", &CLoop::free);
}

}  // namespace aclhost::python
