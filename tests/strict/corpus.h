// SPDX-License-Identifier: Apache-2.0
// What the programs of the corpus share. A file holds many small ones; its first argument names the
// one to run, its second the exit status.
#pragma once

#include <pthread.h>

#include <cstring>
#include <map>
#include <string>

#include "acl/acl_rt_memory_soma.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_put_impl.h"
#include "aclnnop/aclnn_index_select.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_nd_update.h"
#include "aclnnop/aclnn_scatter_update.h"
#include "client.h"

// A program with one mistake, and what strict mode calls it.
#define MISTAKE(name, title) PROGRAM(name)
// The same; the process does not survive it.
#define FATAL_MISTAKE(name, title) PROGRAM(name)
// A program without one, though it may look so.
#define CORRECT(name) PROGRAM(name)

#define PROGRAM(name)                                  \
  void name();                                         \
  const Registration registration_##name(#name, name); \
  void name()

inline std::map<std::string, void (*)()>& programs() {
  static std::map<std::string, void (*)()> all;
  return all;
}

struct Registration {
  Registration(const char* name, void (*run)()) { programs()[name] = run; }
};

inline aclrtStream first, second, third;
inline aclScalar* scalar;
inline bool keeps_device = false;  // a program that wants its streams to leak

inline aclOpExecutor* prepare(aclTensor* x, aclTensor* y) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnEluGetWorkspaceSize(x, scalar, scalar, scalar, y, &size, &executor));
  return executor;
}

// An operator on whole tensors of floats, which are gone when it returns.
inline void elu(int64_t count, void* source, void* target, aclrtStream stream,
                void* workspace = nullptr, uint64_t workspace_size = 0) {
  aclTensor *x = tensor(count, source), *y = tensor(count, target);
  aclnnElu(workspace, workspace_size, prepare(x, y), stream);
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

// An operator that asks for a workspace; `give` returns one for so many bytes.
template <typename Give>
void layer_norm(int64_t count, void* source, void* target, aclrtStream stream, const Give& give) {
  aclTensor *x = tensor(count, source), *y = tensor(count, target);
  aclIntArray* shape = aclCreateIntArray(&count, 1);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnLayerNormGetWorkspaceSize(x, shape, nullptr, nullptr, 1e-5, y, nullptr, nullptr, &size,
                                    &executor));
  OK(aclnnLayerNorm(give(size), size, executor, stream));
  aclDestroyIntArray(shape);
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

// The same on views.
struct View {
  void* memory;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t offset;

  aclTensor* make() const {
    const int64_t storage = 1024;
    return aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), offset,
                           ACL_FORMAT_ND, &storage, 1, memory);
  }
};

inline void elu(const View& source, const View& target, aclrtStream stream) {
  aclTensor *x = source.make(), *y = target.make();
  OK(aclnnElu(nullptr, 0, prepare(x, y), stream));
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

// Where four floats are not 0, in memory for four places; how many bytes of places there are.
inline size_t find_places(void* source, void* places, aclrtStream stream) {
  const int64_t room[] = {4, 1};
  aclTensor* x = tensor(4, source);
  aclTensor* y = aclCreateTensor(room, 2, ACL_INT64, nullptr, 0, ACL_FORMAT_ND, room, 2, places);
  uint64_t size = 0, rank = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnNonzeroGetWorkspaceSize(x, y, &size, &executor));
  OK(aclnnNonzero(nullptr, 0, executor, stream));
  int64_t* shape = nullptr;
  OK(aclGetViewShape(y, &shape, &rank));
  const size_t bytes = shape[0] * sizeof(int64_t);
  delete[] shape;
  aclDestroyTensor(x);
  aclDestroyTensor(y);
  return bytes;
}

inline void* raw(size_t bytes) {
  void* memory = nullptr;
  OK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  return memory;
}

// A pool that streams take memory from.
struct Pool {
  aclrtMemPool handle = nullptr;

  Pool() {
    aclrtMemPoolProps props{};
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    OK(aclrtMemPoolCreate(&handle, &props));
  }
  ~Pool() { OK(aclrtMemPoolDestroy(handle)); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void* take(size_t bytes, aclrtStream stream) const {
    void* memory = nullptr;
    OK(aclrtMemPoolMallocAsync(&memory, bytes, handle, stream));
    return memory;
  }
  uint64_t reserved() const {
    uint64_t bytes = 0;
    OK(aclrtMemPoolGetAttr(handle, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, &bytes));
    return bytes;
  }
};

// A reserved range into which memory was mapped piece by piece.
struct Mapped {
  static constexpr size_t kUnit = size_t{2} << 20;
  void* start = nullptr;
  std::vector<void*> pieces, handles;

