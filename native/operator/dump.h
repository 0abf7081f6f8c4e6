// SPDX-License-Identifier: Apache-2.0
// What launched operators write of their tensors, while the program wants it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "operator/args.h"
#include "operator/dump_file.h"

namespace aclhost {

struct DumpSettings {
  std::string path;            // of what launches write
  std::string exception_path;  // of what launches write that fail; empty: nothing
  bool launches = false;
  bool inputs = false;
  bool outputs = false;
  bool statistics = false;
  std::vector<std::string> columns;  // of statistics
};

// Which launch it is.
struct DumpedLaunch {
  int32_t device;
  int32_t stream;
};

class Dump {
 public:
  explicit Dump(DumpSettings settings) : settings_(std::move(settings)) {}

  const DumpSettings& settings() const { return settings_; }

  // Computes a checked call, and writes its inputs before and its outputs after.
  Status run(Args& args, const DumpedLaunch& launch);
  // Empty, or why a file could not be written: the first one.
  std::string problem();

 private:
  void write(const Args& args, const DumpedLaunch& launch, uint64_t number, bool results);
  void write_failed(const Args& args, const DumpedLaunch& launch, uint64_t number);
  std::string write_at(const std::string& directory, const std::string& name,
                       const DumpedTensors& tensors, bool statistics);
  bool make_directory(const std::string& path);
  void note(const std::string& problem);

  const DumpSettings settings_;
  std::atomic<uint64_t> next_number_{0};
  std::mutex mutex_;
  std::set<std::string> made_;  // directories
  std::string problem_;
};

extern std::atomic<bool> is_dumping;

// Null unless launches write something.
std::shared_ptr<Dump> active_dump();
inline std::shared_ptr<Dump> current_dump() {
  return is_dumping.load(std::memory_order_relaxed) ? active_dump() : nullptr;
}
// Null ends it for launches to come. Gives the one before.
std::shared_ptr<Dump> set_dump(std::shared_ptr<Dump> dump);

// The lines of a table about tensors; see dump_statistics.cc.
std::string statistics_of(const DumpedTensors& tensors, const std::vector<std::string>& columns);

// What upstream calls the type of an operator: its name without aclnn.
std::string type_of(const Operator& op);

uint64_t microseconds_now();

}  // namespace aclhost
