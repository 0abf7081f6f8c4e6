// SPDX-License-Identifier: Apache-2.0
#include "operator/operator.h"

namespace aclhost {

Verdict violation(const RuleText& rule, const std::string& got, const Soc& soc) {
  Failure failure;
  failure.code = rule.code;
  failure.parameter = rule.parameter;
  failure.rule = rule.id;
  failure.message = std::string(rule.op) + ": " + rule.sentence + "; got " + got + " (product " +
                    soc.title + ", " + soc.name + "). " + rule.advice;
  return Verdict::refuse(Status::failed(std::move(failure)));
}

const char* by_product(const Soc& soc, std::initializer_list<const char*> sentences) {
  return sentences.begin()[static_cast<int>(soc.product)];
}

}  // namespace aclhost
