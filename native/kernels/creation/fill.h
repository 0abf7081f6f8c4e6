// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

Status fill_with_zero(const TensorView& view);  // of any type of whole bytes
Status fill_with_one(const TensorView& view);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
