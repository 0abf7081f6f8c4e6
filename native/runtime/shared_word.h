// SPDX-License-Identifier: Apache-2.0
// Words that streams of several processes wait for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace aclhost {

// A word of memory that can be shared. Waiting for it takes no time of a processor.
class SharedWord {
 public:
  static std::shared_ptr<SharedWord> make();
  // What key() of another process, or of this one, names; null if there is nothing.
  static std::shared_ptr<SharedWord> find(const std::string& key);
  ~SharedWord();
  SharedWord(const SharedWord&) = delete;
  SharedWord& operator=(const SharedWord&) = delete;

  std::string key() const;
  uint32_t load() const;
  void store(uint32_t value);
  // Replaces the value by what `change` makes of it, and wakes who waits.
  template <typename Change>
  void update(const Change& change) {
    uint32_t seen = load();
    while (!exchange(&seen, change(seen))) {
    }
    wake();
  }
  bool exchange(uint32_t* expected, uint32_t value);
  // Until the value is another one, or something less than so many milliseconds (-1: any) passed.
  void wait_while(uint32_t value, int64_t milliseconds) const;

 private:
  struct Pages;
  SharedWord(std::shared_ptr<Pages> pages, uint32_t index, bool is_own);
  void wake();

  const std::shared_ptr<Pages> pages_;
  const uint32_t index_;
  const bool is_own_;
};

using SharedWordPtr = std::shared_ptr<SharedWord>;

}  // namespace aclhost
