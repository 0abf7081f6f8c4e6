// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/convolution.h"

#include <algorithm>
#include <numeric>

#include "engines/cast.h"
#include "engines/copy.h"
#include "engines/gemm.h"
#include "engines/matrix.h"
#include "engines/outer_products.h"
#include "kernels/convolution/channel_pairs.h"
#include "kernels/convolution/columns.h"
#include "kernels/convolution/direct.h"
#include "kernels/convolution/weigh_products.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

// The dimension of an axis; a missing one has none.
int dimension_of(const TensorView& tensor, int axis) { return tensor.rank - kAxes + axis; }

int64_t length_of(const TensorView& tensor, int axis) {
  const int dimension = dimension_of(tensor, axis);
  return dimension < 2 ? 1 : tensor.shape[dimension];
}

// Rows of a matrix by some numbers that say which, first the outermost.
TensorView with_batches(const TensorView& matrix, std::initializer_list<int64_t> rows) {
  TensorView view = matrix;
  view.rank = static_cast<int>(rows.size()) + 1;
  view.shape[view.rank - 1] = matrix.shape[1];
  view.strides[view.rank - 1] = matrix.strides[1];
  int64_t step = matrix.strides[0];
  int axis = view.rank - 1;
  for (const int64_t* length = rows.end(); length != rows.begin();) {
    view.shape[--axis] = *--length;
    view.strides[axis] = step;
    step *= *length;
  }
  return view;
}

// The last two dimensions exchanged.
TensorView transposed(const TensorView& view) {
  TensorView turned = view;
  std::swap(turned.shape[view.rank - 1], turned.shape[view.rank - 2]);
  std::swap(turned.strides[view.rank - 1], turned.strides[view.rank - 2]);
  return turned;
}

// 8-bit floats become FLOAT before they are multiplied.
aclDataType factor_type(const TensorView& view) {
  return find_cast(view.dtype, ACL_FLOAT) != nullptr ? view.dtype : ACL_FLOAT;
}

bool all_identity(const Taps* axes) {
  return std::all_of(axes, axes + kAxes, [](const Taps& each) { return each.identity(); });
}

const float* floats_of(const TensorView& view) {
  return static_cast<const float*>(view.data) + view.offset;
}

Source source_of(const TensorView& planes, int64_t channels, const Taps* axes) {
  Source source = {floats_of(planes),
                   channels * planes.strides[0],
                   planes.strides[0],
                   channels,
                   {axes[0], axes[1], axes[2]}};
  return source;
}

// For questions that the geometry answers.
Source taps_only(const Taps* axes) { return {nullptr, 0, 0, 0, {axes[0], axes[1], axes[2]}}; }

// What stands for a factor that is made in panels.
TensorView shape_only(int64_t batches, int64_t rows, int64_t columns) {
  Shape shape;
  shape.rank = 3;
  shape.dims[0] = batches;
  shape.dims[1] = rows;
  shape.dims[2] = columns;
  return row_major_view(shape, ACL_FLOAT);
}

struct Sums {
  const TensorView& to;      // N, groups * channels and axes
  const TensorView& from;    // the same with other channels
  const TensorView& weight;  // a matrix: groups * channels of to, channels of from * taps
  const TensorView& bias;
  const Taps* axes;
  int64_t groups;
};

Status add_directly(const Sums& sums, const Source& source, const TensorView& map) {
  MatrixInput weight, bias;
  Status status = weight.open(sums.weight, ACL_FLOAT, 1);
  if (status.ok()) status = bias.open(sums.bias, ACL_FLOAT, 0);
  if (!status.ok()) return status;
  const float* const added = sums.bias.present ? floats_of(bias.view()) : nullptr;
  const WeightRows rows = {floats_of(weight.view()), weight.view().strides[0]};
  return convolve_directly(source, map, rows, added, sums.groups, sums.to.shape[1] / sums.groups);
}

constexpr double kLeastPairWork = 1 << 15;  // multiplications that pay for pairing

// Whether pairs of channels are multiplied.
bool multiplies_pairs(const Sums& sums) {
  const int64_t channels = sums.from.shape[1] / sums.groups;
  const double terms = static_cast<double>(sums.weight.shape[1]) * sums.to.elements();
  return sums.from.dtype == ACL_BF16 && sums.weight.dtype == ACL_BF16 && channels > 1 &&
         terms >= kLeastPairWork && has_pair_products();
}

