// SPDX-License-Identifier: Apache-2.0
// Tensors as channels carry them: host or device memory of the program with a shape, and sets of
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "acl/acl_tdt.h"
#include "base/call.h"

namespace aclhost {

struct DataItem {
  acltdtTensorType type;
  std::vector<int64_t> dims;
  aclDataType data_type;
  void* data;
  size_t size;
  std::shared_ptr<void> owned;  // what was received goes with the item
};

using ItemPtr = std::shared_ptr<DataItem>;

struct Dataset {
  std::vector<void*> items;   // handles
  bool is_received = false;   // then the items go with the set
  bool on_device = false;     // of those that have memory
  bool knows_memory = false;  // whether any has
};

// Null, with the failure reported, for what is no dataset.
std::shared_ptr<Dataset> find_dataset(const Call& call, const acltdtDataset* handle);

// Copies of the items with their bytes; the code, reported, if one of them cannot be read.
int32_t copy_items(const Call& call, const Dataset& dataset, std::vector<DataItem>* copies);

// Whether the set may receive: one that the program has filled may not.
int32_t check_receiver(const Call& call, const Dataset& dataset);
void fill_received(Dataset& dataset, const std::vector<DataItem>& items);

}  // namespace aclhost
