// SPDX-License-Identifier: Apache-2.0
#include "engines/pointwise_operator.h"

#include <cstring>
#include <limits>
#include <memory>

#include "base/inline_vector.h"
#include "engines/pointwise_sum.h"
#include "engines/scalars.h"
#include "engines/view_terms.h"
#include "operator/descriptor.h"
#include "operator/no_kernel.h"
#include "operator/terms.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kMean = 1;

template <typename T>
ScalarValue scalar_of(T value, aclDataType dtype) {
  ScalarValue scalar;
  scalar.present = true;
  scalar.dtype = dtype;
  std::memcpy(scalar.bytes, &value, sizeof value);
  return scalar;
}

template <typename T>
Number limit(Absent absent) {
  using Limits = std::numeric_limits<T>;
  T most = Limits::max(), least = Limits::lowest();
  if constexpr (Limits::has_infinity) {
    most = Limits::infinity();
    least = -most;
  }
  const T value = absent == Absent::kMost ? most : least;
  Number number = {};
  std::memcpy(&number, &value, sizeof value);
  return number;
}

// The least or the greatest value of a loop's type: of BOOL, too. Complex numbers have none.
Number limit_of(aclDataType dtype, Absent absent) {
  switch (loop_type(dtype)) {
    case ACL_FLOAT:
      return limit<float>(absent);
    case ACL_DOUBLE:
      return limit<double>(absent);
    case ACL_INT8:
      return limit<int8_t>(absent);
    case ACL_UINT8:
      return limit<uint8_t>(absent);
    case ACL_INT16:
      return limit<int16_t>(absent);
    case ACL_UINT16:
      return limit<uint16_t>(absent);
    case ACL_INT32:
      return limit<int32_t>(absent);
    case ACL_UINT32:
      return limit<uint32_t>(absent);
    case ACL_INT64:
      return limit<int64_t>(absent);
    case ACL_UINT64:
      return limit<uint64_t>(absent);
    default: {
      Number number = {};
      number.b = absent == Absent::kMost;
      return number;
    }
  }
}

Number number_from(const Frame& frame, const NumberSource& source, aclDataType dtype) {
  const Args& args = frame.args;
  if (source.value != kComputed) {
    return number_of(scalar_of(evaluate(frame, source.value), ACL_INT64), dtype);
  }
  const ParamKind kind = args.op->params[source.param].kind;
  if (kind == ParamKind::kFloat || kind == ParamKind::kDouble) {
    return number_of(scalar_of(args.real(source.param), ACL_DOUBLE), dtype);
  }
  if (kind != ParamKind::kScalar) {
    return number_of(scalar_of(args.integer(source.param), ACL_INT64), dtype);
  }
  if (args.arguments[source.param].present) return number_of(args.scalar(source.param), dtype);
  return source.absent == Absent::kZero ? Number{} : limit_of(dtype, source.absent);
}

const TypedLoop* find_loop(const PointwiseKernel& kernel, int64_t variant, aclDataType dtype) {
  for (int32_t i = 0; i < kernel.dtypes; ++i) {
    const int64_t row = variant * kernel.dtypes + i;
    if (row < kernel.loops.count && kernel.loops.rows[row].dtype == dtype) {
      return &kernel.loops.rows[row];
    }
  }
  return nullptr;
}

// The views of one call, if its kernel takes any: room for as many as there can be.
class CallViews {
 public:
  CallViews(const Frame& frame, int32_t most) : frame_(frame), most_(most) {}

  // The operand's view: the tensor itself where the kernel names no other.
  Status find(const TensorSource& source, const TensorView** view) {
    *view = &frame_.args.tensor(source.param);
    if (source.view == kWhole) return {};
    if (views_ == nullptr) views_.reset(new CopiedView[most_]);
    CopiedView& found = views_[next_++];
    *view = &found.view;
    return evaluate_view(frame_, source.view, found);
  }

 private:
  const Frame& frame_;
  int32_t most_, next_ = 0;
  std::unique_ptr<CopiedView[]> views_;
};

