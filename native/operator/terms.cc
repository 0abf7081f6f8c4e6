// SPDX-License-Identifier: Apache-2.0
#include "operator/terms.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "dtypes.h"
#include "operator/layouts.h"
#include "operator/scalar.h"
#include "simd/convert.h"

namespace aclhost {
namespace {

aclDataType dtype_of(const Frame& frame, int64_t param) {
  if (param >= 0 && frame.args.op->params[param].kind == ParamKind::kScalar) {
    return frame.args.scalar(static_cast<int>(param)).dtype;
  }
  if (param >= 0 && frame.args.op->params[param].kind == ParamKind::kScalarList) {
    const auto scalars = frame.args.scalar_list(static_cast<int>(param));
    return scalars.size > 0 ? scalars.values[0].dtype : ACL_DT_UNDEFINED;
  }
  return frame.view(param).dtype;
}

int64_t dim_of(const TensorView& view, int64_t axis) {
  if (axis < -view.rank || axis >= view.rank) return 0;
  return view.shape[axis < 0 ? axis + view.rank : axis];
}

int64_t elements_of(const TensorView& view, int64_t first_axis = 0) {
  int64_t axis = std::max<int64_t>(first_axis < 0 ? first_axis + view.rank : first_axis, 0);
  int64_t product = 1;
  for (; axis < view.rank; ++axis) product = saturated(__int128{product} * view.shape[axis]);
  return product;
}

bool compare(double value, int64_t relation, double bound) {
  switch (static_cast<Relation>(relation)) {
    case Relation::kAtLeast:
      return value >= bound;
    case Relation::kMore:
      return value > bound;
    case Relation::kAtMost:
      return value <= bound;
    case Relation::kLess:
      return value < bound;
    case Relation::kEqual:
      return value == bound;
    case Relation::kNotEqual:
      return value != bound;
  }
  return false;
}

aclDataType as_dtype(int64_t value) { return static_cast<aclDataType>(value); }

template <typename Number>
bool leads(Number step, Number start, Number end) {
  return (step > 0 && !(start > end)) || (step < 0 && !(start < end));
}

bool leads(const Frame& frame, const TermCode* code) {
  const auto scalar = [&](int i) { return frame.args.scalar(static_cast<int>(code[i])); };
  const ScalarValue step = scalar(1), start = scalar(2), end = scalar(3);
  const aclDataType dtype = as_dtype(evaluate(frame, code[4]));
  if (data_type_category(dtype) == TypeCategory::kInteger) {
    return leads(integer_of(step), integer_of(start), integer_of(end));
  }
  if (dtype == ACL_DOUBLE) return leads(step.to_double(), start.to_double(), end.to_double());
  return leads(step.to_float(), start.to_float(), end.to_float());
}

bool not_above(const Args& args, int first_param, int second_param) {
  if (args.op->params[first_param].kind != ParamKind::kScalar) {
    return !(args.real(first_param) > args.real(second_param));
  }
  const ScalarValue &first = args.scalar(first_param), &second = args.scalar(second_param);
  if (data_type_category(first.dtype) == TypeCategory::kInteger) {
    return !(integer_of(first) > integer_of(second));
  }
  return !(first.to_double() > second.to_double());
}

double real_constant(TermCode bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// A count and as many values.
bool is_listed(int64_t value, const TermCode* list) {
  return std::find(list + 1, list + 1 + list[0], value) != list + 1 + list[0];
}

bool in_mask(int64_t dtype, TermCode mask) {
  return dtype >= 0 && dtype < 64 && (static_cast<uint64_t>(mask) >> dtype & 1) != 0;
}

template <typename Values>
bool all_between(const Values& values, int64_t count, const TermCode* code) {
  for (int64_t i = code[2]; i < count; ++i) {
    if (values[i] < code[3] || values[i] > code[4]) return false;
  }
  return true;
}

bool is_word(const Frame& frame, const TermCode* code) {
  const char* text = frame.args.text(static_cast<int>(code[1]));
  if (text == nullptr) return false;
  for (int64_t i = 0; i < code[2]; ++i) {
    if (std::strcmp(text, frame.args.op->words[code[3 + i]]) == 0) return true;
  }
  return false;
}

bool starts_with_word(const Frame& frame, const TermCode* code) {
  const char* text = frame.args.text(static_cast<int>(code[1]));
  if (text == nullptr) return false;
  for (int64_t i = 0; i < code[2]; ++i) {
    const char* word = frame.args.op->words[code[3 + i]];
    if (std::strncmp(text, word, std::strlen(word)) == 0) return true;
  }
  return false;
}

// As far as 64 bits reach; NaN counts as 0.
int64_t integer_of(double value) {
  constexpr double kLimit = 0x1p63;
  if (value >= kLimit) return INT64_MAX;
  return value > -kLimit ? static_cast<int64_t>(value) : value == value ? INT64_MIN : 0;
}

int64_t scaled(const Frame& frame, const TermCode* code) {
  const int factor = static_cast<int>(code[2]);
  const double value = code[3] < 0
                           ? real_of(frame.args, factor)
                           : frame.args.float_array(factor).at(static_cast<uint64_t>(code[3]));
  return integer_of(static_cast<double>(evaluate(frame, code[1])) *
                    (value + real_constant(code[4])));
}

// Rounded down; 0 unless the divisor is positive.
int64_t divided(int64_t value, int64_t divisor) {
  if (divisor <= 0) return 0;
  const int64_t quotient = value / divisor;
  return value % divisor < 0 ? quotient - 1 : quotient;
}

double rounded_to(aclDataType dtype, double value) {
  switch (dtype) {
    case ACL_FLOAT:
      return static_cast<float>(value);
    case ACL_FLOAT16:
      return widen(convert<Half>(value));
    case ACL_BF16:
      return widen(convert<BFloat16>(value));
    default:
      return value;
  }
}

// Whether the type holds the value but for the epsilon of float.
bool keeps(const ScalarValue& scalar, aclDataType dtype) {
  const double value = scalar.to_double();
  return scalar.present && std::abs(value - rounded_to(dtype, value)) <= FLT_EPSILON;
}

// Terms that describe a single argument. Out of line: evaluate_term() saves fewer registers then.
[[gnu::noinline]] int64_t evaluate_argument(const Frame& frame, const TermCode* code) {
  const Args& args = frame.args;
  const int param = static_cast<int>(code[1]);
  switch (static_cast<TermKind>(code[0])) {
    case TermKind::kContiguous:
      return !frame.view(param).present || is_contiguous(frame.view(param));
    case TermKind::kInsideStorage:
      return !frame.view(param).present || inside_storage(frame.view(param));
    case TermKind::kFormatFitsRank:
      return !frame.view(param).present || format_fits_rank(frame.view(param));
    case TermKind::kPrivateFormat:
      return is_private(frame.view(param).format);
    case TermKind::kLengthOf:
      return args.arguments[param].count;
    case TermKind::kItemOf: {
      const int64_t position = evaluate(frame, code[2]);
      return position < 0 ? 0 : args.int_array(param).at(static_cast<uint64_t>(position));
    }
    case TermKind::kFlagAt:
      return args.bool_array(param).at(static_cast<uint64_t>(code[2]));
    case TermKind::kLargestItem: {
      int64_t largest = 0;
      for (const int64_t value : args.int_array(param)) largest = std::max(largest, value);
      return largest;
    }
    case TermKind::kSumOfItems: {
      int64_t total = 0;
      for (const int64_t value : args.int_array(param)) total = saturated(__int128{total} + value);
      return total;
    }
    case TermKind::kRoundedUp: {
      const __int128 more = __int128{evaluate(frame, code[1])} + code[2] - 1;
      const __int128 rest = (more % code[2] + code[2]) % code[2];
      return saturated(more - rest);
    }
    case TermKind::kEveryItem: {
      const IntArrayView array = args.int_array(param);
      return all_between(array.values, static_cast<int64_t>(array.size), code);
    }
    case TermKind::kEveryDim:
      return all_between(frame.view(param).shape, frame.view(param).rank, code);
    case TermKind::kTextIs:
      return is_word(frame, code);
    case TermKind::kTextStarts:
      return starts_with_word(frame, code);
    case TermKind::kScaled:
      return scaled(frame, code);
    case TermKind::kScalarInteger:
      return integer_of(args.scalar(param).to_double());
    case TermKind::kRealIs:
      return compare(real_of(args, param), code[2], real_constant(code[3]));
    case TermKind::kFinite:
      return std::isfinite(real_of(args, param));
    case TermKind::kLeads:
      return leads(frame, code);
    case TermKind::kNotAbove:
      return not_above(args, param, static_cast<int>(code[2]));
    case TermKind::kWidthAtMost:
      return real_of(args, static_cast<int>(code[2])) - real_of(args, param) <=
             real_constant(code[3]);
    case TermKind::kKeepsScalar:
      return keeps(args.scalar(param), as_dtype(evaluate(frame, code[2])));
    default:
      return evaluate_shape_test(frame, code);
  }
}

}  // namespace

double real_of(const Args& args, int param) {
  const bool is_scalar = args.op->params[param].kind == ParamKind::kScalar;
  return is_scalar ? args.scalar(param).to_float() : args.real(param);
}

int64_t evaluate_term(const Frame& frame, const TermCode* code) {
  switch (static_cast<TermKind>(code[0])) {
    case TermKind::kConst:
      return code[1];
    case TermKind::kPresent:
      return code[1] < 0 ? frame.view(-1).present : frame.args.arguments[code[1]].present;
    case TermKind::kDtypeOf:
      return dtype_of(frame, code[1]);
    case TermKind::kFormatOf:
      return frame.view(code[1]).format;
    case TermKind::kRankOf:
      return frame.view(code[1]).rank;
    case TermKind::kDimOf:
      return dim_of(frame.view(code[1]), evaluate(frame, code[2]));
    case TermKind::kElements:
      return elements_of(frame.view(code[1]));
    case TermKind::kElementsFrom:
      return elements_of(frame.view(code[1]), evaluate(frame, code[2]));
    case TermKind::kEmpty:
      return frame.view(code[1]).empty();
    case TermKind::kValueOf:
      return frame.args.integer(static_cast<int>(code[1]));
    case TermKind::kProductIn:
      return is_listed(static_cast<int>(frame.args.soc->product), code + 1);
    case TermKind::kDtypeAllowed:
      return in_mask(evaluate(frame, code[1]), code[2 + static_cast<int>(frame.args.soc->product)]);
    case TermKind::kIn:
      return is_listed(evaluate(frame, code[1]), code + 2);
    case TermKind::kInCategory:
      return static_cast<int64_t>(data_type_category(as_dtype(evaluate(frame, code[1])))) ==
             code[2];
    case TermKind::kPromote:
      return promote(as_dtype(evaluate(frame, code[1])), as_dtype(evaluate(frame, code[2])));
    case TermKind::kCanCast:
      return can_cast(as_dtype(evaluate(frame, code[1])), as_dtype(evaluate(frame, code[2])));
    case TermKind::kCastExists:
      return cast_exists(as_dtype(evaluate(frame, code[1])), as_dtype(evaluate(frame, code[2])),
                         frame.args.soc->product);
    case TermKind::kNot:
      return !evaluate(frame, code[1]);
    case TermKind::kAnd:
      return evaluate(frame, code[1]) && evaluate(frame, code[2]);
    case TermKind::kOr:
      return evaluate(frame, code[1]) || evaluate(frame, code[2]);
    case TermKind::kEqual:
      return evaluate(frame, code[1]) == evaluate(frame, code[2]);
    case TermKind::kAtMost:
      return evaluate(frame, code[1]) <= evaluate(frame, code[2]);
    case TermKind::kSum:
      return saturated(__int128{evaluate(frame, code[1])} + evaluate(frame, code[2]));
    case TermKind::kTimes:
      return saturated(__int128{evaluate(frame, code[1])} * evaluate(frame, code[2]));
    case TermKind::kDivided:
      return divided(evaluate(frame, code[1]), evaluate(frame, code[2]));
    case TermKind::kPosition:
      return frame.position;
    case TermKind::kIf:
      return evaluate(frame, evaluate(frame, code[1]) ? code[2] : code[3]);
    default:
      return evaluate_argument(frame, code);
  }
}

}  // namespace aclhost
