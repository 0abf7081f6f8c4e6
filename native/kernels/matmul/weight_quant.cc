// SPDX-License-Identifier: Apache-2.0
// Weights of 8 or 4 bits become numbers panel by panel: (weight + offset) * scale, where scale and
// offset are of a channel and, in groups of rows, of a group.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engines/copy.h"
#include "engines/gemm.h"
#include "engines/overlap.h"
#include "ops/weight_quant_batch_matmul_v2.h"
#include "ops/weight_quant_batch_matmul_v3.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

struct QuantWeight {
  const uint8_t* data;
  bool of_4_bits;
  int64_t offset, row_stride, column_stride;  // in elements
  int64_t group;                              // rows
  int64_t columns;
  const float* scales;   // [groups, columns]
  const float* offsets;  // null: none

  // The lower half of a byte comes first.
  float at(int64_t row, int64_t column) const {
    const int64_t place = offset + row * row_stride + column * column_stride;
    return of_4_bits ? half_at(place) : static_cast<int8_t>(data[place]);
  }

  int8_t half_at(int64_t place) const {
    const int shift = (place & 1) != 0 ? 0 : 4;
    return static_cast<int8_t>(static_cast<int8_t>(data[place >> 1] << shift) >> 4);
  }
};

// The lower half of a byte comes first.
void split_bytes(const uint8_t* from, int64_t bytes, int8_t* halves) {
  for (int64_t i = 0; i < bytes; ++i) {
    halves[2 * i] = static_cast<int8_t>(static_cast<int8_t>(from[i] << 4) >> 4);
    halves[2 * i + 1] = static_cast<int8_t>(static_cast<int8_t>(from[i]) >> 4);
  }
}

// Whole bytes, in blocks of a size that the compiler knows: groups are hardly longer.
void fill_halves(const uint8_t* from, int64_t bytes, float added, float scale, float* to) {
  constexpr int64_t kBlock = 16;
  int8_t halves[2 * kBlock];
  for (int64_t i = 0; i < bytes; i += kBlock) {
    const int64_t count = std::min(kBlock, bytes - i);
    if (count == kBlock) {
      split_bytes(from + i, kBlock, halves);
      for (int64_t k = 0; k < 2 * kBlock; ++k) to[2 * i + k] = (halves[k] + added) * scale;
    } else {
      split_bytes(from + i, count, halves);
      for (int64_t k = 0; k < 2 * count; ++k) to[2 * i + k] = (halves[k] + added) * scale;
    }
  }
}

// Rows [first, last) of one column, all in one group.
void fill_run(const QuantWeight& weight, int64_t column, int64_t first, int64_t last, float* to) {
  const int64_t place = first / weight.group * weight.columns + column;
  const float scale = weight.scales[place];
  const float added = weight.offsets != nullptr ? weight.offsets[place] : 0;
  const int64_t start = weight.offset + first + column * weight.column_stride;  // for row stride 1
  if (!weight.of_4_bits && weight.row_stride == 1) {
    const auto* const from = reinterpret_cast<const int8_t*>(weight.data) + start;
    for (int64_t i = 0; i < last - first; ++i) to[i] = (from[i] + added) * scale;
    return;
  }
  if (weight.of_4_bits && weight.row_stride == 1 && start % 2 == 0) {
    const int64_t bytes = (last - first) / 2;
    fill_halves(weight.data + start / 2, bytes, added, scale, to);
    first += 2 * bytes;
    to += 2 * bytes;
  }
  for (int64_t i = first; i < last; ++i) {
    to[i - first] = (weight.at(i, column) + added) * scale;
  }
}

// Some columns of one row, whose weights lie side by side.
void fill_row(const QuantWeight& weight, int64_t row, int64_t column, int64_t count, float* to) {
  constexpr int64_t kBlock = 64;
  const int64_t place = row / weight.group * weight.columns + column;
  const float* const scales = weight.scales + place;
  const float* const offsets = weight.offsets != nullptr ? weight.offsets + place : nullptr;
  const int64_t start = weight.offset + row * weight.row_stride + column;
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t length = std::min(kBlock, count - first);
    int8_t halves[kBlock];
    const auto* from = reinterpret_cast<const int8_t*>(weight.data) + start + first;
    if (weight.of_4_bits) {
      for (int64_t j = 0; j < length; ++j) halves[j] = weight.half_at(start + first + j);
      from = halves;
    }
    for (int64_t j = 0; j < length; ++j) {
      const float added = offsets != nullptr ? offsets[first + j] : 0;
      to[first + j] = (from[j] + added) * scales[first + j];
    }
  }
}

void fill_rows(const void* context, const Panel& panel, float* to) {
  const auto& weight = *static_cast<const QuantWeight*>(context);
  for (int64_t i = 0; i < panel.rows; ++i) {
    fill_row(weight, panel.row + i, panel.column, panel.columns, to + i * panel.columns);
  }
}

