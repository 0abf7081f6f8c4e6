// SPDX-License-Identifier: Apache-2.0
#include "base/soc.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace aclhost {
namespace {

// The longest prefix wins: Ascend910B1 is an Atlas A2 although Ascend910 is a product as well.
const ProductInfo* product_of(const std::string& name) {
  const ProductInfo* best = nullptr;
  size_t best_length = 0;
  for (const ProductInfo& info : kProducts) {
    const size_t length = std::strlen(info.soc_prefix);
    if (length > best_length && name.compare(0, length, info.soc_prefix) == 0) {
      best = &info;
      best_length = length;
    }
  }
  return best;
}

const char* default_name() {
  for (const ProductInfo& info : kProducts) {
    if (info.product == kDefaultProduct) return info.default_soc;
  }
  return "";
}

class Selection {
 public:
  Selection() {
    const char* name = std::getenv("ACLHOST_SOC");
    environment_ = intern(name == nullptr || *name == '\0' ? default_name() : name);
    current_ = environment_;
  }

  const Soc* current() const { return current_; }

  bool select(const char* name) {
    const Soc* soc = name == nullptr ? environment_ : intern(name);
    if (soc != nullptr || name == nullptr) current_ = soc;
    return soc != nullptr;
  }

 private:
  const Soc* intern(const std::string& name) {
    const ProductInfo* info = product_of(name);
    if (info == nullptr) return nullptr;
    std::lock_guard<std::mutex> lock(mutex_);
    return &known_.try_emplace(name, Soc{name, info->product, info->title}).first->second;
  }

  std::mutex mutex_;
  std::map<std::string, Soc> known_;
  const Soc* environment_ = nullptr;
  std::atomic<const Soc*> current_{nullptr};
};

Selection& selection() {
  static auto& instance = *new Selection;
  return instance;
}

}  // namespace

const Soc* current_soc() { return selection().current(); }

bool select_soc(const char* name) { return selection().select(name); }

std::string example_socs() {
  std::string text;
  for (const ProductInfo& info : kProducts) {
    if (!text.empty()) text += ", ";
    text += info.default_soc;
  }
  return text;
}

}  // namespace aclhost
