// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <new>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/block_loop.h"
#include "engines/cast.h"
#include "kernels/convolution/direct.h"
#include "kernels/convolution/planes.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kFewChannels = 4;
constexpr int64_t kBlock = 16;          // lanes of a sum
constexpr double kGrainWork = 1 << 17;  // multiplications; less is not worth a second thread
constexpr int kVectors = kBlock / kLanes<float>;

using Floats = Vector<float>;

int64_t grain_of(const Source& source, int64_t map_channels) {
  const double work = static_cast<double>(source.positions()) * source.taps() * source.channels;
  return static_cast<int64_t>(std::max(kGrainWork / (work * map_channels + 1), 1.0));
}

// Lines of a map in whole blocks, behind their ends zeros.
struct MapLines {
  MapLines(const Source& source, const Planes& of)
      : planes(of),
        count(source.axes[0].positions * source.axes[1].positions),
        length(source.axes[2].positions),
        step((length + kBlock - 1) / kBlock * kBlock),
        values(new (std::nothrow) float[count * step]) {
    if (values != nullptr) std::fill_n(values.get(), count * step, 0.0F);
  }

  void take(const float* map) {
    for (int64_t line = 0; line < count; ++line) {
      std::copy_n(map + line * length, length, values.get() + line * step);
    }
  }

  const Planes& planes;
  int64_t count, length, step;
  std::unique_ptr<float[]> values;
};

// Lanes of a block that are positions; what the others hold must not count, even if infinite.
MaskOf<Floats> counted_lanes(int64_t positions, int first) {
  MaskOf<Floats> mask;
  for (int i = 0; i < kLanes<float>; ++i) mask[i] = first + i < positions ? -1 : 0;
  return mask;
}

// Adds products of all positions with what some elements of the kernel meet there.
template <int taps>
void add_products(const MapLines& lines, const float* image, const int64_t* distances,
                  float* lanes) {
  Floats sums[taps][kVectors];
  MaskOf<Floats> counted[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    counted[v] = counted_lanes(lines.length - (lines.step - kBlock), v * kLanes<float>);
    for (int t = 0; t < taps; ++t) {
      sums[t][v] = load_vector<Floats>(lanes + t * kBlock + v * kLanes<float>);
    }
  }
  for (int64_t line = 0; line < lines.count; ++line) {
    const float* const a = lines.values.get() + line * lines.step;
    const float* const b = image + lines.planes.column(line);
    for (int64_t at = 0; at < lines.step; at += kBlock) {
      const bool ends = at + kBlock == lines.step;
      for (int v = 0; v < kVectors; ++v) {
        const int64_t place = at + v * kLanes<float>;
        const auto value = load_vector<Floats>(a + place);
        for (int t = 0; t < taps; ++t) {
          const Floats product = value * load_vector<Floats>(b + distances[t] + place);
          sums[t][v] += ends && counted[v] == 0 ? Floats{} : product;
        }
      }
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    for (int t = 0; t < taps; ++t) {
      store_vector(lanes + t * kBlock + v * kLanes<float>, sums[t][v]);
    }
  }
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

// The memory of a thread.
struct Workspace {
  explicit Workspace(const Source& source)
      : planes(source),
        lines(source, planes),
        image(new (std::nothrow) float[planes.size() + kBlock]),
        distances(new (std::nothrow) int64_t[source.taps()]) {
    if (!has_memory()) return;
    std::fill_n(image.get(), planes.size() + kBlock, 0.0F);
    for (int64_t tap = 0; tap < source.taps(); ++tap) distances[tap] = planes.distance(tap);
  }

  bool has_memory() const {
    return image != nullptr && distances != nullptr && lines.values != nullptr;
  }

  Planes planes;
  MapLines lines;
  std::unique_ptr<float[]> image;
  std::unique_ptr<int64_t[]> distances;
};

// Lanes of the sums of a group: by the map's channels, the source's, and the kernel.
void weigh_group(const Groups& of, int64_t group, const TensorView& map, Workspace& workspace,
                 float* lanes) {
  constexpr int kTogether = 4;
  const Source& source = of.source;
  const int64_t taps = source.taps();
  const int64_t batches = map.shape[0] / (of.groups * of.map_channels);
  for (int64_t n = 0; n < batches; ++n) {
    const int64_t number = n * of.groups + group;
    for (int64_t m = 0; m < of.map_channels; ++m) {
      const char* const row = row_of(map, number * of.map_channels + m);
      workspace.lines.take(reinterpret_cast<const float*>(row));
      for (int64_t c = 0; c < source.channels; ++c) {
        workspace.planes.take(of.plane(number, c), workspace.image.get());
        float* const to = lanes + (m * source.channels + c) * taps * kBlock;
        const int64_t* const distances = workspace.distances.get();
        int64_t tap = 0;
        for (; tap + kTogether <= taps; tap += kTogether) {
          add_products<kTogether>(workspace.lines, workspace.image.get(), distances + tap,
                                  to + tap * kBlock);
        }
        for (; tap < taps; ++tap) {
          add_products<1>(workspace.lines, workspace.image.get(), distances + tap,
                          to + tap * kBlock);
        }
      }
    }
  }
}

// Calls body(group, workspace, lanes) for all groups.
template <typename Body>
Status for_each_group(const Groups& of, int64_t lanes, const Body& body) {
  std::atomic<bool> enough_memory{true};
  parallel_for(of.groups, grain_of(of.source, of.map_channels), [&](int64_t begin, int64_t end) {
    Workspace workspace(of.source);
    const std::unique_ptr<float[]> sums(new (std::nothrow) float[lanes]);
    if (!workspace.has_memory() || sums == nullptr) {
      enough_memory = false;
      return;
    }
    for (int64_t group = begin; group < end; ++group) body(group, workspace, sums.get());
  });
  return enough_memory ? Status{} : no_memory_for_blocks();
}

}  // namespace

bool weighs_directly(const Source& source, int64_t groups, int64_t map_channels) {
  return groups > 1 && source.channels <= kFewChannels && map_channels <= kFewChannels &&
         has_small_planes(source);
}

Status weigh_directly(const Source& source, const TensorView& map, const TensorView& weight,
                      int64_t groups, int64_t map_channels) {
  const Groups of = {source, groups, map_channels};
  const CastArray cast = find_array_cast(ACL_FLOAT, weight.dtype);
  const int64_t length = source.channels * source.taps();
  const auto weigh = [&](int64_t group, Workspace& workspace, float* lanes) {
    std::fill_n(lanes, map_channels * length * kBlock, 0.0F);
    weigh_group(of, group, map, workspace, lanes);
    for (int64_t m = 0; m < map_channels; ++m) {
      float* const row = lanes + m * length * kBlock;
      for (int64_t i = 0; i < length; ++i) row[i] = total(row + i * kBlock);
      cast(reinterpret_cast<const char*>(row), row_of(weight, group * map_channels + m), length);
    }
  };
  return for_each_group(of, map_channels * length * kBlock, weigh);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
