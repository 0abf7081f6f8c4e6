// SPDX-License-Identifier: Apache-2.0
// A random program of streams, events and waits for a seed: what it does goes to the runtime, and
// into a graph that knows all orders. Prints whether the graph has two accesses in conflict, which
// strict mode must find, or none, and then it must find nothing.
#include <bitset>
#include <random>
#include <set>

#include "corpus.h"

namespace {

constexpr int kStreams = 3;
constexpr int kEvents = 4;
constexpr int kBuffers = 3;
constexpr int kFloats = 8;  // of a buffer
constexpr int kMostNodes = 512;
using Nodes = std::bitset<kMostNodes>;

struct Access {
  int node, buffer, begin, end;
  bool writes;
};

// What comes before what, once the program is over.
struct Graph {
  std::vector<Nodes> before;
  std::vector<Access> accesses;

  int add(std::initializer_list<int> earlier) {
    before.emplace_back();
    const int node = static_cast<int>(before.size()) - 1;
    for (const int other : earlier) order(other, node);
    return node;
  }
  void order(int earlier, int later) {
    if (earlier >= 0) before[later].set(earlier);
  }

  void close() {
    for (size_t middle = 0; middle < before.size(); ++middle) {
      for (Nodes& nodes : before) {
        if (nodes[middle]) nodes |= before[middle];
      }
    }
  }

  bool has_conflict() const {
    for (const Access& a : accesses) {
      for (const Access& b : accesses) {
        if (a.node >= b.node || !(a.writes || b.writes) || a.buffer != b.buffer) continue;
        if (a.begin >= b.end || b.begin >= a.end) continue;
        if (!before[a.node][b.node] && !before[b.node][a.node]) return true;
      }
    }
    return false;
  }
};

struct EventState {
  aclrtEvent handle = new_sync_event();
  bool recorded = false;
  int record = -1;         // the node of the last record
  int recorder = -1;       // its stream
  std::vector<int> waits;  // nodes that wait for the first record
  std::set<int> waiting;   // their streams
};

class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {
    for (void*& buffer : buffers_) buffer = device_floats(std::vector<float>(kFloats, 1));
  }

  bool run() {
    const int steps = 4 + below(24);
    for (int i = 0; i < steps; ++i) step();
    release_all();
    OK(aclrtSynchronizeDevice());
    for (void* buffer : buffers_) OK(aclrtFree(buffer));
    for (EventState& event : events_) OK(aclrtDestroyEvent(event.handle));
    graph_.close();
    return graph_.has_conflict();
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  // Streams that may be behind an event which nobody has recorded.
  std::set<int> blocked() const {
    std::set<int> all;
    for (size_t round = 0; round < kEvents; ++round) {
      for (const EventState& event : events_) {
        const bool open = !event.recorded || all.count(event.recorder) != 0;
        if (open) all.insert(event.waiting.begin(), event.waiting.end());
      }
    }
    return all;
  }

  int in_stream(int stream) { return tail_[stream] = graph_.add({tail_[stream], host_}); }

  void step() {
    switch (below(9)) {
      case 0:
      case 1:
      case 2:
        return compute(below(kStreams));
      case 3:
        return record(below(kEvents), below(kStreams));
      case 4:
      case 5:
        return wait(below(kEvents), below(kStreams));
      case 6:
        return synchronize_stream(below(kStreams));
      case 7:
        return synchronize_event(below(kEvents));
      default:
        return copy_now();
    }
  }

  void compute(int stream) {
    const int count = 1 + below(kFloats / 2);
    const int from = below(kBuffers), to = (from + 1 + below(kBuffers - 1)) % kBuffers;
    const int read = below(kFloats - count + 1), write = below(kFloats - count + 1);
    elu(count, at(buffers_[from], read), at(buffers_[to], write), streams_[stream]);
    const int node = in_stream(stream);
    graph_.accesses.push_back({node, from, read, read + count, false});
    graph_.accesses.push_back({node, to, write, write + count, true});
  }

  // A second record is another mark; waits that came before belong to the first.
  void record(int index, int stream) {
    EventState& event = events_[index];
    if (event.recorded && blocked().count(event.recorder) != 0) return;
    if (!event.recorded && event.waiting.count(stream) != 0) return;  // would wait for itself
    if (!event.recorded && blocked().count(stream) != 0) return;
    OK(aclrtRecordEvent(event.handle, streams_[stream]));
    event.record = in_stream(stream);
    event.recorder = stream;
    for (const int node : event.waits) graph_.order(event.record, node);
    event.waits.clear();
    event.waiting.clear();
    event.recorded = true;
  }

  void wait(int index, int stream) {
    EventState& event = events_[index];
    OK(aclrtStreamWaitEvent(streams_[stream], event.handle));
    const int node = in_stream(stream);
    if (event.recorded) {
      graph_.order(event.record, node);
    } else {
      event.waits.push_back(node);
    }
    if (!event.recorded || blocked().count(event.recorder) != 0) event.waiting.insert(stream);
  }

  void synchronize_stream(int stream) {
    if (blocked().count(stream) != 0) return;
    OK(aclrtSynchronizeStream(streams_[stream]));
    host_ = graph_.add({host_, tail_[stream]});
  }

  void synchronize_event(int index) {
    const EventState& event = events_[index];
    if (!event.recorded || blocked().count(event.recorder) != 0) return;
    OK(aclrtSynchronizeEvent(event.handle));
    host_ = graph_.add({host_, event.record});
  }

  void copy_now() {
    const int buffer = below(kBuffers), begin = below(kFloats);
    const bool writes = below(2) == 0;
    float value = 1;
    void* memory = at(buffers_[buffer], begin);
    if (writes) OK(aclrtMemcpy(memory, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    if (!writes) OK(aclrtMemcpy(&value, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    host_ = graph_.add({host_});
    graph_.accesses.push_back({host_, buffer, begin, begin + 1, writes});
  }

  // By the default stream, which waits for nobody.
  void release_all() {
    for (EventState& event : events_) {
      if (event.recorded) continue;
      OK(aclrtRecordEvent(event.handle, nullptr));
      const int node = graph_.add({host_});
      for (const int waiting : event.waits) graph_.order(node, waiting);
    }
  }

  std::mt19937 random_;
  const aclrtStream streams_[kStreams] = {first, second, third};
  void* buffers_[kBuffers] = {};
  EventState events_[kEvents];
  int tail_[kStreams] = {-1, -1, -1};  // the last node of each stream
  int host_ = -1;
  Graph graph_;
};

unsigned seed_of_program = 0;

void random_program() { std::puts(RandomProgram(seed_of_program).run() ? "conflict" : "none"); }
const Registration registration("random", random_program);

}  // namespace

int main(int, char** arguments) {
  seed_of_program = static_cast<unsigned>(std::stoul(arguments[2]));
  static char status[] = "0";
  static char name[] = "random";
  char* with_status[] = {arguments[0], name, status, nullptr};
  return run_program(with_status);
}
