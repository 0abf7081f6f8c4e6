// SPDX-License-Identifier: Apache-2.0
// Labels: places in the streams of a model that a number in device memory lets a stream jump to.
#include "runtime/labels.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/immortal.h"
#include "runtime/context.h"
#include "runtime/copy.h"
#include "runtime/memory.h"
#include "runtime/model.h"
#include "runtime/pages.h"

namespace aclhost {
namespace {

constexpr size_t kMostLabels = 65535;

struct Label {
  explicit Label(uint64_t context) : context_id(context) {}

  // It stays where it is as long as that model lives.
  bool is_set() const { return !model.expired(); }

  const uint64_t context_id;
  std::atomic<bool> is_listed{false};
  std::mutex mutex;  // for what follows
  std::weak_ptr<Model> model;
  int32_t stream = Jump::kNowhere;
  uint32_t task = 0;
};

using LabelPtr = std::shared_ptr<Label>;
using LabelList = std::vector<LabelPtr>;

Immortal<HandleTable<Label, 10>> all_labels;
Immortal<HandleTable<LabelList, 11>> all_lists;
std::atomic<size_t> label_count{0};

class LabelStep final : public ControlStep {
 public:
  LabelStep() : ControlStep("aclrtSetLabel", {}) {}
  Status decide(const Model&, Jump*) const override { return {}; }
};

class JumpStep final : public ControlStep {
 public:
  JumpStep(const void* index, LabelList targets)
      : ControlStep("aclrtSwitchLabelByIndex",
                    {bytes_region("ptr", index, sizeof(uint32_t), true, false)}),
        index_(index),
        targets_(std::move(targets)) {}

  Status decide(const Model& model, Jump* jump) const override {
    const auto* place = static_cast<const uint32_t*>(reachable(index_));
    const size_t index = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    Label& label = *targets_[std::min(index, targets_.size() - 1)];
    const std::lock_guard<std::mutex> lock(label.mutex);
    if (label.model.lock().get() != &model) {
      return Status::failed({ACL_ERROR_RT_MODEL_EXECUTE, "labelList", "label_set",
                             "aclrtSwitchLabelByIndex: label " + std::to_string(index) +
                                 " was not set in a stream of this model; call aclrtSetLabel "
                                 "before aclmdlRIBuildEnd"});
    }
    *jump = {label.stream, label.task, true, false};
    return {};
  }
  bool touches(const MemoryRange& range) const override {
    return range.overlaps(MemoryRange::of(index_, sizeof(uint32_t)));
  }

 private:
  const void* const index_;
  const LabelList targets_;
};

int32_t no_label(const Call& call, const char* parameter, const void* handle) {
  return call.fail(ACL_ERROR_RT_INVALID_HANDLE, parameter,
                   hex(handle) + " is not one; it may have been destroyed");
}

// 0 and the label of the current context, or the reported failure.
int32_t find_label(const Call& call, const char* parameter, aclrtLabel handle, LabelPtr* label) {
  if (handle == nullptr) return call.null(parameter);
  *label = all_labels->find(handle);
  if (*label == nullptr) return no_label(call, parameter, handle);
  const ContextRef context = current_context();
  if (!context) return no_context(call);
  if (context->id() == (*label)->context_id) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_LABEL_CONTEXT, parameter,
                   "belongs to another context than the thread's current one");
}

int32_t find_bound(const Call& call, aclrtStream stream, ModelPtr* model, int32_t* id) {
  if (stream == nullptr) return call.null("stream");
  const StreamRef found = streams().find(stream);
  if (!found) return no_stream(call, stream);
  *id = found->id();
  *model = model_of(*found);
  if (*model != nullptr) return ACL_SUCCESS;
  return not_bound(call, "stream");
}

int32_t set(const Call& call, Label& label, const ModelPtr& model, int32_t stream) {
  if (!label.is_listed) {
    return call.fail(ACL_ERROR_RT_INTERNAL_ERROR, "label",
                     "is in no list; call aclrtCreateLabelList before aclrtSetLabel");
  }
  const std::lock_guard<std::mutex> lock(label.mutex);
  if (label.is_set()) {
    return call.fail(ACL_ERROR_RT_INTERNAL_ERROR, "label", "is set already; a label has one place");
  }
  label.task = model->take(stream, std::make_shared<const LabelStep>())->id;
  label.stream = stream;
  label.model = model;
  return ACL_SUCCESS;
}

int32_t make_list(const Call& call, aclrtLabel* handles, size_t count, aclrtLabelList* list) {
  if (count == 0 || count > kMostLabels) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "num",
                     "is " + std::to_string(count) + "; it must be from 1 to 65535");
  }
  if (!current_context()) return no_context(call);
  auto made = std::make_shared<LabelList>(count);
  for (size_t i = 0; i < count; ++i) {
    if (const int32_t code = find_label(call, "labels", handles[i], &(*made)[i])) return code;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!(*made)[i]->is_listed.exchange(true)) continue;
    for (size_t taken = 0; taken < i; ++taken) (*made)[taken]->is_listed = false;
    return call.fail(ACL_ERROR_RT_INTERNAL_ERROR, "labels",
                     "has label " + std::to_string(i) + " of a list twice, or of another list");
  }
  *list = all_lists->add(std::move(made));
  return ACL_SUCCESS;
}

}  // namespace

