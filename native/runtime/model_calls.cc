// SPDX-License-Identifier: Apache-2.0
// The C functions that build models from bound streams.
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/model.h"
#include "runtime/stream.h"

namespace aclhost {
namespace {

// Of acl/acl_mdl.h: ACL_MODEL_STREAM_FLAG_HEAD and ACL_MODEL_STREAM_FLAG_DEFAULT.
constexpr uint32_t kHead = 0;
constexpr uint32_t kLater = 0x7FFFFFFF;

// Looks the model up for a body of the form `int32_t(const Call&, const ModelPtr&)`.
template <typename Body>
int32_t with_model(const char* name, aclmdlRI handle, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (handle == nullptr) return call.null("modelRI");
    const GraphPtr graph = graphs().find(handle);
    if (graph == nullptr) return no_graph(call, handle);
    const ModelPtr model = std::dynamic_pointer_cast<Model>(graph);
    if (model == nullptr) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "modelRI",
                       "was captured; pass a model of aclmdlRIBuildBegin");
    }
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    if (context->id() != model->context_id()) {
      return call.fail(ACL_ERROR_RT_MODEL_CONTEXT, "modelRI",
                       "belongs to another context than the thread's current one");
    }
    return body(call, model);
  });
}

// The same with a stream of the current context: `int32_t(const Call&, const ModelPtr&, Stream&)`.
template <typename Body>
int32_t with_model_and_stream(const char* name, aclmdlRI handle, aclrtStream stream, Body&& body) {
  return with_model(name, handle, [&](const Call& call, const ModelPtr& model) -> int32_t {
    if (stream == nullptr) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "stream",
                       "is a null pointer; the default stream cannot be bound to a model");
    }
    const StreamRef found = streams().find(stream);
    if (!found) return no_stream(call, stream);
    if (found->context_id() != model->context_id()) {
      return call.fail(ACL_ERROR_RT_STREAM_CONTEXT, "stream", "belongs to another context");
    }
    if (const int32_t code = refuse_captured(call, *found)) return code;
    return body(call, model, *found);
  });
}

int32_t check_stream(const Call& call, Stream& stream) {
  const uint32_t flags = stream.config().flags;
  if ((flags & ACL_STREAM_PERSISTENT) == 0) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "stream",
                     "is not persistent; create it by aclrtCreateStreamWithConfig with "
                     "ACL_STREAM_PERSISTENT");
  }
  if (const int32_t code = refuse_bound(call, stream)) return code;
  if ((flags & ACL_STREAM_FAST_LAUNCH) == 0 && !stream.stops_on_failure()) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "stream",
                   "has ACL_STREAM_FAST_LAUNCH or stops on failure; such a stream cannot be bound");
}

int32_t bind(const Call& call, const ModelPtr& model, Stream& stream, aclrtStream handle,
             uint32_t flag) {
  if (flag != kHead && flag != kLater) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flag",
                     "is " + std::to_string(flag) +
                         "; pass ACL_MODEL_STREAM_FLAG_HEAD (0) or ACL_MODEL_STREAM_FLAG_DEFAULT "
                         "(0x7FFFFFFF)");
  }
  if (model->state == Graph::State::kReady) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "modelRI",
                     "is complete; bind streams before aclmdlRIBuildEnd");
  }
  if (const int32_t code = check_stream(call, stream)) return code;
  model->bind(stream, handle, flag == kHead);
  return ACL_SUCCESS;
}

int32_t not_of_model(const Call& call, int32_t code) {
  return call.fail(code, "stream", "is not bound to this model; call aclmdlRIBindStream first");
}

int32_t end_build(const Call& call, Model& model) {
  if (model.state == Graph::State::kReady) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "modelRI", "is complete already");
  }
  if (!model.has_head()) {
    return call.fail(ACL_ERROR_RT_STREAM_MODEL, "modelRI",
                     "has no stream to begin with; bind one with ACL_MODEL_STREAM_FLAG_HEAD");
  }
  model.state = Graph::State::kReady;
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclmdlRIBuildBegin(aclmdlRI* modelRI, uint32_t flag) {
  return acl_call("aclmdlRIBuildBegin", [&](const Call& call) -> int32_t {
    if (modelRI == nullptr) return call.null("modelRI");
    if (flag != 0) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flag",
                       "is " + std::to_string(flag) + "; it must be 0");
    }
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    const auto model = std::make_shared<Model>(context->device(), context->id());
    model->is_built = true;
    *modelRI = graphs().add(model);
    return ACL_SUCCESS;
  });
}

extern "C" aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag) {
  return with_model_and_stream("aclmdlRIBindStream", modelRI, stream,
                               [&](const Call& call, const ModelPtr& model, Stream& found) {
                                 return bind(call, model, found, stream, flag);
                               });
}

extern "C" aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream) {
  return with_model_and_stream(
      "aclmdlRIEndTask", modelRI, stream,
      [](const Call& call, const ModelPtr& model, Stream& found) -> int32_t {
        if (model_of(found) != model) return not_of_model(call, ACL_ERROR_RT_INTERNAL_ERROR);
        if (model->take_end(found.id())) return ACL_SUCCESS;
        return call.fail(ACL_ERROR_RT_INTERNAL_ERROR, "modelRI",
                         "has a task that ends it already; a model has one");
      });
}

extern "C" aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void* reserve) {
  return with_model(
      "aclmdlRIBuildEnd", modelRI, [&](const Call& call, const ModelPtr& model) -> int32_t {
        if (reserve == nullptr) return end_build(call, *model);
        return call.fail(ACL_ERROR_INVALID_PARAM, "reserve", "must be a null pointer");
      });
}

extern "C" aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream) {
  return with_model_and_stream(
      "aclmdlRIUnbindStream", modelRI, stream,
      [](const Call& call, const ModelPtr& model, Stream& found) -> int32_t {
        if (model_of(found) != model) return not_of_model(call, ACL_ERROR_RT_STREAM_MODEL);
        model->unbind(found.id());
        return ACL_SUCCESS;
      });
}

extern "C" aclError aclmdlRIAbort(aclmdlRI modelRI) {
  return with_model("aclmdlRIAbort", modelRI, [](const Call&, const ModelPtr& model) {
    model->abort();
    return ACL_SUCCESS;
  });
}
