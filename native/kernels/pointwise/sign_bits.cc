// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engines/in_order.h"
#include "engines/overlap.h"
#include "engines/pointwise.h"
#include "ops/sign_bits_pack.h"
#include "ops/sign_bits_unpack.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

void find_signs(const void* const* in, void* const* out, int64_t n, const Number*) {
  const float* const numbers = static_cast<const float*>(in[0]);
  auto* const signs = static_cast<uint8_t*>(out[0]);
  for (int64_t i = 0; i < n; ++i) signs[i] = numbers[i] >= 0;
}

uint8_t packed(const uint8_t* signs, int64_t count) {
  int byte = 0;
  for (int64_t i = 0; i < count; ++i) byte |= signs[i] << i;
  return static_cast<uint8_t>(byte);
}

// Eight numbers of each byte.
void unpack(const uint8_t* bytes, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) {
    for (int bit = 0; bit < 8; ++bit) to[8 * i + bit] = (bytes[i] >> bit & 1) != 0 ? 1.0f : -1.0f;
  }
}

}  // namespace

Status run(const SignBitsPackArgs& args) {
  CopiedView signs;
  const Status status = make_dense(shape_of(args.self), ACL_BOOL, signs);
  if (!status.ok()) return status;
  const Operand in = {&args.self, args.self.dtype}, out = {&signs.view, ACL_BOOL};
  const Status found = pointwise(find_signs, &out, 1, &in, 1, nullptr);
  if (!found.ok()) return found;
  const auto* const first = static_cast<const uint8_t*>(signs.view.data);
  const int64_t total = args.self.elements();
  return write_in_order<uint8_t>(args.out, ACL_UINT8, [&](int64_t byte) {
    const int64_t begin = 8 * byte;
    return packed(first + begin, std::clamp<int64_t>(total - begin, 0, 8));
  });
}

Status run(const SignBitsUnpackArgs& args) {
  CopiedView bytes;
  const Status status = copy_of(args.self, bytes);
  if (!status.ok()) return status;
  const auto* const first = static_cast<const uint8_t*>(bytes.view.data);
  return write_blocks_in_order(
      args.out, ACL_FLOAT, [&](char* elements, int64_t place, int64_t count) {
        unpack(first + place / 8, (count + 7) / 8, reinterpret_cast<float*>(elements));
      });
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
