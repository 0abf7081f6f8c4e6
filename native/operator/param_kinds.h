// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/descriptor.h"

namespace aclhost {

// Lists of tensors included.
inline bool is_tensor(const ParamInfo& param) { return param.kind <= ParamKind::kTensorListOut; }

// A tensor that is only read.
inline bool is_input(const ParamInfo& param) {
  return param.kind == ParamKind::kTensorIn || param.kind == ParamKind::kTensorList;
}

}  // namespace aclhost
