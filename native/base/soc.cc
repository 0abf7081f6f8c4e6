// SPDX-License-Identifier: Apache-2.0
#include "base/soc.h"

#include <strings.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "base/fork_mutex.h"
#include "base/immortal.h"
#include "product_keys.h"

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

// The SoC that a product (A2) or a SoC without its Ascend (910B, 310P3) stands for; any other name
// is itself. src/aclhost/spec/products.py says the same.
std::string full_name(const std::string& name) {
  const std::string prefixed = "Ascend" + name;
  for (size_t i = 0; i < std::size(kProducts); ++i) {
    const bool is_product = strcasecmp(name.c_str(), kProductKeys[i]) == 0;
    if (is_product || prefixed == kProducts[i].soc_prefix) return kProducts[i].default_soc;
  }
  return !name.empty() && product_of(prefixed) != nullptr ? prefixed : name;
}

class Selection {
 public:
  const Soc* current() {
    if (!chosen_.load(std::memory_order_acquire)) choose(from_environment(), false);
    return current_.load(std::memory_order_relaxed);
  }

  bool select(const char* name) {
    const Soc* soc = name == nullptr ? from_environment() : intern(name);
    if (soc != nullptr || name == nullptr) choose(soc, true);
    return soc != nullptr;
  }

 private:
  const Soc* from_environment() {
    const char* name = std::getenv("ACLHOST_SOC");
    return intern(name == nullptr || *name == '\0' ? default_name() : name);
  }

  void choose(const Soc* soc, bool anew) {
    std::lock_guard<ForkMutex> lock(mutex_);
    if (!anew && chosen_.load(std::memory_order_relaxed)) return;
    current_.store(soc, std::memory_order_relaxed);
    chosen_.store(true, std::memory_order_release);
  }

  const Soc* intern(const std::string& given) {
    const std::string name = full_name(given);
    const ProductInfo* info = product_of(name);
    if (info == nullptr) return nullptr;
    std::lock_guard<ForkMutex> lock(mutex_);
    return &known_.try_emplace(name, Soc{name, info->product, info->title}).first->second;
  }

  ForkMutex mutex_;
  std::map<std::string, Soc> known_;
  std::atomic<const Soc*> current_{nullptr};
  std::atomic<bool> chosen_{false};
};

Immortal<Selection> selection;

}  // namespace

const Soc* current_soc() { return selection->current(); }

bool select_soc(const char* name) { return selection->select(name); }

std::string example_socs() {
  std::string text;
  for (const ProductInfo& info : kProducts) {
    if (!text.empty()) text += ", ";
    text += info.default_soc;
  }
  return text;
}

}  // namespace aclhost
