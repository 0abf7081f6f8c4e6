// SPDX-License-Identifier: Apache-2.0
// All sums are taken in double, in the order of positions or channels, and rounded once.
#include <atomic>
#include <cstring>
#include <functional>
#include <numeric>

#include "aclnn/opdev/op_errno.h"
#include "dtypes.h"
#include "engines/cast.h"
#include "engines/copy.h"
#include "engines/row_pieces.h"
#include "kernels/creation/fill.h"
#include "kernels/image/grid_sampler.h"
#include "ops/grid_sampler2_dbackward.h"
#include "ops/grid_sampler3_dbackward.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

using DoubleAxis = AxisTaps<double, int64_t, true>;

// An image of doubles with as many channels, which lie side by side, with room for some more.
struct Planes {
  Planes(const ImageView& like, int64_t count, int64_t together) : together(together) {
    shape.rank = like.dims + 1;
    shape.dims[0] = count;
    for (int i = 0; i < like.dims; ++i) shape.dims[i + 1] = like.size[i];
  }

  TensorView view(double* memory) const {
    TensorView sums = row_major_view(shape, ACL_DOUBLE);
    for (int i = 1; i < sums.rank; ++i) sums.strides[i] *= together;
    sums.strides[0] = 1;
    sums.storage_elements = elements();
    sums.data = memory;
    return sums;
  }
  ImageView image() const {
    TensorView dense = view(nullptr);
    for (int i = dense.rank; i > 0; --i) {
      dense.shape[i] = dense.shape[i - 1];
      dense.strides[i] = dense.strides[i - 1];
    }
    ++dense.rank;
    dense.shape[0] = 1;
    return ImageView(dense, false);
  }
  int64_t elements() const {
    return std::accumulate(shape.dims + 1, shape.dims + shape.rank, together,
                           std::multiplies<int64_t>());
  }

  int64_t together;
  Shape shape;
};

// Some channels of one image of a batch.
TensorView channels_of(const TensorView& view, bool channels_last, int64_t n, int64_t first,
                       int64_t count) {
  const int channel = channels_last ? view.rank - 1 : 1;
  TensorView part = view;
  part.offset += n * view.strides[0] + first * view.strides[channel];
  part.rank = 0;
  const auto keep = [&](int axis, int64_t length) {
    part.shape[part.rank] = length;
    part.strides[part.rank++] = view.strides[axis];
  };
  keep(channel, count);
  for (int i = 1; i < view.rank; ++i) {
    if (i != channel) keep(i, view.shape[i]);
  }
  return part;
}

template <typename Real>
void load_gradients(const char* from, const int64_t* places, int positions, double* gradients,
                    int64_t step = 1) {
  for (int p = 0; p < positions; ++p) gradients[p * step] = load<Real>(from + places[p]);
}

// Adds what some positions give to the elements that they depend on, of several channels.
template <int dims, int taps, int together, int... number>
void scatter(const DoubleAxis* axes, const double (*gradients)[together], int positions,
             double* planes, std::integer_sequence<int, number...>) {
  for (int p = 0; p < positions; ++p) {
    double own[together];
    std::copy_n(gradients[p], together, own);
    const auto add = [&](auto tap) __attribute__((always_inline)) {
      if (!tap.exists(axes, p)) return;
      double* const to = planes + tap.offset(axes, p);
      const double weight = tap.weight(axes, p);
      for (int c = 0; c < together; ++c) to[c] += weight * own[c];
    };
    (add(Tap<dims, taps, number>()), ...);
  }
}

struct Channels {
  int64_t n, first, count;
};

// Adds what all positions give to some channels of an image.
template <typename Real, int together>
void collect(const GridPositions& grid, const ImageView& gradient, const Channels& channels,
             double* planes) {
  DoubleAxis axes[kMostSampled];
  int64_t places[kGridBlock];
  double gradients[kGridBlock][together] = {};
  for (int64_t first = 0; first < grid.count(); first += kGridBlock) {
    const int positions = static_cast<int>(std::min<int64_t>(kGridBlock, grid.count() - first));
    grid.find<Real>(channels.n, first, positions, axes);
    grid.offsets(gradient.stride, first, positions, places);
    for (int64_t c = 0; c < channels.count; ++c) {
      load_gradients<Real>(gradient.at(channels.n, channels.first + c), places, positions,
                           gradients[0] + c, together);
    }
    visit_taps(grid.dims(), grid.taps(), [&](auto dims, auto taps, auto numbers) {
      scatter<decltype(dims)::value, decltype(taps)::value, together>(axes, gradients, positions,
                                                                      planes, numbers);
    });
  }
}

