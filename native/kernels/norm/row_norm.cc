// SPDX-License-Identifier: Apache-2.0
#include "kernels/norm/row_norm.h"

#include <algorithm>
#include <cmath>

#include "engines/matrix.h"
#include "engines/rows.h"
#include "engines/stored_rows.h"
#include "kernels/norm/moments.h"
#include "kernels/norm/parameters.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

void scale_row(const float* x, const Mean& mean, float rstd, const float* weight, const float* bias,
               int64_t n, float* y) {
  const float high = mean.high, low = mean.low;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = ((x[i] - high) - low) * rstd * weight[i] + bias[i];
}

// What there is one of for each element of a row, for all rows.
struct Scales {
  const float* weight;
  const float* bias;
};

// A row of 16-bit floats; gives its mean and the reciprocal of its deviation.
struct RowResult {
  float mean, rstd;
};
template <typename Stored>
RowResult normalize_stored(const RowNorm& norm, const char* from, const Scales& scales, int64_t n,
                           char* to) {
  auto* const x = reinterpret_cast<const Stored*>(from);
  const RowMoments found(x, n, norm.centred);
  const float rstd = inverse_root(found.variance, norm.epsilon);
  make_chunks<1>(&x, n, reinterpret_cast<Stored*>(to),
                 [&](int64_t first, int64_t count, const auto& some, float* y) {
                   scale_row(some[0], found.mean, rstd, scales.weight + first, scales.bias + first,
                             count, y);
                 });
  return {found.mean.high, rstd};
}

// What rows are before they are normalised.
class SummedRows {
 public:
  Status open(const RowNorm& norm) {
    const aclDataType dtype = norm.x->dtype;
    scale_ = static_cast<float>(norm.scale);
    Status status = x_.open(*norm.x, dtype, norm.split);
    if (!status.ok() || !given(norm.addend)) return status;
    sums_ = true;
    status = addend_.open(*norm.addend, norm.addend->dtype, norm.split);
    return status.ok() ? row_addend_.take(or_absent(norm.row_addend), 0, columns()) : status;
  }

  int64_t rows() const { return x_.view().shape[0]; }
  int64_t columns() const { return x_.view().shape[1]; }
  bool sums() const { return sums_; }

  const MatrixInput& x() const { return x_; }
  const MatrixInput& addend() const { return addend_; }

  void add(const float* x, const float* y, float* sum) const {
    const float scale = scale_, *const z = row_addend_.values();
    const int64_t n = columns();
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) sum[i] = x[i] * scale + y[i] + z[i];
  }

 private:
  MatrixInput x_, addend_;
  RowParameter row_addend_;
  float scale_;
  bool sums_ = false;
};

// What a norm writes, but for what there is one of for each row.
struct RowResults {
  Status open(const RowNorm& norm) {
    const Status status = y.open(*norm.y, norm.x->dtype, norm.split);
    if (!status.ok() || !given(norm.sum)) return status;
    return sum.open(*norm.sum, norm.x->dtype, norm.split);
  }
  Status close(const RowNorm& norm) const {
    const Status status = y.close();
    return status.ok() && given(norm.sum) ? sum.close() : status;
  }

  MatrixOutput y, sum;
};

}  // namespace

Status normalize(const RowNorm& norm) {
  if (norm.x->empty()) return {};
  SummedRows source;
  RowResults results;
  RowParameter weight, bias;
  RowStatistics statistics;
  Status status = source.open(norm);
  if (status.ok()) status = results.open(norm);
  const int64_t n = source.columns();
  if (status.ok()) status = weight.take(or_absent(norm.weight), 1, n, norm.weight_offset);
  if (status.ok()) status = bias.take(or_absent(norm.bias), 0, n);
  if (status.ok()) status = statistics.make(source.rows());
  if (!status.ok()) return status;
  const FloatRows x(source.x().view()), addend(source.sums() ? source.addend().view() : *norm.x);
  const FloatRows y(results.y.view());
  const FloatRows sum(given(norm.sum) ? results.sum.view() : results.y.view());
  const auto normalize_row = [&](int64_t row, RowInput<float> values, const RowOutput<float>& out) {
    const RowMoments found(values, n, norm.centred);
    const float rstd = inverse_root(found.variance, norm.epsilon);
    statistics.means[row] = found.mean.high;
    statistics.rstds[row] = rstd;
    for_each_piece(n, [&](Range piece) {
      scale_row(values.read(piece), found.mean, rstd, weight.values() + piece.begin,
                bias.values() + piece.begin, piece.count, out.place(piece));
      out.write(piece);
    });
  };
  const Scales scales = {weight.values(), bias.values()};
  const auto normalize_as_stored = source.x().view().dtype != results.y.view().dtype ? nullptr
                                   : norm.x->dtype == ACL_FLOAT16 ? normalize_stored<Half>
                                   : norm.x->dtype == ACL_BF16    ? normalize_stored<BFloat16>
                                                                  : nullptr;
  const auto body = [&](int64_t row, const RowBuffers& buffers) {
    char* const raw = buffers.raw();
    if (normalize_as_stored != nullptr && !source.sums()) {
      const char* const from = x.read_stored(row, reinterpret_cast<char*>(buffers.row(0)));
      char* const to = y.place_stored(row, raw);
      const RowResult found = normalize_as_stored(norm, from, scales, n, to);
      statistics.means[row] = found.mean;
      statistics.rstds[row] = found.rstd;
      return y.write_stored(row, to);
    }
    const RowOutput<float> out(y, row, buffers.row(1), raw);
    if (!source.sums()) return normalize_row(row, {x, row, buffers.row(0), raw}, out);
    float* const values = buffers.row(2);
    source.add(x.read(row, buffers.row(0), raw), addend.read(row, buffers.row(1), raw), values);
    if (given(norm.sum)) sum.write(row, values, raw);
    normalize_row(row, RowInput<float>(values), out);
  };
  const bool takes_whole_rows = source.sums() || normalize_as_stored != nullptr;
  const int64_t room = takes_whole_rows ? n : std::min(n, kRowPiece);
  status = for_each_row(source.rows(), room, 3, body, n);
  if (status.ok()) status = results.close(norm);
  if (status.ok()) status = statistics.deliver_means(or_absent(norm.mean));
  if (status.ok()) status = statistics.deliver_rstds(or_absent(norm.rstd));
  return status;
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
