// SPDX-License-Identifier: Apache-2.0
// The calls of a hostile program. None waits for something that may never come, as that would be
// the program's own mistake: there is no event that is awaited before it is recorded, and no
// callback that a stream waits for.
#pragma once

#include <pthread.h>

#include <initializer_list>

#include "acl/acl.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "graph_actions.h"
#include "values.h"

using Action = int (*)(Values&);

// 0 or what a function without a code means by null.
inline int made(bool) { return 0; }

inline int make_memory(Values& v) {
  void* memory = nullptr;
  const auto policy = static_cast<aclrtMemMallocPolicy>(v.enumerator(8));
  const int code = aclrtMalloc(&memory, v.size(), policy);
  static_cast<void>(aclrtFree(v.world().memory.keep(memory, v.place())));
  return code;
}
inline int make_pinned(Values& v) {
  void* memory = nullptr;
  // Nothing limits it but the machine, so sizes are small, or more than there can be.
  const int code = aclrtMallocHost(&memory, v.rarely(20) ? SIZE_MAX / 2 : v.number(1 << 20));
  static_cast<void>(aclrtFreeHost(v.world().pinned.keep(memory, v.place())));
  return code;
}
inline int free_memory(Values& v) {
  return aclrtFree(v.rarely(8) ? v.address() : v.handle(v.world().memory));
}
inline int free_pinned(Values& v) { return aclrtFreeHost(v.handle(v.world().pinned)); }
inline int copy(Values& v) {
  void* to = v.address();
  const size_t room = v.size(), count = v.rarely(2) ? room : v.size();
  return aclrtMemcpy(to, room, v.address(), count, static_cast<aclrtMemcpyKind>(v.enumerator(6)));
}
inline int copy_later(Values& v) {
  void* to = v.address();
  const size_t room = v.size(), count = v.rarely(2) ? room : v.size();
  const auto kind = static_cast<aclrtMemcpyKind>(v.enumerator(6));
  return aclrtMemcpyAsync(to, room, v.address(), count, kind, v.handle(v.world().streams));
}
inline int copy_rows(Values& v) {
  return aclrtMemcpy2d(v.address(), v.size(), v.address(), v.size(), v.size(), v.size(),
                       static_cast<aclrtMemcpyKind>(v.enumerator(6)));
}
inline int fill(Values& v) {
  const size_t room = v.size();
  return aclrtMemset(v.address(), room, v.enumerator(256), v.rarely(2) ? room : v.size());
}
inline int fill_later(Values& v) {
  const size_t room = v.size();
  return aclrtMemsetAsync(v.address(), room, 1, v.size(), v.handle(v.world().streams));
}
inline int ask_memory(Values& v) {
  aclrtPtrAttributes attributes;
  size_t free = 0, total = 0;
  if (v.rarely(2)) return aclrtPointerGetAttributes(v.address(), &attributes);
  return aclrtGetMemInfo(static_cast<aclrtMemAttr>(v.enumerator(18)), &free, &total);
}

inline int set_device(Values& v) { return aclrtSetDevice(v.enumerator(2)); }
inline int reset_device(Values& v) {
  if (!v.rarely(50)) return 0;
  return v.rarely(2) ? aclrtResetDevice(v.enumerator(2)) : aclrtResetDeviceForce(v.enumerator(2));
}
inline int make_context(Values& v) {
  if (!v.rarely(10)) return 0;
  aclrtContext context = nullptr;
  const int code = aclrtCreateContext(&context, v.enumerator(2));
  static_cast<void>(aclrtDestroyContext(v.world().contexts.keep(context, v.place())));
  return code;
}
inline int end_context(Values& v) {
  return v.rarely(10) ? aclrtDestroyContext(v.handle(v.world().contexts)) : 0;
}
inline int set_context(Values& v) {
  return v.rarely(10) ? aclrtSetCurrentContext(v.handle(v.world().contexts)) : 0;
}
inline int make_stream(Values& v) {
  aclrtStream stream = nullptr;
  const int code = aclrtCreateStreamWithConfig(&stream, v.number(20), v.enumerator(64));
  static_cast<void>(aclrtDestroyStreamForce(v.world().streams.keep(stream, v.place())));
  return code;
}
inline int end_stream(Values& v) {
  void* stream = v.handle(v.world().streams);
  return v.rarely(4) ? aclrtDestroyStreamForce(stream) : aclrtDestroyStream(stream);
}
inline int ask_stream(Values& v) {
  void* stream = v.handle(v.world().streams);
  aclrtStreamStatus status;
  int32_t id = 0;
  uint32_t flags = 0;
  switch (v.number(4)) {
    case 0:
      return aclrtStreamQuery(stream, &status);
    case 1:
      return aclrtStreamGetId(stream, &id);
    case 2:
      return aclrtStreamGetFlags(stream, &flags);
    default:
      return aclrtSetStreamFailureMode(stream, v.size());
  }
}
inline int synchronize(Values& v) {
  void* stream = v.handle(v.world().streams);
  if (v.rarely(20)) return aclrtSynchronizeDeviceWithTimeout(v.enumerator(5));
  return v.rarely(2) ? aclrtSynchronizeStream(stream)
                     : aclrtSynchronizeStreamWithTimeout(stream, v.enumerator(5));
}

