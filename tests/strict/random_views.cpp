// SPDX-License-Identifier: Apache-2.0
// Random views of a few small allocations for a seed, each checked element by element as well.
// Prints the findings that this slow way expects, one line each.
#include <algorithm>
#include <random>
#include <set>

#include "corpus.h"

namespace {

constexpr int kFloats = 12;  // of an allocation

struct Buffer {
  void* memory = nullptr;
  std::set<int> written;
};

// Where the elements of a view are, counted in floats from the start of its buffer.
struct RandomView {
  Buffer* buffer;
  View view;
  std::vector<int> elements;

  bool is(const RandomView& other) const {
    return view.memory == other.view.memory && view.strides == other.view.strides &&
           view.shape == other.view.shape && view.offset == other.view.offset;
  }
};

class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {
    for (Buffer& buffer : buffers_) {
      buffer.memory = raw(kFloats * sizeof(float));
      const int begin = below(3) == 0 ? below(kFloats) : 0;
      fill(buffer, begin, kFloats - begin);
    }
  }

  void run() {
    for (int i = 0; i < 2; ++i) compute();
    for (const Buffer& buffer : buffers_) OK(aclrtFree(buffer.memory));
    for (const std::string& title : expected_) std::puts(title.c_str());
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  void fill(Buffer& buffer, int begin, int count) {
    const size_t bytes = static_cast<size_t>(count) * sizeof(float);
    OK(aclrtMemset(at(buffer.memory, begin), bytes, 0, bytes));
    for (int i = 0; i < count; ++i) buffer.written.insert(begin + i);
  }

  RandomView random_view(const std::vector<int64_t>& shape) {
    RandomView chosen{&buffers_[below(2)], {nullptr, shape, {}, 0}, {0}};
    int64_t lowest = 0;
    for (const int64_t size : shape) {
      const int64_t stride = below(8) == 0 ? 0 : below(6) == 0 ? -1 - below(3) : 1 + below(4);
      chosen.view.strides.push_back(stride);
      lowest += std::min<int64_t>(0, (size - 1) * stride);
      std::vector<int> all;
      for (const int start : chosen.elements) {
        for (int64_t k = 0; k < size; ++k) all.push_back(start + static_cast<int>(k * stride));
      }
      chosen.elements = all;
    }
    // The view starts at its storage, which may leave the allocation on either side.
    const int base = below(10) == 0 ? -below(3) : below(4);
    chosen.view.offset = -lowest;
    chosen.view.memory = at(chosen.buffer->memory, base);
    for (int& element : chosen.elements) element += base - static_cast<int>(lowest);
    return chosen;
  }

  static bool leaves(const RandomView& view) {
    return std::any_of(view.elements.begin(), view.elements.end(),
                       [](int element) { return element < 0 || element >= kFloats; });
  }

  void expect(const RandomView& input, const RandomView& output) {
    const std::set<int> in(input.elements.begin(), input.elements.end());
    const std::set<int> out(output.elements.begin(), output.elements.end());
    if (leaves(input) || leaves(output)) expected_.insert("out of bounds");
    if (out.size() < output.elements.size()) expected_.insert("overlapping tensors");
    for (const int element : in) {
      const bool inside = element >= 0 && element < kFloats;
      if (inside && input.buffer->written.count(element) == 0) {
        expected_.insert("uninitialised read");
      }
      const bool shared = input.buffer == output.buffer && out.count(element) != 0;
      if (shared && !input.is(output)) expected_.insert("overlapping tensors");
    }
    input.buffer->written.insert(in.begin(), in.end());  // reported once
    output.buffer->written.insert(out.begin(), out.end());
  }

  void compute() {
    const std::vector<int64_t> shape = below(2) == 0
                                           ? std::vector<int64_t>{1 + below(4)}
                                           : std::vector<int64_t>{1 + below(3), 1 + below(3)};
    const RandomView input = random_view(shape), output = random_view(shape);
    elu(input.view, output.view, first);
    aclrtSynchronizeStream(first);  // fails where memory is missing altogether
    expect(input, output);
  }

  std::mt19937 random_;
  Buffer buffers_[2];
  std::set<std::string> expected_;
};

unsigned seed_of_program = 0;

void random_program() { RandomProgram(seed_of_program).run(); }
const Registration registration("random", random_program);

}  // namespace

int main(int, char** arguments) {
  seed_of_program = static_cast<unsigned>(std::stoul(arguments[2]));
  static char status[] = "0";
  static char name[] = "random";
  char* with_status[] = {arguments[0], name, status, nullptr};
  return run_program(with_status);
}
