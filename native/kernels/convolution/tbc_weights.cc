// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/tbc_weights.h"

#include <algorithm>

#include "base/parallel.h"
#include "engines/copy.h"
#include "engines/outer_products.h"
#include "engines/overlap.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kWhole = 64;          // columns: blocks read no others
constexpr int64_t kTerms = 512;         // that are added at a time
constexpr int64_t kPieces = 4;          // of so many terms, which stay in a cache
constexpr double kGrainWork = 1 << 18;  // multiplications; less is not worth a second thread

int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

const float* floats_of(const TensorView& view) {
  return static_cast<const float*>(view.data) + view.offset;
}

// Rows of both factors, `terms` of them from one on, for all blocks of the sums.
struct Chunk {
  const TensorView& met;
  const float* slopes;
  int64_t columns;  // of the slopes
  int64_t first, terms;
  const int64_t* places;  // of the rows of the slopes, then of the others

  // A block of channels that one element of the kernel meets.
  void add_block(int64_t number, int64_t height, float* sums, bool add) const {
    const int64_t channels = met.shape[2], blocks = divided_up(channels, height);
    const int64_t tap = number / blocks, channel = number % blocks * height;
    const int64_t rows = std::min(height, channels - channel), width = columns_for(rows);
    const float* const a = floats_of(met) + tap * met.strides[0] + first * channels + channel;
    float* const to = sums + (tap * channels + channel) * columns;
    for (int64_t done = 0; done < terms; done += kTerms) {
      const int64_t some = std::min(kTerms, terms - done);
      for (int64_t column = 0; column < columns; column += width) {
        const OuterProducts products = {
            some,  a + done * channels, slopes + (first + done) * columns + column, places,
            false, places + kTerms};
        add_outer_products(rows, width, products, to + column, columns, add || done > 0);
      }
    }
  }
};

}  // namespace

bool weighs_in_place(const TensorView& met, const TensorView& slopes) {
  return met.dtype == ACL_FLOAT && slopes.dtype == ACL_FLOAT && met.shape[1] > 0 &&
         slopes.shape[2] % kWhole == 0;
}

Status weigh_in_place(const TensorView& out, const TensorView& met, const TensorView& slopes,
                      const TensorView* addend) {
  const int64_t terms = met.shape[1], channels = met.shape[2], columns = slopes.shape[2];
  CopiedView sums;
  Status status = make_dense(shape_of(out), ACL_FLOAT, sums);
  if (status.ok() && addend != nullptr) status = copy(sums.view, *addend);
  if (!status.ok()) return status;
  int64_t places[2 * kTerms];
  for (int64_t i = 0; i < kTerms; ++i) {
    places[i] = i * columns;
    places[kTerms + i] = i * channels;
  }
  const int64_t height = block_height(channels);
  const int64_t blocks = met.shape[0] * divided_up(channels, height);
  float* const to = static_cast<float*>(sums.view.data) + sums.view.offset;
  for (int64_t first = 0; first < terms; first += kPieces * kTerms) {
    const Chunk chunk = {
        met, floats_of(slopes), columns, first, std::min(kPieces * kTerms, terms - first), places};
    const double work = static_cast<double>(height) * columns * chunk.terms;
    parallel_for(blocks, static_cast<int64_t>(kGrainWork / work) + 1,
                 [&](int64_t begin, int64_t end) {
                   for (int64_t number = begin; number < end; ++number) {
                     chunk.add_block(number, height, to, addend != nullptr || first > 0);
                   }
                 });
  }
  return copy(out, sums.view);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
