// SPDX-License-Identifier: Apache-2.0
// What a program adds to the dumps of launches that fail.
#include <string>
#include <vector>

#include "acl/acl_dump.h"
#include "base/call.h"
#include "dtypes.h"
#include "operator/dump.h"
#include "operator/dump_writer.h"
#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/pages.h"

namespace aclhost {
namespace {

// 0 and the place for the thread's device, or the reported failure.
int32_t find_place(const Call& call, std::string* place) {
  const std::shared_ptr<Dump> dump = current_dump();
  if (dump == nullptr || dump->settings().exception_path.empty()) {
    return call.fail(ACL_ERROR_FAILURE, "",
                     "nothing dumps failing operators; set \"dump_scene\" in the configuration of "
                     "aclInit or aclmdlSetDump before");
  }
  const ContextRef context = current_context();
  if (!context) {
    return call.fail(ACL_ERROR_FAILURE, "", "this thread has no device; call aclrtSetDevice first");
  }
  *place = dump->settings().exception_path + "/" + std::to_string(context->device()) + "/";
  if (make_directories(*place)) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_FAILURE, "", "the directory " + *place + " cannot be made");
}

bool has_parent(const std::string& name) {
  return ("/" + name + "/").find("/../") != std::string::npos;
}

int32_t check_tensor(const Call& call, const acldumpTensorInfo& tensor, const std::string& name) {
  const auto wrong = [&](const char* field, const std::string& what) {
    return call.fail(ACL_ERROR_INVALID_PARAM, (name + "." + field).c_str(), what);
  };
  if (tensor.shapeNum > ACL_DUMP_MAX_SHAPE_NUM) return wrong("shapeNum", "is above 25");
  if (tensor.originShapeNum > ACL_DUMP_MAX_SHAPE_NUM) return wrong("originShapeNum", "is above 25");
  if (tensor.type < ACL_DUMP_TENSOR_INPUT || tensor.type > ACL_DUMP_TENSOR_WORKSPACE) {
    return wrong("type", "is none of acldumpTensorType");
  }
  if (tensor.addrType != ACL_DUMP_ADDR_RAW) return wrong("addrType", "has to be ACL_DUMP_ADDR_RAW");
  if (tensor.placement != ACL_DUMP_PLACEMENT_DEVICE) {
    return wrong("placement", "has to be ACL_DUMP_PLACEMENT_DEVICE");
  }
  if (tensor.tensorSize == 0) return wrong("tensorSize", "has to be more than 0");
  if (tensor.tensorAddr == nullptr) return call.null((name + ".tensorAddr").c_str());
  if (is_accessible(tensor.tensorAddr, tensor.tensorSize, Access::kRead)) return ACL_SUCCESS;
  return wrong("tensorAddr", hex(tensor.tensorAddr) + " has no memory of that size");
}

// Bytes whose shape and type may say less or more than there is.
TensorView view_of(const acldumpTensorInfo& tensor) {
  TensorView view;
  view.present = true;
  view.dtype = static_cast<aclDataType>(tensor.dataType);
  view.format = static_cast<aclFormat>(tensor.format);
  view.rank = static_cast<int>(tensor.shapeNum);
  int64_t elements = 1, bits = 0;
  bool fits = true;
  for (int i = view.rank; i-- > 0;) {
    view.shape[i] = static_cast<int64_t>(tensor.shape[i]);
    view.strides[i] = elements;
    fits &= view.shape[i] > 0 && !__builtin_mul_overflow(elements, view.shape[i], &elements);
  }
  view.data = reachable(tensor.tensorAddr);
  fits &= !__builtin_mul_overflow(elements, int64_t{data_type_bits(view.dtype)}, &bits);
  if (fits && static_cast<size_t>(dumped_bytes(view)) == tensor.tensorSize) return view;
  view.dtype = ACL_UINT8;
  view.rank = 1;
  view.shape[0] = static_cast<int64_t>(tensor.tensorSize);
  view.strides[0] = 1;
  return view;
}

int32_t save(const Call& call, const char* name, const char* tag, const acldumpTensorInfo* given,
             size_t count) {
  if (name == nullptr) return call.null("fileName");
  if (*name == '\0' || has_parent(name)) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "fileName", "is empty or leads upwards by \"..\"");
  }
  if (given == nullptr) return call.null("tensors");
  if (count == 0) return call.fail(ACL_ERROR_INVALID_PARAM, "tensorCount", "is 0");
  std::string place;
  if (const int32_t code = find_place(call, &place)) return code;
  const MemoryUse use;
  std::vector<TensorView> views(count);
  DumpedTensors tensors;
  for (size_t i = 0; i < count; ++i) {
    const std::string parameter = "tensors[" + std::to_string(i) + "]";
    if (const int32_t code = check_tensor(call, given[i], parameter)) return code;
    views[i] = view_of(given[i]);
    const bool is_input = given[i].type == ACL_DUMP_TENSOR_INPUT;
    (is_input ? tensors.inputs : tensors.outputs).push_back(&views[i]);
  }
  const std::string file = place + name;
  if (!make_directories(file.substr(0, file.rfind('/')))) {
    return call.fail(ACL_ERROR_FAILURE, "fileName", "the directory of " + file + " cannot be made");
  }
  const uint64_t now = microseconds_now();
  uint64_t milliseconds = now / 1000;
  const std::string path = unused_path(file + ".custom.", &milliseconds, "");
  const std::string problem = write_dump(path, {name, now, tag == nullptr ? "" : tag}, tensors);
  return problem.empty() ? ACL_SUCCESS : call.fail(ACL_ERROR_FAILURE, "fileName", problem);
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError acldumpGetExceptionInfoPath(char* path, size_t maxLen) {
  return acl_call("acldumpGetExceptionInfoPath", [&](const Call& call) -> int32_t {
    if (path == nullptr) return call.null("path");
    std::string place;
    if (const int32_t code = find_place(call, &place)) return code;
    if (place.size() + 1 > maxLen) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "maxLen",
                       "is " + std::to_string(maxLen) + "; the path needs " +
                           std::to_string(place.size() + 1) + " bytes");
    }
    place.copy(path, place.size());
    path[place.size()] = '\0';
    return ACL_SUCCESS;
  });
}

extern "C" aclError acldumpSaveExceptionInfo(const char* fileName, const char* userTag,
                                             const acldumpTensorInfo* tensors, size_t tensorCount) {
  return acl_call("acldumpSaveExceptionInfo", [&](const Call& call) {
    return save(call, fileName, userTag, tensors, tensorCount);
  });
}
