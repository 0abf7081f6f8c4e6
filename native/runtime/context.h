// SPDX-License-Identifier: Apache-2.0
// Contexts: owners of streams, and what most runtime calls need one of per thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>

#include "acl/acl_base.h"
#include "base/call.h"
#include "base/registry.h"
#include "runtime/stream.h"

namespace aclhost {

class Context {
 public:
  static constexpr int kOptions = 3;  // members of aclSysParamOpt that have a context scope
  static constexpr int64_t kNotSet = INT64_MIN;

  Context(int32_t device, bool primary);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  uint64_t id() const { return id_; }  // unlike a slot, never used again
  int32_t device() const { return device_; }
  bool primary() const { return primary_; }
  aclrtStream default_stream() const { return default_stream_; }

  int32_t create_stream(const Call& call, StreamConfig config, aclrtStream* stream);
  bool destroy_stream(aclrtStream stream);  // false if it is not (or no longer) a stream of this
  // Ends all streams and waits for them; by force, they are cancelled instead.
  void close(bool force = false);

  std::atomic<int64_t> options[kOptions];

 private:
  static void end_stream(aclrtStream handle, bool force);

  const uint64_t id_;
  const int32_t device_;
  const bool primary_;
  const aclrtStream default_stream_;
  std::mutex mutex_;
  bool closed_ = false;
  std::set<aclrtStream> streams_;  // without the default stream, which clients cannot destroy
};

using ContextRegistry = Registry<Context, Kind::kContext>;
using ContextRef = ContextRegistry::Ref;

ContextRegistry& contexts();

// The calling thread's context; empty if it has none or somebody destroyed it.
ContextRef current_context();
bool has_current_context();  // the same, for who only asks

// What aclrtSetDevice does to the calling thread: any explicit context is forgotten.
void bind_primary_context(aclrtContext primary);

// The failures of calls that need a context or a stream.
int32_t no_context(const Call& call);
int32_t no_more_contexts(const Call& call);
int32_t no_stream(const Call& call, aclrtStream stream);

}  // namespace aclhost
