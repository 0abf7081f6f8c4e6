// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream.h"

#include <atomic>

#include "base/observer.h"
#include "base/threads.h"
#include "runtime/callback.h"
#include "runtime/context.h"

namespace aclhost {
namespace {

__constinit StreamRegistry all_streams;

int32_t next_id() {
  static std::atomic<int32_t> next{0};
  return next++;
}

}  // namespace

Stream::Stream(int32_t device, uint64_t context_id, StreamConfig config)
    : device_(device),
      context_id_(context_id),
      id_(next_id()),
      config_(config),
      queue_(TaskQueue::make()) {}

Stream::~Stream() {
  const NoCancellation whole;
  queue_->close();
  end_subscription(id_);
  observe([this](Observer& o) { o.stream_ended(id_); });
}

StreamRegistry& streams() { return all_streams; }

StreamRef find_stream(aclrtStream stream) {
  if (stream != nullptr) return streams().find(stream);
  const ContextRef context = current_context();
  return context ? streams().find(context->default_stream()) : StreamRef();
}

int32_t stream_not_found(const Call& call, aclrtStream stream) {
  return stream == nullptr ? no_context(call) : no_stream(call, stream);
}

}  // namespace aclhost
