// SPDX-License-Identifier: Apache-2.0
// Random numbers as a task of a stream. Each element has a block of Philox 4x32-10 of its own, so
// that it follows from the seed, the counter and its place alone.
#include <cmath>
#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "dtypes.h"
#include "runtime/context.h"
#include "runtime/copy.h"
#include "runtime/memory.h"
#include "runtime/observed.h"
#include "runtime/pages.h"
#include "runtime/philox.h"
#include "runtime/stream.h"
#include "simd/convert.h"

namespace aclhost {
namespace {

constexpr size_t kCounterSize = 16;
constexpr uint64_t kSmallDraw = 4096;  // elements

bool is_float(aclDataType dtype) {
  return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16;
}

bool is_integer(aclDataType dtype) {
  return dtype == ACL_INT32 || dtype == ACL_INT64 || dtype == ACL_UINT32 || dtype == ACL_UINT64;
}

size_t size_of(aclDataType dtype) { return static_cast<size_t>(data_type_bits(dtype)) / 8; }

float float_of(const unsigned char* bytes, aclDataType dtype) {
  uint16_t half;
  float number;
  std::memcpy(&half, bytes, sizeof half);
  if (dtype == ACL_FLOAT16) return widen(Half{half});
  if (dtype == ACL_BF16) return widen(BFloat16{half});
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

void store_float(float number, aclDataType dtype, char* place) {
  if (dtype == ACL_FLOAT) {
    std::memcpy(place, &number, sizeof number);
  } else {
    const uint16_t half =
        dtype == ACL_FLOAT16 ? convert<Half>(number).bits : convert<BFloat16>(number).bits;
    std::memcpy(place, &half, sizeof half);
  }
}

// A parameter of a distribution: a value, or the address of one in device memory.
struct Parameter {
  bool is_address;
  unsigned char bytes[8];

  const void* address() const {
    const void* result;
    std::memcpy(&result, bytes, sizeof result);
    return result;
  }
  // False if its memory is gone.
  bool load(size_t size, uint64_t asked, unsigned char* value) const {
    std::memcpy(value, bytes, sizeof bytes);
    if (!is_address) return true;
    if (!is_accessible(address(), size, Access::kRead, asked)) return false;
    std::memset(value, 0, sizeof bytes);
    std::memcpy(value, reachable(address()), size);
    return true;
  }
};

// A parameter as programs describe it; only so many bytes of it count.
Parameter parameter_of(const aclrtRandomParaInfo& info) {
  Parameter parameter{info.isAddr != 0, {}};
  std::memcpy(parameter.bytes, info.valueOrAddr, info.isAddr != 0 ? 8 : info.size);
  return parameter;
}

struct RandomTask {
  aclDataType dtype;
  aclrtRandomNumFuncType kind;
  Parameter first, second, seed, count;
  void* result;
  void* counter;
  uint64_t asked;

  bool is_mask() const { return kind == ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK; }
  size_t result_size(uint64_t elements) const {
    return is_mask() ? static_cast<size_t>(elements / 8 + (elements % 8 != 0))
                     : static_cast<size_t>(elements) * size_of(dtype);
  }

  Status operator()() const;
  bool touches(const MemoryRange& range) const {
    uint64_t elements = 0;
    if (!count.is_address) std::memcpy(&elements, count.bytes, sizeof elements);
    return range.overlaps(MemoryRange::of(result, result_size(elements))) ||
           range.overlaps(MemoryRange::of(counter, kCounterSize));
  }

 private:
  void draw(const Philox& random, uint64_t elements, const unsigned char* low,
            const unsigned char* high, char* out) const;
};

Status memory_gone(const char* what) {
  return Status::failed(
      {ACL_ERROR_RT_AICORE_EXCEPTION, "taskInfo", "device_memory",
       std::string("aclrtRandomNumAsync: the memory of ") + what + " is not there, or too small"});
}

// From the least value on, and below the greatest.
void store_integer(const Philox::Block& block, aclDataType dtype, const unsigned char* low,
                   const unsigned char* high, char* place) {
  const size_t size = size_of(dtype);
  uint64_t from = 0, to = 0;
  std::memcpy(&from, low, size);
  std::memcpy(&to, high, size);
  uint64_t range = to - from;
  if (size == 4) range &= UINT32_MAX;
  const uint64_t word = uint64_t{block[1]} << 32 | block[0];
  const uint64_t number = from + (range == 0 ? 0 : word % range);
  std::memcpy(place, &number, size);
}

void RandomTask::draw(const Philox& random, uint64_t elements, const unsigned char* low,
                      const unsigned char* high, char* out) const {
  const size_t size = size_of(dtype);
  if (is_mask()) {
    const double kept = 1.0 - static_cast<double>(float_of(low, dtype));
    std::memset(out, 0, result_size(elements));
    for (uint64_t i = 0; i < elements; ++i) {
      const bool is_kept = static_cast<double>(random.block(i)[0]) * 0x1p-32 < kept;
      if (is_kept) out[i / 8] = static_cast<char>(out[i / 8] | (1 << i % 8));
    }
    return;
  }
  for (uint64_t i = 0; i < elements; ++i) {
    char* const place = out + i * size;
    if (is_integer(dtype)) {
      store_integer(random.block(i), dtype, low, high, place);
      continue;
    }
    const float a = float_of(low, dtype), b = float_of(high, dtype);
    if (kind == ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS) {
      const float unit = static_cast<float>(random.block(i)[0] >> 8) * 0x1p-24f;
      store_float(a + unit * (b - a), dtype, place);
    } else {
      const bool is_truncated = kind == ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS;
      const double normal = random.normal(i, is_truncated ? 2.0 : HUGE_VAL);
      store_float(static_cast<float>(a + normal * b), dtype, place);
    }
  }
}

Status RandomTask::operator()() const {
  unsigned char low[8], high[8], key[8], number[8];
  const size_t size = size_of(dtype);
  if (!first.load(size, asked, low) || !second.load(size, asked, high)) {
    return memory_gone("a parameter of the distribution");
  }
  if (!seed.load(8, asked, key) || !count.load(8, asked, number)) {
    return memory_gone("randomSeed or randomNum");
  }
  uint64_t seed_value, elements;
  std::memcpy(&seed_value, key, sizeof seed_value);
  std::memcpy(&elements, number, sizeof elements);
  if (elements > largest_allocation() / 8 ||
      !is_accessible(result, result_size(elements), Access::kWrite, asked)) {
    return memory_gone("randomResultAddr");
  }
  if (!is_accessible(counter, kCounterSize, Access::kWrite, asked)) {
    return memory_gone("randomCounterAddr");
  }
  Philox random(seed_value, reachable(counter));
  draw(random, elements, low, high, static_cast<char*>(reachable(result)));
  random.advance(elements, reachable(counter));
  return {};
}

int32_t check_parameter(const Call& call, const char* name, const aclrtRandomParaInfo& info,
                        size_t size) {
  const size_t most = info.isAddr == 1 ? sizeof(void*) : size;
  if (info.isAddr > 1 || info.size == 0 || info.size > most) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, name,
                     "has isAddr " + std::to_string(info.isAddr) + " and size " +
                         std::to_string(info.size) +
                         "; isAddr must be 0 or 1, and size from 1 to " + std::to_string(most));
  }
  if (info.isAddr == 0) return ACL_SUCCESS;
  return check_range(call, name, parameter_of(info).address(), size, Access::kRead);
}

int32_t check_kind(const Call& call, const aclrtRandomNumTaskInfo& info) {
  const int kind = static_cast<int>(info.randomNumFuncParaInfo.funcType);
  if (!is_float(info.dataType) && !is_integer(info.dataType)) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "taskInfo->dataType",
                     "is " + std::to_string(static_cast<int>(info.dataType)) +
                         "; pass INT32, INT64, UINT32, UINT64, BF16, FLOAT16 or FLOAT");
  }
  const bool exists = kind >= 0 && kind <= ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS;
  const bool is_uniform = kind == ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
  if (exists && (is_uniform || is_float(info.dataType))) return ACL_SUCCESS;
  return call.fail(
      ACL_ERROR_RT_PARAM_INVALID, "taskInfo->randomNumFuncParaInfo.funcType",
      "is " + std::to_string(kind) + "; pass 0 to 3, and only UNIFORM_DIS (1) for integers");
}

