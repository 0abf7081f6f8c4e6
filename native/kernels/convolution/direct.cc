// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/direct.h"

#include <atomic>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/block_loop.h"
#include "engines/cast.h"
#include "kernels/convolution/lines.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kFewChannels = 4;
constexpr double kMostExpansion = 4;    // of a line with its zeros
constexpr double kGrainWork = 1 << 17;  // multiplications; less is not worth a second thread
constexpr int kVectors = kBlock / kLanes<float>;

using Floats = Vector<float>;

int64_t rounded_up(int64_t n) { return (n + kBlock - 1) / kBlock * kBlock; }

int64_t lines_of(const Source& source) {
  return source.axes[0].positions * source.axes[1].positions;
}

int64_t grain_of(const Source& source, int64_t map_channels) {
  const double work = static_cast<double>(source.positions()) * source.taps() * source.channels;
  return static_cast<int64_t>(std::max(kGrainWork / (work * map_channels + 1), 1.0));
}

// Adds a channel's part to whole blocks of sums.
void add_line(const float* const* from, const float* weight, int64_t taps, float* sums,
              int64_t positions) {
  for (int64_t at = 0; at < positions; at += kBlock) {
    Floats block[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      block[v] = load_vector<Floats>(sums + at + v * kLanes<float>);
    }
    for (int64_t tap = 0; tap < taps; ++tap) {
      const Floats factor = splat<Floats>(weight[tap]);
      for (int v = 0; v < kVectors; ++v) {
        block[v] += factor * load_vector<Floats>(from[tap] + at + v * kLanes<float>);
      }
    }
    for (int v = 0; v < kVectors; ++v) store_vector(sums + at + v * kLanes<float>, block[v]);
  }
}

// Adds products to lanes; what lies behind the last position is not looked at.
void add_products(const float* a, const float* b, int64_t n, float* lanes) {
  Floats sums[kVectors];
  for (int v = 0; v < kVectors; ++v) sums[v] = load_vector<Floats>(lanes + v * kLanes<float>);
  int64_t at = 0;
  for (; at + kBlock <= n; at += kBlock) {
    for (int v = 0; v < kVectors; ++v) {
      const int64_t place = at + v * kLanes<float>;
      sums[v] += load_vector<Floats>(a + place) * load_vector<Floats>(b + place);
    }
  }
  for (int v = 0; v < kVectors; ++v) store_vector(lanes + v * kLanes<float>, sums[v]);
  for (int64_t i = at; i < n; ++i) lanes[i - at] += a[i] * b[i];
}

