// SPDX-License-Identifier: Apache-2.0
#include "operator/dump.h"

#include <sys/time.h>

#include <cstring>
#include <utility>

#include "base/fork_mutex.h"
#include "base/immortal.h"
#include "operator/dump_writer.h"
#include "operator/param_kinds.h"
#include "operator/regions.h"
#include "operator/run.h"

namespace aclhost {
namespace {

struct Active {
  ForkMutex mutex;
  std::shared_ptr<Dump> dump;
};

Immortal<Active> active;

bool is_read(const ParamInfo& param) {
  return is_input(param) || (param.kind == ParamKind::kTensorInOut && param.reads);
}

DumpedTensors tensors_of(const Args& args, bool inputs, bool outputs) {
  DumpedTensors found;
  for_each_tensor(args, args.tensors, [&](const ParamInfo& param, const TensorView& view) {
    if (!view.present) return;
    if (inputs && is_read(param)) found.inputs.push_back(&view);
    if (outputs && writes(param)) found.outputs.push_back(&view);
  });
  return found;
}

// TYPE.NAME.TASK.STREAM, as for the single operators of a card.
std::string file_name(const Args& args, const DumpedLaunch& launch, uint64_t number) {
  return type_of(*args.op) + "." + args.op->name + "." + std::to_string(number) + "." +
         std::to_string(launch.stream);
}

std::string write_text(const std::string& path, const std::string& text) {
  DumpWriter writer(path);
  writer.add(text.data(), text.size());
  return writer.finish();
}

}  // namespace

std::atomic<bool> is_dumping{false};

std::string type_of(const Operator& op) {
  return std::strncmp(op.name, "aclnn", 5) == 0 ? op.name + 5 : op.name;
}

uint64_t microseconds_now() {
  timeval now{};
  gettimeofday(&now, nullptr);
  return static_cast<uint64_t>(now.tv_sec) * 1000000 + static_cast<uint64_t>(now.tv_usec);
}

std::shared_ptr<Dump> active_dump() {
  const std::lock_guard<ForkMutex> lock(active->mutex);
  return active->dump;
}

std::shared_ptr<Dump> set_dump(std::shared_ptr<Dump> dump) {
  const std::lock_guard<ForkMutex> lock(active->mutex);
  is_dumping.store(dump != nullptr);
  return std::exchange(active->dump, std::move(dump));
}

Status Dump::run(Args& args, const DumpedLaunch& launch) {
  const uint64_t number = next_number_++;
  if (settings_.launches && settings_.inputs) write(args, launch, number, false);
  Status status = aclhost::run(args);
  if (status.ok()) {
    if (settings_.launches && settings_.outputs) write(args, launch, number, true);
  } else if (!settings_.exception_path.empty()) {
    write_failed(args, launch, number);
  }
  return status;
}

void Dump::write(const Args& args, const DumpedLaunch& launch, uint64_t number, bool results) {
  const DumpedTensors tensors = tensors_of(args, !results, results);
  if (tensors.inputs.empty() && tensors.outputs.empty()) return;
  note(write_at(settings_.path + "/" + std::to_string(launch.device),
                file_name(args, launch, number), tensors, settings_.statistics));
}

void Dump::write_failed(const Args& args, const DumpedLaunch& launch, uint64_t number) {
  note(write_at(settings_.exception_path + "/" + std::to_string(launch.device),
                file_name(args, launch, number), tensors_of(args, true, true), false));
}

std::string Dump::write_at(const std::string& directory, const std::string& name,
                           const DumpedTensors& tensors, bool statistics) {
  if (!has_dump_function() && !make_directory(directory)) {
    return "the directory " + directory + " cannot be made";
  }
  DumpHead head = {name.substr(name.find('.') + 1), microseconds_now(), ""};
  head.op_name.resize(head.op_name.find('.'));
  const std::string path =
      unused_path(directory + "/" + name + ".", &head.time, statistics ? ".csv" : "");
  if (!statistics) return write_dump(path, head, tensors);
  return write_text(path, statistics_of(tensors, settings_.columns));
}

bool Dump::make_directory(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (made_.count(path) > 0) return true;
  if (!make_directories(path)) return false;
  made_.insert(path);
  return true;
}

void Dump::note(const std::string& problem) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (problem_.empty()) problem_ = problem;
}

std::string Dump::problem() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return problem_;
}

}  // namespace aclhost
