// SPDX-License-Identifier: Apache-2.0
// Runs described calls through the C ABI: `runner CASES RESULTS`. It judges nothing; exchange.py,
// which wrote the cases, reads what became of every tensor's memory.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "operators.h"

namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  const char* message = aclGetRecentErrMsg();
  std::printf("%s\n%s\n", what, message == nullptr ? "no message" : message);
  std::exit(1);
}

void ok(aclError status) { require(status == ACL_SUCCESS, "a call of the runtime failed"); }

struct File {
  std::FILE* handle;

  File(const char* path, const char* mode) : handle(std::fopen(path, mode)) {
    require(handle != nullptr, path);
  }
  ~File() { std::fclose(handle); }

  void read(void* to, size_t bytes) {
    require(std::fread(to, 1, bytes, handle) == bytes, "the file of cases is too short");
  }
  int64_t number() {
    int64_t value;
    read(&value, sizeof value);
    return value;
  }
  std::vector<int64_t> numbers() {
    std::vector<int64_t> values(number());
    read(values.data(), values.size() * sizeof(int64_t));
    return values;
  }
  std::vector<char> bytes() {
    std::vector<char> values(number());
    read(values.data(), values.size());
    return values;
  }
  template <typename T>
  std::vector<T> array() {
    std::vector<T> values(number() / sizeof(T));
    read(values.data(), values.size() * sizeof(T));
    return values;
  }
  void write(const void* from, size_t size) {
    require(std::fwrite(from, 1, size, handle) == size, "the results could not be written");
  }
};

struct Tensor {
  void* device = nullptr;
  std::vector<char> host;
};

// All that a call needs and leaves behind.
struct Prepared {
  Arguments arguments;
  std::vector<Tensor> tensors;
};

aclTensor* read_tensor(File& cases, Prepared* prepared) {
  const int64_t dtype = cases.number(), format = cases.number(), offset = cases.number();
  const std::vector<int64_t> shape = cases.numbers(), strides = cases.numbers();
  const int64_t storage = cases.number();
  Tensor tensor;
  tensor.host = cases.bytes();
  if (!tensor.host.empty()) {
    const size_t size = tensor.host.size();
    ok(aclrtMalloc(&tensor.device, size, ACL_MEM_MALLOC_HUGE_FIRST));
    ok(aclrtMemcpy(tensor.device, size, tensor.host.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
  }
  aclTensor* const created =
      aclCreateTensor(shape.data(), shape.size(), static_cast<aclDataType>(dtype), strides.data(),
                      offset, static_cast<aclFormat>(format), &storage, 1, tensor.device);
  require(created != nullptr, "aclCreateTensor");
  prepared->tensors.push_back(tensor);
  return created;
}

aclScalar* read_scalar(File& cases) {
  const int64_t dtype = cases.number();
  std::vector<char> value = cases.bytes();
  return aclCreateScalar(value.data(), static_cast<aclDataType>(dtype));
}

// Each member says once more what it is.
aclTensorList* read_tensors(File& cases, Prepared* prepared) {
  std::vector<const aclTensor*> members(cases.number());
  for (const aclTensor*& member : members) {
    require(cases.number() == 't', "a member of a list is no tensor");
    member = read_tensor(cases, prepared);
  }
  return aclCreateTensorList(members.data(), members.size());
}

aclScalarList* read_scalars(File& cases) {
  std::vector<const aclScalar*> members(cases.number());
  for (const aclScalar*& member : members) {
    require(cases.number() == 's', "a member of a list is no scalar");
    member = read_scalar(cases);
  }
  return aclCreateScalarList(members.data(), members.size());
}

void add_argument(File& cases, Prepared* prepared) {
  Argument argument;
  switch (cases.number()) {
    case 't':
      argument.tensor = read_tensor(cases, prepared);
      break;
    case 's':
      argument.scalar = read_scalar(cases);
      break;
    case 'l':
      argument.tensors = read_tensors(cases, prepared);
      break;
    case 'm':
      argument.scalars = read_scalars(cases);
      break;
    case 'a': {
      const std::vector<int64_t> values = cases.array<int64_t>();
      argument.integers = aclCreateIntArray(values.data(), values.size());
      break;
    }
    case 'F': {
      const std::vector<float> values = cases.array<float>();
      argument.floats = aclCreateFloatArray(values.data(), values.size());
      break;
    }
    case 'B': {
      const std::vector<char> values = cases.bytes();
      argument.bools =
          aclCreateBoolArray(reinterpret_cast<const bool*>(values.data()), values.size());
      break;
    }
    case 'c':
      argument.text = strdup(cases.bytes().data());
      break;
    case 'n':
      break;
    case 'i':
      argument.integer = cases.number();
      break;
    case 'f':
      cases.read(&argument.number, sizeof argument.number);
      break;
    default:
      require(false, "an unknown kind of argument");
  }
  prepared->arguments.push_back(argument);
}

void release(const Prepared& prepared) {
  for (const Argument& argument : prepared.arguments) {
    if (argument.tensor != nullptr) aclDestroyTensor(argument.tensor);
    if (argument.scalar != nullptr) aclDestroyScalar(argument.scalar);
    if (argument.integers != nullptr) aclDestroyIntArray(argument.integers);
    if (argument.floats != nullptr) aclDestroyFloatArray(argument.floats);
    if (argument.bools != nullptr) aclDestroyBoolArray(argument.bools);
    if (argument.tensors != nullptr) aclDestroyTensorList(argument.tensors);
    if (argument.scalars != nullptr) aclDestroyScalarList(argument.scalars);
    std::free(argument.text);
  }
  for (const Tensor& tensor : prepared.tensors) {
    if (tensor.device != nullptr) ok(aclrtFree(tensor.device));
  }
}

void run_case(File& cases, File& results, aclrtStream stream) {
  const Operator& op = kOperators[cases.number()];
  Prepared prepared;
  for (int64_t i = cases.number(); i > 0; --i) add_argument(cases, &prepared);
  uint64_t size = 0;
  void* workspace = nullptr;
  aclOpExecutor* executor = nullptr;
  require(op.phase_one(prepared.arguments, &size, &executor) == ACL_SUCCESS, op.name);
  if (size > 0) ok(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
  require(op.phase_two(workspace, size, executor, stream) == ACL_SUCCESS, op.name);
  require(aclrtSynchronizeStream(stream) == ACL_SUCCESS, op.name);
  if (size > 0) ok(aclrtFree(workspace));
  for (Tensor& tensor : prepared.tensors) {
    const size_t size = tensor.host.size();
    if (size > 0) {
      ok(aclrtMemcpy(tensor.host.data(), size, tensor.device, size, ACL_MEMCPY_DEVICE_TO_HOST));
    }
    results.write(tensor.host.data(), size);
  }
  release(prepared);
}

}  // namespace

int main(int, char** argv) {
  File cases(argv[1], "rb"), results(argv[2], "wb");
  ok(aclInit(nullptr));
  ok(aclrtSetDevice(0));
  aclrtStream stream;
  ok(aclrtCreateStream(&stream));
  for (int64_t i = cases.number(); i > 0; --i) run_case(cases, results, stream);
  ok(aclrtDestroyStream(stream));
  ok(aclrtResetDevice(0));
  ok(aclFinalize());
  return 0;
}