struct Tensors {
  TensorView gradient, input, grid;  // in float or double
  GridAttributes attributes;
  bool channels_last;
};

template <typename Real, int kGroup>
Status input_gradient(const Tensors& t, const TensorView& result) {
  const ImageView image(t.input, t.channels_last), gradient(t.gradient, t.channels_last);
  const Planes group(image, std::min<int64_t>(kGroup, image.channels), kGroup);
  const GridPositions grid(t.grid, group.image(), t.attributes);
  const int64_t groups = (image.channels + kGroup - 1) / kGroup, total = image.batch * groups;
  std::atomic<bool> out_of_memory{false};
  parallel_for(total, may_rewrite(result) ? total : 1, [&](int64_t begin, int64_t end) {
    const ScratchMemory<double> sums = take_scratch<double>(group.elements());
    if (sums == nullptr) return out_of_memory.store(true);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % groups * kGroup;
      const Channels channels = {i / groups, first,
                                 std::min<int64_t>(kGroup, image.channels - first)};
      std::memset(sums.get(), 0, group.elements() * sizeof(double));
      collect<Real, kGroup>(grid, gradient, channels, sums.get());
      const Status copied =
          copy(channels_of(result, t.channels_last, channels.n, first, channels.count),
               Planes(image, channels.count, kGroup).view(sums.get()));
      if (!copied.ok()) out_of_memory.store(true);
    }
  });
  if (!out_of_memory) return {};
  return Status::failed(
      {ACLNN_ERR_INNER, "", "memory", "there is not enough memory for the sums of an image"});
}

struct GridSlopes {
  const ImageView image, gradient;
  const GridPositions grid, result;
  CastArray narrow;  // from double to the result's type
  int64_t item_size;

  template <typename Real>
  void compute(int64_t n, int64_t first, int positions) const {
    DoubleAxis axes[kMostSampled];
    int64_t places[kGridBlock];
    double gradients[kGridBlock] = {}, sums[kMostSampled][kGridBlock];
    grid.find<Real>(n, first, positions, axes);
    grid.offsets(gradient.stride, first, positions, places);
    visit_taps(grid.dims(), grid.taps(), [&](auto dims, auto taps, auto numbers) {
      double products[numbers.size()][kGridBlock] = {};
      for (int64_t c = 0; c < image.channels; ++c) {
        using Element = typename Unaligned<Real>::type;
        const auto* const plane = reinterpret_cast<const Element*>(image.at(n, c));
        load_gradients<Real>(gradient.at(n, c), places, positions, gradients);
        add_channel<decltype(dims)::value, decltype(taps)::value>(axes, plane, gradients, products,
                                                                  numbers);
      }
      add_slopes<decltype(dims)::value, decltype(taps)::value>(axes, products, sums, numbers);
    });
    for (int i = 0; i < grid.dims(); ++i) put(n, i, first, positions, sums[i]);
  }

  // Each element times the gradient.
  template <int dims, int taps, typename Element, int... number>
  static void add_channel(const DoubleAxis* axes, const Element* plane, const double* gradients,
                          double (*__restrict products)[kGridBlock],
                          std::integer_sequence<int, number...>) {
    for (int p = 0; p < kGridBlock; ++p) {
      const auto product = [&](auto tap) __attribute__((always_inline)) {
        const double value = static_cast<double>(plane[tap.offset(axes, p)]);
        return tap.exists(axes, p) ? value * gradients[p] : 0;
      };
      ((products[number][p] += product(Tap<dims, taps, number>())), ...);
    }
  }

