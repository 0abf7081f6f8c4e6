// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/args.h"

namespace aclhost {

// Changes the label of the tensor that a phase 1 was given, as upstream's does: to FRACTAL_NZ with
// the shape of its blocks as storage shape. aclGetFormat still tells the view's.
void label_as_blocked(const TensorView& weight);

}  // namespace aclhost