void forget_labels(uint64_t context) {
  label_count -=
      all_labels->remove_if([&](const Label& label) { return label.context_id == context; });
}

}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtCreateLabel(aclrtLabel* label) {
  return acl_call("aclrtCreateLabel", [&](const Call& call) -> int32_t {
    if (label == nullptr) return call.null("label");
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    if (label_count.fetch_add(1) >= kMostLabels) {
      --label_count;
      return call.fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "label",
                       "cannot be created: a process has at most 65535; destroy some");
    }
    *label = all_labels->add(std::make_shared<Label>(context->id()));
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream) {
  return acl_call("aclrtSetLabel", [&](const Call& call) -> int32_t {
    LabelPtr found;
    ModelPtr model;
    int32_t id;
    if (const int32_t code = find_label(call, "label", label, &found)) return code;
    if (const int32_t code = find_bound(call, stream, &model, &id)) return code;
    return set(call, *found, model, id);
  });
}

extern "C" aclError aclrtDestroyLabel(aclrtLabel label) {
  return acl_call("aclrtDestroyLabel", [&](const Call& call) -> int32_t {
    LabelPtr found;
    if (const int32_t code = find_label(call, "label", label, &found)) return code;
    if (!all_labels->remove(label)) return no_label(call, "label", label);
    --label_count;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtCreateLabelList(aclrtLabel* labels, size_t num,
                                         aclrtLabelList* labelList) {
  return acl_call("aclrtCreateLabelList", [&](const Call& call) -> int32_t {
    if (labels == nullptr) return call.null("labels");
    if (labelList == nullptr) return call.null("labelList");
    return make_list(call, labels, num, labelList);
  });
}

extern "C" aclError aclrtDestroyLabelList(aclrtLabelList labelList) {
  return acl_call("aclrtDestroyLabelList", [&](const Call& call) -> int32_t {
    if (labelList == nullptr) return call.null("labelList");
    const auto found = all_lists->find(labelList);
    if (found == nullptr || !all_lists->remove(labelList))
      return no_label(call, "labelList", labelList);
    for (const LabelPtr& label : *found) label->is_listed = false;
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclrtSwitchLabelByIndex(void* ptr, uint32_t maxValue, aclrtLabelList labelList,
                                            aclrtStream stream) {
  return acl_call("aclrtSwitchLabelByIndex", [&](const Call& call) -> int32_t {
    if (ptr == nullptr) return call.null("ptr");
    if (labelList == nullptr) return call.null("labelList");
    const auto found = all_lists->find(labelList);
    if (found == nullptr) return no_label(call, "labelList", labelList);
    if (maxValue == 0 || maxValue > found->size()) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "maxValue",
                       "is " + std::to_string(maxValue) + "; the list has " +
                           std::to_string(found->size()) + " labels");
    }
    ModelPtr model;
    int32_t id;
    if (const int32_t code = find_bound(call, stream, &model, &id)) return code;
    const MemoryUse use;
    if (const int32_t code = check_range(call, "ptr", ptr, sizeof(uint32_t), Access::kRead)) {
      return code;
    }
    const LabelList targets(found->begin(), found->begin() + maxValue);
    model->take(id, std::make_shared<const JumpStep>(ptr, targets));
    return ACL_SUCCESS;
  });
}
