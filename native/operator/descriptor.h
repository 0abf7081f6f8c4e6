// SPDX-License-Identifier: Apache-2.0
// What the generator says about an operator: its parameters, its checks as tables, its kernel.
#pragma once

#include <cstdint>

#include "base/calls.h"
#include "base/isa.h"
#include "base/status.h"
#include "operator/args.h"

namespace aclhost {

enum class ParamKind : uint8_t {
  kTensorIn,
  kTensorOut,
  kTensorInOut,
  kTensorList,
  kTensorListOut,
  kScalar,
  kScalarList,
  kFlag,
  kIntArray,
  kFloatArray,
  kBoolArray,
  kInt,
  kText,
  kDtype,
  kFloat,
  kDouble,
};

struct ParamInfo {
  const char* name;
  const char* python_name;
  ParamKind kind;
  bool reads;
  bool sized_by_data;        // see Note [Results sized by data]
  bool elementwise;          // an output may lie where this input does, element by element
  int16_t length;            // of the array that one integer stands for in Python
  const char* const* words;  // what Python calls the values of an integer; ends with null
  int32_t shape;             // terms for a new result in Python
  int32_t dtype;
  // The term for how many tensors a new list has, whether there is a new result, or whether what
  // is overwritten is read before.
  int32_t count;
};

// A term is a position in the operator's code: what it is, then its operands. Those are numbers,
// positions of parameters, other terms, or a count and as many of them.
using TermCode = int64_t;

enum class PartKind : uint8_t {
  kLiteral,
  kDtype,
  kShape,
  kInteger,
  kReal,
  kArray,
  kStrides,
  kReach,
  kFormat,
  kText,
  kProduct,
};

struct PartInfo {
  PartKind kind;
  int32_t of;  // a term or a parameter
  const char* literal;
};

enum class StepKind : uint8_t {
  kRule,  // refuses the call
  kDone,  // ends phase 1: there is nothing to do
};

struct StepInfo {
  int32_t holds;
  int32_t condition;  // -1: always
  int32_t code;
  StepKind kind;
  bool by_product;  // one text for each product, else one for all
  uint16_t part_count;
  const char* id;
  const char* parameter;
  const char* const* texts;
  const PartInfo* parts;
  const char* advice;
};

using Kernel = Status (*)(const Args& args);

struct Operator {
  const char* name;
  const ParamInfo* params;
  int param_count;
  const StepInfo* steps;
  int step_count;
  int early_count;  // the first steps: phase 1 looks at where to put its results after them
  int late_count;   // the last steps: they refuse the call in phase 2
  const TermCode* code;
  const char* const* words;  // texts that terms compare with
  uint64_t workspace;        // bytes that phase 1 asks for
  int blocked;               // the weight that phase 1 labels as lying in blocks; -1: none
  Kernel kernels[3];         // by instruction set, in the order of Isa
  CallCounter* counter;
};

}  // namespace aclhost
