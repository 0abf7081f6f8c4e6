// SPDX-License-Identifier: Apache-2.0
#include "engines/gemm_plan.h"

#include <cstdlib>
#include <utility>

#include "dtypes.h"
#include "engines/multiply.h"
#include "engines/pair_products.h"
#include "engines/vector_products.h"
#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr int64_t kTile = 512;  // rows and columns of the largest one
constexpr int64_t kThin = 64;   // tiles of fewer rows have more columns, and so on
constexpr int64_t kFew = 16;
constexpr int64_t kFewRows = 48;  // that are turned into columns
constexpr int64_t kSmallFactor = 1 << 16;
constexpr int64_t kLeastTile = 32;
constexpr int64_t kTileStep = 16;
constexpr int64_t kTasks = 16;               // so many are shared well
constexpr double kTaskWork = 1 << 22;        // multiplications; less is not worth a second thread
constexpr double kElementWork = 8;           // what reading an element takes in multiplications
constexpr int64_t kPanelElements = 1 << 18;  // that are brought together
constexpr int64_t kLeastDepth = 256, kMostDepth = 4096;
constexpr int64_t kMostDirect = 1 << 24;  // terms of a sum in one call of BLAS
constexpr int64_t kMostStride = INT32_MAX;
constexpr int64_t kLeastTerms = 32;  // of sums of batches that are products with vectors
// Terms of a sum that OpenBLAS adds up at once on processors with AVX2, and on all others.
constexpr int64_t kMostAtOnce = kLanes<float> > 4 ? 256 : 128;

int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

aclDataType computed_type(const Gemm& product) {
  if (data_type_category(product.out.dtype) == TypeCategory::kFloating) {
    const bool wide = product.out.dtype == ACL_DOUBLE || product.a.dtype == ACL_DOUBLE ||
                      product.b.dtype == ACL_DOUBLE;
    return wide ? ACL_DOUBLE : ACL_FLOAT;
  }
  const int bits = data_type_bits(product.out.dtype);
  return bits > 32 ? ACL_INT64 : bits > 8 ? ACL_INT32 : ACL_INT8;
}

// The last two dimensions are rows and columns; those before broadcast to the batches.
BatchedMatrix matrix_of(const TensorView& view, int batch_rank, int64_t rows, int64_t columns) {
  BatchedMatrix matrix;
  matrix.item_size = data_type_bits(view.dtype) / 8;
  matrix.data = static_cast<char*>(view.data) + view.offset * matrix.item_size;
  matrix.dtype = view.dtype;
  matrix.rows = rows;
  matrix.columns = columns;
  const auto stride = [&](int axis) {  // from the end
    const int i = view.rank - axis;
    return i < 0 || view.shape[i] == 1 ? 0 : view.strides[i];
  };
  matrix.column_stride = stride(1);
  matrix.row_stride = stride(2);
  for (int i = 0; i < batch_rank; ++i) matrix.batch_strides[i] = stride(batch_rank - i + 2);
  return matrix;
}

// A stride over a single row or column says nothing; one that BLAS takes is as good.
void settle_strides(BatchedMatrix* matrix) {
  if (matrix->rows == 1) {
    matrix->row_stride = matrix->column_stride == 1 ? std::max<int64_t>(matrix->columns, 1) : 1;
  }
  if (matrix->columns == 1) {
    matrix->column_stride = matrix->row_stride == 1 ? std::max<int64_t>(matrix->rows, 1) : 1;
  }
}

bool has_array_rows(const BatchedMatrix& matrix) {
  return matrix.column_stride == 1 && matrix.row_stride >= matrix.columns &&
         matrix.row_stride <= kMostStride;
}
bool has_array_columns(const BatchedMatrix& matrix) {
  return matrix.row_stride == 1 && matrix.column_stride >= matrix.rows &&
         matrix.column_stride <= kMostStride;
}

bool multiplies_columns(aclDataType computed) {
  return computed == ACL_FLOAT    ? aclhost::multiplies_columns<float>()
         : computed == ACL_DOUBLE ? aclhost::multiplies_columns<double>()
                                  : aclhost::multiplies_columns<uint64_t>();
}

bool is_computed_type(aclDataType dtype, aclDataType computed) {
  return dtype == computed || (computed == ACL_INT8 && dtype == ACL_UINT8) ||
         (computed == ACL_INT32 && dtype == ACL_UINT32) ||
         (computed == ACL_INT64 && dtype == ACL_UINT64);
}

void transpose(BatchedMatrix* matrix) {
  std::swap(matrix->rows, matrix->columns);
  std::swap(matrix->row_stride, matrix->column_stride);
}

