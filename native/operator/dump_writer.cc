// SPDX-License-Identifier: Apache-2.0
#include "operator/dump_writer.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

namespace aclhost {
namespace {

constexpr size_t kPiece = 1 << 20;  // bytes that are gathered, and the most that a function gets

std::atomic<acldumpMessageCallback> dump_function{nullptr};
std::atomic<int> inside{0};  // threads that call it, or look whether they may
thread_local bool is_inside = false;

class Inside {
 public:
  Inside() : was_inside_(std::exchange(is_inside, true)) { ++inside; }
  ~Inside() {
    is_inside = was_inside_;
    --inside;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  const bool was_inside_;  // the function may launch what is dumped, too
};

// A launch goes on whatever the program's function does.
bool takes(acldumpMessageCallback function, const acldumpChunk* chunk, int32_t length) {
  const Inside now;
  if (dump_function.load() != function) return false;  // taken away meanwhile
  try {
    return function(chunk, length) == 0;
  } catch (abi::__forced_unwind&) {  // the end of the thread
    throw;
  } catch (...) {
    return false;
  }
}

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

void set_dump_function(acldumpMessageCallback function) {
  dump_function.store(function);
  while (!is_inside && inside.load() > 0)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

bool has_dump_function() { return dump_function.load() != nullptr; }

std::string absolute_path(const std::string& path) {
  char* const found = realpath(path.c_str(), nullptr);
  const std::string whole = found == nullptr ? path : found;
  std::free(found);
  return whole;
}

bool make_directories(const std::string& path) {
  for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    mkdir(path.substr(0, end).c_str(), 0750);
  }
  mkdir(path.c_str(), 0750);
  struct stat about{};
  return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

// Another dump of the same moment, or another process, has taken the name.
std::string unused_path(const std::string& begin, uint64_t* number, const char* end) {
  for (;; ++*number) {
    std::string path = begin + std::to_string(*number) + end;
    if (access(path.c_str(), F_OK) != 0) return path;
  }
}

DumpWriter::DumpWriter(const std::string& path) : path_(path), function_(dump_function.load()) {
  buffer_.reserve(kPiece);
  if (function_ != nullptr) return;
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
  if (file_ < 0) problem_ = path + " cannot be created: " + reason(errno);
}

DumpWriter::~DumpWriter() {
  if (file_ >= 0) close(file_);
}

void DumpWriter::add(const void* bytes, size_t size) {
  const char* from = static_cast<const char*>(bytes);
  if (size >= kPiece) {
    flush(false);
    for (; function_ != nullptr && size > kPiece; from += kPiece, size -= kPiece) {
      hand_over(from, kPiece, false);
    }
    if (function_ == nullptr) return write_out(from, size);
  }
  if (buffer_.size() + size > kPiece) flush(false);
  buffer_.append(from, size);
}

std::string DumpWriter::finish() {
  flush(true);
  if (file_ >= 0) {
    if (close(file_) != 0 && problem_.empty()) problem_ = path_ + ": " + reason(errno);
    file_ = -1;
    if (!problem_.empty()) unlink(path_.c_str());
  }
  return problem_;
}

void DumpWriter::flush(bool is_last) {
  if (function_ == nullptr) {
    write_out(buffer_.data(), buffer_.size());
  } else if (is_last || !buffer_.empty()) {
    hand_over(buffer_.data(), buffer_.size(), is_last);
  }
  buffer_.clear();
}

void DumpWriter::write_out(const char* bytes, size_t size) {
  while (size > 0 && problem_.empty()) {
    const ssize_t count = write(file_, bytes, size);
    if (count > 0) {
      bytes += count;
      size -= static_cast<size_t>(count);
    } else if (errno != EINTR) {
      problem_ = path_ + " cannot be written whole: " + reason(errno);
    }
  }
}

void DumpWriter::hand_over(const char* bytes, size_t size, bool is_last) {
  if (!problem_.empty()) return;
  const size_t length = sizeof(acldumpChunk) + size;
  const std::unique_ptr<char[]> memory(new char[length]());
  auto* const chunk = reinterpret_cast<acldumpChunk*>(memory.get());
  path_.copy(chunk->fileName, sizeof chunk->fileName - 1);
  chunk->bufLen = static_cast<uint32_t>(size);
  chunk->isLastChunk = is_last ? 1 : 0;
  chunk->offset = -1;  // behind what came before
  std::memcpy(chunk->dataBuf, bytes, size);
  if (!takes(function_, chunk, static_cast<int32_t>(length))) {
    problem_ = "the function of acldumpRegCallback did not take " + path_;
  }
}

}  // namespace aclhost
