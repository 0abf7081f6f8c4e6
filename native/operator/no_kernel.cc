// SPDX-License-Identifier: Apache-2.0
#include "operator/no_kernel.h"

#include <string>

#include "aclnn/opdev/op_errno.h"
#include "dtypes.h"

namespace aclhost {

Status no_kernel_for(const TensorView& view) {
  return Status::failed(
      {ACLNN_ERR_INNER, "", "kernel_dtype",
       std::string("no kernel takes elements of type ") + data_type_name(view.dtype)});
}

}  // namespace aclhost