Status add_pairs(const Sums& sums, const Source& of, const TensorView& planes,
                 const TensorView& map) {
  const int64_t plane = of.plane(), taps = of.taps(), rows = sums.weight.shape[0];
  const ChannelArrays image = {
      planes, planes.shape[0] / of.channels, of.channels, plane, of.batch_step, of.plane_step};
  const ChannelArrays kernel = {sums.weight, rows, of.channels, taps, sums.weight.strides[0], taps};
  const std::unique_ptr<float[]> joined = join_channels(image), weight = join_channels(kernel);
  if (joined == nullptr || weight == nullptr) return Status::out_of_memory();
  MatrixInput bias;
  const Status status = bias.open(sums.bias, ACL_FLOAT, 0);
  if (!status.ok()) return status;
  Source source = of;
  source.data = joined.get();
  source.channels = image.pairs();
  source.plane_step = plane;
  source.batch_step = source.channels * plane;
  source.pairs = true;
  const float* const added = sums.bias.present ? floats_of(bias.view()) : nullptr;
  return convolve_directly(source, map, {weight.get(), kernel.pairs() * taps}, added, sums.groups,
                           sums.to.shape[1] / sums.groups);
}

Status add_by_gemm(const Sums& sums, const TensorView& map, const TensorView& planes,
                   const PanelSource* panels) {
  const int64_t batches = sums.to.shape[0], groups = sums.groups;
  const int64_t channels = sums.to.shape[1] / groups;
  const TensorView out = with_batches(map, {batches, groups, channels});
  const TensorView a = with_batches(sums.weight, {1, groups, channels});
  const TensorView b = with_batches(planes, {batches, groups, sums.from.shape[1] / groups});
  TensorView bias;
  if (sums.bias.present) {
    const int64_t step = sums.bias.strides[0];
    bias = with_batches(matrix_view(sums.bias, sums.bias.shape[0], 1, step), {1, groups, channels});
  }
  return gemm({out, a, b, sums.bias.present ? &bias : nullptr, 1, 1, false, panels});
}

// Each channel of the result: its bias, and sums over taps and channels.
Status compute(const Sums& sums) {
  const bool plain = all_identity(sums.axes);
  const int64_t channels = sums.from.shape[1] / sums.groups;
  MatrixOutput map;
  MatrixInput planes;
  const bool pairs = !plain && multiplies_pairs(sums) && convolves_directly(taps_only(sums.axes));
  const bool as_it_is = plain || pairs;
  Status status = map.open(sums.to, factor_type(sums.to), 2);
  if (status.ok()) {
    status = planes.open(sums.from, as_it_is ? factor_type(sums.from) : ACL_FLOAT, 2);
  }
  if (!status.ok()) return status;
  const Source source = source_of(planes.view(), channels, sums.axes);
  if (plain) {
    status = add_by_gemm(sums, map.view(), planes.view(), nullptr);
  } else if (pairs) {
    status = add_pairs(sums, source, planes.view(), map.view());
  } else {
    const PanelSource panels = columns_of(source);
    status = convolves_directly(source) ? add_directly(sums, source, map.view())
                                        : add_by_gemm(sums, map.view(), planes.view(), &panels);
  }
  return status.ok() ? map.close() : status;
}

void forward_taps(const TensorView& image, const TensorView& map, const TensorView& weight,
                  const Windows& windows, Taps* axes) {
  for (int i = 0; i < kAxes; ++i) {
    axes[i] = {length_of(weight, i), -windows.padding[i], windows.dilation[i],
               windows.stride[i],    length_of(map, i),   length_of(image, i)};
  }
}