// Results whose columns are arrays are computed as the transposed product.
void turn(GemmPlan* plan) {
  for (BatchedMatrix* each : {&plan->out, &plan->a, &plan->b, &plan->addend}) transpose(each);
  std::swap(plan->a, plan->b);
  std::swap(plan->m, plan->n);
}

// Of few rows times columns that are arrays, BLAS would copy all of the columns first; of the
// transposed product it reads them in place.
bool has_few_rows(const GemmPlan& plan) {
  const bool is_small = plan.n * plan.k <= kSmallFactor && !has_array_columns(plan.a);
  return plan.m > 1 && plan.m <= kFewRows && plan.m < plan.n && !is_small &&
         has_array_columns(plan.b) && !multiplies_pairs(plan);
}

// Batches that go on where the one before ends, times one and the same matrix: one batch.
void join_batches(GemmPlan* plan) {
  if (plan->b.source != nullptr || plan->repeats != 1) return;
  for (; plan->batch_rank > 0; --plan->batch_rank) {
    const int last = plan->batch_rank - 1;
    const int64_t length = plan->batch_shape[last];
    if (length == 1) continue;
    if (plan->b.batch_strides[last] != 0) return;
    BatchedMatrix* const others[] = {&plan->out, &plan->a, &plan->addend};
    for (BatchedMatrix* each : others) {
      if (each == &plan->addend && !plan->adds) continue;
      if (plan->m == 1) each->row_stride = each->batch_strides[last];
      if (each->batch_strides[last] != plan->m * each->row_stride) return;
    }
    plan->m *= length;
    plan->batches /= length;
    for (BatchedMatrix* each : others) each->rows = plan->m;
  }
}

double work_of(double rows, double columns, double depth) {
  return depth * (rows * columns + kElementWork * (rows + columns));
}

// Tiles of about the same length.
int64_t even_length(int64_t total, int64_t most) {
  const int64_t length = divided_up(total, divided_up(total, std::max<int64_t>(most, 1)));
  return std::min(total, divided_up(length, kTileStep) * kTileStep);
}

void count_tiles(GemmPlan* plan) {
  plan->row_tiles = divided_up(plan->m, plan->rows);
  plan->column_tiles = divided_up(plan->n, plan->columns);
}

// Few rows times long arrays, or the other way round: parts of the sum read whole arrays.
bool reads_arrays(const GemmPlan& plan) {
  return (plan.m < kFew && plan.b.column_stride == 1) || (plan.n < kFew && plan.a.row_stride == 1);
}

// Panels that are made are not made twice where that can be helped.
void choose_tiles(GemmPlan* plan) {
  const auto most = [](int64_t other) { return kTile * (other < kThin ? kTile / kThin : 1); };
  plan->rows = even_length(plan->m, most(plan->n));
  plan->columns = even_length(plan->n, most(plan->m));
  count_tiles(plan);
  if (reads_arrays(*plan)) return;
  const double depth = static_cast<double>(plan->k * plan->repeats);
  while (plan->tiles() < kTasks && work_of(plan->rows, plan->columns, depth) > 2 * kTaskWork) {
    const bool cuts_rows = plan->b.source == nullptr && plan->rows >= plan->columns;
    int64_t& longer = cuts_rows ? plan->rows : plan->columns;
    if (longer <= kLeastTile) break;
    longer = even_length(longer, divided_up(longer, 2));
    count_tiles(plan);
  }
}

void choose_depth(GemmPlan* plan) {
  const int64_t longer = std::max(plan->rows, plan->columns);
  const bool direct = plan->a.direct && plan->b.direct;
  plan->depth = direct ? kMostDirect : std::clamp(kPanelElements / longer, kLeastDepth, kMostDepth);
  plan->parts = 1;
  plan->part_length = std::max<int64_t>(plan->k, 1);
  if (plan->repeats != 1 || plan->tiles() >= kTasks) return;
  const double work = work_of(plan->rows, plan->columns, static_cast<double>(plan->k));
  const int64_t wanted = std::min(kTasks / plan->tiles(), static_cast<int64_t>(work / kTaskWork));
  if (wanted < 2) return;
  plan->part_length = divided_up(divided_up(plan->k, wanted), kLeastDepth) * kLeastDepth;
  if (!direct) plan->part_length = divided_up(plan->part_length, plan->depth) * plan->depth;
  plan->parts = divided_up(plan->k, plan->part_length);
}

bool choose_casts(GemmPlan* plan) {
  for (BatchedMatrix* each : {&plan->a, &plan->b, &plan->addend}) {
    if (each->source != nullptr || (each == &plan->addend && !plan->adds)) continue;
    each->cast = find_cast(each->dtype, plan->computed);
    if (each->cast == nullptr) return false;
  }
  plan->out.cast = find_cast(plan->computed, plan->out.dtype);
  return plan->out.cast != nullptr;
}

