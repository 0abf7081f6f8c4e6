// SPDX-License-Identifier: Apache-2.0
// Statistics of tensors instead of their elements: a table with a line for each tensor.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>

#include "dtypes.h"
#include "operator/dump.h"
#include "operator/layouts.h"
#include "operator/row_order.h"
#include "simd/convert.h"

namespace aclhost {
namespace {

// What is counted, as it is called in a configuration and in the table.
struct Column {
  const char* wish;
  const char* head;
};
constexpr Column kColumns[] = {{"Max", "Max Value"},
                               {"Min", "Min Value"},
                               {"Avg", "Avg Value"},
                               {"", "Count"},
                               {"Nan", "Nan Count"},
                               {"Negative Inf", "Negative Inf Count"},
                               {"Positive Inf", "Positive Inf Count"},
                               {"L2norm", "L2norm"}};
constexpr int kColumnCount = sizeof kColumns / sizeof *kColumns;

struct Numbers {
  std::string texts[kColumnCount];
};

template <typename Value>
std::string text_of(Value value) {
  if constexpr (std::is_integral_v<Value>) {
    return std::to_string(value);
  } else {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", std::is_same_v<Value, double> ? 17 : 9,
                  static_cast<double>(value));
    return text;
  }
}

template <typename Value>
class Statistics {
 public:
  void add(Value value) {
    ++count_;
    const double wide = static_cast<double>(value);
    sum_ += wide;
    squares_ += wide * wide;
    if constexpr (std::is_floating_point_v<Value>) {
      if (std::isnan(value)) {
        ++nans_;
        return;
      }
      if (std::isinf(value)) ++(value < 0 ? negative_ : positive_);
    }
    most_ = count_ - nans_ == 1 ? value : std::max(most_, value);
    least_ = count_ - nans_ == 1 ? value : std::min(least_, value);
  }

  // Without a number among them, the largest and the smallest are none.
  Numbers numbers() const {
    const bool none = count_ == nans_;
    const std::string no_number = count_ == 0 ? "" : "nan";
    return {{none ? no_number : text_of(most_), none ? no_number : text_of(least_),
             count_ == 0 ? "" : text_of(sum_ / static_cast<double>(count_)), text_of(count_),
             text_of(nans_), text_of(negative_), text_of(positive_), text_of(std::sqrt(squares_))}};
  }

 private:
  int64_t count_ = 0, nans_ = 0, negative_ = 0, positive_ = 0;
  double sum_ = 0, squares_ = 0;
  Value most_{}, least_{};
};

template <typename Stored>
auto value_of(const char* place) {
  Stored stored;
  std::memcpy(&stored, place, sizeof stored);
  if constexpr (std::is_same_v<Stored, Half> || std::is_same_v<Stored, BFloat16>) {
    return widen(stored);
  } else {
    return stored;
  }
}

template <typename Stored>
Numbers numbers_of(const TensorView& view) {
  Statistics<decltype(value_of<Stored>(nullptr))> statistics;
  if (view.empty()) return statistics.numbers();
  const auto* const data = static_cast<const char*>(view.data);
  const int64_t size = sizeof(Stored), length = row_length(view), stride = row_stride(view);
  for_each_row(view, [&](int64_t place) {
    for (int64_t i = 0; i < length; ++i) {
      statistics.add(value_of<Stored>(data + (place + i * stride) * size));
    }
  });
  return statistics.numbers();
}

// Complex numbers and types of less than 8 bits or of 8 with a point have none.
Numbers numbers_of(const TensorView& view) {
  switch (view.dtype) {
    case ACL_FLOAT:
      return numbers_of<float>(view);
    case ACL_FLOAT16:
      return numbers_of<Half>(view);
    case ACL_BF16:
      return numbers_of<BFloat16>(view);
    case ACL_DOUBLE:
      return numbers_of<double>(view);
    case ACL_INT8:
      return numbers_of<int8_t>(view);
    case ACL_INT16:
      return numbers_of<int16_t>(view);
    case ACL_INT32:
      return numbers_of<int32_t>(view);
    case ACL_INT64:
      return numbers_of<int64_t>(view);
    case ACL_UINT8:
    case ACL_BOOL:
      return numbers_of<uint8_t>(view);
    case ACL_UINT16:
      return numbers_of<uint16_t>(view);
    case ACL_UINT32:
      return numbers_of<uint32_t>(view);
    case ACL_UINT64:
      return numbers_of<uint64_t>(view);
    default:
      return {};
  }
}

bool is_wanted(const Column& column, const std::vector<std::string>& wishes) {
  if (*column.wish == '\0') return true;
  if (wishes.empty()) return std::strcmp(column.wish, "L2norm") != 0;
  return std::find(wishes.begin(), wishes.end(), column.wish) != wishes.end();
}

std::string line_of(const char* side, size_t index, const TensorView& view,
                    const std::vector<std::string>& wishes) {
  std::string shape;
  for (int i = 0; i < view.rank; ++i) shape += (i > 0 ? "x" : "") + std::to_string(view.shape[i]);
  std::string line = std::string(side) + "," + std::to_string(index) + "," +
                     std::to_string(dumped_bytes(view)) + ",DT_" + data_type_name(view.dtype) +
                     "," + format_name(dumped_format(view)) + "," + (shape.empty() ? "-" : shape);
  const Numbers numbers = numbers_of(view);
  for (int i = 0; i < kColumnCount; ++i) {
    if (is_wanted(kColumns[i], wishes)) line += "," + numbers.texts[i];
  }
  return line + "\n";
}

}  // namespace

std::string statistics_of(const DumpedTensors& tensors, const std::vector<std::string>& wishes) {
  std::string table = "Input/Output,Index,Data Size,Data Type,Format,Shape";
  for (const Column& column : kColumns) {
    if (is_wanted(column, wishes)) table += std::string(",") + column.head;
  }
  table += "\n";
  for (size_t i = 0; i < tensors.inputs.size(); ++i) {
    table += line_of("Input", i, *tensors.inputs[i], wishes);
  }
  for (size_t i = 0; i < tensors.outputs.size(); ++i) {
    table += line_of("Output", i, *tensors.outputs[i], wishes);
  }
  return table;
}

}  // namespace aclhost
