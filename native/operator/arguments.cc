// SPDX-License-Identifier: Apache-2.0
#include "operator/arguments.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/errors.h"
#include "operator/objects.h"

namespace aclhost {
namespace {

Status not_live(const char* op, const char* name, const char* kind, const void* handle,
                bool stale) {
  if (stale) observe([&](Observer& o) { o.misused(op, name, handle); });
  Failure failure;
  failure.code = ACLNN_ERR_PARAM_INVALID;
  failure.parameter = name;
  failure.rule = "live_handle";
  failure.message = std::string(op) + ": " + name + " must be " + kind +
                    " that was created and not yet destroyed; got another pointer. Keep it until "
                    "phase 1 has returned.";
  return Status::failed(std::move(failure));
}

// The arguments of one call, one after the other.
class Reader {
 public:
  explicit Reader(Args* args) : args_(*args) {}

  void read(const ParamInfo& param, const Given& given) {
    name_ = param.name;
    Argument& argument = args_.arguments.add();
    switch (param.kind) {
      case ParamKind::kTensorIn:
      case ParamKind::kTensorOut:
      case ParamKind::kTensorInOut:
        argument.first = static_cast<uint32_t>(args_.tensors.size());
        argument.count = 1;
        argument.present = tensor(given.pointer);
        break;
      case ParamKind::kScalar:
        argument.first = static_cast<uint32_t>(args_.scalars.size());
        argument.count = 1;
        argument.present = scalar(given.pointer);
        break;
      case ParamKind::kTensorList:
      case ParamKind::kTensorListOut:
        members(tensor_lists(), given.pointer, "an aclTensorList", args_.tensors.size(), &argument,
                [this](const void* member) { tensor(member); });
        break;
      case ParamKind::kScalarList:
        members(scalar_lists(), given.pointer, "an aclScalarList", args_.scalars.size(), &argument,
                [this](const void* member) { scalar(member); });
        break;
      case ParamKind::kIntArray:
        values(int_arrays(), given.pointer, "an aclIntArray", &args_.integers, &argument);
        break;
      case ParamKind::kFloatArray:
        values(float_arrays(), given.pointer, "an aclFloatArray", &args_.floats, &argument);
        break;
      case ParamKind::kBoolArray:
        values(bool_arrays(), given.pointer, "an aclBoolArray", &args_.bytes, &argument);
        break;
      case ParamKind::kText:
        text(static_cast<const char*>(given.pointer), &argument);
        break;
      case ParamKind::kFloat:
      case ParamKind::kDouble:
        argument.present = true;
        argument.real = given.real;
        break;
      case ParamKind::kFlag:
      case ParamKind::kInt:
      case ParamKind::kDtype:
        argument.present = true;
        argument.integer = given.integer;
        break;
    }
  }

  const Status& status() const { return status_; }

 private:
  bool tensor(const void* handle) {
    TensorView& view = args_.tensors.add();
    if (handle == nullptr) return false;
    const auto object = tensors().find(handle);
    if (!object) return refuse(tensors(), "an aclTensor", handle);
    copy_view(object->view, &view);
    view.source = static_cast<const aclTensor*>(handle);
    return true;
  }

  bool scalar(const void* handle) {
    ScalarValue& value = args_.scalars.add();
    if (handle == nullptr) return false;
    const auto object = scalars().find(handle);
    if (!object) return refuse(scalars(), "an aclScalar", handle);
    value = object->value;
    return true;
  }

  template <typename Registry, typename Pool>
  void values(Registry& registry, const void* handle, const char* kind, Pool* pool,
              Argument* argument) {
    if (handle == nullptr) return;
    const auto object = registry.find(handle);
    if (!object) {
      refuse(registry, kind, handle);
      return;
    }
    *argument = {true, static_cast<uint32_t>(pool->size()),
                 static_cast<uint32_t>(object->values.size())};
    std::copy(object->values.begin(), object->values.end(), pool->extend(object->values.size()));
  }

  template <typename Registry, typename Add>
  void members(Registry& registry, const void* handle, const char* kind, size_t first,
               Argument* argument, const Add& add) {
    if (handle == nullptr) return;
    const auto object = registry.find(handle);
    if (!object) {
      refuse(registry, kind, handle);
      return;
    }
    *argument = {true, static_cast<uint32_t>(first),
                 static_cast<uint32_t>(object->elements.size())};
    for (const void* member : object->elements) add(member);
  }

  void text(const char* given, Argument* argument) {
    if (given == nullptr) return;
    const size_t size = std::strlen(given) + 1;
    *argument = {true, static_cast<uint32_t>(args_.bytes.size()), static_cast<uint32_t>(size - 1)};
    std::memcpy(args_.bytes.extend(size), given, size);
  }

  template <typename Registry>
  bool refuse(Registry& registry, const char* kind, const void* handle) {
    const bool stale = registry.was_ours(handle);
    const Status status = not_live(args_.op->name, name_, kind, handle, stale);
    if (status_.ok()) status_ = status;
    return false;
  }

  Args& args_;
  const char* name_ = "";
  Status status_;
};

}  // namespace

Status read_arguments(const Given* given, Args* args) {
  Reader reader(args);
  for (int i = 0; i < args->op->param_count; ++i) reader.read(args->op->params[i], given[i]);
  return reader.status();
}

int64_t total_elements(const Args& args) {
  constexpr uint64_t kMany = 1LL << 48;  // of a tensor; lists of them are short
  uint64_t sum = 0;
  for (const TensorView& view : args.tensors) {
    if (view.present) sum += std::min<uint64_t>(view.elements(), kMany);
  }
  return static_cast<int64_t>(sum);
}

}  // namespace aclhost