void fill_columns(const void* context, const Panel& panel, float* to) {
  const auto& weight = *static_cast<const QuantWeight*>(context);
  const int64_t end = panel.row + panel.rows;
  for (int64_t j = 0; j < panel.columns; ++j) {
    for (int64_t row = panel.row; row < end;) {
      const int64_t next = std::min(end, (row / weight.group + 1) * weight.group);
      fill_run(weight, panel.column + j, row, next, to + j * panel.rows + row - panel.row);
      row = next;
    }
  }
}

// A dense float tensor of [groups, columns].
Status spread(const TensorView& from, int64_t groups, int64_t columns, CopiedView& made) {
  Shape shape;
  shape.rank = 2;
  shape.dims[0] = groups;
  shape.dims[1] = columns;
  const Status status = make_dense(shape, ACL_FLOAT, made);
  return status.ok() ? copy(made.view, from) : status;
}

// INT32 that are eight INT4 each, along rows or columns, as these.
TensorView unpacked(const TensorView& weight, int64_t rows) {
  constexpr int64_t kNumbers = 8;
  TensorView view = weight;
  if (weight.dtype != ACL_INT32) return view;
  const int packed = weight.shape[0] == rows ? 1 : 0;
  view.dtype = ACL_INT4;
  view.offset *= kNumbers;
  view.shape[packed] *= kNumbers;
  view.strides[packed] = 1;
  view.strides[1 - packed] *= kNumbers;
  return view;
}

// What 64 bits say of a column of results: the scale in the lower half, nine bits of offset.
struct ResultScale {
  explicit ResultScale(uint64_t bits) : offset(static_cast<float>(bits >> 37 & 0x1ff)) {
    const auto low = static_cast<uint32_t>(bits);
    std::memcpy(&scale, &low, sizeof scale);
    if (offset >= 256) offset -= 512;
  }
  float scale, offset;
};

// Both tensors of results are contiguous.
void quantise(const float* sums, const TensorView& scales, const TensorView& y) {
  const int64_t rows = y.shape[0], columns = y.shape[1];
  const auto* const bits = static_cast<const char*>(scales.data) + scales.offset * sizeof(uint64_t);
  auto* const to = static_cast<int8_t*>(y.data) + y.offset;
  const bool single = scales.elements() == 1;
  for (int64_t j = 0; j < columns; ++j) {
    uint64_t own;
    std::memcpy(&own, bits + (single ? 0 : j) * sizeof own, sizeof own);
    const ResultScale scale(own);
    for (int64_t i = 0; i < rows; ++i) {
      const float value = std::nearbyint(sums[i * columns + j] * scale.scale) + scale.offset;
      const float kept = std::clamp(value, -128.0F, 127.0F);
      to[i * columns + j] = kept != kept ? 0 : static_cast<int8_t>(kept);
    }
  }
}

template <typename Args>
Status multiply_quantised(const Args& args) {
  const TensorView weight = unpacked(args.weight, args.x.shape[1]);
  const int64_t rows = weight.shape[0], columns = weight.shape[1];
  const int64_t group = args.antiquantGroupSize > 0 ? args.antiquantGroupSize : rows;
  const int64_t groups = (rows + group - 1) / group;
  CopiedView scales, offsets;
  Status status = spread(args.antiquantScale, groups, columns, scales);
  if (!status.ok()) return status;
  const bool shifts = args.antiquantOffsetOptional.present;
  if (shifts) status = spread(args.antiquantOffsetOptional, groups, columns, offsets);
  if (!status.ok()) return status;
  const QuantWeight source = {static_cast<const uint8_t*>(weight.data),
                              weight.dtype == ACL_INT4,
                              weight.offset,
                              weight.strides[0],
                              weight.strides[1],
                              group,
                              columns,
                              static_cast<const float*>(scales.view.data),
                              shifts ? static_cast<const float*>(offsets.view.data) : nullptr};
  const bool by_columns = weight.strides[1] != 1;
  const PanelSource panels = {&source, by_columns, by_columns ? fill_columns : fill_rows};
  const TensorView& bias = args.biasOptional;
  const bool adds = bias.present && !bias.empty();
  const auto multiply_into = [&](const TensorView& y) {
    return gemm({y, args.x, weight, adds ? &bias : nullptr, 1, 1, false, &panels});
  };
  if (!args.quantScaleOptional.present) return multiply_into(args.y);
  CopiedView sums;
  status = make_dense(shape_of(args.y), ACL_FLOAT, sums);
  if (status.ok()) status = multiply_into(sums.view);
  if (status.ok())
    quantise(static_cast<const float*>(sums.view.data), args.quantScaleOptional, args.y);
  return status;
}

}  // namespace

Status run(const WeightQuantBatchMatmulV2Args& args) { return multiply_quantised(args); }
Status run(const WeightQuantBatchMatmulV3Args& args) { return multiply_quantised(args); }

}  // namespace ACLHOST_ISA
}  // namespace aclhost
