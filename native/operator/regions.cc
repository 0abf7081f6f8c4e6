// SPDX-License-Identifier: Apache-2.0
#include "operator/regions.h"

#include <string>

#include "dtypes.h"
#include "operator/layouts.h"
#include "operator/span.h"
#include "operator/terms.h"

namespace aclhost {
namespace {

bool reads(const Args& args, const ParamInfo& param) {
  const bool depends = param.kind == ParamKind::kTensorInOut && param.count >= 0;
  return param.reads && (!depends || evaluate(Frame{args}, param.count) != 0);
}

// A view of whole bytes, of those whose elements are halves: pairs along the axis where these are
// neighbours. Without such an axis, all bytes from the first to the last.
void join_halves(const TensorView& view, Region* region) {
  bool is_even = view.offset % 2 == 0;
  int pairs = -1;
  for (int i = 0; i < view.rank; ++i) {
    if (view.strides[i] == 1 && view.shape[i] % 2 == 0) {
      pairs = i;
    } else {
      is_even &= view.shape[i] == 1 || view.strides[i] % 2 == 0;
    }
  }
  if (pairs < 0 || !is_even) {
    const ByteSpan span = span_of(view);
    region->start = span.begin;
    region->shape = {static_cast<int64_t>(span.size)};
    region->strides = {1};
    return;
  }
  for (int i = 0; i < view.rank; ++i) {
    if (i == pairs) region->shape[i] /= 2;
    if (i != pairs) region->strides[i] /= 2;
  }
}

std::string describe_tensor(const ParamInfo& param, const TensorView& view) {
  return std::string(param.name) + (param.sized_by_data ? " at most " : " ") +
         data_type_name(view.dtype) + shape_text(view);
}

}  // namespace

bool writes(const ParamInfo& param) {
  return param.kind == ParamKind::kTensorOut || param.kind == ParamKind::kTensorInOut ||
         param.kind == ParamKind::kTensorListOut;
}

Region region_of(const Args& args, const ParamInfo& param, const TensorView& view) {
  const int bits = data_type_bits(view.dtype);
  Region region = {param.name,
                   static_cast<const char*>(view.data) + view.offset * bits / 8,
                   static_cast<size_t>(bits + 7) / 8,
                   {view.shape, view.shape + view.rank},
                   {view.strides, view.strides + view.rank},
                   reads(args, param),
                   writes(param),
                   Side::kNotSaid,
                   param.sized_by_data};
  if (bits == 4) join_halves(view, &region);
  return region;
}

Work describe_call(const Args& args) {
  Work work{args.op->name, {}, ""};
  for_each_tensor(args, args.tensors, [&](const ParamInfo& param, const TensorView& view) {
    if (!view.present) return;
    if (!view.empty()) work.regions.push_back(region_of(args, param, view));
    work.detail += (work.detail.empty() ? "" : ", ") + describe_tensor(param, view);
  });
  return work;
}

}  // namespace aclhost
