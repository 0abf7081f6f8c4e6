// SPDX-License-Identifier: Apache-2.0
// The parts of the DLPack 1.x binary interface that a consumer of CPU arrays needs.
#pragma once

#include <cstdint>

namespace aclhost::python::dlpack {

constexpr uint32_t kMajorVersion = 1;
constexpr int32_t kCpu = 1;                  // device type
constexpr uint64_t kReadOnly = uint64_t{1};  // flag of VersionedTensor

enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E4M3fn = 10,
  kFloat8E5M2 = 12,
  kFloat8E8M0fnu = 14,
};

struct Version {
  uint32_t major;
  uint32_t minor;
};
struct Device {
  int32_t type;
  int32_t id;
};
struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  int32_t rank;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major
  uint64_t byte_offset;
};

// What a capsule named "dltensor" points to starts with the Tensor itself; one named
// "dltensor_versioned" points to this.
struct VersionedTensor {
  Version version;
  void* manager_context;
  void (*deleter)(VersionedTensor*);
  uint64_t flags;
  Tensor tensor;
};

// What the type attribute __dlpack_c_exchange_api__ points to.
struct ExchangeApi {
  Version version;
  const ExchangeApi* previous;
  void (*allocate)();
  void (*export_managed)();
  int (*import_managed)(VersionedTensor* tensor, void** object);  // takes the tensor over
  int (*borrow)(void* object, Tensor* tensor);  // may be null; the object keeps ownership
  void (*current_stream)();
};

}  // namespace aclhost::python::dlpack
