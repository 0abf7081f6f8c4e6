// SPDX-License-Identifier: Apache-2.0
// What strict mode and the trace see of a process. An ordinary process has no observer, and pays
// one comparison where one could be told something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace aclhost {

// Where the program says that memory is.
enum class Side { kNotSaid, kHost, kDevice };

// Memory that a piece of work touches: a strided view, in items of some bytes.
struct Region {
  const char* name;   // of the parameter
  const char* start;  // of the first item
  size_t item;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in items
  bool reads;
  bool writes;
  Side side = Side::kNotSaid;
  bool is_partly = false;  // written as far as the data say; how far is told afterwards
};

struct Work {
  const char* call;  // operator or function
  std::vector<Region> regions;
  std::string detail;  // for people: shapes and dtypes, or bytes
};

constexpr int32_t kNoDevice = -1;  // the device of pinned host memory

// Streams and records of events (marks) are named by their ids, which never come back.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void created(const void*, const char* /*kind*/) {}
  virtual void destroyed(const void*) {}
  virtual void misused(const char* /*call*/, const char* /*parameter*/, const void*) {}
  virtual void ran(const void* /*executor*/) {}  // of one that stays

  virtual void allocated(const void*, size_t, int32_t /*device*/) {}
  virtual void freed(const char* /*call*/, const void*, bool /*found*/) {}
  // Behind what the stream has to do by now; the memory was found.
  virtual void freed_in_stream(const char* /*call*/, const void*, int32_t /*stream*/) {}
  virtual void peer_access(int32_t /*device*/, int32_t /*peer*/, bool /*on*/) {}

  // Called by the thread that asks for the work. In a stream, or at once by that thread.
  virtual void submitted(const Work&, int32_t /*stream*/, int32_t /*device*/) {}
  virtual void done_here(const Work&) {}
  // Called by the thread that does the work, before and after.
  virtual void began(const char* /*call*/, const std::string& /*detail*/, int32_t /*stream*/) {}
  virtual void ended(const char* /*call*/, int32_t /*stream*/) {}

  virtual void recorded(uint64_t /*mark*/, int32_t /*stream*/) {}
  virtual void reached(uint64_t /*mark*/, int32_t /*stream*/) {}
  virtual void awaits(uint64_t /*mark*/, int32_t /*stream*/) {}
  virtual void passed(uint64_t /*mark*/, int32_t /*stream*/) {}
  virtual void mark_ended(uint64_t /*mark*/) {}  // nobody can refer to it any more
  // The program now knows that everything in the stream, or before the record, is done.
  virtual void joined_stream(int32_t) {}
  virtual void joined_mark(uint64_t /*mark*/) {}
  virtual void stream_ended(int32_t) {}

  virtual void finalized() {}
};

using Observers = std::vector<Observer*>;

const Observers& observers();  // chosen by the environment with the first call

// For observers: called with the exit status after all that programs register for their end.
void when_process_ends(void (*action)(int status));

inline bool observed() { return !observers().empty(); }

template <typename Tell>
void observe(Tell&& tell) {
  for (Observer* observer : observers()) tell(*observer);
}

// The same work with the memory that it may use meanwhile.
Work with_workspace(Work work, const void* workspace, size_t size);

// Of a flat range of bytes.
Region bytes_region(const char* name, const void* start, size_t size, bool reads, bool writes);

}  // namespace aclhost
