// SPDX-License-Identifier: Apache-2.0
// Dumps that begin and end while another thread initialises, and a function that throws at them.
#include <acl/acl_dump.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "client.h"

namespace {

constexpr int kRounds = 2000;

void begin_and_end() {
  for (int round = 0; round < kRounds; ++round) {
    aclmdlInitDump();  // whether initialised or not
    aclmdlFinalizeDump();
  }
}

void initialise_again() {
  for (int round = 0; round < kRounds; ++round) {
    OK(aclInit(nullptr));
    OK(aclFinalize());
  }
}

int32_t refuse(const acldumpChunk*, int32_t) { throw std::runtime_error("no room"); }

void launch_with_dump(const std::string& configuration) {
  const float value = 1;
  aclScalar* one = aclCreateScalar(const_cast<float*>(&value), ACL_FLOAT);
  void *from = device_floats({1, 2}), *to = device_floats({0, 0});
  aclTensor *x = tensor(2, from), *y = tensor(2, to);
  OK(acldumpRegCallback(refuse, 0));
  OK(aclmdlInitDump());
  OK(aclmdlSetDump(configuration.c_str()));
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  OK(aclnnEluGetWorkspaceSize(x, one, one, one, y, &size, &executor));
  OK(aclnnElu(nullptr, 0, executor, nullptr));
  OK(aclrtSynchronizeStream(nullptr));
  REQUIRE(host_floats(to, 2)[1] == 2);
  REQUIRE(aclmdlFinalizeDump() == ACL_ERROR_INTERNAL_ERROR);
  acldumpUnregCallback();
  for (aclTensor* each : {x, y}) aclDestroyTensor(each);
  for (void* each : {from, to}) OK(aclrtFree(each));
  aclDestroyScalar(one);
}

}  // namespace

int main() {
  std::thread dumping(begin_and_end);
  initialise_again();
  dumping.join();
  char path[] = "/tmp/aclhost-dumping-XXXXXX";
  const int file = mkstemp(path);
  const std::string text =
      R"({"dump": {"dump_path": "/tmp", "dump_list": [{}], "dump_op_switch": "on"}})";
  REQUIRE(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  close(file);
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  launch_with_dump(path);
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  unlink(path);
  std::puts("ok");
}
