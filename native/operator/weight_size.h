// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/args.h"

namespace aclhost {

// aclnnTransMatmulWeight, and no other operator, changes a tensor's label: as upstream's phase 1,
// to FRACTAL_NZ with the shape of its blocks as storage shape. aclGetFormat still tells the view's.
void relabel_weight(const Args& args);

}  // namespace aclhost
