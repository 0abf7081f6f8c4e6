// SPDX-License-Identifier: Apache-2.0
// One file without a name holds the words of a process. Others reach it through /proc as long as
// the process lives, so that nothing is left behind.
#include "runtime/shared_word.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cinttypes>
#include <climits>
#include <cstdio>
#include <mutex>
#include <new>
#include <vector>

#include "base/immortal.h"

namespace aclhost {
namespace {

constexpr uint32_t kWords = 1 << 16;
constexpr uint32_t kFirst = 2;  // the first two are a number that tells the file from others
constexpr size_t kBytes = kWords * sizeof(uint32_t);

}  // namespace

struct SharedWord::Pages {
  Pages(int opened, uint32_t* mapped) : file(opened), words(mapped) {}
  ~Pages() {
    munmap(words, kBytes);
    close(file);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  uint64_t nonce() const { return uint64_t{words[1]} << 32 | words[0]; }

  static std::shared_ptr<Pages> map(int file) {
    if (file < 0) return nullptr;
    void* mapped = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) {
      return std::make_shared<Pages>(file, static_cast<uint32_t*>(mapped));
    }
    close(file);
    return nullptr;
  }

  const int file;
  uint32_t* const words;
};

namespace {

struct Own {
  std::mutex mutex;
  std::vector<uint32_t> free;
  uint32_t used = kFirst;
};

Immortal<Own> own;

}  // namespace

std::shared_ptr<SharedWord> SharedWord::make() {
  const std::lock_guard<std::mutex> lock(own->mutex);
  static std::shared_ptr<Pages>& pages = *new std::shared_ptr<Pages>;
  if (pages == nullptr) {
    const int file = static_cast<int>(syscall(SYS_memfd_create, "aclhost notifies", 1U));
    if (file >= 0 && ftruncate(file, kBytes) != 0) {
      close(file);
      return nullptr;
    }
    pages = Pages::map(file);
    if (pages == nullptr) return nullptr;
    if (getrandom(pages->words, sizeof(uint64_t), 0) != sizeof(uint64_t)) pages->words[0] = 1;
  }
  uint32_t index = own->used;
  if (!own->free.empty()) {
    index = own->free.back();
    own->free.pop_back();
  } else if (own->used < kWords) {
    ++own->used;
  } else {
    return nullptr;
  }
  pages->words[index] = 0;
  return std::shared_ptr<SharedWord>(new SharedWord(pages, index, true));
}

std::shared_ptr<SharedWord> SharedWord::find(const std::string& key) {
  int process = 0, file = 0;
  uint32_t index = 0;
  uint64_t nonce = 0;
  if (std::sscanf(key.c_str(), "aclhost-notify-%d-%d-%u-%" SCNx64, &process, &file, &index,
                  &nonce) != 4) {
    return nullptr;
  }
  if (index < kFirst || index >= kWords) return nullptr;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", process, file);
  const std::shared_ptr<Pages> pages = Pages::map(open(path, O_RDWR | O_CLOEXEC));
  if (pages == nullptr || pages->nonce() != nonce) return nullptr;
  return std::shared_ptr<SharedWord>(new SharedWord(pages, index, false));
}

SharedWord::SharedWord(std::shared_ptr<Pages> pages, uint32_t index, bool is_own)
    : pages_(std::move(pages)), index_(index), is_own_(is_own) {}

SharedWord::~SharedWord() {
  if (!is_own_) return;
  const std::lock_guard<std::mutex> lock(own->mutex);
  try {
    own->free.push_back(index_);
  } catch (const std::bad_alloc&) {
    // Then this word is not used again.
  }
}

std::string SharedWord::key() const {
  char text[80];
  std::snprintf(text, sizeof text, "aclhost-notify-%d-%d-%u-%016" PRIx64, getpid(), pages_->file,
                index_, pages_->nonce());
  return text;
}

uint32_t SharedWord::load() const {
  return __atomic_load_n(&pages_->words[index_], __ATOMIC_ACQUIRE);
}

void SharedWord::store(uint32_t value) {
  __atomic_store_n(&pages_->words[index_], value, __ATOMIC_RELEASE);
  wake();
}

bool SharedWord::exchange(uint32_t* expected, uint32_t value) {
  return __atomic_compare_exchange_n(&pages_->words[index_], expected, value, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void SharedWord::wake() {
  syscall(SYS_futex, &pages_->words[index_], FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void SharedWord::wait_while(uint32_t value, int64_t milliseconds) const {
  constexpr int64_t kLongest = 3600 * 1000;
  if (milliseconds < 0 || milliseconds > kLongest) milliseconds = kLongest;
  const timespec limit{static_cast<time_t>(milliseconds / 1000), milliseconds % 1000 * 1000000};
  syscall(SYS_futex, &pages_->words[index_], FUTEX_WAIT, value, &limit, nullptr, 0);
}

}  // namespace aclhost
