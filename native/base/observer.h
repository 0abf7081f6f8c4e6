// SPDX-License-Identifier: Apache-2.0
// What strict mode and the trace see of a process. An ordinary process has no observer, and pays
// one comparison where one could be told something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace aclhost {

// Memory that a piece of work touches: a strided view, in items of some bytes.
struct Region {
  const char* name;   // of the parameter
  const char* start;  // of the first item
  size_t item;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in items
  bool reads;
  bool writes;
};

struct Work {
  const char* call;  // operator or function
  std::vector<Region> regions;
  std::string detail;  // for people: shapes and dtypes, or bytes
};

// Streams are named by their ids, records of events by their addresses.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void created(const void*, const char* /*kind*/) {}
  virtual void destroyed(const void*) {}
  virtual void misused(const char* /*call*/, const char* /*parameter*/, const void*) {}

  virtual void allocated(const void*, size_t, bool /*device*/) {}
  virtual void freed(const char* /*call*/, const void*, bool /*found*/) {}

  // Called by the thread that asks for the work. In a stream, or at once by that thread.
  virtual void submitted(const Work&, int32_t /*stream*/) {}
  virtual void done_here(const Work&) {}
  // Called by the thread that does the work, before and after.
  virtual void began(const char* /*call*/, const std::string& /*detail*/, int32_t /*stream*/) {}
  virtual void ended(const char* /*call*/, int32_t /*stream*/) {}

  virtual void recorded(const void* /*mark*/, int32_t /*stream*/) {}
  virtual void reached(const void* /*mark*/, int32_t /*stream*/) {}
  virtual void awaits(const void* /*mark*/, int32_t /*stream*/) {}
  virtual void passed(const void* /*mark*/, int32_t /*stream*/) {}
  // The program now knows that everything in the stream, or before the record, is done.
  virtual void joined_stream(int32_t) {}
  virtual void joined_mark(const void*) {}

  virtual void finalized() {}
};

using Observers = std::vector<Observer*>;

const Observers& observers();  // chosen by the environment when first asked

inline bool observed() { return !observers().empty(); }

template <typename Tell>
void observe(Tell&& tell) {
  for (Observer* observer : observers()) tell(*observer);
}

// Of a flat range of bytes.
Region bytes_region(const char* name, const void* start, size_t size, bool reads, bool writes);

}  // namespace aclhost
