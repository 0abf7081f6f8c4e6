// SPDX-License-Identifier: Apache-2.0
#include "operator/accepted.h"

#include <cstring>
#include <new>

#include "operator/descriptor.h"

namespace aclhost {
namespace {

constexpr size_t kSlots = 16;   // operators in turn; two of one slot push each other out
constexpr size_t kTensors = 8;  // longer lists take longer to compare than to check

// Plain pointers: clients compute in static destructors, when objects of threads are gone.
thread_local Args* slots[kSlots] = {};
thread_local bool thread_ended = false;

struct EndOfThread {
  ~EndOfThread() {
    thread_ended = true;
    for (Args*& slot : slots) {
      delete slot;
      slot = nullptr;
    }
  }
};

Args*& slot_of(const Operator* op) {
  return slots[reinterpret_cast<uintptr_t>(op) / sizeof(Operator) % kSlots];
}

bool same(const Argument& a, const Argument& b) {
  // Bits of the numbers: NaN is like itself, and zeros have signs.
  return a.present == b.present && a.first == b.first && a.count == b.count &&
         a.integer == b.integer && std::memcmp(&a.real, &b.real, sizeof a.real) == 0;
}

bool same(const TensorView& a, const TensorView& b) {
  if (a.present != b.present || a.dtype != b.dtype || a.format != b.format || a.rank != b.rank ||
      a.offset != b.offset || a.storage_elements != b.storage_elements) {
    return false;
  }
  for (int i = 0; i < a.rank; ++i) {
    if (a.shape[i] != b.shape[i] || a.strides[i] != b.strides[i]) return false;
  }
  return true;
}

bool same(const ScalarValue& a, const ScalarValue& b) {
  return a.present == b.present && a.dtype == b.dtype &&
         std::memcmp(a.bytes, b.bytes, sizeof a.bytes) == 0;
}

bool same(int64_t a, int64_t b) { return a == b; }
bool same(char a, char b) { return a == b; }
bool same(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

template <typename Values>
bool all_same(const Values& a, const Values& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}

}  // namespace

bool was_accepted(const Args& args) {
  const Args* known = slot_of(args.op);
  return known != nullptr && known->op == args.op && known->soc == args.soc &&
         all_same(known->tensors, args.tensors) && all_same(known->arguments, args.arguments) &&
         all_same(known->scalars, args.scalars) && all_same(known->integers, args.integers) &&
         all_same(known->floats, args.floats) && all_same(known->bytes, args.bytes);
}

void accept(const Args& args) {
  if (thread_ended || args.tensors.size() > kTensors) return;
  thread_local EndOfThread end_of_thread;
  Args*& slot = slot_of(args.op);
  if (slot == nullptr) {
    slot = new (std::nothrow) Args(args);
  } else {
    *slot = args;
  }
}

}  // namespace aclhost
