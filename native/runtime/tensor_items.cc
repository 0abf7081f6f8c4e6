// SPDX-License-Identifier: Apache-2.0
#include "runtime/tensor_items.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/immortal.h"
#include "runtime/copy.h"
#include "runtime/handle_table.h"
#include "runtime/memory.h"

namespace aclhost {
namespace {

constexpr size_t kMostDims = 128;

Immortal<HandleTable<DataItem, 18>> items;
Immortal<HandleTable<Dataset, 19>> datasets;

ItemPtr find_item(const Call& call, const acltdtDataItem* handle) {
  auto found = items->find(handle);
  if (handle == nullptr) {
    call.null("dataItem");
  } else if (found == nullptr) {
    call.fail(ACL_ERROR_INVALID_PARAM, "dataItem",
              hex(handle) + " is not an item of acltdtCreateDataItem; it may be destroyed");
  }
  return found;
}

// What the item says about itself, or the fallback.
template <typename Result, typename Ask>
Result ask_item(const char* name, const acltdtDataItem* handle, Result fallback, Ask&& ask) {
  Result answer = fallback;
  static_cast<void>(acl_call(name, [&](const Call& call) -> int32_t {
    const ItemPtr found = find_item(call, handle);
    if (found == nullptr) return ACL_ERROR_INVALID_PARAM;
    answer = ask(*found);
    return ACL_SUCCESS;
  }));
  return answer;
}

int32_t check_dims(const Call& call, const int64_t* dims, size_t count) {
  if ((dims == nullptr) == (count == 0)) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_INVALID_PARAM, "dims",
                   "is null, or dimNum is 0, but not both: dimNum is " + std::to_string(count));
}

int32_t create_item(const Call& call, const DataItem& wish, const int64_t* dims, size_t count,
                    void** handle) {
  if (const int32_t code = check_dims(call, dims, count)) return code;
  if (count > kMostDims) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "dimNum",
                     "is " + std::to_string(count) + "; at most 128 are possible");
  }
  const auto made = std::make_shared<DataItem>(wish);
  if (wish.type == ACL_TENSOR_DATA_TENSOR) {
    made->dims.assign(dims, dims + count);
  } else if (dims != nullptr) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "dims", "is only for ACL_TENSOR_DATA_TENSOR (0)");
  } else {
    *made = DataItem{wish.type, {}, ACL_DT_UNDEFINED, nullptr, 0, nullptr};
  }
  *handle = items->add(made);
  return ACL_SUCCESS;
}

// Host and device memory do not go into one set.
int32_t add_item(const Call& call, Dataset& dataset, const DataItem& item, acltdtDataItem* handle) {
  if (dataset.is_received) {
    return call.fail(ACL_ERROR_FEATURE_UNSUPPORTED, "dataset", "has items that were received");
  }
  if (item.data != nullptr) {
    Allocation found;
    const bool on_device = find_allocation(item.data, &found) && found.kind != MemoryKind::kHost;
    if (dataset.knows_memory && dataset.on_device != on_device) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "dataItem",
                       "has memory of another kind than the items before: all of them have to be "
                       "on the host, or all on the device");
    }
    dataset.knows_memory = true;
    dataset.on_device = on_device;
  }
  dataset.items.push_back(handle);
  return ACL_SUCCESS;
}

// Memory of the host is read without a context, too.
int32_t read_bytes(const Call& call, void* to, const void* from, size_t size) {
  Allocation found;
  if (find_allocation(from, &found) && found.kind != MemoryKind::kHost) {
    return copy_bytes(call, to, size, from, size, ACL_MEMCPY_DEVICE_TO_HOST);
  }
  const MemoryUse use;
  if (const int32_t code = check_range(call, "dataset", from, size, Access::kRead)) return code;
  std::memcpy(to, from, size);
  return ACL_SUCCESS;
}

int32_t copy_item(const Call& call, const DataItem& item, DataItem* copy) {
  if (item.type < ACL_TENSOR_DATA_TENSOR || item.type > ACL_TENSOR_DATA_ABNORMAL) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "dataset",
                     "has an item of type " + std::to_string(static_cast<int>(item.type)) +
                         "; 0 to 2 can be sent");
  }
  *copy = item;
  if (item.size == 0) return ACL_SUCCESS;
  const std::shared_ptr<char[]> bytes(new char[item.size]);
  copy->data = bytes.get();
  copy->owned = std::shared_ptr<void>(bytes, bytes.get());
  return read_bytes(call, bytes.get(), item.data, item.size);
}

