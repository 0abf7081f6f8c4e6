// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/direct.h"

#include <atomic>
#include <memory>
#include <new>
#include <optional>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/block_loop.h"
#include "engines/cast.h"
#include "engines/outer_products.h"
#include "kernels/convolution/planes.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr double kMostExpansion = 4;    // of the positions that are computed
constexpr int64_t kLargestBlock = 32;   // columns; bits must not depend on the processor's
constexpr int64_t kTerms = 384;         // that are added at a time, whole channels of them
constexpr int64_t kTileColumns = 2048;  // positions at most
constexpr int64_t kFewColumns = 384;    // positions that a tile had better have
constexpr int64_t kSums = 1 << 17;      // of a task
constexpr int64_t kTasksEach = 4;       // of a thread: so many are shared well
constexpr int64_t kLeastRows = 2 * kMostRows;
constexpr double kGrainWork = 1 << 19;  // multiplications; less is not worth a second thread

int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t rounded_up(int64_t n, int64_t multiple) { return divided_up(n, multiple) * multiple; }

// How a convolution is cut into tasks. It does not matter for the bits of results.
struct Job {
  Job(const Source& of, const TensorView& to, int64_t group_count, int64_t channels_of_map);

  int64_t tasks() const { return tiles * images * row_blocks; }
  Source tile(int64_t number) const;

  const Source& source;
  const TensorView& map;
  int64_t groups, map_channels;
  int64_t images;  // groups of them
  int tile_axis;   // the outermost with more than one position
  int64_t tile_length, tiles;
  int64_t columns;           // of the largest tile, as blocks read and write them
  int64_t rows, row_blocks;  // of the map's channels
  int64_t channels;          // that are added at a time
  int64_t terms;             // of all sums
};

Job::Job(const Source& of, const TensorView& to, int64_t group_count, int64_t channels_of_map)
    : source(of), map(to), groups(group_count), map_channels(channels_of_map) {
  images = map.shape[0] / map_channels;
  tile_axis = source.axes[0].positions > 1 ? 0 : 1;
  const int64_t length = source.axes[tile_axis].positions;
  const int64_t total = Planes(source).columns();
  const int64_t tasks = thread_count() > 1 ? kTasksEach * thread_count() : 1;
  const int64_t even = divided_up(total, divided_up(tasks, images));
  const int64_t most = std::clamp(even, kFewColumns, kTileColumns) * length / total;
  tiles = divided_up(length, std::clamp<int64_t>(most, 1, length));
  tile_length = divided_up(length, tiles);
  tiles = divided_up(length, tile_length);
  columns = rounded_up(Planes(tile(0)).columns(), kWideColumns);
  const int64_t wanted = divided_up(tasks, tiles * images);
  const int64_t worth = std::max<int64_t>(map_channels / kLeastRows, 1);
  const int64_t room = std::max(kSums / columns, std::min(kLeastRows, map_channels));
  row_blocks = std::max(divided_up(map_channels, room), std::min(wanted, worth));
  rows = divided_up(map_channels, row_blocks);
  row_blocks = divided_up(map_channels, rows);
  channels = std::clamp<int64_t>(kTerms / source.taps(), 1, source.channels);
  terms = source.channels * source.taps();
}

// A part of the positions.
Source Job::tile(int64_t number) const {
  Source part = source;
  Taps& axis = part.axes[tile_axis];
  const int64_t first = number * tile_length;
  axis.first += first * axis.stride;
  axis.positions = std::min(tile_length, axis.positions - first);
  return part;
}

// The memory of a thread.
class Workspace {
 public:
  explicit Workspace(const Job& job) : job_(job) {
    sums_.reset(new (std::nothrow) float[job.rows * job.columns]);
    places_.reset(new (std::nothrow) int64_t[job.channels * job.source.taps()]);
  }

  // False: there is no memory.
  bool open(int64_t tile) {
    if (tile == tile_) return true;
    tile_ = tile;
    planes_.emplace(job_.tile(tile));
    const int64_t size = job_.channels * planes_->size() + kWideColumns;
    memory_.reset(new (std::nothrow) float[size]);
    if (memory_ == nullptr || sums_ == nullptr || places_ == nullptr) return false;
    std::fill_n(memory_.get(), size, 0.0F);
    const int64_t taps = job_.source.taps();
    for (int64_t tap = 0; tap < taps; ++tap) places_[tap] = planes_->distance(tap);
    for (int64_t i = taps; i < job_.channels * taps; ++i) {
      places_[i] = places_[i - taps] + planes_->size();
    }
    return true;
  }

  void take(const float* first, int64_t count) {
    for (int64_t c = 0; c < count; ++c) {
      planes_->take(first + c * job_.source.plane_step, memory_.get() + c * planes_->size());
    }
  }

  const Planes& planes() const { return *planes_; }
  const float* image() const { return memory_.get(); }
  const int64_t* places() const { return places_.get(); }
  float* sums() const { return sums_.get(); }