// Elements of the kernel that reach places with one remainder along an axis.
struct Remainder {
  Remainder(const Windows& windows, int axis, int64_t remainder, int64_t kernel, int64_t image,
            int64_t map) {
    const int64_t stride = windows.stride[axis], dilation = windows.dilation[axis];
    const int64_t start = remainder + windows.padding[axis];
    step = stride / std::gcd(stride, dilation);
    const int64_t most = std::min(kernel, step);
    while (first < most && (start - first * dilation) % stride != 0) ++first;
    const int64_t count = first < most ? (kernel - 1 - first) / step + 1 : 0;
    taps = {count, (start - first * dilation) / stride,  -(step * dilation / stride),
            1,     (image - 1 - remainder) / stride + 1, map};
  }

  int64_t first = 0, step;  // of the kernel
  Taps taps;
};

// Of the weight, groups first: rows for the image's channels, columns for those of the map and the
// elements that are left.
Status select_weight(const TensorView& weight, int64_t groups, const Remainder* axes,
                     CopiedView* selected) {
  const int64_t channels = weight.shape[0] / groups;
  TensorView view = weight;
  view.rank = 3 + kAxes;
  view.shape[0] = groups;
  view.strides[0] = channels * weight.strides[0];
  view.shape[1] = weight.shape[1];
  view.strides[1] = weight.strides[1];
  view.shape[2] = channels;
  view.strides[2] = weight.strides[0];
  for (int i = 0; i < kAxes; ++i) {
    const int dimension = dimension_of(weight, i);
    const int64_t step = dimension < 2 ? 0 : weight.strides[dimension];
    view.shape[3 + i] = axes[i].taps.count;
    view.strides[3 + i] = axes[i].step * step;
    view.offset += axes[i].taps.count > 0 ? axes[i].first * step : 0;
  }
  const Status status = make_dense(shape_of(view), factor_type(weight), *selected);
  return status.ok() ? copy(selected->view, view) : status;
}

// The places of an image with given remainders.
TensorView places_of(const TensorView& image, const Windows& windows, const int64_t* remainders) {
  TensorView view = image;
  for (int i = 0; i < kAxes; ++i) {
    const int dimension = dimension_of(image, i);
    if (dimension < 2) continue;
    view.shape[dimension] = (image.shape[dimension] - 1 - remainders[i]) / windows.stride[i] + 1;
    view.strides[dimension] = image.strides[dimension] * windows.stride[i];
    view.offset += remainders[i] * image.strides[dimension];
  }
  return view;
}

Status compute_places(const TensorView& image, const TensorView& map, const TensorView& weight,
                      const TensorView& bias, const Windows& windows, const int64_t* remainders) {
  const auto axis = [&](int i) {
    return Remainder(windows, i, remainders[i], length_of(weight, i), length_of(image, i),
                     length_of(map, i));
  };
  const Remainder axes[kAxes] = {axis(0), axis(1), axis(2)};
  const Taps taps[kAxes] = {axes[0].taps, axes[1].taps, axes[2].taps};
  CopiedView selected;
  const Status status = select_weight(weight, windows.groups, axes, &selected);
  if (!status.ok()) return status;
  const int64_t columns =
      weight.shape[0] / windows.groups * taps[0].count * taps[1].count * taps[2].count;
  const TensorView rows =
      matrix_view(selected.view, windows.groups * weight.shape[1], columns, columns);
  return compute({places_of(image, windows, remainders), map, rows, bias, taps, windows.groups});
}

// Groups one after the other: each is a sum over batches.
Status weigh_by_gemm(const TensorView& rows, const TensorView& maps, const TensorView& planes,
                     int64_t batches, int64_t groups, const Source* source) {
  const int64_t channels = planes.shape[0] / (batches * groups);
  for (int64_t group = 0; group < groups; ++group) {
    TensorView out = rows;
    out.shape[0] = rows.shape[0] / groups;
    out.offset += group * out.shape[0] * rows.strides[0];
    const auto of_group = [&](const TensorView& matrix, int64_t per_group) {
      TensorView view = with_batches(matrix, {batches, groups * per_group});
      view.offset += group * per_group * matrix.strides[0];
      view.shape[1] = per_group;
      return view;
    };
    const TensorView a = of_group(maps, out.shape[0]);
    Status status;
    if (source == nullptr) {
      status = gemm({out, a, transposed(of_group(planes, channels)), nullptr, 1, 1, true});
    } else {
      Source part = *source;
      part.data += group * channels * part.plane_step;
      const PanelSource panels = rows_of(part);
      const TensorView b = shape_only(batches, maps.shape[1], rows.shape[1]);
      status = gemm({out, a, b, nullptr, 1, 1, true, &panels});
    }
    if (!status.ok()) return status;
  }
  return {};
}