void forget_received(Dataset& dataset) {
  if (!dataset.is_received) return;
  for (const void* each : dataset.items) items->remove(each);
  dataset.items.clear();
}

}  // namespace

std::shared_ptr<Dataset> find_dataset(const Call& call, const acltdtDataset* handle) {
  auto found = datasets->find(handle);
  if (handle == nullptr) {
    call.null("dataset");
  } else if (found == nullptr) {
    call.fail(ACL_ERROR_INVALID_PARAM, "dataset",
              hex(handle) + " is not a set of acltdtCreateDataset; it may be destroyed");
  }
  return found;
}

int32_t copy_items(const Call& call, const Dataset& dataset, std::vector<DataItem>* copies) {
  for (const void* handle : dataset.items) {
    const ItemPtr item = find_item(call, static_cast<const acltdtDataItem*>(handle));
    if (item == nullptr) return ACL_ERROR_INVALID_PARAM;
    copies->emplace_back();
    if (const int32_t code = copy_item(call, *item, &copies->back())) return code;
  }
  return ACL_SUCCESS;
}

int32_t check_receiver(const Call& call, const Dataset& dataset) {
  if (dataset.items.empty() || dataset.is_received) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_INVALID_PARAM, "dataset", "has items; receive into an empty set");
}

void fill_received(Dataset& dataset, const std::vector<DataItem>& received) {
  forget_received(dataset);
  dataset.is_received = true;
  for (const DataItem& each : received) {
    dataset.items.push_back(items->add(std::make_shared<DataItem>(each)));
  }
}

}  // namespace aclhost

using namespace aclhost;

extern "C" acltdtDataItem* acltdtCreateDataItem(acltdtTensorType tdtType, const int64_t* dims,
                                                size_t dimNum, aclDataType dataType, void* data,
                                                size_t size) {
  void* handle = nullptr;
  static_cast<void>(acl_call("acltdtCreateDataItem", [&](const Call& call) {
    const DataItem wish{tdtType, {}, dataType, data, size, nullptr};
    return create_item(call, wish, dims, dimNum, &handle);
  }));
  return static_cast<acltdtDataItem*>(handle);
}

extern "C" aclError acltdtDestroyDataItem(acltdtDataItem* dataItem) {
  return acl_call("acltdtDestroyDataItem", [&](const Call& call) -> int32_t {
    if (find_item(call, dataItem) == nullptr) return ACL_ERROR_INVALID_PARAM;
    items->remove(dataItem);
    return ACL_SUCCESS;
  });
}

extern "C" acltdtTensorType acltdtGetTensorTypeFromItem(const acltdtDataItem* dataItem) {
  return ask_item("acltdtGetTensorTypeFromItem", dataItem, ACL_TENSOR_DATA_UNDEFINED,
                  [](const DataItem& item) { return item.type; });
}

extern "C" aclDataType acltdtGetDataTypeFromItem(const acltdtDataItem* dataItem) {
  return ask_item("acltdtGetDataTypeFromItem", dataItem, ACL_DT_UNDEFINED,
                  [](const DataItem& item) { return item.data_type; });
}

extern "C" void* acltdtGetDataAddrFromItem(const acltdtDataItem* dataItem) {
  return ask_item<void*>("acltdtGetDataAddrFromItem", dataItem, nullptr,
                         [](const DataItem& item) { return item.data; });
}

extern "C" size_t acltdtGetDataSizeFromItem(const acltdtDataItem* dataItem) {
  return ask_item<size_t>("acltdtGetDataSizeFromItem", dataItem, 0,
                          [](const DataItem& item) { return item.size; });
}

extern "C" size_t acltdtGetDimNumFromItem(const acltdtDataItem* dataItem) {
  return ask_item<size_t>("acltdtGetDimNumFromItem", dataItem, 0,
                          [](const DataItem& item) { return item.dims.size(); });
}

