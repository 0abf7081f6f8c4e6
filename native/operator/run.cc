// SPDX-License-Identifier: Apache-2.0
#include "operator/run.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "aclnn/opdev/op_errno.h"
#include "base/scratch_memory.h"
#include "dtypes.h"
#include "operator/descriptor.h"

namespace aclhost {
namespace {

constexpr uintptr_t kLine = 64;  // copies lie in cache lines as their tensors do

Status compute(const Args& args) { return args.op->kernels[static_cast<int>(current_isa())](args); }

bool is_tensor(const ParamInfo& param) { return param.kind <= ParamKind::kTensorListOut; }

bool is_input(const ParamInfo& param) {
  return param.kind == ParamKind::kTensorIn || param.kind == ParamKind::kTensorList;
}

// Whether an input reaches into the range from the first byte that is written to the last, or a
// tensor has no elements: no for nearly all calls, at the cost of a few comparisons. From the last
// parameter to the first, as results come after what they are made of; where one does not, the
// inputs behind it are looked at again. `span_at` gives the span of a tensor by its number.
template <typename SpanAt>
bool may_need_changes(const Args& args, const SpanAt& span_at) {
  uintptr_t first = UINTPTR_MAX, end = 0;
  bool is_special = false;
  const auto look = [&](int from) {
    int behind = -1;  // the input furthest behind of those that were looked at too early
    int last_input = -1;
    for (int i = from; i >= 0; --i) {
      const ParamInfo& param = args.op->params[i];
      if (!is_tensor(param)) continue;
      const bool is_read = is_input(param);
      if (is_read && last_input < 0) last_input = i;
      if (!is_read) behind = last_input;
      const Argument& argument = args.arguments[i];
      for (uint32_t k = 0; k < argument.count; ++k) {
        const ByteSpan span = span_at(argument.first + k);
        const auto begin = reinterpret_cast<uintptr_t>(span.begin);
        if (span.size == 0) {
          is_special |= args.tensors[argument.first + k].present;
        } else if (is_read) {
          is_special |= begin < end && first < begin + span.size;
        } else {
          first = std::min(first, begin);
          end = std::max(end, begin + span.size);
        }
      }
    }
    return behind;
  };
  const int behind = look(args.op->param_count - 1);
  if (behind >= 0 && !is_special) look(behind);
  return is_special;
}

// A tensor that is written.
struct Written {
  ByteSpan span;
  const char* reach;  // the furthest end of this one and those that begin before it
  const TensorView* view;
  uint32_t position;  // in its list
};

// By where they begin.
std::vector<Written> find_written(const Args& args, const Spans& spans) {
  std::vector<Written> all;
  for (int i = 0; i < args.op->param_count; ++i) {
    if (!is_tensor(args.op->params[i]) || is_input(args.op->params[i])) continue;
    const Argument& argument = args.arguments[i];
    for (uint32_t k = 0; k < argument.count; ++k) {
      const uint32_t tensor = argument.first + k;
      if (spans[tensor].size > 0) all.push_back({spans[tensor], nullptr, &args.tensors[tensor], k});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Written& a, const Written& b) { return a.span.begin < b.span.begin; });
  const char* reach = nullptr;
  for (Written& written : all) written.reach = reach = std::max(reach, written.span.end());
  return all;
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
bool collides(const Read& read, const std::vector<Written>& all) {
  auto behind = std::partition_point(all.begin(), all.end(), [&](const Written& written) {
    return written.span.begin < read.span.end();
  });
  for (; behind != all.begin() && behind[-1].reach > read.span.begin; --behind) {
    const Written& written = behind[-1];
    if (written.span.end() > read.span.begin && !may_share(read, written)) return true;
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

[[gnu::noinline]] Status compute_changed(Args& args, const Spans& spans) {
  const std::vector<Written> all = find_written(args, spans);
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
  return may_need_changes(args, span_at) ? run(args) : compute(args);
}

Status run_disjoint(Args& args) {
  for (const TensorView& view : args.tensors) {
    if (view.present && view.empty()) return run(args);
  }
  return compute(args);
}

Status run_with_spans(Args& args, const Spans& spans) {
  const auto span_at = [&](uint32_t tensor) { return spans[tensor]; };
  return may_need_changes(args, span_at) ? compute_changed(args, spans) : compute(args);
}

}  // namespace aclhost
