// SPDX-License-Identifier: Apache-2.0
// The sums of a comparison as a Python function.
#include "engines/compare.h"

#include <nanobind/nanobind.h>

#include <cstdint>

#include "base/isa.h"
#include "binding/array.h"
#include "binding/element_types.h"
#include "binding/gil.h"
#include "binding/raise.h"

namespace nb = nanobind;

namespace aclhost {

namespace baseline {
CompareArrays compare_arrays;
}
#if defined(__x86_64__)
namespace avx2 {
CompareArrays compare_arrays;
}
namespace avx512 {
CompareArrays compare_arrays;
}
#endif

namespace python {
namespace {

// A line of elements without gaps, and its length.
struct Line {
  Array array;  // keeps the memory in place
  TensorView view;
  int64_t size = 0;

  Line(nb::handle given, const char* parameter, Access access = Access::kRead) {
    array.look_at(given, parameter, access, &view);
    if (!view.present) return;
    const bool is_line = view.rank == 1 && (view.shape[0] <= 1 || view.strides[0] == 1);
    if (!is_line) raise(PyExc_ValueError, "%s must be a line without gaps", parameter);
    size = find_element_type(view.dtype)->size;
  }
  char* start() const {
    return view.present ? static_cast<char*>(view.data) + view.offset * size : nullptr;
  }
  int64_t length() const { return view.present ? view.shape[0] : 0; }
};

void check_comparable(const Line& line, const char* parameter) {
  switch (line.view.present ? line.view.dtype : ACL_DT_UNDEFINED) {
    case ACL_BOOL:
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_INT16:
    case ACL_UINT16:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_FLOAT:
    case ACL_DOUBLE:
      return;
    default:
      raise(PyExc_TypeError, "%s must hold integers or floats of 16 to 64 bits", parameter);
  }
}

nb::tuple element(const ComparedElement& from) {
  return nb::make_tuple(from.score, from.position, from.actual, from.expected, from.absolute,
                        from.relative, from.ulps);
}

nb::dict as_dict(const Compared& from) {
  nb::dict to;
  to["equal"] = from.equal;
  to["finite"] = from.finite;
  to["nonzero"] = from.nonzero;
  to["nan_mismatches"] = from.nan_mismatches;
  to["inf_mismatches"] = from.inf_mismatches;
  to["outliers"] = from.outliers;
  to["max_absolute"] = from.max_absolute;
  to["sum_absolute"] = from.sum_absolute;
  to["max_relative"] = from.max_relative;
  to["sum_relative"] = from.sum_relative;
  to["max_ulp"] = from.max_ulp;
  to["products"] = nb::make_tuple(from.dot, from.actual_square, from.expected_square);
  nb::list ulps, decades, worst;
  for (const int64_t count : from.ulps) ulps.append(count);
  for (const int64_t count : from.decades) decades.append(count);
  for (const ComparedElement& each : from.worst) worst.append(element(each));
  to["ulps"] = ulps;
  to["decades"] = decades;
  to["worst"] = worst;
  return to;
}

CompareArrays* version() {
#if defined(__x86_64__)
  if (current_isa() == Isa::kAvx512) return avx512::compare_arrays;
  if (current_isa() == Isa::kAvx2) return avx2::compare_arrays;
#endif
  return baseline::compare_arrays;
}

nb::dict compare_lines(nb::handle actual, nb::handle expected, nb::handle actual_rounded,
                       nb::handle expected_rounded, int ulps_of, double rtol, double atol,
                       int64_t worst, int64_t start, nb::handle cells, int64_t height, int64_t rows,
                       int64_t columns) {
  import_array_libraries();
  const Line a(actual, "actual"), e(expected, "expected");
  check_comparable(a, "actual");
  check_comparable(e, "expected");
  const Line a_bits(actual_rounded, "actual_rounded"), e_bits(expected_rounded, "expected_rounded");
  const Line map(cells, "cells", Access::kWrite);
  const bool rounded = a_bits.view.present && e_bits.view.present;
  const bool fits = a.length() == e.length() &&
                    (!rounded || (a_bits.length() == a.length() && e_bits.length() == a.length() &&
                                  a_bits.size == e_bits.size));
  if (!fits) raise(PyExc_ValueError, "actual and expected must be equally long");
  const bool in_map = start >= 0 && rows > 0 && columns > 0 && height > 0 && height <= rows &&
                      start + a.length() <= rows * columns && map.length() % height == 0 &&
                      map.length() / height <= columns && map.view.dtype == ACL_DOUBLE;
  if (!in_map) raise(PyExc_ValueError, "cells, rows and columns do not fit the elements");
  const ComparisonRule rule = {rtol, atol, static_cast<aclDataType>(ulps_of),
                               rounded ? static_cast<size_t>(a_bits.size) : 0, worst};
  const ErrorMap error_map = {rows, columns, height, map.length() / height,
                              reinterpret_cast<double*>(map.start())};
  Compared found;
  {
    const WithoutGil unlocked;
    found = version()({a.start(), a.view.dtype, rounded ? a_bits.start() : nullptr},
                      {e.start(), e.view.dtype, rounded ? e_bits.start() : nullptr}, start,
                      a.length(), rule, error_map);
  }
  return as_dict(found);
}

}  // namespace

void bind_compare(nb::module_& module) {
  module.def("compare_lines", &compare_lines, nb::arg("actual"), nb::arg("expected"),
             nb::arg("actual_rounded").none(), nb::arg("expected_rounded").none(),
             nb::arg("ulps_of"), nb::arg("rtol"), nb::arg("atol"), nb::arg("worst"),
             nb::arg("start"), nb::arg("cells"), nb::arg("height"), nb::arg("rows"),
             nb::arg("columns"));
}

}  // namespace python
}  // namespace aclhost
