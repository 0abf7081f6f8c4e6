// SPDX-License-Identifier: Apache-2.0
// The file of a dump: the length of a head as 8 bytes, the head, which is a message of protobuf
// (toolkit.dumpdata.DumpData), and the elements of all inputs and then of all outputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "operator/views.h"

namespace aclhost {

struct DumpedTensors {
  std::vector<const TensorView*> inputs;
  std::vector<const TensorView*> outputs;
};

struct DumpHead {
  std::string op_name;
  uint64_t time;    // microseconds since 1970
  std::string tag;  // of the program; mostly empty
};

// Elements are written in row-major order, whatever their strides. Empty, or why the file is not
// whole.
std::string write_dump(const std::string& path, const DumpHead& head, const DumpedTensors& tensors);

int64_t dumped_bytes(const TensorView& view);
// The number that stands for a data type in a head.
int dumped_type(aclDataType dtype);
// The format of what is written: blocks become rows.
aclFormat dumped_format(const TensorView& view);

}  // namespace aclhost
