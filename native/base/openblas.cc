// SPDX-License-Identifier: Apache-2.0
#include "base/openblas.h"

#include <dlfcn.h>
#include <sched.h>

#include <cstdlib>
#include <string_view>

#include "base/immortal.h"

namespace aclhost {
namespace {

constexpr const char* kLibrary = "libscipy_openblas.so";
constexpr const char* kPrefix = "scipy_";  // of all its names

// Note [Threads of OpenBLAS]
// It starts a thread for each processor that its loader may use, as soon as it is loaded. So the
// loader may use one, for as long as that takes.
class OneProcessor {
 public:
  OneProcessor() {
    changed_ = sched_getaffinity(0, sizeof before_, &before_) == 0;
    const int here = sched_getcpu();
    if (!changed_ || here < 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(here, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() {
    if (changed_) sched_setaffinity(0, sizeof before_, &before_);
  }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_;
  bool changed_;
};

bool is_unwanted() {
  const char* const wish = std::getenv("ACLHOST_BLAS");
  return wish != nullptr && std::string_view(wish) == "plain";
}

// Where this library lies, with the slash.
std::string own_directory() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&describe_blas), &info) == 0) return "";
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

void* find_in(void* library, const char* name) {
  return dlsym(library, (std::string(kPrefix) + name).c_str());
}

void* load() {
  if (is_unwanted()) return nullptr;
  const std::string path = own_directory() + kLibrary;
  const OneProcessor one;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const auto set_threads =
      reinterpret_cast<void (*)(int)>(find_in(library, "openblas_set_num_threads"));
  if (set_threads != nullptr) set_threads(1);
  return library;
}

std::string text_of(const char* function) {
  const auto get = reinterpret_cast<const char* (*)()>(blas_function(function));
  return get != nullptr ? get() : "";
}

FloatGemm find_float_gemm() { return reinterpret_cast<FloatGemm>(blas_function("cblas_sgemm")); }
DoubleGemm find_double_gemm() { return reinterpret_cast<DoubleGemm>(blas_function("cblas_dgemm")); }

}  // namespace

void* blas_function(const char* name) {
  void* const library = once<void*, load>();
  return library != nullptr ? find_in(library, name) : nullptr;
}

FloatGemm float_gemm() { return once<FloatGemm, find_float_gemm>(); }
DoubleGemm double_gemm() { return once<DoubleGemm, find_double_gemm>(); }

std::string describe_blas() {
  if (float_gemm() != nullptr) {
    const std::string config = text_of("openblas_get_config");  // "OpenBLAS 1.2.3 ..."
    const auto version = config.substr(0, config.find(' ', config.find(' ') + 1));
    return version + ", kernel " + text_of("openblas_get_corename");
  }
  return is_unwanted() ? "plain loops: ACLHOST_BLAS is plain"
                       : std::string("plain loops: no ") + kLibrary + " beside the library";
}

}  // namespace aclhost