using Operands = InlineVector<Operand, 8>;

// The one type of 16-bit floats that is computed in, or that tensors hold where FLOAT is.
aclDataType halves_of(aclDataType computed, const Operands& tensors) {
  const bool in_float = computed == ACL_FLOAT;
  const aclDataType halves = in_float ? tensors[0].view->dtype : computed;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Operand& operand = tensors[i];
    const aclDataType own =
        in_float && operand.dtype == ACL_FLOAT ? operand.view->dtype : operand.dtype;
    if (loop_type(operand.dtype) == ACL_FLOAT && own != halves) return ACL_FLOAT;
  }
  return halves;
}

// The loop that takes 16-bit floats as they are stored, as operands then tell; null: there is none.
const TypedLoop* find_half_loop(const PointwiseKernel& kernel, int64_t variant,
                                aclDataType computed, Operands& tensors) {
  const aclDataType halves = halves_of(computed, tensors);
  if (halves == loop_type(halves) || loop_type(halves) != ACL_FLOAT) return nullptr;
  const TypedLoop* const found = find_loop(kernel, variant, halves);
  if (found == nullptr || found->loop == nullptr) return nullptr;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (loop_type(tensors[i].dtype) == ACL_FLOAT) tensors[i].dtype = halves;
  }
  return found;
}

}  // namespace

Status run_pointwise(const Args& args, const PointwiseKernel& kernel) {
  const Frame frame = {args};
  const auto dtype_or = [&](int32_t term, aclDataType other) {
    return term == kComputed ? other : static_cast<aclDataType>(evaluate(frame, term));
  };
  const auto computed = static_cast<aclDataType>(evaluate(frame, kernel.computed));
  const int64_t variant = kernel.variant == kComputed ? 0 : evaluate(frame, kernel.variant);
  const TypedLoop* const wide_loop = find_loop(kernel, variant, loop_type(computed));
  if (wide_loop == nullptr) {
    const Table<TensorSource>& table = kernel.inputs.count > 0 ? kernel.inputs : kernel.outputs;
    return no_kernel_for(args.tensor(table.rows[0].param));
  }
  if (wide_loop->loop == nullptr) return {};

  CallViews views(frame, kernel.outputs.count + kernel.inputs.count);
  Operands tensors;  // outputs, then inputs
  for (const Table<TensorSource>* table : {&kernel.outputs, &kernel.inputs}) {
    for (int32_t i = 0; i < table->count; ++i) {
      const TensorSource& source = table->rows[i];
      // The first one stands for a tensor that was left out; the variant does not look at it.
      const bool present = args.arguments[source.param].present;
      Operand& operand = tensors.add();
      operand.dtype = dtype_or(source.dtype, computed);
      Status found = views.find(present ? source : table->rows[0], &operand.view);
      if (!found.ok()) return found;
    }
  }
  const TypedLoop* const half_loop = find_half_loop(kernel, variant, computed, tensors);
  const TypedLoop& own = half_loop != nullptr ? *half_loop : *wide_loop;
  InlineVector<Number, 4> numbers;
  for (int32_t i = 0; i < kernel.numbers.count; ++i) {
    const NumberSource& source = kernel.numbers.rows[i];
    numbers.add() = number_from(frame, source, dtype_or(source.dtype, loop_type(computed)));
  }
  const int64_t reduction = kernel.reduction == kComputed ? 0 : evaluate(frame, kernel.reduction);
  if (reduction != 0) {
    return pointwise_sum(own.loop, tensors[0], tensors.data() + 1, kernel.inputs.count,
                         numbers.data(), reduction == kMean);
  }
  const int inputs = half_loop != nullptr ? kernel.inputs.count : wide_loop->inputs;
  return pointwise(own.loop, tensors.data(), kernel.outputs.count,
                   tensors.data() + kernel.outputs.count, inputs, numbers.data(),
                   half_loop != nullptr, own.row_loop);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
