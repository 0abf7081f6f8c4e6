// SPDX-License-Identifier: Apache-2.0
// The right class of each position, and the weights of classes.
#pragma once

#include "engines/dense.h"
#include "operator/index_error.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

class Targets {
 public:
  // The same without what owns the memory: loops keep a copy in registers.
  struct View {
    bool counts(int64_t position) const {
      const int64_t number = classes[position];
      return (number != ignored) & (number >= 0) & (number < limit);  // no branches: vectors
    }
    float weight(int64_t position) const {
      return weights != nullptr ? weights[classes[position]] : 1.0f;
    }

    const int64_t* classes;
    const float* weights;  // null: 1
    int64_t limit;
    int64_t ignored;
  };

  // A weight that is not present counts as 1.
  Status take(const TensorView& target, const TensorView& weight, int64_t classes,
              int64_t ignored) {
    limit_ = classes;
    ignored_ = ignored;
    weighted_ = weight.present;
    Status status = classes_.take(target, ACL_INT64);
    return status.ok() && weighted_ ? weights_.take(weight, ACL_FLOAT) : status;
  }

  int64_t of(int64_t position) const { return classes_.as<int64_t>()[position]; }
  float weight(int64_t number) const { return weighted_ ? weights_.as<float>()[number] : 1.0f; }

  View view() const {
    return {classes_.as<int64_t>(), weighted_ ? weights_.as<float>() : nullptr, limit_, ignored_};
  }

  // Whether a position counts; a class that does not exist is remembered.
  bool counts(int64_t position, FirstBadIndex& bad) const {
    if (view().counts(position)) return true;
    if (of(position) != ignored_) bad.add({position, of(position)});
    return false;
  }

 private:
  DenseArray classes_;
  DenseArray weights_;
  bool weighted_ = false;
  int64_t limit_ = 0;
  int64_t ignored_ = 0;
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
