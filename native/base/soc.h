// SPDX-License-Identifier: Apache-2.0
// Which SoC this process plays; dtype tables and messages follow it.
#pragma once

#include <string>

#include "products.h"

namespace aclhost {

struct Soc {
  std::string name;
  Product product;
  const char* title;
};

// From ACLHOST_SOC, read once; unset or empty means the default product. Null if the name is
// unknown. A Soc stays valid for the life of the process.
const Soc* current_soc();

// Switches the process; a null name goes back to the environment. False if the name is unknown.
bool select_soc(const char* name);

// For messages: "Ascend950PR_9599, Ascend910_9391, ...".
std::string example_socs();

}  // namespace aclhost