inline int make_event(Values& v) {
  aclrtEvent event = nullptr;
  const int code =
      v.rarely(2) ? aclrtCreateEvent(&event) : aclrtCreateEventExWithFlag(&event, v.enumerator(16));
  static_cast<void>(aclrtDestroyEvent(v.world().events.keep(event, v.place())));
  return code;
}
inline int end_event(Values& v) { return aclrtDestroyEvent(v.handle(v.world().events)); }
inline int record(Values& v) {
  return aclrtRecordEvent(v.handle(v.world().events), v.handle(v.world().streams));
}
inline int await(Values& v) {
  return aclrtStreamWaitEvent(v.handle(v.world().streams), v.handle(v.world().events));
}
inline int ask_event(Values& v) {
  void* event = v.handle(v.world().events);
  aclrtEventRecordedStatus status;
  float time = 0;
  switch (v.number(3)) {
    case 0:
      return aclrtQueryEventStatus(event, &status);
    case 1:
      return aclrtEventElapsedTime(&time, event, v.handle(v.world().events));
    default:
      return aclrtSynchronizeEventWithTimeout(event, v.enumerator(3));
  }
}

inline int host_function(Values& v) {
  return aclrtLaunchHostFunc(v.handle(v.world().streams), [](void*) {}, nullptr);
}
inline int callback(Values& v) {
  void* stream = v.handle(v.world().streams);
  const auto self = static_cast<uint64_t>(pthread_self());
  switch (v.number(4)) {
    case 0:
      return aclrtSubscribeReport(v.rarely(4) ? v.size() : self, stream);
    case 1:
      return aclrtUnSubscribeReport(self, stream);
    case 2:
      return aclrtProcessReport(v.rarely(8) ? -2 : static_cast<int32_t>(v.number(2)));
    default:
      return aclrtLaunchCallback([](void*) {}, nullptr, ACL_CALLBACK_NO_BLOCK, stream);
  }
}

inline int make_tensor(Values& v) {
  int64_t dims[8], strides[8];
  const uint64_t rank = v.rarely(20) ? v.size() : v.number(6);
  for (int i = 0; i < 8; ++i) dims[i] = v.dimension();
  for (int i = 0; i < 8; ++i) strides[i] = v.dimension();
  const uint64_t given = rank <= 8 ? rank : 1000;  // refused, and so not read
  void* tensor = aclCreateTensor(dims, given, static_cast<aclDataType>(v.enumerator(30)),
                                 v.rarely(3) ? strides : nullptr, v.rarely(4) ? v.dimension() : 0,
                                 static_cast<aclFormat>(v.rarely(3) ? v.enumerator(40) : 2), dims,
                                 given, v.address());
  static_cast<void>(
      aclDestroyTensor(static_cast<aclTensor*>(v.world().tensors.keep(tensor, v.place()))));
  return made(tensor != nullptr);
}
// One with which operators run.
inline int make_good_tensor(Values& v) {
  constexpr int64_t kDims[] = {2, 3, 4, 4, 4};
  const auto type = v.rarely(3) ? ACL_FLOAT16 : ACL_FLOAT;
  void* tensor = aclCreateTensor(kDims, 5, type, nullptr, 0, ACL_FORMAT_NCDHW, kDims, 5,
                                 v.rarely(2) ? v.address() : v.world().memory.at(v.place()));
  static_cast<void>(
      aclDestroyTensor(static_cast<aclTensor*>(v.world().tensors.keep(tensor, v.place()))));
  return made(tensor != nullptr);
}
inline int end_tensor(Values& v) {
  return aclDestroyTensor(static_cast<aclTensor*>(v.handle(v.world().tensors)));
}
inline int move_tensor(Values& v) {
  return aclSetRawTensorAddr(static_cast<aclTensor*>(v.handle(v.world().tensors)), v.address());
}
inline int make_scalar(Values& v) {
  char bytes[16] = {};
  void* scalar = aclCreateScalar(bytes, static_cast<aclDataType>(v.enumerator(30)));
  static_cast<void>(
      aclDestroyScalar(static_cast<aclScalar*>(v.world().scalars.keep(scalar, v.place()))));
  return made(scalar != nullptr);
}
inline int end_scalar(Values& v) {
  return aclDestroyScalar(static_cast<aclScalar*>(v.handle(v.world().scalars)));
}
inline int make_array(Values& v) {
  int64_t values[4];
  for (int64_t& value : values) value = v.dimension();
  void* array = aclCreateIntArray(values, v.number(5));
  static_cast<void>(
      aclDestroyIntArray(static_cast<aclIntArray*>(v.world().int_arrays.keep(array, v.place()))));
  return made(array != nullptr);
}
inline int end_array(Values& v) {
  return aclDestroyIntArray(static_cast<aclIntArray*>(v.handle(v.world().int_arrays)));
}
inline int make_list(Values& v) {
  const aclTensor* tensors[2] = {static_cast<aclTensor*>(v.handle(v.world().tensors)), nullptr};
  void* list = aclCreateTensorList(tensors, v.number(3));
  static_cast<void>(
      aclDestroyTensorList(static_cast<aclTensorList*>(v.world().lists.keep(list, v.place()))));
  return made(list != nullptr);
}
inline int end_list(Values& v) {
  return aclDestroyTensorList(static_cast<aclTensorList*>(v.handle(v.world().lists)));
}