  template <int dims, int taps, int... number>
  static void add_slopes(const DoubleAxis* axes, const double (*products)[kGridBlock],
                         double (*__restrict sums)[kGridBlock],
                         std::integer_sequence<int, number...>) {
    for (int p = 0; p < kGridBlock; ++p) {
      const auto slope = [&](auto by, auto tap) __attribute__((always_inline)) {
        return products[tap.kNumber][p] * tap.template weight<decltype(by)::value>(axes, p);
      };
      using std::integral_constant;
      sums[0][p] = (slope(integral_constant<int, 0>(), Tap<dims, taps, number>()) + ...);
      sums[1][p] = (slope(integral_constant<int, 1>(), Tap<dims, taps, number>()) + ...);
      if constexpr (dims == 3) {
        sums[2][p] = (slope(integral_constant<int, 2>(), Tap<dims, taps, number>()) + ...);
      }
    }
  }

  void put(int64_t n, int component, int64_t first, int positions, const double* sums) const {
    alignas(64) char results[kGridBlock * sizeof(double)];
    int64_t places[kGridBlock];
    const char* const values = reinterpret_cast<const char*>(sums);
    if (narrow != nullptr) narrow(values, results, positions);
    const char* const from = narrow != nullptr ? results : values;
    result.offsets(result.strides(), first, positions, places);
    char* const to = result.component(n, component);
    const auto put_all = [&](auto size) {
      for (int p = 0; p < positions; ++p) std::memcpy(to + places[p], from + p * size, size);
    };
    item_size == 4 ? put_all(std::integral_constant<int64_t, 4>()) : put_all(item_size);
  }
};

template <typename Real>
Status grid_gradient(const Tensors& t, const TensorView& result) {
  constexpr int64_t kNearest = static_cast<int64_t>(Interpolation::kNearest);
  if (t.attributes.interpolation == kNearest) return fill_with_zero(result);
  const ImageView image(t.input, t.channels_last), gradient(t.gradient, t.channels_last);
  const bool is_double = result.dtype == ACL_DOUBLE;
  const GridSlopes slopes = {image,
                             gradient,
                             GridPositions(t.grid, image, t.attributes),
                             GridPositions(result, image, t.attributes),
                             is_double ? nullptr : find_array_cast(ACL_DOUBLE, result.dtype),
                             data_type_bits(result.dtype) / 8};
  for_each_range(
      image.batch, slopes.grid.count(), kGridBlock, may_rewrite(result),
      [&](const RowRange& range) {
        for (int64_t n = range.first; n < range.last; ++n) {
          slopes.compute<Real>(n, range.begin, static_cast<int>(range.end - range.begin));
        }
      },
      16 + 8 * image.channels);
  return {};
}

template <typename Real, typename Args>
Status gradients(const Args& args, const Tensors& t) {
  Status status;
  if (args.outputMask.at(0)) {
    const bool is_single = ImageView(t.input, t.channels_last).channels == 1;
    status = is_single ? input_gradient<Real, 1>(t, args.inputGrad)
                       : input_gradient<Real, 4>(t, args.inputGrad);
  }
  if (status.ok() && args.outputMask.at(1)) status = grid_gradient<Real>(t, args.gridGrad);
  return status;
}

template <typename Args>
Status grid_sampler_backward(const Args& args, bool channels_last) {
  CopiedView copies[3];
  Tensors t;
  t.attributes = {args.interpolationMode, args.paddingMode, args.alignCorners};
  t.channels_last = channels_last;
  Status status = readable(args.gradOutput, copies[0], &t.gradient);
  if (status.ok()) status = readable(args.input, copies[1], &t.input);
  if (status.ok()) status = readable(args.grid, copies[2], &t.grid);
  if (!status.ok()) return status;
  return args.input.dtype == ACL_DOUBLE ? gradients<double>(args, t) : gradients<float>(args, t);
}

}  // namespace

Status run(const GridSampler2DBackwardArgs& args) { return grid_sampler_backward(args, false); }

Status run(const GridSampler3DBackwardArgs& args) {
  return grid_sampler_backward(args, args.input.format == ACL_FORMAT_NDHWC);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
