// SPDX-License-Identifier: Apache-2.0
// The tensors of a call as observers see them, and which of them it writes.
#pragma once

#include "base/observer.h"
#include "operator/args.h"
#include "operator/descriptor.h"

namespace aclhost {

bool writes(const ParamInfo& param);

Region region_of(const Args& args, const ParamInfo& param, const TensorView& view);

Work describe_call(const Args& args);

// Calls visit(parameter, view) for every tensor, members of lists included.
template <typename Views, typename Visit>
void for_each_tensor(const Args& args, Views& views, const Visit& visit) {
  for (int i = 0; i < args.op->param_count; ++i) {
    const ParamInfo& param = args.op->params[i];
    if (param.kind > ParamKind::kTensorListOut) continue;
    const Argument& argument = args.arguments[i];
    for (uint32_t k = 0; k < argument.count; ++k) visit(param, views[argument.first + k]);
  }
}

}  // namespace aclhost
