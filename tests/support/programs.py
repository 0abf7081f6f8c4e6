# SPDX-License-Identifier: Apache-2.0
"""Small programs against the installed toolkit tree."""

from __future__ import annotations

import os
import subprocess

# Written without a look at the generator: an ELU through both phases, in C++11.
ELU_PROGRAM = r"""
#include <cmath>
#include <cstdio>
#include <vector>
#include "acl/acl.h"
#include "aclnnop/aclnn_elu.h"

#define CHECK(call)                                                                \
  do {                                                                             \
    int code = static_cast<int>(call);                                             \
    if (code != ACL_SUCCESS) {                                                     \
      std::printf("%s: %d %s\n", #call, code, aclGetRecentErrMsg());               \
      return 1;                                                                    \
    }                                                                              \
  } while (false)

int main() {
  const std::vector<float> input{-2.0f, -0.5f, 0.0f, 3.0f};
  std::vector<float> output(input.size());
  const size_t bytes = input.size() * sizeof(float);
  const std::vector<int64_t> shape{2, 2}, strides{2, 1};
  void *source = nullptr, *target = nullptr;
  aclrtStream stream = nullptr;
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtCreateStream(&stream));
  CHECK(aclrtMalloc(&source, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMalloc(&target, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(source, bytes, input.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  float one = 1.0f;
  aclScalar* scalar = aclCreateScalar(&one, aclDataType::ACL_FLOAT);
  aclTensor* x = aclCreateTensor(shape.data(), 2, aclDataType::ACL_FLOAT, strides.data(), 0,
                                 aclFormat::ACL_FORMAT_ND, shape.data(), 2, source);
  aclTensor* y = aclCreateTensor(shape.data(), 2, aclDataType::ACL_FLOAT, strides.data(), 0,
                                 aclFormat::ACL_FORMAT_ND, shape.data(), 2, target);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  CHECK(aclnnEluGetWorkspaceSize(x, scalar, scalar, scalar, y, &size, &executor));
  CHECK(aclnnElu(nullptr, size, executor, stream));
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtMemcpy(output.data(), bytes, target, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  for (size_t i = 0; i < input.size(); ++i) {
    const float expected = input[i] > 0 ? input[i] : std::expm1(input[i]);
    if (std::fabs(output[i] - expected) > 1e-6f) return 2;
  }
  aclDestroyTensor(x);
  aclDestroyTensor(y);
  aclDestroyScalar(scalar);
  aclrtFree(source);
  aclrtFree(target);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  std::puts("elu ok");
  return 0;
}
"""


def run(command, *, status=0, **options):
    """Runs to an expected exit status (None: any); returns the finished process with its text."""
    # A path into the toolkit from the outside would hide a wrong RUNPATH.
    options.setdefault("env", clean_environment())
    done = subprocess.run(
        list(map(str, command)), check=False, capture_output=True, text=True, **options
    )
    assert status in (None, done.returncode), f"{command}\n{done.stdout}\n{done.stderr}"
    return done


def clean_environment(**extra):
    """This process's environment without anything a set_env.sh could have put into it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ASCEND_", "ACLHOST_"))}
    kept.pop("LD_LIBRARY_PATH", None)
    return {**kept, **{name: str(value) for name, value in extra.items()}}
