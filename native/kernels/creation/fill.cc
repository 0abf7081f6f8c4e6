// SPDX-License-Identifier: Apache-2.0
#include "kernels/creation/fill.h"

#include "dtypes.h"
#include "engines/copy.h"
#include "kernels/creation/element.h"
#include "ops/inplace_fill_scalar.h"
#include "ops/inplace_fill_tensor.h"
#include "ops/inplace_one.h"
#include "ops/inplace_zero.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

aclDataType unsigned_type(int bits) {
  switch (bits) {
    case 8:
      return ACL_UINT8;
    case 16:
      return ACL_UINT16;
    case 32:
      return ACL_UINT32;
    case 64:
      return ACL_UINT64;
    default:
      return ACL_COMPLEX128;
  }
}

ScalarValue truth(bool value) {
  ScalarValue scalar;
  scalar.present = true;
  scalar.dtype = ACL_BOOL;
  scalar.bytes[0] = value;
  return scalar;
}

}  // namespace

Status fill_with_zero(const TensorView& view) {
  TensorView bits = view;
  bits.dtype = unsigned_type(data_type_bits(view.dtype));
  return fill(bits, truth(false));
}

Status fill_with_one(const TensorView& view) { return fill(view, truth(true)); }

Status run(const InplaceFillScalarArgs& args) {
  return fill(args.selfRef, as_element(args.value, args.selfRef.dtype));
}

Status run(const InplaceFillTensorArgs& args) { return copy(args.selfRef, args.value); }

Status run(const InplaceOneArgs& args) { return fill_with_one(args.selfRef); }

Status run(const InplaceZeroArgs& args) { return fill_with_zero(args.selfRef); }

}  // namespace ACLHOST_ISA
}  // namespace aclhost
