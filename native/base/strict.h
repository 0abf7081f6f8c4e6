// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace aclhost {

// ACLHOST_STRICT=1; read once. Device memory is then out of the host's reach.
bool is_strict();

}  // namespace aclhost
