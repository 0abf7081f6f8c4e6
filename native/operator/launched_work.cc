// SPDX-License-Identifier: Apache-2.0
// What phase 1 prepares and a stream runs.
#include <string>
#include <utility>

#include "base/errors.h"
#include "base/strict.h"
#include "operator/launch.h"
#include "operator/layouts.h"
#include "operator/regions.h"
#include "operator/run.h"
#include "operator/span.h"
#include "runtime/memory.h"
#include "runtime/pages.h"

namespace aclhost {
namespace {

// No memory holds as many elements; only strides of 0 describe them. Kernels may count on it: sizes
// of all intermediate tensors are numbers of 64 bits then.
constexpr int64_t kMostElements = int64_t{1} << 47;

bool is_countable(const TensorView& view) {
  __int128 elements = 1;
  for (int i = 0; i < view.rank && elements <= kMostElements; ++i) elements *= view.shape[i];
  return elements <= kMostElements;
}

Status device_failure(const char* tensor, const char* rule, std::string message) {
  Failure failure;
  failure.code = ACL_ERROR_RT_AICORE_EXCEPTION;
  failure.parameter = tensor;
  failure.rule = rule;
  failure.message = std::move(message);
  return Status::failed(std::move(failure));
}

// A launch that touches memory which does not exist would fault on a device: 507015 at
// synchronisation. Also the answer for what was freed before the launch.
Status check_memory(const char* op, const ParamInfo& param, const TensorView& view,
                    const ByteSpan& span, uint64_t asked) {
  if (!view.present || view.empty()) return {};
  const char* tensor = param.name;
  if (!is_countable(view)) {
    return device_failure(tensor, "element_count",
                          std::string(op) + ": " + tensor + " has more than 2^47 elements: shape " +
                              shape_text(view) + ". Correct the shape in aclCreateTensor.");
  }
  const Access access = writes(param) ? Access::kWrite : Access::kRead;
  if (view.data != nullptr && is_accessible(span.begin, span.size, access, asked)) return {};
  return device_failure(
      tensor, "device_memory",
      std::string(op) + ": " + tensor + " has no device memory: " +
          (view.data == nullptr ? "its address is null"
                                : "nothing is mapped for all of its " + std::to_string(span.size) +
                                      " bytes at " + hex(span.begin)) +
          ". Pass an address from aclrtMalloc to aclCreateTensor, or set it before "
          "phase 2, and keep the memory until the stream is synchronized.");
}

}  // namespace

Status Launch::execute(uint64_t asked, Dump* dump, const DumpedLaunch& launch) {
  Spans spans;
  find_spans(args, &spans);
  Status status;
  for_each_tensor(args, args.tensors, [&](const ParamInfo& param, const TensorView& view) {
    const ByteSpan& span = spans[&view - args.tensors.data()];
    if (status.ok()) status = check_memory(args.op->name, param, view, span, asked);
  });
  if (!status.ok()) return status;
  if (!is_strict()) return dump == nullptr ? run_with_spans(args, spans) : dump->run(args, launch);
  // There, the program's addresses are not those of the pages.
  Args reachable_args = args;
  for (TensorView& view : reachable_args.tensors) view.data = reachable(view.data);
  Status outcome = dump == nullptr ? run(reachable_args) : dump->run(reachable_args, launch);
  for (size_t i = 0; i < args.tensors.size(); ++i) {
    void* const address = args.tensors[i].data;
    copy_view(reachable_args.tensors[i], &args.tensors[i]);
    args.tensors[i].data = address;
  }
  return outcome;
}

Work Launch::describe() const { return describe_call(args); }

bool Launch::touches(const MemoryRange& range) const {
  bool touched = false;
  for_each_tensor(args, args.tensors, [&](const ParamInfo&, const TensorView& view) {
    if (touched || !view.present || view.empty()) return;
    const ByteSpan span = span_of(view);
    touched = range.overlaps(MemoryRange::of(span.begin, span.size));
  });
  return touched;
}

void Launch::rebind(const aclTensor* source, void* address) {
  for (TensorView& view : args.tensors) {
    if (view.present && view.source == source) view.data = address;
  }
}

}  // namespace aclhost
