// SPDX-License-Identifier: Apache-2.0
#include "operator/dump_arguments.h"

#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "base/fork_mutex.h"
#include "base/immortal.h"
#include "base/json.h"
#include "dtypes.h"
#include "operator/descriptor.h"
#include "operator/dump.h"
#include "operator/layouts.h"
#include "operator/regions.h"
#include "operator/scalar.h"

namespace aclhost {
namespace {

struct Record {
  ForkMutex mutex;
  std::string directory;
  std::map<std::string, std::set<std::string>> calls;  // texts by operator
};

Immortal<Record> record;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// JSON has no words for what is not finite.
std::string number(double value) {
  return std::isfinite(value) ? number_text(value) : json_quoted(number_text(value));
}

std::string scalar_text(const ScalarValue& scalar) {
  const TypeCategory category = data_type_category(scalar.dtype);
  const bool is_whole = category == TypeCategory::kInteger || category == TypeCategory::kBool;
  return is_whole ? std::to_string(integer_of(scalar)) : number(scalar.to_double());
}

template <typename List, typename Text>
std::string list_text(const List& list, const Text& text) {
  std::string result = "[";
  for (uint64_t i = 0; i < list.size; ++i) {
    result += (i > 0 ? ", " : "") + text(list.values[i]);
  }
  return result + "]";
}

std::string tensor_text(const ParamInfo& param, const TensorView& view, int index) {
  return "{\"name\": " + json_quoted(param.name) + ", \"index\": " + std::to_string(index) +
         ", \"dtype\": " + json_quoted(lower(data_type_name(view.dtype))) +
         ", \"format\": " + json_quoted(format_name(view.format)) +
         ", \"shape\": " + shape_text(view) + "}";
}

// The value of an attribute, with its kind; nothing for tensors.
std::pair<std::string, std::string> attribute(const Args& args, int i) {
  const auto integer = [](int64_t value) { return std::to_string(value); };
  switch (args.op->params[i].kind) {
    case ParamKind::kScalar:
      return {lower(data_type_name(args.scalar(i).dtype)), scalar_text(args.scalar(i))};
    case ParamKind::kScalarList:
      return {"list_scalar", list_text(args.scalar_list(i), scalar_text)};
    case ParamKind::kFlag:
      return {"bool", args.integer(i) != 0 ? "true" : "false"};
    case ParamKind::kIntArray:
      return {"list_int", list_text(args.int_array(i), integer)};
    case ParamKind::kFloatArray:
      return {"list_float", list_text(args.float_array(i), number)};
    case ParamKind::kBoolArray:
      return {"list_bool", list_text(args.bool_array(i), [](char value) {
                return std::string(value != 0 ? "true" : "false");
              })};
    case ParamKind::kInt:
      return {"int", integer(args.integer(i))};
    case ParamKind::kDtype:
      return {"dtype",
              json_quoted(lower(data_type_name(static_cast<aclDataType>(args.integer(i)))))};
    case ParamKind::kText:
      return {"str", json_quoted(args.text(i))};
    case ParamKind::kFloat:
    case ParamKind::kDouble:
      return {"float", number(args.real(i))};
    default:
      return {};
  }
}

std::string attributes_text(const Args& args) {
  std::string result;
  int index = 0;
  for (int i = 0; i < args.op->param_count; ++i) {
    if (!args.arguments[i].present || args.op->params[i].kind <= ParamKind::kTensorListOut)
      continue;
    const auto [kind, value] = attribute(args, i);
    result += (index > 0 ? ",\n    " : "\n    ") + std::string("{\"name\": ") +
              json_quoted(args.op->params[i].name) + ", \"index\": " + std::to_string(index) +
              ", \"dtype\": " + json_quoted(kind) + ", \"value\": " + value + "}";
    ++index;
  }
  return result;
}

std::string tensors_text(const Args& args, bool written) {
  std::string result;
  int index = 0;
  for_each_tensor(args, args.tensors, [&](const ParamInfo& param, const TensorView& view) {
    if (!view.present || (written ? !writes(param) : writes(param) && !param.reads)) return;
    result += (index > 0 ? ",\n    " : "\n    ") + tensor_text(param, view, index);
    ++index;
  });
  return result;
}

bool write_file(const std::string& path, const std::string& text) {
  FILE* const file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return false;
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && is_written;
}

}  // namespace

std::atomic<bool> is_recording_arguments{false};

void record_arguments(const Args& args) {
  const std::string type = type_of(*args.op);
  std::string text = "{\n  \"op_type\": " + json_quoted(type) +
                     ",\n  \"op_name\": " + json_quoted(args.op->name) + ",\n  \"inputs\": [" +
                     tensors_text(args, false) + "],\n  \"outputs\": [" + tensors_text(args, true) +
                     "],\n  \"attrs\": [" + attributes_text(args) + "]\n}\n";
  const std::lock_guard<ForkMutex> lock(record->mutex);
  if (is_recording_arguments.load()) record->calls[type].insert(std::move(text));
}

bool start_recording_arguments(const std::string& directory) {
  const std::lock_guard<ForkMutex> lock(record->mutex);
  if (is_recording_arguments.load()) return false;
  record->directory = directory;
  is_recording_arguments.store(true);
  return true;
}

std::string stop_recording_arguments() {
  const std::lock_guard<ForkMutex> lock(record->mutex);
  is_recording_arguments.store(false);
  const auto calls = std::exchange(record->calls, {});
  std::string problem;
  for (const auto& [type, texts] : calls) {
    int index = 0;
    for (const std::string& text : texts) {
      const std::string path =
          record->directory + "/" + type + "_" + std::to_string(index++) + ".json";
      if (!write_file(path, text) && problem.empty()) problem = path + " cannot be written";
    }
  }
  return problem;
}

}  // namespace aclhost
