// SPDX-License-Identifier: Apache-2.0
// Data buffers: an address and a size behind a handle. Nobody touches the memory.
#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/registry.h"

namespace aclhost {
namespace {

struct DataBuffer {
  void* address;
  size_t size;
};

using DataBuffers = Registry<DataBuffer, Kind::kDataBuffer>;

__constinit DataBuffers all_data_buffers;

DataBuffers& data_buffers() { return all_data_buffers; }

int32_t unknown(const Call& call, const aclDataBuffer* buffer) {
  return call.fail(ACL_ERROR_INVALID_PARAM, "dataBuffer",
                   hex(buffer) + " is not a live data buffer; it may have been destroyed before");
}

// Upstream's getters answer 0 and leave no text where there is no buffer.
DataBuffer contents(const aclDataBuffer* buffer) {
  if (in_forked_child()) return {};
  const DataBuffers::Ref found = data_buffers().find(buffer);
  return found ? *found : DataBuffer{};
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  return aclnn_create<aclDataBuffer>("aclCreateDataBuffer", [&](const Call&) {
    return data_buffers().create(DataBuffer{data, size});
  });
}

extern "C" aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  return acl_call("aclDestroyDataBuffer", [&](const Call& call) {
    if (dataBuffer == nullptr) return call.null("dataBuffer");
    return data_buffers().destroy(dataBuffer) ? ACL_SUCCESS : unknown(call, dataBuffer);
  });
}

extern "C" aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  return acl_call("aclUpdateDataBuffer", [&](const Call& call) {
    if (dataBuffer == nullptr) return call.null("dataBuffer");
    const DataBuffers::Ref found = data_buffers().find(dataBuffer);
    if (!found) return unknown(call, dataBuffer);
    *found = {data, size};
    return ACL_SUCCESS;
  });
}

extern "C" void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  return contents(dataBuffer).address;
}

extern "C" uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  return static_cast<uint32_t>(contents(dataBuffer).size);
}

extern "C" size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  return contents(dataBuffer).size;
}
