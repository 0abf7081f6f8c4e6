// SPDX-License-Identifier: Apache-2.0
// The calls of a hostile program about captures, graphs and notifies. No stream waits for a notify
// or a value, as that may never come.
#pragma once

#include "acl/acl.h"
#include "values.h"

inline aclmdlRICaptureMode any_mode(Values& v) {
  return static_cast<aclmdlRICaptureMode>(v.enumerator(3));
}
inline int begin_capture(Values& v) {
  return v.rarely(2) ? aclmdlRICaptureBegin(v.handle(v.world().streams), any_mode(v)) : 0;
}
inline int end_capture(Values& v) {
  aclmdlRI graph = nullptr;
  const int code = aclmdlRICaptureEnd(v.handle(v.world().streams), &graph);
  static_cast<void>(aclmdlRIDestroy(v.world().graphs.keep(graph, v.place())));
  return code;
}
inline int ask_capture(Values& v) {
  void* stream = v.handle(v.world().streams);
  aclmdlRICaptureStatus status;
  aclmdlRICaptureMode mode = any_mode(v);
  aclrtTaskGrp group = nullptr;
  switch (v.number(6)) {
    case 0:
      return aclmdlRICaptureGetInfo(stream, &status, nullptr);
    case 1:
      return aclmdlRICaptureThreadExchangeMode(&mode);
    case 2:
      return aclmdlRICaptureTaskGrpBegin(stream);
    case 3: {
      const int code = aclmdlRICaptureTaskGrpEnd(stream, &group);
      v.world().groups.keep(group, v.place());
      return code;
    }
    case 4:
      return aclmdlRICaptureTaskUpdateBegin(stream, v.handle(v.world().groups));
    default:
      return aclmdlRICaptureTaskUpdateEnd(stream);
  }
}
inline int run_graph(Values& v) {
  return aclmdlRIExecuteAsync(v.handle(v.world().graphs), v.handle(v.world().streams));
}
inline int end_graph(Values& v) { return aclmdlRIDestroy(v.handle(v.world().graphs)); }
inline int ask_graph(Values& v) {
  void* graph = v.handle(v.world().graphs);
  aclrtStream streams[4];
  char name[8];
  uint32_t number = v.number(5);
  switch (v.number(5)) {
    case 0:
      return aclmdlRISetName(graph, "hostile");
    case 1:
      return aclmdlRIGetName(graph, v.number(8), name);
    case 2:
      return aclmdlRIGetStreams(graph, number > 4 ? nullptr : streams, &number);
    case 3:
      return aclmdlRIDebugJsonPrint(graph, "/dev/null", v.number(2));
    default:
      return aclmdlRIGetId(graph, &number);
  }
}
inline int ask_task(Values& v) {
  void* task = v.handle(v.world().tasks);
  aclmdlRITask tasks[4] = {};
  aclmdlRITaskParams params;
  aclmdlRITaskType type;
  uint32_t number = 4;
  switch (v.number(5)) {
    case 0:
      return aclmdlRITaskGetSeqId(task, &number);
    case 1:
      return aclmdlRITaskGetType(task, &type);
    case 2:
      return aclmdlRITaskGetParams(task, &params);
    case 3:
      return aclmdlRITaskDisable(task);
    default: {
      const int code = aclmdlRIGetTasksByStream(v.handle(v.world().streams), tasks, &number);
      v.world().tasks.keep(tasks[0], v.place());
      return code;
    }
  }
}
inline int make_notify(Values& v) {
  aclrtNotify notify = nullptr;
  const int code = aclrtCreateNotify(&notify, v.number(3));
  static_cast<void>(aclrtDestroyNotify(v.world().notifies.keep(notify, v.place())));
  return code;
}
inline int use_notify(Values& v) {
  void* notify = v.handle(v.world().notifies);
  aclrtNotify all[2] = {notify, v.handle(v.world().notifies)};
  uint32_t id = 0;
  char key[65];
  switch (v.number(5)) {
    case 0:
      return aclrtRecordNotify(notify, v.handle(v.world().streams));
    case 1:
      return aclrtNotifyBatchReset(all, v.number(3));
    case 2:
      return aclrtGetNotifyId(notify, &id);
    case 3:
      return aclrtNotifyGetExportKey(notify, key, v.rarely(8) ? v.number(65) : 65, v.number(4));
    default:
      return aclrtDestroyNotify(notify);
  }
}
inline int write_value(Values& v) {
  return aclrtValueWrite(v.address(), v.size(), v.rarely(8) ? 1 : 0, v.handle(v.world().streams));
}
inline int reduce(Values& v) {
  return aclrtReduceAsync(
      v.address(), v.address(), v.size(), static_cast<aclrtReduceKind>(9 + v.number(6)),
      static_cast<aclDataType>(v.enumerator(30)), v.handle(v.world().streams), nullptr);
}
