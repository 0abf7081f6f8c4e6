// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a dump go: into a file, or to a function of the program in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "acl/acl_dump.h"

namespace aclhost {

// Null: files are written. Afterwards no thread is in the function before, unless it calls this.
void set_dump_function(acldumpMessageCallback function);

// Makes a directory and those above it; false if there is none afterwards.
bool make_directories(const std::string& path);

// Of what exists. Programs may change their directory later.
std::string absolute_path(const std::string& path);

// A path with a number that no file has: the first one from `*number` on, which is changed to it.
std::string unused_path(const std::string& begin, uint64_t* number, const char* end);

class DumpWriter {
 public:
  // The directory is there, unless a function takes the bytes.
  explicit DumpWriter(const std::string& path);
  ~DumpWriter();
  DumpWriter(const DumpWriter&) = delete;
  DumpWriter& operator=(const DumpWriter&) = delete;

  void add(const void* bytes, size_t size);
  // Empty, or why the dump is not whole; a file that is not is removed.
  std::string finish();

 private:
  void flush(bool is_last);
  void write_out(const char* bytes, size_t size);
  void hand_over(const char* bytes, size_t size, bool is_last);

  const std::string path_;
  const acldumpMessageCallback function_;
  int file_ = -1;
  std::string buffer_;
  std::string problem_;
};

// Whether the bytes go to a function.
bool has_dump_function();

}  // namespace aclhost