inline int prepare(Values& v) {
  World& w = v.world();
  const auto tensor = [&] { return static_cast<aclTensor*>(v.handle(w.tensors)); };
  const auto scalar = [&] { return static_cast<aclScalar*>(v.handle(w.scalars)); };
  const auto array = [&] { return static_cast<aclIntArray*>(v.handle(w.int_arrays)); };
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  int code = 0;
  switch (v.number(4)) {
    case 0:
      code = aclnnMaxPool3dWithArgmaxGetWorkspaceSize(tensor(), array(), array(), array(), array(),
                                                      v.rarely(2), tensor(), tensor(), &size,
                                                      &executor);
      break;
    case 1:
      code = aclnnUpsampleNearest3dGetWorkspaceSize(tensor(), array(), 1, 1, 1, tensor(), &size,
                                                    &executor);
      break;
    default:
      code = aclnnEluGetWorkspaceSize(tensor(), scalar(), scalar(), scalar(), tensor(), &size,
                                      &executor);
  }
  if (v.rarely(4) && executor != nullptr) code = aclSetAclOpExecutorRepeatable(executor);
  auto* old = static_cast<aclOpExecutor*>(w.executors.keep(executor, v.place()));
  if (old != nullptr) aclDestroyAclOpExecutor(old);
  return code;
}
inline int launch(Values& v) {
  auto* executor = static_cast<aclOpExecutor*>(v.handle(v.world().executors));
  return aclnnElu(v.address(), v.rarely(2) ? 0 : v.size(), executor, v.handle(v.world().streams));
}
inline int end_executor(Values& v) {
  return aclDestroyAclOpExecutor(static_cast<aclOpExecutor*>(v.handle(v.world().executors)));
}
inline int read_text(Values&) {
  const char* text = aclGetRecentErrMsg();
  return made(text != nullptr && std::strlen(text) > 0);
}

constexpr Action kActions[] = {
    make_memory, make_memory,  make_pinned, free_memory,   free_memory,      free_pinned,
    copy,        copy,         copy_later,  copy_later,    copy_rows,        fill,
    fill_later,  ask_memory,   set_device,  reset_device,  make_context,     end_context,
    set_context, make_stream,  end_stream,  ask_stream,    synchronize,      synchronize,
    make_event,  end_event,    record,      await,         ask_event,        host_function,
    callback,    make_tensor,  make_tensor, end_tensor,    make_good_tensor, make_good_tensor,
    move_tensor, make_scalar,  make_scalar, end_scalar,    make_array,       end_array,
    make_list,   end_list,     prepare,     prepare,       prepare,          launch,
    launch,      end_executor, read_text,   begin_capture, end_capture,      end_capture,
    ask_capture, run_graph,    run_graph,   end_graph,     ask_graph,        ask_task,
    make_notify, use_notify,   write_value, reduce};
