// SPDX-License-Identifier: Apache-2.0
// Channels of tensors. On a card the other end is a program of the device; here it is the program
// itself: a channel with a capacity gives back what it was sent, and one of acltdtCreateChannel
// named TF_RECEIVE_x what the channel x was sent.
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl_tdt.h"
#include "base/immortal.h"
#include "runtime/device.h"
#include "runtime/handle_table.h"
#include "runtime/tensor_items.h"
#include "runtime/timeout.h"

namespace aclhost {
namespace {

constexpr size_t kLongestName = 128;  // with its end
constexpr size_t kUsualCapacity = 128;
const char kReceiver[] = "TF_RECEIVE_";

using Message = std::vector<DataItem>;

// What two channels may share.
struct Pipe {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Message> messages;
  size_t capacity;
};

struct Channel {
  std::string name;
  bool has_capacity;  // else it is of the older kind, which has a direction and no timeouts
  bool is_receiver;
  bool is_stopped = false;  // guarded by the mutex of the pipe
  std::shared_ptr<Pipe> pipe;
};

struct NamedPipes {
  std::mutex mutex;
  std::map<std::pair<uint32_t, std::string>, std::weak_ptr<Pipe>> all;
};

Immortal<HandleTable<Channel, 20>> channels;
Immortal<NamedPipes> named;

std::shared_ptr<Pipe> make_pipe(size_t capacity) {
  auto made = std::make_shared<Pipe>();
  made->capacity = capacity;
  return made;
}

// The pipe that channels of that name share, as long as there is one.
std::shared_ptr<Pipe> named_pipe(uint32_t device, const std::string& name) {
  const std::lock_guard<std::mutex> lock(named->mutex);
  std::weak_ptr<Pipe>& place = named->all[{device, name}];
  std::shared_ptr<Pipe> found = place.lock();
  if (found == nullptr) place = found = make_pipe(kUsualCapacity);
  return found;
}

int32_t check_channel(const Call& call, uint32_t device, const char* name) {
  if (name == nullptr) return call.null("name");
  if (strnlen(name, kLongestName) == kLongestName) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "name", "has more than 127 bytes");
  }
  return check_device(call, static_cast<int32_t>(device));
}

std::shared_ptr<Channel> old_channel(uint32_t device, const std::string& name) {
  const bool is_receiver = name.rfind(kReceiver, 0) == 0;
  const std::string of = is_receiver ? name.substr(sizeof kReceiver - 1) : name;
  return std::make_shared<Channel>(
      Channel{name, false, is_receiver, false, named_pipe(device, of)});
}

// For a body of the form `int32_t(const Call&, Channel&)`.
template <typename Body>
int32_t with_channel(const char* name, const acltdtChannelHandle* handle, Body&& body) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (handle == nullptr) return call.null("handle");
    const auto found = channels->find(handle);
    if (found != nullptr) return body(call, *found);
    return call.fail(ACL_ERROR_INVALID_PARAM, "handle",
                     hex(handle) +
                         " is not a channel of acltdtCreateChannel or "
                         "acltdtCreateChannelWithCapacity; it may be destroyed");
  });
}

int32_t check_direction(const Call& call, const Channel& channel, bool receives, int32_t timeout) {
  if (channel.has_capacity) return ACL_SUCCESS;
  if (timeout != -1) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "timeout",
                     "must be -1 for a channel of acltdtCreateChannel");
  }
  if (channel.is_receiver || !receives) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_INVALID_PARAM, "handle",
                   "is channel " + channel.name +
                       ", which sends; receivers have names that "
                       "begin with TF_RECEIVE_");
}

int32_t stopped(const Call& call) {
  return call.fail(ACL_ERROR_FAILURE, "handle", "was stopped by acltdtStopChannel");
}

int32_t send(const Call& call, Channel& channel, Message message, int32_t timeout) {
  Pipe& pipe = *channel.pipe;
  std::unique_lock<std::mutex> lock(pipe.mutex);
  const auto is_over = [&] { return channel.is_stopped || pipe.messages.size() < pipe.capacity; };
  if (!wait_under(pipe.changed, lock, timeout, is_over)) {
    return call.fail(ACL_ERROR_RT_QUEUE_FULL, "handle",
                     "channel " + channel.name + " is full after " + std::to_string(timeout) +
                         " ms; somebody has to receive");
  }
  if (channel.is_stopped) return stopped(call);
  pipe.messages.push_back(std::move(message));
  pipe.changed.notify_all();
  return ACL_SUCCESS;
}

int32_t receive(const Call& call, Channel& channel, Message* message, int32_t timeout) {
  Pipe& pipe = *channel.pipe;
  std::unique_lock<std::mutex> lock(pipe.mutex);
  const auto is_over = [&] { return channel.is_stopped || !pipe.messages.empty(); };
  if (!wait_under(pipe.changed, lock, timeout, is_over)) {
    return call.fail(ACL_ERROR_RT_QUEUE_EMPTY, "handle",
                     "channel " + channel.name + " is empty after " + std::to_string(timeout) +
                         " ms; somebody has to send");
  }
  if (channel.is_stopped) return stopped(call);
  *message = std::move(pipe.messages.front());
  pipe.messages.pop_front();
  pipe.changed.notify_all();
  return ACL_SUCCESS;
}

