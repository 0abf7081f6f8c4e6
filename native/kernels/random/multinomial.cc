// SPDX-License-Identifier: Apache-2.0
#include "ops/multinomial.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "engines/copy.h"
#include "engines/overlap.h"
#include "kernels/random/exponential.h"
#include "ops/multinomial_tensor.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

struct Draw {
  double* weights;
  int64_t rows, categories, samples;
};

Shape matrix(int64_t rows, int64_t columns) {
  Shape shape;
  shape.rank = 2;
  shape.dims[0] = rows;
  shape.dims[1] = columns;
  return shape;
}

int64_t grain_of(const Draw& draw) {
  return std::max<int64_t>(4096 / (draw.categories + draw.samples), 1);
}

// The categories of a row by the sums of their weights. Where shares that begin alike lead is
// looked up once, and leaves few categories to choose from.
class Categories {
 public:
  Categories(const double* sums, int64_t count, int64_t samples) : sums_(sums), count_(count) {
    if (samples < 4 * kStarts) return;
    for (int64_t i = 0; i <= kStarts; ++i) {
      starts_[i] = first_at(static_cast<double>(i) / kStarts, 0, count);
    }
    has_starts_ = true;
  }

  // The first one up to which the weights add up to a share of them all.
  int64_t at(float share) const {
    const double wide = share;
    const auto start = static_cast<int64_t>(wide * kStarts);
    const bool known = has_starts_ && start < kStarts;
    const int64_t found =
        known ? first_at(wide, starts_[start], starts_[start + 1]) : first_at(wide, 0, count_);
    int64_t category = std::min(found, count_ - 1);
    while (category > 0 && sums_[category] == sums_[category - 1]) --category;
    return category;
  }

 private:
  static constexpr int64_t kStarts = 1024;

  int64_t first_at(double share, int64_t first, int64_t last) const {
    const double wanted = share * sums_[count_ - 1];
    return std::lower_bound(sums_ + first, sums_ + last, wanted) - sums_;
  }

  const double* sums_;
  int64_t count_;
  bool has_starts_ = false;
  int64_t starts_[kStarts + 1];
};

// Each sample of a row has a sequence of its own; rows have a multiple of 128 of them. Weights
// become their sums.
Status draw_again(const Draw& draw, const Seed& seed, int64_t* drawn) {
  const RandomWords random = words_of_sequences(seed);
  const int64_t sequences = (draw.samples + 127) / 128 * 128;
  parallel_for(draw.rows, grain_of(draw), [&](int64_t begin, int64_t end) {
    constexpr int64_t kMost = 256;
    uint32_t words[kMost];
    for (int64_t row = begin; row < end; ++row) {
      double* const sums = draw.weights + row * draw.categories;
      std::partial_sum(sums, sums + draw.categories, sums);
      const Categories found(sums, draw.categories, draw.samples);
      for (int64_t i = 0; i < draw.samples; ++i) {
        if (i % kMost == 0) {
          const int64_t count = std::min(kMost, draw.samples - i);
          random.fill_with_one(0, words, row * sequences + i, count);
        }
        drawn[row * draw.samples + i] = found.at(positive_unit_float(words[i % kMost]));
      }
    }
  });
  return {};
}

// Whose weight, divided by an exponential number, is larger; zeros and what is no number are last.
struct Race {
  double result;
  int64_t category;

  bool operator<(const Race& other) const {
    return result != other.result ? result > other.result : category < other.category;
  }
};

Status draw_once(const Draw& draw, const Seed& seed, int64_t* drawn) {
  const ExponentialNumbers random(draw.rows * draw.categories, seed);
  CopiedView room, times;
  Status status = make_dense(matrix(draw.rows, 2 * draw.categories), ACL_DOUBLE, room);
  if (status.ok()) status = make_dense(matrix(draw.rows, draw.categories), ACL_FLOAT, times);
  if (!status.ok()) return status;
  auto* const races = reinterpret_cast<Race*>(room.memory.get());
  float* const numbers = static_cast<float*>(times.view.data);
  parallel_for(draw.rows, grain_of(draw), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t first = row * draw.categories;
      random.fill(numbers + first, first, draw.categories);
      for (int64_t i = 0; i < draw.categories; ++i) {
        const double result = draw.weights[first + i] / static_cast<double>(numbers[first + i]);
        races[first + i] = {result > 0 ? result : 0, i};
      }
      Race* const start = races + first;
      std::partial_sort(start, start + draw.samples, start + draw.categories);
      for (int64_t i = 0; i < draw.samples; ++i) drawn[row * draw.samples + i] = start[i].category;
    }
  });
  return {};
}

template <typename Args>
Status sample(const Args& args, const Seed& seed) {
  CopiedView weights, drawn;
  Status status = make_dense(shape_of(args.self), ACL_DOUBLE, weights);
  if (status.ok()) status = copy(weights.view, args.self);
  if (status.ok()) status = make_dense(shape_of(args.out), ACL_INT64, drawn);
  if (!status.ok()) return status;
  const int64_t categories = args.self.shape[args.self.rank - 1];
  const int64_t rows = args.self.rank == 2 ? args.self.shape[0] : 1;
  const Draw draw = {static_cast<double*>(weights.view.data), rows, categories, args.numsamples};
  auto* const places = static_cast<int64_t*>(drawn.view.data);
  const bool again = args.replacement && args.numsamples > 1;
  status = again ? draw_again(draw, seed, places) : draw_once(draw, seed, places);
  return status.ok() ? copy(args.out, drawn.view) : status;
}

}  // namespace

Status run(const MultinomialArgs& args) { return sample(args, seed_of(args)); }
Status run(const MultinomialTensorArgs& args) { return sample(args, seed_in_tensors(args)); }

}  // namespace ACLHOST_ISA
}  // namespace aclhost
