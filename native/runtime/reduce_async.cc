// SPDX-License-Identifier: Apache-2.0
// dst = dst op src, element by element.
#include <algorithm>
#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "base/call.h"
#include "base/soc.h"
#include "dtypes.h"
#include "runtime/context.h"
#include "runtime/copy.h"
#include "runtime/memory.h"
#include "runtime/observed.h"
#include "runtime/pages.h"
#include "runtime/stream.h"
#include "simd/convert.h"

namespace aclhost {
namespace {

template <typename Element>
Element combine(Element a, Element b, aclrtReduceKind kind) {
  switch (kind) {
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM:
      return static_cast<Element>(a + b);
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX:
      return std::max(a, b);
    default:
      return std::min(a, b);
  }
}

// Sums of integers wrap.
template <typename Element, typename Unsigned>
Element combine_integers(Element a, Element b, aclrtReduceKind kind) {
  if (kind != ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM) return combine(a, b, kind);
  return static_cast<Element>(
      static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
}

template <typename Element, typename Combine>
void reduce(void* dst, const void* src, size_t bytes, const Combine& function) {
  // Byte by byte, since addresses may be odd.
  auto* target = static_cast<char*>(dst);
  const auto* source = static_cast<const char*>(src);
  for (size_t at = 0; at < bytes; at += sizeof(Element)) {
    Element a, b;
    std::memcpy(&a, target + at, sizeof a);
    std::memcpy(&b, source + at, sizeof b);
    a = function(a, b);
    std::memcpy(target + at, &a, sizeof a);
  }
}

struct ReduceTask {
  void* dst;
  const void* src;
  size_t bytes;
  aclrtReduceKind kind;
  aclDataType type;

  Status operator()() const {
    void* target = reachable(dst);
    const void* source = reachable(src);
    const auto narrow = [&](auto zero) {
      using Element = decltype(zero);
      reduce<Element>(target, source, bytes, [&](Element a, Element b) {
        return Narrow<Element>::from(combine(widen(a), widen(b), kind));
      });
    };
    switch (type) {
      case ACL_INT8:
        integers<int8_t, uint8_t>(target, source);
        break;
      case ACL_INT16:
        integers<int16_t, uint16_t>(target, source);
        break;
      case ACL_INT32:
        integers<int32_t, uint32_t>(target, source);
        break;
      case ACL_UINT32:
        integers<uint32_t, uint32_t>(target, source);
        break;
      case ACL_FLOAT16:
        narrow(Half{});
        break;
      case ACL_BF16:
        narrow(BFloat16{});
        break;
      default:
        reduce<float>(target, source, bytes, [&](float a, float b) { return combine(a, b, kind); });
    }
    return {};
  }
  template <typename Element, typename Unsigned>
  void integers(void* target, const void* source) const {
    reduce<Element>(target, source, bytes, [&](Element a, Element b) {
      return combine_integers<Element, Unsigned>(a, b, kind);
    });
  }
  bool touches(const MemoryRange& range) const {
    return range.overlaps(MemoryRange::of(dst, bytes)) ||
           range.overlaps(MemoryRange::of(src, bytes));
  }
};

bool has_type(aclDataType type) {
  const Soc* soc = current_soc();
  switch (soc == nullptr ? Product::kA2 : soc->product) {
    case Product::kT910:
      return type == ACL_FLOAT;
    case Product::kP310P:
      return type == ACL_FLOAT || type == ACL_FLOAT16 || type == ACL_INT16;
    case Product::kA950:
      if (type == ACL_UINT32) return true;
      [[fallthrough]];
    default:
      return type == ACL_INT8 || type == ACL_INT16 || type == ACL_INT32 || type == ACL_FLOAT16 ||
             type == ACL_FLOAT || type == ACL_BF16;
  }
}

int32_t check_task(const Call& call, const ReduceTask& task) {
  if (task.dst == nullptr) return call.null("dst");
  if (task.src == nullptr) return call.null("src");
  const int kind = static_cast<int>(task.kind);
  if (kind < ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM || kind > ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN) {
    return call.fail(
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "kind",
        "is " + std::to_string(kind) + "; sum (10), maximum (11) and minimum (12) exist");
  }
  if (!has_type(task.type)) {
    return call.fail(
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "type",
        std::string(data_type_name(task.type)) + " is not among the types of this product");
  }
  const size_t item = static_cast<size_t>(data_type_bits(task.type)) / 8;
  if (task.bytes == 0 || task.bytes % item != 0) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "count",
                     "is " + std::to_string(task.bytes) + " bytes; whole elements have " +
                         std::to_string(item) + " each");
  }
  if (const int32_t code = check_range(call, "dst", task.dst, task.bytes, Access::kWrite)) {
    return code;
  }
  return check_range(call, "src", task.src, task.bytes, Access::kRead);
}

int32_t queue(const Call& call, const ReduceTask& task, aclrtStream stream) {
  const MemoryUse use;
  if (!current_context()) return no_context(call);
  const StreamRef found = find_stream(stream);
  if (!found) return no_stream(call, stream);
  if (const int32_t code = check_task(call, task)) return code;
  const auto describe = [&] {
    return Work{call.name,
                {bytes_region("src", task.src, task.bytes, true, false),
                 bytes_region("dst", task.dst, task.bytes, true, true)},
                std::to_string(task.bytes) + " bytes"};
  };
  submit_work(*found, weight_of(task.bytes), describe, task);
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtReduceAsync(void* dst, const void* src, uint64_t count,
                                     aclrtReduceKind kind, aclDataType type, aclrtStream stream,
                                     void* reserve) {
  return acl_call("aclrtReduceAsync", [&](const Call& call) -> int32_t {
    if (reserve != nullptr) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "reserve", "must be null");
    }
    return queue(call, {dst, src, count, kind, type}, stream);
  });
}