Status weigh_groups(const TensorView& rows, const TensorView& maps, int64_t batches, int64_t groups,
                    const Source& source) {
  Status status;
  for (int64_t group = 0; status.ok() && group < groups; ++group) {
    Source part = source;
    part.data += group * source.channels * source.plane_step;
    TensorView weight = rows, map = maps;
    weight.shape[0] = rows.shape[0] / groups;
    weight.offset += group * weight.shape[0] * rows.strides[0];
    map.offset += group * weight.shape[0] * maps.strides[0];
    status = weigh_by_products({part, map, weight, batches, rows.shape[0]});
  }
  return status;
}

}  // namespace

Windows::Windows(int axes, const IntArrayView& strides, const IntArrayView& paddings,
                 const IntArrayView& dilations, int64_t group_count)
    : groups(group_count) {
  const uint64_t sides = paddings.size > static_cast<uint64_t>(axes) ? 2 : 1;
  for (int i = 0; i < kAxes; ++i) {
    const int at = i - (kAxes - axes);
    stride[i] = at < 0 ? 1 : strides.at(at);
    padding[i] = at < 0 ? 0 : paddings.at(at * sides);
    dilation[i] = at < 0 ? 1 : dilations.at(at);
  }
}

Status convolve(const TensorView& map, const TensorView& image, const TensorView& weight,
                const TensorView& bias, const Windows& windows) {
  Taps axes[kAxes];
  forward_taps(image, map, weight, windows, axes);
  MatrixInput rows;
  const Status status = rows.open(weight, factor_type(weight), 1);
  if (!status.ok()) return status;
  return compute({map, image, rows.view(), bias, axes, windows.groups});
}

Status convolve_transposed(const TensorView& image, const TensorView& map, const TensorView& weight,
                           const TensorView& bias, const Windows& windows) {
  int64_t counts[kAxes], remainders[kAxes];
  for (int i = 0; i < kAxes; ++i) counts[i] = std::min(windows.stride[i], length_of(image, i));
  const int64_t total = counts[0] * counts[1] * counts[2];
  for (int64_t number = 0; number < total; ++number) {
    remainders[0] = number / (counts[1] * counts[2]);
    remainders[1] = number / counts[2] % counts[1];
    remainders[2] = number % counts[2];
    const Status status = compute_places(image, map, weight, bias, windows, remainders);
    if (!status.ok()) return status;
  }
  return {};
}

Status weigh(const TensorView& weight, const TensorView& image, const TensorView& map,
             const Windows& windows) {
  Taps axes[kAxes];
  forward_taps(image, map, weight, windows, axes);
  const int64_t groups = windows.groups, batches = image.shape[0];
  const bool plain = all_identity(axes);
  MatrixOutput rows;
  MatrixInput maps, planes;
  Status status = rows.open(weight, weight.dtype, 1);
  if (status.ok()) status = planes.open(image, plain ? image.dtype : ACL_FLOAT, 2);
  if (!status.ok()) return status;
  const Source source = source_of(planes.view(), image.shape[1] / groups, axes);
  const int64_t channels = weight.shape[0] / groups;
  const bool directly = !plain && weighs_directly(source, groups, channels);
  const bool by_products = !plain && !directly && weighs_by_products(source, channels);
  status = maps.open(map, directly || by_products ? ACL_FLOAT : map.dtype, 2);
  if (!status.ok()) return status;
  if (directly) {
    status = weigh_directly(source, maps.view(), rows.view(), groups, channels);
  } else {
    Source of_image = source;
    of_image.batch_step = groups * source.batch_step;
    of_image.pairs = image.dtype == ACL_BF16 && map.dtype == ACL_BF16 && has_pair_products();
    status = by_products ? weigh_groups(rows.view(), maps.view(), batches, groups, of_image)
                         : weigh_by_gemm(rows.view(), maps.view(), planes.view(), batches, groups,
                                         plain ? nullptr : &of_image);
  }
  return status.ok() ? rows.close() : status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