int32_t queue(const Call& call, const aclrtRandomNumTaskInfo& info, Stream& stream) {
  const MemoryUse use;
  if (const int32_t code = check_kind(call, info)) return code;
  const auto& given = info.randomNumFuncParaInfo.paramInfo;
  const bool is_mask =
      info.randomNumFuncParaInfo.funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK;
  // The members of the union begin alike.
  const aclrtRandomParaInfo& first = given.uniformDisInfo.min;
  const aclrtRandomParaInfo& second = is_mask ? first : given.uniformDisInfo.max;
  const size_t size = size_of(info.dataType);
  if (const int32_t code = check_parameter(call, "taskInfo->paramInfo", first, size)) return code;
  if (const int32_t code = check_parameter(call, "taskInfo->paramInfo", second, size)) return code;
  const aclrtRandomParaInfo &seed = info.randomSeed, &count = info.randomNum;
  if (const int32_t code = check_parameter(call, "taskInfo->randomSeed", seed, 8)) return code;
  if (const int32_t code = check_parameter(call, "taskInfo->randomNum", count, 8)) return code;
  if (info.randomResultAddr == nullptr) return call.null("taskInfo->randomResultAddr");
  if (info.randomCounterAddr == nullptr) return call.null("taskInfo->randomCounterAddr");
  const RandomTask task{info.dataType,
                        info.randomNumFuncParaInfo.funcType,
                        parameter_of(first),
                        parameter_of(second),
                        parameter_of(seed),
                        parameter_of(count),
                        info.randomResultAddr,
                        info.randomCounterAddr,
                        frees()};
  uint64_t elements = 0;
  if (count.isAddr == 0) std::memcpy(&elements, task.count.bytes, sizeof elements);
  const auto describe = [&] {
    const size_t bytes = task.result_size(elements);
    return Work{call.name,
                {bytes_region("randomCounterAddr", task.counter, kCounterSize, true, true),
                 bytes_region("randomResultAddr", task.result, bytes, false, true)},
                std::to_string(elements) + " elements"};
  };
  const bool is_small = count.isAddr == 0 && elements <= kSmallDraw;
  submit_work(stream, is_small ? Weight::kSmall : Weight::kLarge, describe, task);
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo* taskInfo,
                                        const aclrtStream stream, void* reserve) {
  return acl_call("aclrtRandomNumAsync", [&](const Call& call) -> int32_t {
    if (taskInfo == nullptr) return call.null("taskInfo");
    if (reserve != nullptr) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "reserve", "must be a null pointer");
    }
    const StreamRef found = find_stream(stream);
    return found ? queue(call, *taskInfo, *found) : stream_not_found(call, stream);
  });
}
