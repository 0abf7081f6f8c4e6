// SPDX-License-Identifier: Apache-2.0
#include "operator/run.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "aclnn/opdev/op_errno.h"
#include "base/scratch_memory.h"
#include "dtypes.h"
#include "operator/param_kinds.h"

namespace aclhost {
namespace {

constexpr uintptr_t kLine = 64;  // copies lie in cache lines as their tensors do

Status compute(const Args& args) { return args.op->kernels[static_cast<int>(current_isa())](args); }

// A tensor that is written.
struct Written {
  ByteSpan span;
  const char* reach;  // the furthest end of this one and those that begin before it
  const TensorView* view;
  uint32_t position;  // in its list
};

// By where they begin.
using WrittenTensors = InlineVector<Written, 4>;

// `span_at` gives the span of a tensor by its number. True: some have no elements.
template <typename SpanAt>
bool find_written(const Args& args, const SpanAt& span_at, WrittenTensors* all) {
  bool is_some_empty = false;
  for (int i = 0; i < args.op->param_count; ++i) {
    if (!is_tensor(args.op->params[i]) || is_input(args.op->params[i])) continue;
    const Argument& argument = args.arguments[i];
    for (uint32_t k = 0; k < argument.count; ++k) {
      const uint32_t tensor = argument.first + k;
      const ByteSpan span = span_at(tensor);
      if (span.size > 0) {
        all->add() = {span, nullptr, &args.tensors[tensor], k};
      } else {
        is_some_empty |= args.tensors[tensor].present;
      }
    }
  }
  if (all->size() > 1) {
    std::sort(all->begin(), all->end(),
              [](const Written& a, const Written& b) { return a.span.begin < b.span.begin; });
  }
  const char* reach = nullptr;
  for (Written& written : *all) written.reach = reach = std::max(reach, written.span.end());
  return is_some_empty;
}

// Whether two tensors that begin with the same byte consist of the same places in the same order.
bool same_elements(const TensorView& a, const TensorView& b) {
  if (data_type_bits(a.dtype) != data_type_bits(b.dtype) || !same_shape(a, b)) return false;
  for (int i = 0; i < a.rank; ++i) {
    if (a.strides[i] != b.strides[i] && a.shape[i] != 1) return false;
  }
  return true;
}

// An input, and whether an output may replace its elements one by one.
struct Read {
  ByteSpan span;
  const TensorView& view;
  uint32_t position;  // in its list
  bool elementwise;
};

bool may_share(const Read& read, const Written& written) {
  return read.elementwise && read.position == written.position &&
         read.span.begin == written.span.begin && same_elements(read.view, *written.view);
}

// Whether the kernel might overwrite elements of an input that it has yet to read.
bool collides(const Read& read, const WrittenTensors& all) {
  const Written* behind = std::partition_point(all.begin(), all.end(), [&](const Written& written) {
    return written.span.begin < read.span.end();
  });
  for (; behind != all.begin() && behind[-1].reach > read.span.begin; --behind) {
    const Written& written = behind[-1];
    if (written.span.end() > read.span.begin && !may_share(read, written)) return true;
  }
  return false;
}

// Whether an input collides or has no elements: no for nearly all calls.
template <typename SpanAt>
bool needs_changes(const Args& args, const SpanAt& span_at, const WrittenTensors& all) {
  if (all.size() == 0) return true;  // nothing to compare with
  const char *const begin = all[0].span.begin, *const end = all.end()[-1].reach;
  for (int i = 0; i < args.op->param_count; ++i) {
    const ParamInfo& param = args.op->params[i];
    if (!is_input(param)) continue;
    const Argument& argument = args.arguments[i];
    for (uint32_t k = 0; k < argument.count; ++k) {
      const uint32_t tensor = argument.first + k;
      const ByteSpan span = span_at(tensor);
      const TensorView& view = args.tensors[tensor];
      if (span.size == 0 && view.present) return true;
      if (span.begin >= end || span.end() <= begin) continue;
      if (collides({span, view, k, param.elementwise}, all)) return true;
    }
  }
  return false;
}

// All bytes from the first to the last: views stay as they are, gaps between elements included.
class Copies {
 public:
  bool add(const ByteSpan& span, TensorView* view) {
    memory_.push_back(take_scratch<char>(static_cast<int64_t>(span.size + kLine)));
    char* place = memory_.back().get();
    if (place == nullptr) return false;
    const auto begin = reinterpret_cast<uintptr_t>(span.begin);
    place += (begin - reinterpret_cast<uintptr_t>(place)) % kLine;
    std::memcpy(place, span.begin, span.size);
    const uintptr_t before = begin - reinterpret_cast<uintptr_t>(view->data);
    view->data = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(place) - before);
    return true;
  }

 private:
  std::vector<ScratchMemory<char>> memory_;
};

// What describes elements that do not exist means nothing, however absurd; kernels multiply it.
void forget_places(TensorView* view) {
  view->offset = 0;
  std::fill_n(view->strides, view->rank, 0);
}

[[gnu::noinline]] Status compute_changed(Args& args, const Spans& spans,
                                         const WrittenTensors& all) {
  Args changed = args;
  for (TensorView& view : changed.tensors) {
    if (view.present && view.empty()) forget_places(&view);
  }
  Copies copies;
  for (int i = 0; i < args.op->param_count; ++i) {
    const ParamInfo& param = args.op->params[i];
    if (!is_input(param)) continue;
    const Argument& argument = args.arguments[i];
    for (uint32_t k = 0; k < argument.count; ++k) {
      const uint32_t tensor = argument.first + k;
      const Read read = {spans[tensor], args.tensors[tensor], k, param.elementwise};
      if (read.span.size == 0 || !collides(read, all)) continue;
      if (copies.add(read.span, &changed.tensors[tensor])) continue;
      return Status::failed({ACLNN_ERR_INNER, param.name, "memory",
                             "there is not enough memory for a copy of an input that shares "
                             "memory with an output"});
    }
  }
  Status status = compute(changed);
  for (int i = 0; i < args.op->param_count; ++i) {
    const uint32_t tensor = args.arguments[i].first;
    if (args.op->params[i].sized_by_data) copy_view(changed.tensors[tensor], &args.tensors[tensor]);
  }
  return status;
}

}  // namespace

Status run(Args& args) {
  Spans spans;
  find_spans(args, &spans);
  return run_with_spans(args, spans);
}

Status run_whole(Args& args) {
  const auto span_at = [&](uint32_t tensor) -> ByteSpan {
    const TensorView& view = args.tensors[tensor];
    const auto bits = static_cast<size_t>(view.storage_elements * data_type_bits(view.dtype));
    return {static_cast<const char*>(view.data), (bits + 7) / 8};
  };
  WrittenTensors all;
  const bool is_some_empty = find_written(args, span_at, &all);
  return is_some_empty || needs_changes(args, span_at, all) ? run(args) : compute(args);
}

Status run_plain(Args& args) { return compute(args); }

Status run_with_spans(Args& args, const Spans& spans) {
  const auto span_at = [&](uint32_t tensor) { return spans[tensor]; };
  WrittenTensors all;
  const bool is_some_empty = find_written(args, span_at, &all);
  if (is_some_empty || needs_changes(args, span_at, all)) return compute_changed(args, spans, all);
  return compute(args);
}

}  // namespace aclhost
