// SPDX-License-Identifier: Apache-2.0
// Descriptions of queues that are to be created.
#include <cstring>

#include "acl/acl_tdt_queue.h"
#include "base/immortal.h"
#include "runtime/data_queue.h"
#include "runtime/handle_table.h"
#include "runtime/parameter_bytes.h"

namespace aclhost {
namespace {

Immortal<HandleTable<QueueAttributes, 14>> descriptions;

// For a body of the form `int32_t(const Call&, QueueAttributes&)`.
template <typename Body>
int32_t with_attributes(const char* name, const acltdtQueueAttr* attr, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (attr == nullptr) return call.null("attr");
    const auto found = descriptions->find(attr);
    if (found != nullptr) return body(call, *found);
    return call.fail(ACL_ERROR_INVALID_PARAM, "attr",
                     hex(attr) + " is not a description of acltdtCreateQueueAttr");
  });
}

int32_t set_name(const Call& call, QueueAttributes& attributes, size_t size, const void* from) {
  const char* name = nullptr;
  if (const int32_t code = take_bytes(call, &name, size, from)) return code;
  if (name == nullptr) return call.null("param");
  const size_t length = strnlen(name, sizeof attributes.name);
  if (length == sizeof attributes.name) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "param", "is a name of more than 127 bytes");
  }
  std::memcpy(attributes.name, name, length + 1);
  return ACL_SUCCESS;
}

}  // namespace

std::shared_ptr<QueueAttributes> find_queue_attributes(const void* handle) {
  return descriptions->find(handle);
}

}  // namespace aclhost

using namespace aclhost;

extern "C" acltdtQueueAttr* acltdtCreateQueueAttr() {
  void* handle = nullptr;
  static_cast<void>(acl_call("acltdtCreateQueueAttr", [&](const Call&) {
    handle = descriptions->add(std::make_shared<QueueAttributes>());
    return ACL_SUCCESS;
  }));
  return static_cast<acltdtQueueAttr*>(handle);
}

extern "C" aclError acltdtDestroyQueueAttr(const acltdtQueueAttr* attr) {
  return with_attributes("acltdtDestroyQueueAttr", attr, [&](const Call&, QueueAttributes&) {
    descriptions->remove(attr);
    return ACL_SUCCESS;
  });
}

extern "C" aclError acltdtSetQueueAttr(acltdtQueueAttr* attr, acltdtQueueAttrType type, size_t len,
                                       const void* param) {
  return with_attributes("acltdtSetQueueAttr", attr, [&](const Call& call, QueueAttributes& found) {
    if (param == nullptr) return call.null("param");
    switch (type) {
      case ACL_TDT_QUEUE_NAME_PTR:
        return set_name(call, found, len, param);
      case ACL_TDT_QUEUE_DEPTH_UINT32:
        return take_bytes(call, &found.depth, len, param);
      default:
        return no_such_type(call, static_cast<int>(type));
    }
  });
}

extern "C" aclError acltdtGetQueueAttr(const acltdtQueueAttr* attr, acltdtQueueAttrType type,
                                       size_t len, size_t* paramRetSize, void* param) {
  return with_attributes("acltdtGetQueueAttr", attr, [&](const Call& call, QueueAttributes& found) {
    if (param == nullptr) return call.null("param");
    if (paramRetSize == nullptr) return call.null("paramRetSize");
    const char* name = found.name;
    switch (type) {
      case ACL_TDT_QUEUE_NAME_PTR:
        return give_bytes(call, name, len, paramRetSize, param);
      case ACL_TDT_QUEUE_DEPTH_UINT32:
        return give_bytes(call, found.depth, len, paramRetSize, param);
      default:
        return no_such_type(call, static_cast<int>(type));
    }
  });
}