// Ends waits; only what receives from a card can be stopped.
void stop(Channel& channel) {
  const std::lock_guard<std::mutex> lock(channel.pipe->mutex);
  channel.is_stopped = true;
  channel.pipe->changed.notify_all();
}

int32_t not_for_old(const Call& call) {
  return call.fail(ACL_ERROR_FEATURE_UNSUPPORTED, "handle",
                   "is a channel without a capacity; use acltdtCreateChannelWithCapacity");
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" acltdtChannelHandle* acltdtCreateChannel(uint32_t deviceId, const char* name) {
  void* handle = nullptr;
  static_cast<void>(acl_call("acltdtCreateChannel", [&](const Call& call) -> int32_t {
    if (const int32_t code = check_channel(call, deviceId, name)) return code;
    handle = channels->add(old_channel(deviceId, name));
    return ACL_SUCCESS;
  }));
  return static_cast<acltdtChannelHandle*>(handle);
}

extern "C" acltdtChannelHandle* acltdtCreateChannelWithCapacity(uint32_t deviceId, const char* name,
                                                                size_t capacity) {
  void* handle = nullptr;
  static_cast<void>(acl_call("acltdtCreateChannelWithCapacity", [&](const Call& call) -> int32_t {
    if (const int32_t code = check_channel(call, deviceId, name)) return code;
    if (capacity == 0) return call.fail(ACL_ERROR_RT_PARAM_INVALID, "capacity", "is 0");
    handle = channels->add(
        std::make_shared<Channel>(Channel{name, true, true, false, make_pipe(capacity)}));
    return ACL_SUCCESS;
  }));
  return static_cast<acltdtChannelHandle*>(handle);
}

// A channel with a capacity goes on, as upstream's.
extern "C" aclError acltdtStopChannel(acltdtChannelHandle* handle) {
  return with_channel("acltdtStopChannel", handle, [](const Call&, Channel& channel) {
    if (!channel.has_capacity && channel.is_receiver) stop(channel);
    return ACL_SUCCESS;
  });
}

extern "C" aclError acltdtDestroyChannel(acltdtChannelHandle* handle) {
  return with_channel("acltdtDestroyChannel", handle, [&](const Call&, Channel& channel) {
    channels->remove(handle);
    stop(channel);
    return ACL_SUCCESS;
  });
}

extern "C" aclError acltdtCleanChannel(acltdtChannelHandle* handle) {
  return with_channel("acltdtCleanChannel", handle, [](const Call& call, Channel& channel) {
    if (!channel.has_capacity) return not_for_old(call);
    const std::lock_guard<std::mutex> lock(channel.pipe->mutex);
    channel.pipe->messages.clear();
    channel.pipe->changed.notify_all();
    return ACL_SUCCESS;
  });
}

extern "C" aclError acltdtQueryChannelSize(const acltdtChannelHandle* handle, size_t* size) {
  return with_channel("acltdtQueryChannelSize", handle, [&](const Call& call, Channel& channel) {
    if (size == nullptr) return call.null("size");
    if (!channel.has_capacity) return not_for_old(call);
    const std::lock_guard<std::mutex> lock(channel.pipe->mutex);
    *size = channel.pipe->messages.size();
    return ACL_SUCCESS;
  });
}

extern "C" aclError acltdtSendTensor(const acltdtChannelHandle* handle,
                                     const acltdtDataset* dataset, int32_t timeout) {
  return with_channel("acltdtSendTensor", handle,
                      [&](const Call& call, Channel& channel) -> int32_t {
                        const auto found = find_dataset(call, dataset);
                        if (found == nullptr) return ACL_ERROR_INVALID_PARAM;
                        if (const int32_t code = check_direction(call, channel, false, timeout))
                          return code;
                        Message message;
                        if (const int32_t code = copy_items(call, *found, &message)) return code;
                        return send(call, channel, std::move(message), timeout);
                      });
}

extern "C" aclError acltdtReceiveTensor(const acltdtChannelHandle* handle, acltdtDataset* dataset,
                                        int32_t timeout) {
  return with_channel("acltdtReceiveTensor", handle,
                      [&](const Call& call, Channel& channel) -> int32_t {
                        const auto found = find_dataset(call, dataset);
                        if (found == nullptr) return ACL_ERROR_INVALID_PARAM;
                        if (const int32_t code = check_direction(call, channel, true, timeout))
                          return code;
                        if (const int32_t code = check_receiver(call, *found)) return code;
                        Message message;
                        if (const int32_t code = receive(call, channel, &message, timeout))
                          return code;
                        fill_received(*found, message);
                        return ACL_SUCCESS;
                      });
}
