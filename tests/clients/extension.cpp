// SPDX-License-Identifier: Apache-2.0
// As Python modules of frameworks are: a shared library that names its operators, linked against
// every library by habit, and loaded with all names bound at once.
#include "acl/acl_mdl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "acl/ops/acl_cblas.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "client.h"
#include "hccl/hccl.h"

// What is not supported says so; the module loads, and what it uses works.
extern "C" int extension_status() {
  uint32_t model = 0;
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  REQUIRE(config.hcclBufferSize == HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET);
  REQUIRE(aclmdlLoadFromFile("model.om", &model) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  REQUIRE(aclSetCompileopt(ACL_OP_JIT_COMPILE, "disable") == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  REQUIRE(aclprofInit("", 0) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  REQUIRE(aclopSetModelDir(".") == ACL_SUCCESS);
  REQUIRE(HcclGetCommConfigCapability() > 0);
  const void* linked[] = {reinterpret_cast<void*>(&aclnnLayerNorm),
                          reinterpret_cast<void*>(&aclblasHgemm)};
  return linked[0] != nullptr && linked[1] != nullptr ? 0 : 1;
}
