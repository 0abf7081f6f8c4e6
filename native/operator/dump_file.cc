// SPDX-License-Identifier: Apache-2.0
#include "operator/dump_file.h"

#include "dtypes.h"
#include "operator/dump_writer.h"
#include "operator/layouts.h"
#include "operator/row_order.h"

namespace aclhost {
namespace {

constexpr const char* kVersion = "2.0";

// A message of protobuf, field by field. Zeros are left out, as proto3 does.
class Message {
 public:
  void number(int field, uint64_t value) {
    if (value == 0) return;
    varint(static_cast<uint64_t>(field) << 3);
    varint(value);
  }
  void bytes(int field, const std::string& value) {
    varint(static_cast<uint64_t>(field) << 3 | 2);
    varint(value.size());
    text_ += value;
  }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
    text_ += static_cast<char>(value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string shape_message(const TensorView& view) {
  Message packed, shape;
  for (int i = 0; i < view.rank; ++i) packed.varint(static_cast<uint64_t>(view.shape[i]));
  if (view.rank > 0) shape.bytes(1, packed.text());
  return shape.text();
}

// Inputs and outputs have the same fields under other numbers.
struct Fields {
  int size, original_shape, address;
};
constexpr Fields kInput = {5, 6, 8}, kOutput = {6, 7, 9};

std::string tensor_message(const TensorView& view, const Fields& fields) {
  Message message;
  message.number(1, static_cast<uint64_t>(dumped_type(view.dtype)));
  message.number(2, static_cast<uint64_t>(dumped_format(view)));
  message.bytes(3, shape_message(view));
  message.number(fields.size, static_cast<uint64_t>(dumped_bytes(view)));
  message.bytes(fields.original_shape, shape_message(view));
  message.number(fields.address, reinterpret_cast<uintptr_t>(view.data));
  return message.text();
}

std::string head_message(const DumpHead& head, const DumpedTensors& tensors) {
  Message message;
  message.bytes(1, kVersion);
  message.number(2, head.time);
  for (const TensorView* view : tensors.outputs) message.bytes(3, tensor_message(*view, kOutput));
  for (const TensorView* view : tensors.inputs) message.bytes(4, tensor_message(*view, kInput));
  message.bytes(6, head.op_name);
  if (!head.tag.empty()) {
    Message attribute;
    attribute.bytes(1, "user_tag");
    attribute.bytes(2, head.tag);
    message.bytes(7, attribute.text());
  }
  return message.text();
}

bool is_dense(const TensorView& view) {
  int64_t stride = 1;
  for (int i = view.rank; i-- > 0;) {
    if (view.shape[i] != 1 && view.strides[i] != stride) return false;
    stride *= view.shape[i];
  }
  return true;
}

void write_whole(const TensorView& view, int64_t size, DumpWriter& writer) {
  const auto* const data = static_cast<const char*>(view.data);
  if (is_dense(view)) {
    return writer.add(data + view.offset * size, static_cast<size_t>(view.elements() * size));
  }
  const int64_t length = row_length(view), stride = row_stride(view);
  for_each_row(view, [&](int64_t place) {
    if (stride == 1) return writer.add(data + place * size, static_cast<size_t>(length * size));
    for (int64_t i = 0; i < length; ++i) {
      writer.add(data + (place + i * stride) * size, static_cast<size_t>(size));
    }
  });
}

// Elements of less than a byte, the first in the lowest bits.
void write_packed(const TensorView& view, int bits, DumpWriter& writer) {
  const auto* const data = static_cast<const unsigned char*>(view.data);
  const int64_t length = row_length(view), stride = row_stride(view);
  unsigned char byte = 0;
  int filled = 0;
  for_each_row(view, [&](int64_t place) {
    for (int64_t i = 0; i < length; ++i) {
      for (int64_t bit = (place + i * stride) * bits, end = bit + bits; bit < end; ++bit) {
        byte = static_cast<unsigned char>(byte | (data[bit / 8] >> bit % 8 & 1) << filled);
        if (++filled < 8) continue;
        writer.add(&byte, 1);
        byte = 0;
        filled = 0;
      }
    }
  });
  if (filled > 0) writer.add(&byte, 1);
}

void write_elements(const TensorView& view, DumpWriter& writer) {
  if (view.empty()) return;
  const int bits = data_type_bits(view.dtype);
  bits % 8 == 0 ? write_whole(view, bits / 8, writer) : write_packed(view, bits, writer);
}

}  // namespace

std::string write_dump(const std::string& path, const DumpHead& head,
                       const DumpedTensors& tensors) {
  const std::string message = head_message(head, tensors);
  DumpWriter writer(path);
  unsigned char length[8];
  for (int i = 0; i < 8; ++i) length[i] = static_cast<unsigned char>(message.size() >> 8 * i);
  writer.add(length, sizeof length);
  writer.add(message.data(), message.size());
  for (const TensorView* view : tensors.inputs) write_elements(*view, writer);
  for (const TensorView* view : tensors.outputs) write_elements(*view, writer);
  return writer.finish();
}

int64_t dumped_bytes(const TensorView& view) {
  return (view.elements() * data_type_bits(view.dtype) + 7) / 8;
}

int dumped_type(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT:
      return 1;
    case ACL_FLOAT16:
      return 2;
    case ACL_INT8:
      return 3;
    case ACL_UINT8:
      return 4;
    case ACL_INT16:
      return 5;
    case ACL_UINT16:
      return 6;
    case ACL_INT32:
      return 7;
    case ACL_INT64:
      return 8;
    case ACL_UINT32:
      return 9;
    case ACL_UINT64:
      return 10;
    case ACL_BOOL:
      return 11;
    case ACL_DOUBLE:
      return 12;
    case ACL_COMPLEX64:
      return 16;
    case ACL_COMPLEX128:
      return 17;
    case ACL_BF16:
      return 27;
    case ACL_INT4:
      return 28;
    case ACL_UINT1:
      return 29;
    case ACL_COMPLEX32:
      return 32;
    default:  // the narrow floating types follow each other in both lists
      return dtype >= ACL_HIFLOAT8 && dtype <= ACL_FLOAT4_E1M2 ? dtype - ACL_HIFLOAT8 + 33 : 0;
  }
}

aclFormat dumped_format(const TensorView& view) {
  return is_private(view.format) || view.format < 0 ? ACL_FORMAT_ND : view.format;
}

}  // namespace aclhost
