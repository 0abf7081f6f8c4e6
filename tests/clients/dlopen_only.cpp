// SPDX-License-Identifier: Apache-2.0
// As Paddle and DIOPI do: one library by name, every function by dlsym, scratch memory around it.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

void* library;

template <typename Function>
Function* symbol(const char* name) {
  void* found = dlsym(library, name);
  if (found == nullptr) {
    std::printf("%s is missing\n", name);
    std::exit(1);
  }
  return reinterpret_cast<Function*>(found);
}

void require(int status, const char* what) {
  if (status == 0) return;
  std::printf("%s: %d\n", what, status);
  std::exit(1);
}

using Handle = void*;
using Create = Handle(const int64_t*, uint64_t, int, const int64_t*, int64_t, int, const int64_t*,
                      uint64_t, void*);
using PhaseOne = int(Handle, Handle, Handle, Handle, Handle, uint64_t*, Handle*);

}  // namespace

int main() {
  library = dlopen("libopapi.so", RTLD_LAZY);
  if (library == nullptr) return std::printf("%s\n", dlerror()), 1;
  require(symbol<int(const char*)>("aclInit")(nullptr), "aclInit");
  require(symbol<int(int)>("aclrtSetDevice")(0), "aclrtSetDevice");
  require(symbol<int(void*, bool)>("InitHugeMemThreadLocal")(nullptr, false), "InitHugeMem");
  void *source = nullptr, *target = nullptr;
  const auto allocate = symbol<int(void**, size_t, int)>("aclrtMalloc");
  require(allocate(&source, 16, 0), "aclrtMalloc");
  require(allocate(&target, 16, 0), "aclrtMalloc");
  const float input[] = {-1, 0, 1, 2};
  const auto copy = symbol<int(void*, size_t, const void*, size_t, int)>("aclrtMemcpy");
  require(copy(source, 16, input, 16, 1), "aclrtMemcpy");
  float one = 1;
  const int64_t shape[] = {4};
  const auto create = symbol<Create>("aclCreateTensor");
  Handle x = create(shape, 1, 0, nullptr, 0, 2, shape, 1, source);
  Handle y = create(shape, 1, 0, nullptr, 0, 2, shape, 1, target);
  Handle scalar = symbol<Handle(void*, int)>("aclCreateScalar")(&one, 0);
  uint64_t size = 0;
  Handle executor = nullptr;
  const auto phase_one = symbol<PhaseOne>("aclnnEluGetWorkspaceSize");
  require(phase_one(x, scalar, scalar, scalar, y, &size, &executor), "phase 1");
  require(
      symbol<int(void*, uint64_t, Handle, Handle)>("aclnnElu")(nullptr, size, executor, nullptr),
      "phase 2");
  symbol<int(Handle)>("aclDestroyTensor")(x);
  symbol<int(Handle)>("aclDestroyTensor")(y);
  symbol<int(Handle)>("aclDestroyScalar")(scalar);
  symbol<void(void*, bool)>("ReleaseHugeMem")(nullptr, false);
  symbol<void(void*, bool)>("UnInitHugeMemThreadLocal")(nullptr, false);
  require(symbol<int(Handle)>("aclrtSynchronizeStream")(nullptr), "aclrtSynchronizeStream");
  float output[4];
  require(copy(output, 16, target, 16, 2), "aclrtMemcpy");
  symbol<int(void*)>("aclrtFree")(source);
  symbol<int(void*)>("aclrtFree")(target);
  require(symbol<int(int)>("aclrtResetDevice")(0), "aclrtResetDevice");
  require(symbol<int()>("aclFinalize")(), "aclFinalize");
  if (output[3] != 2 || !(output[0] < -0.6F)) return 2;
  std::puts("ok");
}
