// SPDX-License-Identifier: Apache-2.0
#include "engines/each.h"

#include <cstring>

#include "dtypes.h"
#include "engines/scalars.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// An element by its position in row-major order.
ScalarValue element_of(const TensorView& view, int64_t position) {
  int64_t place = view.offset;
  for (int i = view.rank - 1; i >= 0; --i) {
    place += position % view.shape[i] * view.strides[i];
    position /= view.shape[i];
  }
  const int64_t size = data_type_bits(view.dtype) / 8;
  ScalarValue scalar;
  scalar.present = true;
  scalar.dtype = view.dtype;
  std::memcpy(scalar.bytes, static_cast<const char*>(view.data) + place * size, size);
  return scalar;
}

// The arguments of one member.
class Member {
 public:
  Member(const Args& all, const Operator& base, int64_t position, aclDataType number_type)
      : args(base), all_(all), position_(position), number_type_(number_type) {
    args.soc = all.soc;
  }

  void add(const EachSource& source, ParamKind kind) {
    switch (kind) {
      case ParamKind::kTensorIn:
      case ParamKind::kTensorOut:
      case ParamKind::kTensorInOut:
        return add_tensor(all_.tensor_list(source.param).values[position_], kind);
      case ParamKind::kScalar:
        return add_scalar(scalar_from(source));
      default:
        args.arguments.add() = {true, 0, 0};
        args.arguments[args.arguments.size() - 1].integer = static_cast<int64_t>(source.number);
    }
  }

  Args args;
  bool writes_nothing = false;

 private:
  void add_tensor(const TensorView& view, ParamKind kind) {
    args.arguments.add() = {true, static_cast<uint32_t>(args.tensors.size()), 1};
    copy_view(view, &args.tensors.add());
    writes_nothing |= kind != ParamKind::kTensorIn && view.empty();
  }

  void add_scalar(const ScalarValue& scalar) {
    args.arguments.add() = {true, static_cast<uint32_t>(args.scalars.size()), 1};
    ScalarValue& own = args.scalars.add();
    own.present = true;
    own.dtype = number_type_;
    scalar_as(scalar, number_type_, reinterpret_cast<char*>(own.bytes));
  }

  ScalarValue scalar_from(const EachSource& source) const {
    if (source.from == From::kNumber) return double_value(source.number);
    if (source.from == From::kArgument) return all_.scalar(source.param);
    const int64_t place = source.from == From::kMember ? position_ : 0;
    if (all_.op->params[source.param].kind == ParamKind::kScalarList) {
      return all_.scalar_list(source.param).values[place];
    }
    return element_of(all_.tensor(source.param), place);
  }

  const Args& all_;
  const int64_t position_;
  const aclDataType number_type_;
};

}  // namespace

Status run_each(const Args& args, const Operator& base, Kernel kernel,
                const Table<EachSource>& sources) {
  int32_t first = 0;
  while (sources.rows[first].from != From::kMember) ++first;
  const ListView<TensorView> list = args.tensor_list(sources.rows[first].param);
  for (uint64_t i = 0; i < list.size; ++i) {
    const bool is_whole = data_type_category(list.values[i].dtype) == TypeCategory::kInteger;
    Member member(args, base, static_cast<int64_t>(i), is_whole ? ACL_INT64 : ACL_FLOAT);
    for (int32_t k = 0; k < sources.count; ++k) member.add(sources.rows[k], base.params[k].kind);
    if (member.writes_nothing) continue;
    Status status = kernel(member.args);
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
