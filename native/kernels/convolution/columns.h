// SPDX-License-Identifier: Apache-2.0
// A matrix with a column for each position and a row for each channel and element of the kernel.
#pragma once

#include "engines/gemm.h"
#include "kernels/convolution/taps.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// The matrix itself; a batch of it is a group of an image.
PanelSource columns_of(const Source& source);

// The same with rows for columns.
PanelSource rows_of(const Source& source);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