float total(float* lanes) {
  for (int64_t half = kBlock / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

char* row_of(const TensorView& matrix, int64_t row) {
  const int64_t size = data_type_bits(matrix.dtype) / 8;
  return static_cast<char*>(matrix.data) + (matrix.offset + row * matrix.strides[0]) * size;
}

struct Groups {
  const Source& source;
  int64_t groups, map_channels;

  const float* plane(int64_t group, int64_t channel) const {
    return source.data + group * source.batch_step + channel * source.plane_step;
  }
};

// All maps of a group of an image.
void convolve_group(const Groups& of, int64_t number, const float* weight, Lines& lines,
                    float* sums) {
  const Source& source = of.source;
  const int64_t taps = source.taps(), count = lines_of(source);
  const int64_t positions = source.axes[2].positions, step = rounded_up(positions);
  const int64_t first = number % of.groups * of.map_channels;
  std::fill_n(sums, of.map_channels * count * step, 0.0F);
  for (int64_t c = 0; c < source.channels; ++c) {
    lines.take(of.plane(number, c));
    for (int64_t line = 0; line < count; ++line) {
      const float* const* const from = lines.of_line(line);
      for (int64_t m = 0; m < of.map_channels; ++m) {
        const float* const factors = weight + ((first + m) * source.channels + c) * taps;
        add_line(from, factors, taps, sums + (m * count + line) * step, positions);
      }
    }
  }
}

// Rounds sums, the bias added to them.
void store_group(const Groups& of, int64_t number, const TensorView& map, const float* bias,
                 float* sums) {
  const CastArray cast = find_array_cast(ACL_FLOAT, map.dtype);
  const int64_t positions = of.source.axes[2].positions, count = lines_of(of.source);
  const int64_t size = data_type_bits(map.dtype) / 8 * positions;
  for (int64_t m = 0; m < of.map_channels; ++m) {
    char* const to = row_of(map, number * of.map_channels + m);
    const float added = bias != nullptr ? bias[number % of.groups * of.map_channels + m] : 0.0F;
    for (int64_t line = 0; line < count; ++line) {
      float* const from = sums + (m * count + line) * rounded_up(positions);
      if (bias != nullptr) {
        for (int64_t i = 0; i < positions; ++i) from[i] += added;
      }
      cast(reinterpret_cast<const char*>(from), to + line * size, positions);
    }
  }
}

// Lanes of the sums of a group: by the map's channels, the source's, and the kernel.
void weigh_group(const Groups& of, int64_t group, const TensorView& map, Lines& lines,
                 float* lanes) {
  const Source& source = of.source;
  const int64_t taps = source.taps(), count = lines_of(source);
  const int64_t positions = source.axes[2].positions;
  const int64_t batches = map.shape[0] / (of.groups * of.map_channels);
  for (int64_t n = 0; n < batches; ++n) {
    const int64_t number = n * of.groups + group;
    for (int64_t c = 0; c < source.channels; ++c) {
      lines.take(of.plane(number, c));
      for (int64_t line = 0; line < count; ++line) {
        const float* const* const from = lines.of_line(line);
        for (int64_t m = 0; m < of.map_channels; ++m) {
          const char* const row = row_of(map, number * of.map_channels + m);
          const float* const values = reinterpret_cast<const float*>(row) + line * positions;
          float* const to = lanes + (m * source.channels + c) * taps * kBlock;
          for (int64_t tap = 0; tap < taps; ++tap) {
            add_products(values, from[tap], positions, to + tap * kBlock);
          }
        }
      }
    }
  }
}

// Calls body(number, lines, scratch) for all numbers.
template <typename Body>
Status for_each_group(const Groups& of, int64_t total, int64_t scratch_size, const Body& body) {
  std::atomic<bool> enough_memory{true};
  parallel_for(total, grain_of(of.source, of.map_channels), [&](int64_t begin, int64_t end) {
    Lines lines(of.source);
    const std::unique_ptr<float[]> scratch(new (std::nothrow) float[scratch_size]);
    if (!lines.has_memory() || scratch == nullptr) {
      enough_memory = false;
      return;
    }
    for (int64_t number = begin; number < end; ++number) body(number, lines, scratch.get());
  });
  return enough_memory ? Status{} : no_memory_for_blocks();
}

}  // namespace

bool computes_directly(const Source& source, int64_t groups, int64_t map_channels) {
  const Taps& inner = source.axes[2];
  const double reach = static_cast<double>(inner.count) * std::max(inner.step, -inner.step);
  const double places = static_cast<double>(inner.positions) * inner.stride + reach;
  return groups > 1 && source.channels <= kFewChannels && map_channels <= kFewChannels &&
         source.taps() > 0 && places <= kMostExpansion * (inner.length + kBlock);
}

Status convolve_directly(const Source& source, const TensorView& map, const float* weight,
                         const float* bias, int64_t groups, int64_t map_channels) {
  const Groups of = {source, groups, map_channels};
  const int64_t sums = map_channels * lines_of(source) * rounded_up(source.axes[2].positions);
  return for_each_group(of, map.shape[0] / map_channels, sums,
                        [&](int64_t number, Lines& lines, float* scratch) {
                          convolve_group(of, number, weight, lines, scratch);
                          store_group(of, number, map, bias, scratch);
                        });
}

Status weigh_directly(const Source& source, const TensorView& map, const TensorView& weight,
                      int64_t groups, int64_t map_channels) {
  const Groups of = {source, groups, map_channels};
  const CastArray cast = find_array_cast(ACL_FLOAT, weight.dtype);
  const int64_t length = source.channels * source.taps();
  const auto weigh = [&](int64_t group, Lines& lines, float* lanes) {
    std::fill_n(lanes, map_channels * length * kBlock, 0.0F);
    weigh_group(of, group, map, lines, lanes);
    for (int64_t m = 0; m < map_channels; ++m) {
      float* const row = lanes + m * length * kBlock;
      for (int64_t i = 0; i < length; ++i) row[i] = total(row + i * kBlock);
      cast(reinterpret_cast<const char*>(row), row_of(weight, group * map_channels + m), length);
    }
  };
  return for_each_group(of, groups, map_channels * length * kBlock, weigh);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
