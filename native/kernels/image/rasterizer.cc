// SPDX-License-Identifier: Apache-2.0
#include "ops/rasterizer.h"

#include <algorithm>
#include <atomic>
#include <cfloat>
#include <cmath>
#include <memory>
#include <new>

#include "aclnn/opdev/op_errno.h"
#include "base/parallel.h"
#include "engines/overlap.h"
#include "operator/index_error.h"
#include "simd/memory.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kRows = 16;      // of pixels that one thread takes at a time
constexpr float kSteps = 1 << 18;  // of depths between 0 and 1
constexpr float kDepthScale = 0.49999f;
constexpr int kValues = 4;  // of a corner: x, y, z, w

// Where the corners of a face are seen.
struct SeenFace {
  float x[3], y[3], z[3];
  float area;                        // 0: it covers nothing
  int64_t left, right, top, bottom;  // pixels that it may cover; right and bottom are behind
};

struct Size {
  int64_t width, height;
};

// The first pixel of an extent and the one behind its last.
void find_pixels(const float* at, int64_t length, int64_t* first, int64_t* end) {
  const float least = std::max(std::min({at[0], at[1], at[2]}), 0.0f);
  const float most = std::min(std::max({at[0], at[1], at[2]}), static_cast<float>(length - 1));
  *first = static_cast<int64_t>(std::min(least, static_cast<float>(length)));
  *end = most < 0 ? 0 : static_cast<int64_t>(most) + 1;
}

SeenFace see(const float* corners, const int32_t* numbers, const Size& size) {
  SeenFace face;
  for (int i = 0; i < 3; ++i) {
    const float* const corner = corners + int64_t{numbers[i]} * kValues;
    const float w = corner[3];
    face.x[i] = (corner[0] / w * 0.5f + 0.5f) * static_cast<float>(size.width - 1) + 0.5f;
    face.y[i] = (corner[1] * 0.5f / w + 0.5f) * static_cast<float>(size.height - 1) + 0.5f;
    face.z[i] = corner[2] / w * kDepthScale + 0.5f;
  }
  face.area = (face.x[2] - face.x[0]) * (face.y[1] - face.y[0]) -
              (face.x[1] - face.x[0]) * (face.y[2] - face.y[0]);
  if (std::isnan(face.area)) face.area = 0;
  if (face.area == 0) return face;
  find_pixels(face.x, size.width, &face.left, &face.right);
  find_pixels(face.y, size.height, &face.top, &face.bottom);
  return face;
}

// The faces; one with a corner that does not exist covers nothing and is remembered.
class Scene {
 public:
  Scene(const TensorView& v, const TensorView& f, const Size& size)
      : count_(f.shape[0]), faces_(new (std::nothrow) SeenFace[std::max<int64_t>(count_, 1)]) {
    if (faces_ == nullptr) return;
    const auto* const corners = static_cast<const float*>(v.data);
    const auto* const numbers = static_cast<const int32_t*>(f.data);
    for (int64_t i = 0; i < count_; ++i) {
      faces_[i].area = 0;
      if (exist(numbers + 3 * i, v.shape[0], 3 * i)) {
        faces_[i] = see(corners, numbers + 3 * i, size);
      }
    }
  }

  bool made() const { return faces_ != nullptr; }
  int64_t count() const { return count_; }
  const SeenFace& face(int64_t i) const { return faces_[i]; }
  const BadIndex& bad() const { return bad_; }

 private:
  bool exist(const int32_t* numbers, int64_t corners, int64_t position) {
    for (int k = 0; k < 3; ++k) {
      if (numbers[k] >= 0 && numbers[k] < corners) continue;
      if (bad_.position < 0) bad_ = {position + k, numbers[k]};
      return false;
    }
    return true;
  }

  int64_t count_;
  std::unique_ptr<SeenFace[]> faces_;
  BadIndex bad_;
};

bool is_share(float share) { return share >= 0 && share <= 1; }

// A row of pixels: the nearest depths so far, and whose they are.
void cover_row(const SeenFace& face, int32_t number, int64_t row, float* depths, int32_t* seen) {
  const float down = static_cast<float>(row) + 0.5f - face.y[0];
  for (int64_t column = face.left; column < face.right; ++column) {
    const float across = static_cast<float>(column) + 0.5f - face.x[0];
    const float second =
        (down * (face.x[2] - face.x[0]) - across * (face.y[2] - face.y[0])) / face.area;
    const float third =
        (across * (face.y[1] - face.y[0]) - down * (face.x[1] - face.x[0])) / face.area;
    const float first = 1 - second - third;
    if (!is_share(first) || !is_share(second) || !is_share(third)) continue;
    const float sum = first * face.z[0] + second * face.z[1] + third * face.z[2];
    const float depth = std::trunc(sum * kSteps);
    if (depth >= depths[column] || std::isnan(depth)) continue;
    depths[column] = depth;
    seen[column] = number;
  }
}

