// SPDX-License-Identifier: Apache-2.0
// The part of an error map that some consecutive elements fall into.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engines/compare.h"
#include "simd/isa.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

class MapPart {
 public:
  // For elements of [begin, end).
  MapPart(const ErrorMap& map, int64_t begin, int64_t end)
      : map_(map),
        first_(cell_row(begin / map.columns)),
        cells_(static_cast<size_t>((cell_row((end - 1) / map.columns) - first_ + 1) * map.width)) {
    for (int64_t cell = 0; cell <= map.width; ++cell) {
      edges_.push_back((cell * map.columns + map.width - 1) / map.width);
    }
  }

  void raise(int64_t position, int64_t count, const double* errors) {
    int64_t row = position / map_.columns, column = position % map_.columns;
    while (count > 0) {
      const int64_t run = std::min(count, map_.columns - column);
      raise_in_row(&cells_[(cell_row(row) - first_) * map_.width], column, run, errors);
      errors += run;
      count -= run;
      column = 0;
      ++row;
    }
  }

  // Into the whole map; by one thread at a time.
  void draw() const {
    double* const target = map_.cells + first_ * map_.width;
    for (size_t i = 0; i < cells_.size(); ++i) target[i] = std::max(target[i], cells_[i]);
  }

 private:
  int64_t cell_row(int64_t row) const { return row * map_.height / map_.rows; }

  void raise_in_row(double* cells, int64_t column, int64_t count, const double* errors) const {
    int64_t cell = column * map_.width / map_.columns;
    for (int64_t i = 0; i < count; ++cell) {
      const int64_t end = std::min(count, edges_[cell + 1] - column);
      double largest = cells[cell];
      for (; i < end; ++i) largest = errors[i] > largest ? errors[i] : largest;
      cells[cell] = largest;
    }
  }

  const ErrorMap& map_;
  const int64_t first_;  // row of cells
  std::vector<double> cells_;
  std::vector<int64_t> edges_;  // the first column of each cell, and the end
};

}  // namespace ACLHOST_ISA
}  // namespace aclhost
