// SPDX-License-Identifier: Apache-2.0
#include "kernels/image/grid_sampler.h"

#include <cstring>

#include "dtypes.h"
#include "engines/copy.h"
#include "engines/row_pieces.h"
#include "ops/grid_sampler2_d.h"
#include "ops/grid_sampler3_d.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// The sums of one channel, of the elements of every position.
template <int dims, int taps, typename Element, typename Sum, typename Offset, int... number>
void interpolate(const AxisTaps<Sum, Offset, false>* axes, const Element* image,
                 Sum* __restrict sums, std::integer_sequence<int, number...>) {
  for (int p = 0; p < kGridBlock; ++p) {
    Sum sum = 0;
    const auto add = [&](auto tap) __attribute__((always_inline)) {
      const Sum value = image[tap.offset(axes, p)];
      sum += (tap.exists(axes, p) ? value : 0) * tap.weight(axes, p);
    };
    (add(Tap<dims, taps, number>()), ...);
    sums[p] = sum;
  }
}

struct Sampling {
  ImageView image, out;
  GridPositions grid;
};

template <typename Real, typename Sum>
void put(const Sum* sums, int positions, const int64_t* places, bool dense, char* to) {
  Real results[kGridBlock];
  for (int p = 0; p < positions; ++p) results[p] = static_cast<Real>(sums[p]);
  if (dense) {
    std::memcpy(to + places[0], results, positions * sizeof(Real));
  } else {
    for (int p = 0; p < positions; ++p) store(to + places[p], results[p]);
  }
}

template <typename Real, typename Sum, typename Offset>
void sample(const Sampling& s, int64_t n, int64_t first, int positions) {
  AxisTaps<Sum, Offset, false> axes[kMostSampled];
  int64_t places[kGridBlock];
  s.grid.find<Real>(n, first, positions, axes);
  const bool dense = s.out.is_dense();
  places[0] = first * static_cast<int64_t>(sizeof(Real));
  if (!dense) s.grid.offsets(s.out.stride, first, positions, places);
  using Element = typename Unaligned<Real>::type;
  visit_taps(s.grid.dims(), s.grid.taps(), [&](auto dims, auto taps, auto numbers) {
    Sum sums[kGridBlock];
    for (int64_t c = 0; c < s.out.channels; ++c) {
      const auto* const image = reinterpret_cast<const Element*>(s.image.at(n, c));
      interpolate<decltype(dims)::value, decltype(taps)::value>(axes, image, sums, numbers);
      put<Real>(sums, positions, places, dense, s.out.at(n, c));
    }
  });
}

void sample_all(const TensorView& input, const TensorView& grid, const GridAttributes& attributes,
                const TensorView& out, bool channels_last) {
  const ImageView image(input, channels_last);
  const Sampling s = {image, ImageView(out, channels_last), GridPositions(grid, image, attributes)};
  // Cubic weights have both signs: float would lose what their sums leave. Huge images are rare.
  const bool cubic = s.grid.axis(0).interpolation == Interpolation::kCubic;
  auto* const compute = out.dtype == ACL_DOUBLE ? sample<double, double, int64_t>
                        : !image.is_small()     ? sample<float, double, int64_t>
                        : cubic                 ? sample<float, double, int32_t>
                                                : sample<float, float, int32_t>;
  for_each_range(
      s.out.batch, s.grid.count(), kGridBlock, may_rewrite(out),
      [&](const RowRange& range) {
        for (int64_t n = range.first; n < range.last; ++n) {
          compute(s, n, range.begin, static_cast<int>(range.end - range.begin));
        }
      },
      8 + 4 * s.out.channels);
}

template <typename Args>
Status grid_sampler(const Args& args, bool channels_last) {
  CopiedView copies[3];
  TensorView input, grid;
  Status status = readable(args.input, copies[0], &input);
  if (status.ok()) status = readable(args.grid, copies[1], &grid);
  if (!status.ok()) return status;
  const GridAttributes attributes = {args.interpolationMode, args.paddingMode, args.alignCorners};
  if (args.out.dtype == input.dtype) {
    sample_all(input, grid, attributes, args.out, channels_last);
    return {};
  }
  status = make_dense(shape_of(args.out), ACL_FLOAT, copies[2]);
  if (!status.ok()) return status;
  sample_all(input, grid, attributes, copies[2].view, channels_last);
  return copy(args.out, copies[2].view);
}

}  // namespace

ImageView::ImageView(const TensorView& view, bool channels_last) {
  const int64_t item = item_size = data_type_bits(view.dtype) / 8;
  const int channel = channels_last ? view.rank - 1 : 1, first = channels_last ? 1 : 2;
  start = static_cast<char*>(view.data) + view.offset * item;
  batch = view.shape[0];
  batch_stride = view.strides[0] * item;
  channels = view.shape[channel];
  channel_stride = view.strides[channel] * item;
  dims = view.rank - 2;
  for (int i = 0; i < dims; ++i) {
    size[i] = view.shape[first + i];
    stride[i] = view.strides[first + i] * item;
  }
}

GridPositions::GridPositions(const TensorView& grid, const ImageView& sampled,
                             const GridAttributes& attributes)
    : dims_(sampled.dims) {
  const int64_t item = data_type_bits(grid.dtype) / 8;
  start_ = static_cast<char*>(grid.data) + grid.offset * item;
  batch_stride_ = grid.strides[0] * item;
  component_stride_ = grid.strides[grid.rank - 1] * item;
  for (int i = 0; i < dims_; ++i) {
    size_[i] = grid.shape[1 + i];
    strides_[i] = grid.strides[1 + i] * item;
    count_ *= size_[i];
    const int last = dims_ - 1 - i;
    axes_[i] = {sampled.size[last], sampled.stride[last] / sampled.item_size,
                static_cast<Interpolation>(attributes.interpolation),
                static_cast<Border>(attributes.padding), attributes.align_corners};
  }
}

void GridPositions::offsets(const int64_t* strides, int64_t first, int positions,
                            int64_t* offsets) const {
  const int64_t stride = strides[dims_ - 1];
  for_each_run(strides, first, positions, [&](int p, int64_t offset, int count) {
    for (int i = 0; i < count; ++i) offsets[p + i] = offset + i * stride;
  });
}

Status readable(const TensorView& view, CopiedView& copied, TensorView* result) {
  *result = view;
  if (data_type_bits(view.dtype) != 16) return {};
  Status status = make_dense(shape_of(view), ACL_FLOAT, copied);
  if (status.ok()) status = copy(copied.view, view);
  *result = copied.view;
  return status;
}

Status run(const GridSampler2DArgs& args) { return grid_sampler(args, false); }

Status run(const GridSampler3DArgs& args) {
  return grid_sampler(args, args.input.format == ACL_FORMAT_NDHWC);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