 private:
  const Job& job_;
  int64_t tile_ = -1;
  std::optional<Planes> planes_;
  std::unique_ptr<float[]> memory_, sums_;
  std::unique_ptr<int64_t[]> places_;
};

// Adds some channels to the sums of some rows; weight has these rows in blocks.
void add_channels(const Job& job, const Workspace& workspace, const float* weight, int64_t rows,
                  int64_t first, int64_t count) {
  const int64_t taps = job.source.taps(), height = block_height(rows);
  const int64_t width = columns_for(height), end = workspace.planes().columns();
  for (int64_t column = 0; column < end; column += width) {
    for (int64_t row = 0; row < rows; row += height) {
      const int64_t some = std::min(height, rows - row);
      const OuterProducts products = {count * taps, weight + row * job.terms + first * taps * some,
                                      workspace.image() + column, workspace.places(),
                                      job.source.pairs};
      float* const to = workspace.sums() + row * job.columns + column;
      add_outer_products(some, width, products, to, job.columns, first > 0);
    }
  }
}

// Rounds sums, the bias added to them.
void store(const Job& job, const Workspace& workspace, int64_t tile, int64_t map_row, int64_t rows,
           const float* bias) {
  const CastArray cast = find_array_cast(ACL_FLOAT, job.map.dtype);
  const Source part = job.tile(tile);
  const int64_t length = part.axes[2].positions, lines = part.positions() / length;
  const int64_t before = tile * job.tile_length * (job.source.positions() / length) /
                         job.source.axes[job.tile_axis].positions;
  const int64_t size = data_type_bits(job.map.dtype) / 8;
  char* const map = static_cast<char*>(job.map.data);
  for (int64_t row = 0; row < rows; ++row) {
    float* const sums = workspace.sums() + row * job.columns;
    if (bias != nullptr) {
      for (int64_t i = 0; i < job.columns; ++i) sums[i] += bias[row];
    }
    const int64_t offset = job.map.offset + (map_row + row) * job.map.strides[0];
    char* to = map + (offset + before * length) * size;
    for (int64_t line = 0; line < lines; ++line) {
      cast(reinterpret_cast<const char*>(sums + workspace.planes().column(line)), to, length);
      to += length * size;
    }
  }
}

bool compute(const Job& job, Workspace& workspace, int64_t number, const float* weight,
             const float* bias) {
  const int64_t first = number % job.row_blocks * job.rows;
  const int64_t rows = std::min(job.rows, job.map_channels - first);
  number /= job.row_blocks;
  const int64_t image = number % job.images, tile = number / job.images;
  if (!workspace.open(tile)) return false;
  const int64_t row = image % job.groups * job.map_channels + first;
  const Source& source = job.source;
  for (int64_t c = 0; c < source.channels; c += job.channels) {
    const int64_t count = std::min(job.channels, source.channels - c);
    workspace.take(source.data + image * source.batch_step + c * source.plane_step, count);
    add_channels(job, workspace, weight + row * job.terms, rows, c, count);
  }
  store(job, workspace, tile, image * job.map_channels + first, rows,
        bias != nullptr ? bias + row : nullptr);
  return true;
}

// The rows of the weight in blocks.
std::unique_ptr<float[]> packed(const Job& job, const WeightRows& weight) {
  const int64_t all = job.groups * job.map_channels;
  std::unique_ptr<float[]> blocks(new (std::nothrow) float[all * job.terms]);
  if (blocks == nullptr) return blocks;
  const int64_t work = std::max<int64_t>(job.rows * job.terms, 1);
  parallel_for(job.groups * job.row_blocks, (1 << 16) / work + 1, [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number) {
      const int64_t first = number % job.row_blocks * job.rows;
      const int64_t row = number / job.row_blocks * job.map_channels + first;
      const int64_t rows = std::min(job.rows, job.map_channels - first);
      pack_rows(weight.data + row * weight.step, weight.step, rows, job.terms,
                blocks.get() + row * job.terms);
    }
  });
  return blocks;
}

}  // namespace

bool convolves_directly(const Source& source) {
  if (!has_small_planes(source)) return false;
  const int64_t computed = rounded_up(Planes(source).columns(), kLargestBlock);
  return static_cast<double>(computed) <= kMostExpansion * static_cast<double>(source.positions());
}

Status convolve_directly(const Source& source, const TensorView& map, const WeightRows& weight,
                         const float* bias, int64_t groups, int64_t map_channels) {
  const Job job(source, map, groups, map_channels);
  const std::unique_ptr<float[]> blocks = packed(job, weight);
  if (blocks == nullptr) return no_memory_for_blocks();
  const double work = static_cast<double>(job.columns) * job.rows * job.terms;
  std::atomic<bool> enough_memory{true};
  parallel_for(job.tasks(), static_cast<int64_t>(kGrainWork / work) + 1,
               [&](int64_t begin, int64_t end) {
                 Workspace workspace(job);
                 for (int64_t number = begin; number < end; ++number) {
                   if (!compute(job, workspace, number, blocks.get(), bias)) enough_memory = false;
                 }
               });
  return enough_memory ? Status{} : no_memory_for_blocks();
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
