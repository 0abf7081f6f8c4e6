// SPDX-License-Identifier: Apache-2.0
// What operators on indices share.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "engines/index.h"
#include "engines/overlap.h"
#include "operator/views.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

// An input that shares no memory with what is written: the tensor itself, or a copy of it.
class Untouched {
 public:
  Status keep(const TensorView& view, const TensorView& written);
  const TensorView& view() const { return *view_; }

 private:
  const TensorView* view_ = nullptr;
  CopiedView copy_;
};

// An index tensor as messages name it, with the length of the axis that it points into.
struct NamedIndex {
  const char* parameter;
  const TensorView* view;
  int64_t limit;
  bool wraps;
};

// What a launch reports: the first index that is out of range, where there is one.
Status index_outcome(const char* op, bool good, const NamedIndex* indices, int count);

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
  bool skips = false;  // indices out of range are no error
};
Status scatter_along(const Scattering& scattering);

// What is combined and what with: elements of 16 bits as float, for one rounding at the end.
class Combined {
 public:
  Status prepare(const TensorView& out, const TensorView& source, Combine how);
  const TensorView& table() const { return is_wide_ ? wide_table_.view : *out_; }
  const TensorView& source() const { return is_wide_ ? wide_source_.view : *source_; }
  // A walk over these two; whether all indices were in range.
  bool run(const IndexedWalk& walk) const;
  Status finish() const;

 private:
  const TensorView* out_ = nullptr;
  const TensorView* source_ = nullptr;
  Combine how_ = Combine::kReplace;
  bool is_wide_ = false;
  CopiedView wide_table_, wide_source_;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
