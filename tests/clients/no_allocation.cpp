// SPDX-License-Identifier: Apache-2.0
// A call that is repeated allocates nothing. The functions that allocate are counted here; the
// library's calls reach these, because a program's symbols come before those of libraries.
#include <unistd.h>

#include <atomic>
#include <cstddef>

#include "aclnnop/aclnn_elu_backward.h"
#include "client.h"

namespace {
std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

void count() {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1);
}
}  // namespace

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t number, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}
void* realloc(void* memory, size_t size) {
  count();
  return __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
}

namespace {

struct Operands {
  aclTensor* tensors[3];
  aclScalar* scalar;
  aclrtStream stream;
};

void call(const Operands& o) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnEluBackwardGetWorkspaceSize(o.tensors[0], o.scalar, o.scalar, o.scalar, true,
                                      o.tensors[1], o.tensors[2], &size, &executor));
  OK(aclnnEluBackward(nullptr, size, executor, o.stream));
}

// Small work may run in this thread, large work runs in the stream's.
void try_size(int64_t count, aclScalar* scalar, aclrtStream stream) {
  Operands operands{{}, scalar, stream};
  void* memory[3];
  for (int i = 0; i < 3; ++i) {
    memory[i] = device_floats(std::vector<float>(static_cast<size_t>(count), 1));
    operands.tensors[i] = tensor(count, memory[i]);
  }
  for (int round = 0; round < 5; ++round) {
    // The first rounds make what the others find: in the stream's thread, which computes what lies
    // for long, and in this one.
    counting = round > 2;
    for (int i = 0; i < 8; ++i) call(operands);
    if (round == 1) usleep(50000);
    OK(aclrtSynchronizeStream(stream));
    counting = false;
  }
  REQUIRE(host_floats(memory[2], 1)[0] == 1);
  for (int i = 0; i < 3; ++i) {
    OK(aclDestroyTensor(operands.tensors[i]));
    OK(aclrtFree(memory[i]));
  }
}

}  // namespace

int main() {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  OK(aclrtCreateStream(&stream));
  float one = 1;
  aclScalar* scalar = aclCreateScalar(&one, ACL_FLOAT);
  const int before = allocations;
  counting = true;
  delete new int;  // seen at all?
  counting = false;
  REQUIRE(allocations == before + 1);
  for (int64_t size : {16, 100000}) try_size(size, scalar, stream);
  REQUIRE(allocations == before + 1);
  OK(aclDestroyScalar(scalar));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  std::puts("ok");
}
