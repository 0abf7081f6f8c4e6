// SPDX-License-Identifier: Apache-2.0
// Queues of shared buffers within the process. They are rare and routes tie them together, so that
// one lock guards them all.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/shared_buffer.h"

namespace aclhost {

struct QueueAttributes {
  static constexpr size_t kLongestName = 128;  // with its end

  char name[kLongestName] = "";
  uint32_t depth = 8;
};

struct DataQueue {
  int32_t device;
  std::string name;
  size_t depth;
  std::deque<BufferPtr> buffers;

  bool is_full() const { return buffers.size() >= depth; }
};

struct DataRoute {
  uint32_t source;
  uint32_t target;
};

struct DataQueues {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<uint32_t, DataQueue> all;
  std::vector<DataRoute> routes;
  uint32_t next = 0;

  // The queue of that number on the device; null if there is none. The caller holds the mutex.
  DataQueue* find(uint32_t number, int32_t device);
  // Moves what routes carry on, as far as there is room, and wakes who waits. The caller holds the
  // mutex, and that of the buffers.
  void settle();
};

DataQueues& data_queues();

// Null if it is no description of acltdtCreateQueueAttr.
std::shared_ptr<QueueAttributes> find_queue_attributes(const void* handle);

}  // namespace aclhost