  explicit Mapped(size_t units) {
    aclrtPhysicalMemProp prop = {};
    prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    OK(aclrtReserveMemAddress(&start, 16 * kUnit, 0, nullptr, 1));
    for (size_t i = 0; i < units; ++i) {
      handles.push_back(nullptr);
      OK(aclrtMallocPhysical(&handles.back(), kUnit, &prop, 0));
      pieces.push_back(static_cast<char*>(start) + i * kUnit);
      OK(aclrtMapMem(pieces.back(), kUnit, 0, handles.back(), 0));
    }
  }
  ~Mapped() {
    aclrtSynchronizeDevice();
    for (void* piece : pieces) aclrtUnmapMem(piece);
    for (void* handle : handles) aclrtFreePhysical(handle);
    aclrtReleaseMemAddress(start);
  }
};

inline float* pinned(size_t bytes) {
  void* memory = nullptr;
  OK(aclrtMallocHost(&memory, bytes));
  return static_cast<float*>(memory);
}

inline float* at(void* memory, int64_t index) { return static_cast<float*>(memory) + index; }

inline aclrtEvent new_event() {
  aclrtEvent event = nullptr;
  OK(aclrtCreateEvent(&event));
  return event;
}

// One that streams can wait for before it is recorded.
inline aclrtEvent new_sync_event() {
  aclrtEvent event = nullptr;
  OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
  return event;
}

// Two tensors of four floats that nobody misuses, gone at the end.
struct Pair {
  void* source = device_floats({-1, 0, 1, 2});
  void* target = device_floats({0, 0, 0, 0});
  ~Pair() {
    aclrtSynchronizeDevice();
    aclrtFree(source);
    aclrtFree(target);
  }
};

// A new table of four rows of two floats, and updates for two of its places.
struct Scattered {
  void* memory = raw(32);
  void* places = raw(16);
  void* updates = device_floats({1, 2});
  aclTensor* table = make({4, 2}, ACL_FLOAT, memory);

  Scattered() {
    const int64_t numbers[] = {1, 0};
    OK(aclrtMemcpy(places, 16, numbers, 16, ACL_MEMCPY_HOST_TO_DEVICE));
  }
  ~Scattered() {
    aclrtSynchronizeDevice();
    aclDestroyTensor(table);
    for (void* each : {memory, places, updates}) aclrtFree(each);
  }

  static aclTensor* make(const std::vector<int64_t>& shape, aclDataType dtype, void* at) {
    return aclCreateTensor(shape.data(), shape.size(), dtype, nullptr, 0, ACL_FORMAT_ND,
                           shape.data(), shape.size(), at);
  }

  void elements(int64_t reduce) const {
    run({1, 2}, {1, 2}, aclnnInplaceScatter, [&](auto* index, auto* source, auto*... results) {
      return aclnnInplaceScatterGetWorkspaceSize(table, 0, index, source, reduce, results...);
    });
  }
  void slices() const {
    run({1}, {1, 2}, aclnnInplaceIndexCopy, [&](auto* index, auto* source, auto*... results) {
      return aclnnInplaceIndexCopyGetWorkspaceSize(table, 0, index, source, results...);
    });
  }
  void values(bool accumulate) const {
    run({1}, {1, 2}, aclnnIndexPutImpl, [&](auto*, auto* source, auto*... results) {
      const aclTensor* const members[] = {make({1}, ACL_INT64, places)};  // the list's own
      aclTensorList* list = aclCreateTensorList(members, 1);
      const aclnnStatus status =
          aclnnIndexPutImplGetWorkspaceSize(table, list, source, accumulate, false, results...);
      aclDestroyTensorList(list);
      return status;
    });
  }
  void rows() const {
    run({1, 1}, {1, 2}, aclnnScatterNdUpdate, [&](auto* index, auto* source, auto*... results) {
      return aclnnScatterNdUpdateGetWorkspaceSize(table, index, source, results...);
    });
  }
  void stretch() const {
    run({1}, {1, 1}, aclnnInplaceScatterUpdate, [&](auto* index, auto* source, auto*... results) {
      return aclnnInplaceScatterUpdateGetWorkspaceSize(table, index, source, 1, results...);
    });
  }

 private:
  template <typename Prepare, typename Launch>
  void run(const std::vector<int64_t>& index_shape, const std::vector<int64_t>& shape,
           const Launch& launch, const Prepare& prepare) const {
    aclTensor* index = make(index_shape, ACL_INT64, places);
    aclTensor* source = make(shape, ACL_FLOAT, updates);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    OK(prepare(index, source, &size, &executor));
    OK(launch(nullptr, 0, executor, first));
    aclDestroyTensor(index);
    aclDestroyTensor(source);
  }
};

inline int run_program(char** arguments) {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  for (aclrtStream* stream : {&first, &second, &third}) OK(aclrtCreateStream(stream));
  float one = 1;
  scalar = aclCreateScalar(&one, ACL_FLOAT);
  programs().at(arguments[1])();
  aclDestroyScalar(scalar);
  for (aclrtStream stream : {first, second, third}) aclrtDestroyStream(stream);
  if (!keeps_device) aclrtResetDevice(0);
  aclFinalize();
  return std::stoi(arguments[2]);
}
