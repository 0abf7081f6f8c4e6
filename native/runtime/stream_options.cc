// SPDX-License-Identifier: Apache-2.0
// Streams from config handles, and attributes of streams. They are kept and given back; threads of
// a CPU know no priorities.
#include "runtime/stream_options.h"

#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "runtime/capture.h"
#include "runtime/handle_table.h"
#include "runtime/with_stream.h"

namespace aclhost {
namespace {

constexpr uint32_t kLowestPriority = 7;

using Attributes = std::map<int, uint64_t>;  // by aclrtStreamAttr, those that were set

struct Kept {
  std::mutex mutex;
  std::map<int32_t, Attributes> streams;  // by id
};

Immortal<Kept> kept;
Immortal<HandleTable<aclrtStreamConfigHandle, 7>> configs;

int32_t no_config(const Call& call, const void* handle) {
  return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "handle",
                   hex(handle) + " is not a handle of aclrtCreateStreamConfigHandle");
}

int32_t bad_number(const Call& call, const char* name, uint64_t value, uint64_t most) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, name,
                   "is " + std::to_string(value) + "; it may be at most " + std::to_string(most));
}

int32_t check_attribute(const Call& call, aclrtStreamAttr attr) {
  const int number = static_cast<int>(attr);
  if (number >= ACL_STREAM_ATTR_FAILURE_MODE && number <= ACL_STREAM_ATTR_PRIORITY) {
    return ACL_SUCCESS;
  }
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "stmAttrType",
                   "is " + std::to_string(number) + "; attributes are 1 to 5");
}

uint64_t most_of(aclrtStreamAttr attr) {
  if (attr == ACL_STREAM_ATTR_USER_CUSTOM_TAG) return UINT32_MAX;
  return attr == ACL_STREAM_ATTR_PRIORITY ? kLowestPriority : 1;
}

void keep(int32_t stream, aclrtStreamAttr attr, uint64_t value) {
  const std::lock_guard<std::mutex> lock(kept->mutex);
  kept->streams[stream][attr] = value;
}

int32_t set_attribute(const Call& call, Stream& stream, bool is_default, aclrtStreamAttr attr,
                      uint64_t value) {
  if (value > most_of(attr)) return bad_number(call, "value", value, most_of(attr));
  if (attr == ACL_STREAM_ATTR_FAILURE_MODE) {
    if (is_default) return call.null("stream");  // the default stream has no mode upstream
    stream.stop_on_failure(value == ACL_STOP_ON_FAILURE);
  }
  keep(stream.id(), attr, value);
  return ACL_SUCCESS;
}

uint64_t attribute(const Stream& stream, aclrtStreamAttr attr) {
  const std::lock_guard<std::mutex> lock(kept->mutex);
  const auto found = kept->streams.find(stream.id());
  if (found != kept->streams.end()) {
    const auto set = found->second.find(attr);
    if (set != found->second.end()) return set->second;
  }
  return attr == ACL_STREAM_ATTR_PRIORITY ? stream.config().priority : 0;
}

int32_t set_option(const Call& call, aclrtStreamConfigHandle& config, aclrtStreamConfigAttr attr,
                   const void* value, size_t size) {
  const struct {
    void* place;
    size_t size;
  } fields[] = {{&config.workptr, sizeof config.workptr},
                {&config.workSize, sizeof config.workSize},
                {&config.flag, sizeof config.flag},
                {&config.priority, sizeof config.priority}};
  const int number = static_cast<int>(attr);
  if (number < 0 || number > ACL_RT_STREAM_PRIORITY) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "attr",
                     "is " + std::to_string(number) + "; options are 0 to 3");
  }
  if (size != fields[number].size) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "valueSize",
                     "is " + std::to_string(size) + "; this option has " +
                         std::to_string(fields[number].size) + " bytes");
  }
  std::memcpy(fields[number].place, value, size);
  return ACL_SUCCESS;
}

}  // namespace

void forget_stream(int32_t stream) {
  forget_recorder(stream);
  forget_allocator(stream);
  forget_limits(stream);
  const std::lock_guard<std::mutex> lock(kept->mutex);
  kept->streams.erase(stream);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle() {
  void* handle = nullptr;
  static_cast<void>(acl_call("aclrtCreateStreamConfigHandle", [&](const Call&) {
    handle = configs->add(std::make_shared<aclrtStreamConfigHandle>());
    return ACL_SUCCESS;
  }));
  return static_cast<aclrtStreamConfigHandle*>(handle);
}

extern "C" aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
  return acl_call("aclrtDestroyStreamConfigHandle", [&](const Call& call) {
    if (handle == nullptr) return call.null("handle");
    return configs->remove(handle) ? ACL_SUCCESS : no_config(call, handle);
  });
}

extern "C" aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle,
                                            aclrtStreamConfigAttr attr, const void* attrValue,
                                            size_t valueSize) {
  return acl_call("aclrtSetStreamConfigOpt", [&](const Call& call) {
    if (handle == nullptr) return call.null("handle");
    if (attrValue == nullptr) return call.null("attrValue");
    const auto found = configs->find(handle);
    if (found == nullptr) return no_config(call, handle);
    return set_option(call, *found, attr, attrValue, valueSize);
  });
}

extern "C" aclError aclrtCreateStreamV2(aclrtStream* stream,
                                        const aclrtStreamConfigHandle* handle) {
  return acl_call("aclrtCreateStreamV2", [&](const Call& call) -> int32_t {
    if (stream == nullptr) return call.null("stream");
    if (handle == nullptr) return call.null("handle");
    const auto found = configs->find(handle);
    if (found == nullptr) return no_config(call, handle);
    return aclrtCreateStreamWithConfig(stream, found->priority, static_cast<uint32_t>(found->flag));
  });
}

extern "C" aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                            aclrtStreamAttrValue* value) {
  return with_stream_in_context(
      "aclrtSetStreamAttribute", stream, [&](const Call& call, Stream& found) {
        if (value == nullptr) return call.null("value");
        if (const int32_t code = check_attribute(call, stmAttrType)) return code;
        const uint64_t number = stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE ? value->failureMode
                                                                            : value->overflowSwitch;
        return set_attribute(call, found, stream == nullptr, stmAttrType, number);
      });
}

extern "C" aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                            aclrtStreamAttrValue* value) {
  return with_stream_in_context("aclrtGetStreamAttribute", stream,
                                [&](const Call& call, Stream& found) {
                                  if (value == nullptr) return call.null("value");
                                  if (const int32_t code = check_attribute(call, stmAttrType))
                                    return code;
                                  std::memset(value, 0, sizeof *value);
                                  value->failureMode = attribute(found, stmAttrType);
                                  return ACL_SUCCESS;
                                });
}

extern "C" aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
  return with_stream_in_context(
      "aclrtSetStreamOverflowSwitch", stream, [&](const Call& call, Stream& found) {
        return set_attribute(call, found, false, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, flag);
      });
}

extern "C" aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  return with_stream_in_context(
      "aclrtGetStreamOverflowSwitch", stream, [&](const Call& call, Stream& found) {
        if (flag == nullptr) return call.null("flag");
        *flag = static_cast<uint32_t>(attribute(found, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK));
        return ACL_SUCCESS;
      });
}
