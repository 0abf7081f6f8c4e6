// SPDX-License-Identifier: Apache-2.0
#include "operator/rules.h"

#include <string>

#include "dtypes.h"
#include "operator/accepted.h"
#include "operator/descriptor.h"
#include "operator/layouts.h"
#include "operator/terms.h"

namespace aclhost {
namespace {

std::string text_of(const Args& args, int param) {
  const char* text = args.text(param);
  return text == nullptr ? "a null pointer" : "\"" + std::string(text) + "\"";
}

std::string shown(const Frame& frame, const PartInfo& part) {
  switch (part.kind) {
    case PartKind::kLiteral:
      return part.literal;
    case PartKind::kDtype:
      return data_type_name(static_cast<aclDataType>(evaluate(frame, part.of)));
    case PartKind::kFormat:
      return format_name(static_cast<aclFormat>(evaluate(frame, part.of)));
    case PartKind::kInteger:
      return std::to_string(evaluate(frame, part.of));
    case PartKind::kShape:
      return shape_text(evaluate_shape(frame, part.of));
    case PartKind::kReal:
      return number_text(real_of(frame.args, part.of));
    case PartKind::kArray:
      return array_text(frame.args.int_array(part.of));
    case PartKind::kText:
      return text_of(frame.args, part.of);
    case PartKind::kStrides:
      return strides_text(frame.view(part.of));
    case PartKind::kReach:
      return reach_text(frame.view(part.of));
    case PartKind::kProduct:
      return frame.args.soc->title;
  }
  return {};
}

// The refusal a user reads: operator, rule with the parameter, got, product, what to do.
Status violation(const Frame& frame, const StepInfo& step) {
  const Soc& soc = *frame.args.soc;
  Failure failure;
  failure.code = step.code;
  failure.parameter = step.parameter;
  failure.rule = step.id;
  failure.message = std::string(frame.args.op->name) + ": " +
                    step.texts[step.by_product ? static_cast<int>(soc.product) : 0] + "; got ";
  for (int i = 0; i < step.part_count; ++i) failure.message += shown(frame, step.parts[i]);
  failure.message += std::string(" (product ") + soc.title + ", " + soc.name + "). " + step.advice;
  return Status::failed(std::move(failure));
}

bool in_mask(aclDataType dtype, TermCode mask) {
  return dtype >= 0 && dtype < 64 && (static_cast<uint64_t>(mask) >> dtype & 1) != 0;
}

// Whether a rule's term is not 0. What rules mostly say needs no call.
bool holds(const Frame& frame, int64_t term) {
  const TermCode* code = frame.at(term);
  const auto tensor = [&](TermCode param) -> const TensorView& {
    return frame.args.tensor(static_cast<int>(param));
  };
  switch (static_cast<TermKind>(code[0])) {
    case TermKind::kTensorDtypeAllowed:
      return in_mask(tensor(code[1]).dtype, code[2 + static_cast<int>(frame.args.soc->product)]);
    case TermKind::kTensorDtypesEqual:
      return tensor(code[1]).dtype == tensor(code[2]).dtype;
    case TermKind::kTensorShapesEqual:
      return same_shape(tensor(code[1]), tensor(code[2]));
    case TermKind::kTensorRankAtMost:
      return tensor(code[1]).rank <= code[2];
    case TermKind::kScalarCasts: {
      const ScalarValue& scalar = frame.args.scalar(static_cast<int>(code[1]));
      return !scalar.present || in_mask(scalar.dtype, code[2]);
    }
    default:
      return evaluate(frame, term) != 0;
  }
}

bool applies(const Frame& frame, const StepInfo& step) {
  return step.condition < 0 || evaluate(frame, step.condition) != 0;
}

// Of steps that are all rules.
Status first_violation(const Args& args, const StepInfo* step, int count) {
  const Frame frame{args};
  for (const StepInfo* const end = step + count; step != end; ++step) {
    if (applies(frame, *step) && !holds(frame, step->holds)) return violation(frame, *step);
  }
  return {};
}

Status check_launch(const Args& args) {
  const int count = args.op->late_count;
  return first_violation(args, args.op->steps + args.op->step_count - count, count);
}

}  // namespace

Outcome check(const Args& args) {
  if (was_accepted(args)) return {{}, false, {}, true};
  const Frame frame{args};
  const StepInfo* const end = args.op->steps + args.op->step_count - args.op->late_count;
  for (const StepInfo* step = args.op->steps; step != end; ++step) {
    if (step->kind == StepKind::kRule) {
      if (applies(frame, *step) && !holds(frame, step->holds)) {
        return {violation(frame, *step), false, {}};
      }
    } else if (evaluate(frame, step->condition) != 0) {
      return {{}, true, {}};
    }
  }
  Status launch = check_launch(args);
  if (launch.ok()) accept(args);
  return {{}, false, std::move(launch)};
}

Status check_early(const Args& args) {
  return first_violation(args, args.op->steps, args.op->early_count);
}

}  // namespace aclhost