extern "C" aclError acltdtGetDimsFromItem(const acltdtDataItem* dataItem, int64_t* dims,
                                          size_t dimNum) {
  return acl_call("acltdtGetDimsFromItem", [&](const Call& call) -> int32_t {
    const ItemPtr item = find_item(call, dataItem);
    if (item == nullptr) return ACL_ERROR_INVALID_PARAM;
    if (const int32_t code = check_dims(call, dims, dimNum)) return code;
    if (dimNum < item->dims.size()) {
      return call.fail(
          ACL_ERROR_INVALID_PARAM, "dimNum",
          "is " + std::to_string(dimNum) + "; the item has " + std::to_string(item->dims.size()));
    }
    std::copy(item->dims.begin(), item->dims.end(), dims);
    return ACL_SUCCESS;
  });
}

// Only a card cuts tensors into slices.
extern "C" aclError acltdtGetSliceInfoFromItem(const acltdtDataItem* dataItem, size_t* sliceNum,
                                               size_t* sliceId) {
  return acl_call("acltdtGetSliceInfoFromItem", [&](const Call& call) -> int32_t {
    if (find_item(call, dataItem) == nullptr) return ACL_ERROR_INVALID_PARAM;
    if (sliceNum == nullptr) return call.null("sliceNum");
    if (sliceId == nullptr) return call.null("sliceId");
    *sliceNum = *sliceId = 0;
    return ACL_SUCCESS;
  });
}

extern "C" acltdtDataset* acltdtCreateDataset() {
  void* handle = nullptr;
  static_cast<void>(acl_call("acltdtCreateDataset", [&](const Call&) {
    handle = datasets->add(std::make_shared<Dataset>());
    return ACL_SUCCESS;
  }));
  return static_cast<acltdtDataset*>(handle);
}

extern "C" aclError acltdtDestroyDataset(acltdtDataset* dataset) {
  return acl_call("acltdtDestroyDataset", [&](const Call& call) -> int32_t {
    const auto found = find_dataset(call, dataset);
    if (found == nullptr) return ACL_ERROR_INVALID_PARAM;
    forget_received(*found);
    datasets->remove(dataset);
    return ACL_SUCCESS;
  });
}

extern "C" aclError acltdtAddDataItem(acltdtDataset* dataset, acltdtDataItem* dataItem) {
  return acl_call("acltdtAddDataItem", [&](const Call& call) -> int32_t {
    const auto found = find_dataset(call, dataset);
    if (found == nullptr) return ACL_ERROR_INVALID_PARAM;
    const ItemPtr item = find_item(call, dataItem);
    return item == nullptr ? ACL_ERROR_INVALID_PARAM : add_item(call, *found, *item, dataItem);
  });
}

extern "C" acltdtDataItem* acltdtGetDataItem(const acltdtDataset* dataset, size_t index) {
  void* handle = nullptr;
  static_cast<void>(acl_call("acltdtGetDataItem", [&](const Call& call) -> int32_t {
    const auto found = find_dataset(call, dataset);
    if (found == nullptr) return ACL_ERROR_INVALID_PARAM;
    if (index >= found->items.size()) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "index",
                       "is " + std::to_string(index) + "; the set has " +
                           std::to_string(found->items.size()) + " items");
    }
    handle = found->items[index];
    return ACL_SUCCESS;
  }));
  return static_cast<acltdtDataItem*>(handle);
}

extern "C" size_t acltdtGetDatasetSize(const acltdtDataset* dataset) {
  size_t size = 0;
  static_cast<void>(acl_call("acltdtGetDatasetSize", [&](const Call& call) -> int32_t {
    const auto found = find_dataset(call, dataset);
    if (found == nullptr) return ACL_ERROR_INVALID_PARAM;
    size = found->items.size();
    return ACL_SUCCESS;
  }));
  return size;
}

// Only a card names what it sends.
extern "C" const char* acltdtGetDatasetName(const acltdtDataset* dataset) {
  const char* name = nullptr;
  static_cast<void>(acl_call("acltdtGetDatasetName", [&](const Call& call) -> int32_t {
    if (find_dataset(call, dataset) == nullptr) return ACL_ERROR_INVALID_PARAM;
    name = "";
    return ACL_SUCCESS;
  }));
  return name;
}
