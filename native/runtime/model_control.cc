// SPDX-License-Identifier: Apache-2.0
// Tasks of models that let one stream begin, or jump to another one.
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/context.h"
#include "runtime/copy.h"
#include "runtime/memory.h"
#include "runtime/model.h"
#include "runtime/pages.h"

namespace aclhost {
namespace {

class ActivateStep final : public ControlStep {
 public:
  explicit ActivateStep(int32_t stream) : ControlStep("aclrtActiveStream", {}), stream_(stream) {}
  Status decide(const Model&, Jump* jump) const override {
    jump->stream = stream_;
    return {};
  }

 private:
  const int32_t stream_;
};

struct Condition {
  const void* left;
  const void* right;
  aclrtCondition kind;
  bool is_wide;

  size_t size() const { return is_wide ? sizeof(int64_t) : sizeof(int32_t); }
  int64_t value(const void* address) const {
    const void* place = reachable(address);
    return is_wide ? __atomic_load_n(static_cast<const int64_t*>(place), __ATOMIC_ACQUIRE)
                   : __atomic_load_n(static_cast<const int32_t*>(place), __ATOMIC_ACQUIRE);
  }
  bool holds() const {
    const int64_t a = value(left), b = value(right);
    switch (kind) {
      case ACL_RT_EQUAL:
        return a == b;
      case ACL_RT_NOT_EQUAL:
        return a != b;
      case ACL_RT_GREATER:
        return a > b;
      case ACL_RT_GREATER_OR_EQUAL:
        return a >= b;
      case ACL_RT_LESS:
        return a < b;
      default:
        return a <= b;
    }
  }
};

class SwitchStep final : public ControlStep {
 public:
  SwitchStep(const Condition& condition, int32_t stream)
      : ControlStep("aclrtSwitchStream",
                    {bytes_region("leftValue", condition.left, condition.size(), true, false),
                     bytes_region("rightValue", condition.right, condition.size(), true, false)}),
        condition_(condition),
        stream_(stream) {}

  Status decide(const Model&, Jump* jump) const override {
    if (condition_.holds()) *jump = {stream_, 0, true, false};
    return {};
  }
  bool touches(const MemoryRange& range) const override {
    return range.overlaps(MemoryRange::of(condition_.left, condition_.size())) ||
           range.overlaps(MemoryRange::of(condition_.right, condition_.size()));
  }

 private:
  const Condition condition_;
  const int32_t stream_;
};

// Finds the model of the stream that jumps, and the other stream in the same model.
int32_t find_both(const Call& call, aclrtStream target, const char* name, aclrtStream stream,
                  ModelPtr* model, int32_t* target_id, int32_t* id) {
  if (!current_context()) return no_context(call);
  const StreamRef own = streams().find(stream);
  if (!own) return no_stream(call, stream);
  const StreamRef other = streams().find(target);
  if (!other) return no_stream(call, target);
  *model = model_of(*own);
  if (*model == nullptr) return not_bound(call, "stream");
  if (model_of(*other) == nullptr) return not_bound(call, name);
  if (model_of(*other) != *model) {
    return call.fail(ACL_ERROR_RT_STREAM_MODEL, name, "is bound to another model than stream");
  }
  *target_id = other->id();
  *id = own->id();
  return ACL_SUCCESS;
}

int32_t check_condition(const Call& call, const Condition& condition, int type) {
  const int kind = static_cast<int>(condition.kind);
  if (kind < ACL_RT_EQUAL || kind > ACL_RT_LESS_OR_EQUAL) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "cond",
                     "is " + std::to_string(kind) + "; pass a member of aclrtCondition, 0 to 5");
  }
  if (type != ACL_RT_SWITCH_INT32 && type != ACL_RT_SWITCH_INT64) {
    return call.fail(
        ACL_ERROR_RT_PARAM_INVALID, "dataType",
        "is " + std::to_string(type) + "; pass ACL_RT_SWITCH_INT32 (0) or ACL_RT_SWITCH_INT64 (1)");
  }
  const int32_t code =
      check_range(call, "leftValue", condition.left, condition.size(), Access::kRead);
  if (code != ACL_SUCCESS) return code;
  return check_range(call, "rightValue", condition.right, condition.size(), Access::kRead);
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream) {
  return acl_call("aclrtActiveStream", [&](const Call& call) -> int32_t {
    if (activeStream == nullptr) return call.null("activeStream");
    if (stream == nullptr) return call.null("stream");
    ModelPtr model;
    int32_t target, own;
    const int32_t code =
        find_both(call, activeStream, "activeStream", stream, &model, &target, &own);
    if (code != ACL_SUCCESS) return code;
    model->take(own, std::make_shared<const ActivateStep>(target));
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtSwitchStream(void* leftValue, aclrtCondition cond, void* rightValue,
                                      aclrtCompareDataType dataType, aclrtStream trueStream,
                                      aclrtStream falseStream, aclrtStream stream) {
  return acl_call("aclrtSwitchStream", [&](const Call& call) -> int32_t {
    if (leftValue == nullptr) return call.null("leftValue");
    if (rightValue == nullptr) return call.null("rightValue");
    if (trueStream == nullptr) return call.null("trueStream");
    if (stream == nullptr) return call.null("stream");
    if (falseStream != nullptr) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "falseStream", "must be a null pointer");
    }
    const Condition condition{leftValue, rightValue, cond, dataType == ACL_RT_SWITCH_INT64};
    const MemoryUse use;
    const int type = static_cast<int>(dataType);
    if (const int32_t code = check_condition(call, condition, type)) return code;
    ModelPtr model;
    int32_t target, own;
    const int32_t code = find_both(call, trueStream, "trueStream", stream, &model, &target, &own);
    if (code != ACL_SUCCESS) return code;
    model->take(own, std::make_shared<const SwitchStep>(condition, target));
    return ACL_SUCCESS;
  });
}
