// SPDX-License-Identifier: Apache-2.0
// As backends of inference do: copies between strided views, a diagonal, joining, padding, and rows
// by an index that lies somewhere in a buffer.
#include <cfloat>

#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_constant_pad_nd.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_index_select.h"
#include "aclnnop/aclnn_reflection_pad1d.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "aclnnop/aclnn_slice.h"
#include "views.h"

namespace {

using Floats = std::vector<float>;

void copy_between_strided_views() {
  const Memory<float> x({1, 2, 3, 4, 5, 6}), y(Floats(9, 0));
  aclTensor* from = view({3, 2}, {1, 3}, ACL_FLOAT, x.address);   // transposed
  aclTensor* to = view({3, 2}, {3, 1}, ACL_FLOAT, y.address, 1);  // the last two of three columns
  launch({from, to}, aclnnInplaceCopyGetWorkspaceSize, aclnnInplaceCopy, to, from);
  REQUIRE((y.values() == Floats{0, 1, 4, 0, 2, 5, 0, 3, 6}));
}

void copy_to_a_diagonal() {
  const Memory<float> x({1, 2, 3}), y(Floats(9, 0));
  aclTensor *from = dense({3}, ACL_FLOAT, x.address), *to = view({3}, {4}, ACL_FLOAT, y.address);
  launch({from, to}, aclnnInplaceCopyGetWorkspaceSize, aclnnInplaceCopy, to, from);
  REQUIRE((y.values() == Floats{1, 0, 0, 0, 2, 0, 0, 0, 3}));
}

// Two squares one behind the other, in each dimension.
template <typename T>
void join(aclDataType type) {
  const Memory<T> x({1, 2, 3, 4}), y({5, 6, 7, 8});
  for (const int64_t dim : {0, 1}) {
    const Memory<T> z(std::vector<T>(8));
    const aclTensor* parts[] = {dense({2, 2}, type, x.address), dense({2, 2}, type, y.address)};
    aclTensorList* list = aclCreateTensorList(parts, 2);
    aclTensor* whole = dense(dim == 0 ? Shape{4, 2} : Shape{2, 4}, type, z.address);
    launch({whole}, aclnnCatGetWorkspaceSize, aclnnCat, list, dim, whole);
    OK(aclDestroyTensorList(list));
    const std::vector<T> below = {1, 2, 3, 4, 5, 6, 7, 8}, beside = {1, 2, 5, 6, 3, 4, 7, 8};
    REQUIRE(z.values() == (dim == 0 ? below : beside));
  }
}

// The value that the largest of a window is looked for among.
void pad_with_the_smallest_float() {
  const Memory<float> x({1, 2}), y(Floats(4, 0));
  aclTensor *from = dense({1, 2}, ACL_FLOAT, x.address), *to = dense({1, 4}, ACL_FLOAT, y.address);
  const int64_t sizes[] = {1, 1, 0, 0};
  float smallest = -FLT_MAX;
  aclIntArray* padding = aclCreateIntArray(sizes, 4);
  aclScalar* value = aclCreateScalar(&smallest, ACL_FLOAT);
  launch({from, to}, aclnnConstantPadNdGetWorkspaceSize, aclnnConstantPadNd, from, padding, value,
         to);
  OK(aclDestroyIntArray(padding));
  OK(aclDestroyScalar(value));
  REQUIRE((y.values() == Floats{-FLT_MAX, 1, 2, -FLT_MAX}));
}

void pad_by_reflection() {
  const Memory<float> x({1, 2, 3, 4, 5, 6}), y(Floats(12, 0));
  aclTensor* from = dense({1, 2, 3}, ACL_FLOAT, x.address);
  aclTensor* to = dense({1, 2, 6}, ACL_FLOAT, y.address);
  const int64_t sizes[] = {2, 1};
  aclIntArray* padding = aclCreateIntArray(sizes, 2);
  launch({from, to}, aclnnReflectionPad1dGetWorkspaceSize, aclnnReflectionPad1d, from, padding, to);
  OK(aclDestroyIntArray(padding));
  REQUIRE((y.values() == Floats{3, 2, 1, 2, 3, 2, 6, 5, 4, 5, 6, 5}));
}

// The index begins at its second number; one column of a table of bytes is taken, too.
void rows_by_an_index_at_an_offset() {
  const Memory<float> table({1, 2, 3, 4, 5, 6}), rows(Floats(4, 0));
  const Memory<int8_t> bytes({1, 2, 3, 4, 5, 6}), columns(std::vector<int8_t>(4));
  const Memory<int32_t> places({99, 2, 0});
  const auto index = [&] { return view({2}, {1}, ACL_INT32, places.address, 1); };
  aclTensor *from = dense({3, 2}, ACL_FLOAT, table.address), *which = index();
  aclTensor* to = dense({2, 2}, ACL_FLOAT, rows.address);
  launch({from, which, to}, aclnnGatherV2GetWorkspaceSize, aclnnGatherV2, from, int64_t{0}, which,
         to);
  from = dense({2, 3}, ACL_INT8, bytes.address), which = index();
  to = dense({2, 2}, ACL_INT8, columns.address);
  launch({from, which, to}, aclnnIndexSelectGetWorkspaceSize, aclnnIndexSelect, from, int64_t{1},
         which, to);
  REQUIRE((rows.values() == Floats{5, 6, 1, 2}));
  REQUIRE((columns.values() == std::vector<int8_t>{3, 1, 6, 4}));
}

void half_of_each_row_twice() {
  const Memory<float> x({1, 2, 3, 4, 5, 6, 7, 8}), half(Floats(4, 0)), twice(Floats(8, 0));
  aclTensor* rows = dense({2, 4}, ACL_FLOAT, x.address);
  aclTensor* first = dense({2, 2}, ACL_FLOAT, half.address);
  launch({rows}, aclnnSliceGetWorkspaceSize, aclnnSlice, rows, int64_t{-1}, int64_t{0}, int64_t{2},
         int64_t{1}, first);
  aclTensor* repeated = dense({2, 4}, ACL_FLOAT, twice.address);
  launch({first, repeated}, aclnnRepeatInterleaveIntWithDimGetWorkspaceSize,
         aclnnRepeatInterleaveIntWithDim, first, int64_t{2}, int64_t{1}, int64_t{4}, repeated);
  REQUIRE((twice.values() == Floats{1, 1, 2, 2, 5, 5, 6, 6}));
}

}  // namespace

int main() {
  return on_a_device([] {
    copy_between_strided_views();
    copy_to_a_diagonal();
    join<int8_t>(ACL_INT8);
    join<int16_t>(ACL_INT16);
    join<int64_t>(ACL_INT64);
    join<Half>(ACL_FLOAT16);
    pad_with_the_smallest_float();
    pad_by_reflection();
    rows_by_an_index_at_an_offset();
    half_of_each_row_twice();
  });
}
