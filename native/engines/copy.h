// SPDX-License-Identifier: Apache-2.0
// Copies of any view to any other.
#pragma once

#include "base/status.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// Broadcasts. Elements of the same type keep their bits, others are cast: Note [Casts]. The views
// share no memory unless they are the same elements.
Status copy(const TensorView& to, const TensorView& from);

// Every element becomes the value, cast to the view's type.
Status fill(const TensorView& to, const ScalarValue& value);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