bool is_addend(const GemmPlan& plan) {
  const BatchedMatrix &out = plan.out, &addend = plan.addend;
  return plan.adds && out.data == addend.data && out.dtype == addend.dtype &&
         out.row_stride == addend.row_stride && out.column_stride == addend.column_stride &&
         std::equal(out.batch_strides, out.batch_strides + plan.batch_rank, addend.batch_strides);
}

// Of sums so short BLAS adds all terms at once, so that bits are as if they were added later.
bool adds_in_place(const GemmPlan& plan) {
  const bool is_short = plan.k > 0 && plan.k <= kMostAtOnce;  // without terms, -0 + 0 is 0
  return is_short && is_addend(plan) && plan.beta == 1 && plan.repeats == 1 && plan.a.direct &&
         plan.b.direct && !plan.has_vector && multiplies_columns(plan.computed);
}

void choose_direct(GemmPlan* plan) {
  const auto is_ready = [&](const BatchedMatrix& matrix) {
    return matrix.source == nullptr && is_computed_type(matrix.dtype, plan->computed) &&
           reinterpret_cast<uintptr_t>(matrix.data) % matrix.item_size == 0;
  };
  plan->a.direct = is_ready(plan->a) && (has_array_rows(plan->a) || has_array_columns(plan->a));
  plan->b.direct =
      is_ready(plan->b) && (has_array_rows(plan->b) ||
                            (multiplies_columns(plan->computed) && has_array_columns(plan->b)));
  plan->out.direct = is_ready(plan->out) && has_array_rows(plan->out) && plan->alpha == 1 &&
                     (!plan->adds || adds_in_place(*plan));
}

void take_shapes(const Gemm& product, GemmPlan* plan) {
  const TensorView &out = product.out, &a = product.a, &b = product.b;
  plan->m = out.shape[out.rank - 2];
  plan->n = out.shape[out.rank - 1];
  plan->k = product.alpha == 0 ? 0 : a.shape[a.rank - 1];
  plan->batch_rank = product.sums_batches ? 1 : out.rank - 2;
  plan->batches = 1;
  for (int i = 0; i < plan->batch_rank && !product.sums_batches; ++i) {
    plan->batch_shape[i] = out.shape[i];
    plan->batches *= out.shape[i];
  }
  plan->repeats = product.sums_batches ? std::max(a.shape[0], b.shape[0]) : 1;
  if (product.sums_batches) plan->batch_shape[0] = 1;
  if (a.empty() || (product.b_panels == nullptr && b.empty())) plan->k = 0;
  if (plan->k == 0) plan->repeats = 1;
}

// By shapes alone: bits of sums must not depend on strides. Batches that share a column are rows of
// one product.
bool has_vector(const Gemm& product, const GemmPlan& plan) {
  if (plan.batches == 1) return std::min(plan.m, plan.n) == 1;
  int64_t columns = 1;
  for (int i = 0; i < product.b.rank - 2; ++i) columns *= product.b.shape[i];
  return plan.n == 1 && columns == plan.batches && plan.k >= kLeastTerms && plan.k <= kWholeSum;
}

}  // namespace

bool make_plan(const Gemm& product, GemmPlan* plan) {
  take_shapes(product, plan);
  plan->alpha = plan->k == 0 ? 1 : product.alpha;
  plan->beta = product.beta;
  plan->computed = computed_type(product);
  plan->out = matrix_of(product.out, plan->batch_rank, plan->m, plan->n);
  plan->a = matrix_of(product.a, plan->batch_rank, plan->m, plan->k);
  plan->b = matrix_of(product.b, plan->batch_rank, plan->k, plan->n);
  plan->b.source = product.b_panels;
  plan->adds = product.addend != nullptr && plan->beta != 0;
  if (plan->adds) {
    plan->addend = matrix_of(*product.addend, plan->batch_rank, plan->m, plan->n);
  }
  plan->has_vector = has_vector(product, *plan);
  join_batches(plan);
  settle_strides(&plan->out);
  const bool has_columns = plan->out.column_stride != 1 && plan->out.row_stride == 1;
  // A vector is a row.
  const bool turns = plan->has_vector ? plan->m > 1 : has_columns || has_few_rows(*plan);
  if (plan->b.source == nullptr && turns) turn(plan);
  settle_strides(&plan->out);
  settle_strides(&plan->a);
  settle_strides(&plan->b);
  choose_direct(plan);
  plan->pairs = multiplies_pairs(*plan);
  choose_tiles(plan);
  choose_depth(plan);
  return choose_casts(plan);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
