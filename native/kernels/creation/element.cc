// SPDX-License-Identifier: Apache-2.0
#include "kernels/creation/element.h"

#include <cfloat>
#include <cmath>

#include "dtypes.h"
#include "engines/scalars.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

ScalarValue as_element(const ScalarValue& scalar, aclDataType dtype) {
  const TypeCategory from = data_type_category(scalar.dtype), to = data_type_category(dtype);
  ScalarValue element;
  element.present = true;
  element.dtype = dtype;
  if (from == TypeCategory::kComplex && to != TypeCategory::kComplex) return element;
  if (from == TypeCategory::kFloating && to == TypeCategory::kBool) {
    const double least = scalar.dtype == ACL_DOUBLE ? DBL_EPSILON : FLT_EPSILON;
    element.bytes[0] = std::fabs(scalar.to_double()) >= least;
    return element;
  }
  scalar_as(scalar, dtype, reinterpret_cast<char*>(element.bytes));
  return element;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
