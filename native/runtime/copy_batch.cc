// SPDX-License-Identifier: Apache-2.0
// Many copies between host and device with one call.
#include <cstdint>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/context.h"
#include "runtime/copy.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

struct Batch {
  void** dsts;
  size_t* dest_maxs;
  void** srcs;
  size_t* sizes;
  size_t count;
  aclrtMemcpyBatchAttr* attrs;  // each for the copies from its index up to that of the next one
  size_t* attr_indexes;
  size_t attr_count;
};

int32_t check_pointers(const Call& call, const Batch& batch) {
  const struct {
    const void* pointer;
    const char* name;
  } needed[] = {{batch.dsts, "dsts"},   {batch.dest_maxs, "destMaxs"},
                {batch.srcs, "srcs"},   {batch.sizes, "sizes"},
                {batch.attrs, "attrs"}, {batch.attr_indexes, "attrsIndexes"}};
  for (const auto& each : needed) {
    if (each.pointer == nullptr) return call.null(each.name);
  }
  return ACL_SUCCESS;
}

int32_t check_indexes(const Call& call, const Batch& batch) {
  if (batch.count == 0 || batch.attr_count == 0 || batch.attr_count > batch.count) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "numAttrs",
                     "is " + std::to_string(batch.attr_count) + " for " +
                         std::to_string(batch.count) +
                         " copies; there must be a copy, and no more attributes than copies");
  }
  for (size_t i = 0; i < batch.attr_count; ++i) {
    const size_t index = batch.attr_indexes[i];
    const bool rising = i == 0 ? index == 0 : index > batch.attr_indexes[i - 1];
    if (rising && index < batch.count) continue;
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "attrsIndexes",
                     "has " + std::to_string(index) + " at " + std::to_string(i) +
                         "; it must begin with 0, rise, and stay below numBatches");
  }
  return ACL_SUCCESS;
}

bool is_host(const aclrtMemLocation& location) {
  return location.type == ACL_MEM_LOCATION_TYPE_HOST;
}

int32_t direction_of(const Call& call, const aclrtMemcpyBatchAttr& attr, aclrtMemcpyKind* kind) {
  if (is_host(attr.dstLoc) == is_host(attr.srcLoc)) {
    return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "attrs",
                     "has the source and the target on the same side; batches copy between host "
                     "and device");
  }
  *kind = is_host(attr.srcLoc) ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_HOST;
  return ACL_SUCCESS;
}

// Runs `copy`, an int32_t(index, kind), for each; *failed tells where it ended.
template <typename Copy>
int32_t for_each_copy(const Call& call, const Batch& batch, size_t* failed, Copy&& copy) {
  size_t attr = 0;
  for (size_t i = 0; i < batch.count; ++i) {
    if (attr + 1 < batch.attr_count && batch.attr_indexes[attr + 1] == i) ++attr;
    aclrtMemcpyKind kind = ACL_MEMCPY_HOST_TO_DEVICE;
    int32_t code = direction_of(call, batch.attrs[attr], &kind);
    if (code == ACL_SUCCESS) code = copy(i, kind);
    if (code == ACL_SUCCESS) continue;
    if (failed != nullptr) *failed = i;
    return code;
  }
  return ACL_SUCCESS;
}

template <typename Copy>
int32_t run_batch(const Call& call, const Batch& batch, size_t* failed, Copy&& copy) {
  if (failed != nullptr) *failed = SIZE_MAX;  // none of them, but the call itself
  if (const int32_t code = check_pointers(call, batch)) return code;
  if (const int32_t code = check_indexes(call, batch)) return code;
  if (!current_context()) return no_context(call);
  return for_each_copy(call, batch, failed, copy);
}

int32_t copy_batch(const Call& call, const Batch& batch, size_t* failed) {
  return run_batch(call, batch, failed, [&](size_t i, aclrtMemcpyKind kind) {
    return copy_bytes(call, batch.dsts[i], batch.dest_maxs[i], batch.srcs[i], batch.sizes[i], kind);
  });
}

int32_t queue_batch(const Call& call, const Batch& batch, size_t* failed, aclrtStream stream) {
  return run_batch(call, batch, failed, [&](size_t i, aclrtMemcpyKind kind) {
    return queue_copy_bytes(call, batch.dsts[i], batch.dest_maxs[i], batch.srcs[i], batch.sizes[i],
                            kind, stream);
  });
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                     size_t numBatches, aclrtMemcpyBatchAttr* attrs,
                                     size_t* attrsIndexes, size_t numAttrs, size_t* failIndex) {
  return acl_call("aclrtMemcpyBatch", [&](const Call& call) {
    if (failIndex == nullptr) return call.null("failIndex");
    return copy_batch(
        call, {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, failIndex);
  });
}

extern "C" aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                       size_t numBatches, aclrtMemcpyBatchAttr* attrs,
                                       size_t* attrsIndexes, size_t numAttrs) {
  return acl_call("aclrtMemcpyBatchV2", [&](const Call& call) {
    return copy_batch(
        call, {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, nullptr);
  });
}

extern "C" aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                          size_t numBatches, aclrtMemcpyBatchAttr* attrs,
                                          size_t* attrsIndexes, size_t numAttrs, size_t* failIndex,
                                          aclrtStream stream) {
  return acl_call("aclrtMemcpyBatchAsync", [&](const Call& call) {
    if (failIndex == nullptr) return call.null("failIndex");
    return queue_batch(call,
                       {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs},
                       failIndex, stream);
  });
}

extern "C" aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs,
                                            size_t* sizes, size_t numBatches,
                                            aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
                                            size_t numAttrs, aclrtStream stream) {
  return acl_call("aclrtMemcpyBatchAsyncV2", [&](const Call& call) {
    return queue_batch(call,
                       {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs},
                       nullptr, stream);
  });
}
