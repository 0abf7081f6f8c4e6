// SPDX-License-Identifier: Apache-2.0
// What operators that write at indices share.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "engines/overlap.h"
#include "engines/scatter.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// What is combined and what with: elements of 16 bits as float, for one rounding at the end.
class Combined {
 public:
  // `self` is what is there first, `out` itself or a tensor that it is copied from. `apart`: not in
  // the memory of out, whatever its type.
  Status prepare(const TensorView& self, const TensorView& out, const TensorView& source,
                 Combine how, bool apart = false);
  const TensorView& table() const { return is_apart_ ? own_table_.view : *out_; }
  const TensorView& source() const { return is_wide_ ? wide_source_.view : *source_; }
  // A walk over these two; whether all indices were in range.
  bool run(const IndexedWalk& walk) const;
  Status finish() const;

 private:
  const TensorView* out_ = nullptr;
  const TensorView* source_ = nullptr;
  Combine how_ = Combine::kReplace;
  bool is_wide_ = false, is_apart_ = false;
  CopiedView own_table_, wide_source_;
};

// Everything about scattering a tensor into another one along an axis.
struct Scattering {
  const char* op;
  const TensorView* self;
  int64_t dim;
  const TensorView* index;
  const TensorView* source;
  const TensorView* out;  // self where it is overwritten
  Combine how = Combine::kReplace;
  bool has_own_indices = false;  // every element has an index; else every slice of source
  bool wraps = false;
  bool skips = false;    // indices out of range are no error
  bool is_mean = false;  // sums are divided by the number of their terms, self included
  const char* parameter = "index";
};
Status scatter_along(const Scattering& scattering);

// A tensor of the shape whose elements are all the same.
TensorView repeated(const ScalarValue& element, const TensorView& like);

}  // namespace ACLHOST_ISA
}  // namespace aclhost