// What each corner of a face counts for in the middle of a pixel.
void find_shares(const float* corners, const int32_t* numbers, const Size& size, int64_t row,
                 int64_t column, float* shares) {
  double x[3], y[3], w[3];
  for (int i = 0; i < 3; ++i) {
    const float* const corner = corners + int64_t{numbers[i]} * kValues;
    w[i] = corner[3];
    x[i] = corner[0] / w[i] * 0.5 * static_cast<double>(size.width - 1) +
           0.5 * static_cast<double>(size.width) - (static_cast<double>(column) + 0.5);
    y[i] = corner[1] / w[i] * 0.5 * static_cast<double>(size.height - 1) +
           0.5 * static_cast<double>(size.height) - (static_cast<double>(row) + 0.5);
  }
  double parts[3], sum = 0;
  for (int i = 0; i < 3; ++i) {  // twice the area opposite of the corner, which scales all alike
    const int next = (i + 1) % 3, last = (i + 2) % 3;
    sum += parts[i] = (x[next] * y[last] - x[last] * y[next]) / w[i];
  }
  for (int i = 0; i < 3; ++i) shares[i] = static_cast<float>(parts[i] / sum);
}

class Picture {
 public:
  Picture(const RasterizerArgs& args, const TensorView& v, const TensorView& f, const Scene& scene)
      : args_(args), v_(v), f_(f), scene_(scene), size_{args.width, args.height} {}

  // False: there is not enough memory.
  bool draw(int64_t first, int64_t end) const {
    const int64_t pixels = (end - first) * size_.width;
    const std::unique_ptr<float[]> depths(new (std::nothrow) float[pixels]);
    const std::unique_ptr<int32_t[]> seen(new (std::nothrow) int32_t[pixels]());
    if (depths == nullptr || seen == nullptr) return false;
    std::fill_n(depths.get(), pixels, FLT_MAX);
    for (int64_t i = 0; i < scene_.count(); ++i) {
      const SeenFace& face = scene_.face(i);
      if (face.area == 0) continue;
      const int64_t last = std::min(face.bottom, end);
      for (int64_t row = std::max(face.top, first); row < last; ++row) {
        const int64_t place = (row - first) * size_.width;
        cover_row(face, static_cast<int32_t>(i) + 1, row, depths.get() + place, seen.get() + place);
      }
    }
    for (int64_t row = first; row < end; ++row) {
      write_row(row, seen.get() + (row - first) * size_.width);
    }
    return true;
  }

 private:
  void write_row(int64_t row, const int32_t* seen) const {
    const auto* const corners = static_cast<const float*>(v_.data);
    const auto* const numbers = static_cast<const int32_t*>(f_.data);
    for (int64_t column = 0; column < size_.width; ++column) {
      float shares[3] = {};
      if (seen[column] != 0) {
        find_shares(corners, numbers + 3 * int64_t{seen[column] - 1}, size_, row, column, shares);
      }
      store(place<int32_t>(args_.findicesOut, row, column), seen[column]);
      char* const to = place<float>(args_.barycentricOut, row, column);
      const int64_t step = args_.barycentricOut.strides[2] * int64_t{sizeof(float)};
      for (int i = 0; i < 3; ++i) store(to + i * step, shares[i]);
    }
  }

  template <typename T>
  static char* place(const TensorView& out, int64_t row, int64_t column) {
    const int64_t offset = out.offset + row * out.strides[0] + column * out.strides[1];
    return static_cast<char*>(out.data) + offset * int64_t{sizeof(T)};
  }

  const RasterizerArgs& args_;
  const TensorView &v_, &f_;
  const Scene& scene_;
  Size size_;
};

Status no_memory() {
  return Status::failed(
      {ACLNN_ERR_INNER, "", "memory", "there is not enough memory for a picture's depths"});
}

}  // namespace

Status run(const RasterizerArgs& args) {
  CopiedView v, f;
  Status status = copy_of(args.v, v);
  if (status.ok()) status = copy_of(args.f, f);
  if (!status.ok()) return status;
  const Scene scene(v.view, f.view, {args.width, args.height});
  if (!scene.made()) return no_memory();
  const Picture picture(args, v.view, f.view, scene);
  const bool in_order = may_rewrite(args.findicesOut) || may_rewrite(args.barycentricOut);
  std::atomic<bool> drawn{true};
  parallel_for(args.height, in_order ? args.height : kRows, [&](int64_t first, int64_t end) {
    if (!picture.draw(first, end)) drawn = false;
  });
  if (!drawn) return no_memory();
  if (scene.bad().position < 0) return {};
  return axis_index_out_of_range(args.kOperator, "f", args.f, scene.bad(), args.v.shape[0], false);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
