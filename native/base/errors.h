// SPDX-License-Identifier: Apache-2.0
// What a thread remembers about its failures: the text for aclGetRecentErrMsg and the last code of
// the runtime layer for aclrtGetLastError.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace aclhost {

// All keep the failure's text for this thread, newest first, and return the code, also where there
// is no memory for the text.
int32_t report(const Status& status) noexcept;
int32_t report(int32_t code, const char* call, const char* parameter,
               const std::string& what) noexcept;
int32_t report_null(int32_t code, const char* call, const char* parameter) noexcept;
int32_t report_exception(int32_t code, const char* call) noexcept;  // from inside a catch block

// Everything kept since the last call, or null; the text lives until the next call on this thread.
const char* take_recent_message() noexcept;

// The thread's last code of the runtime (they begin with 107, 207 or 507), or 0.
int32_t last_runtime_code();
void forget_last_runtime_code();

// "0x7f..." for texts.
std::string hex(const void* pointer);

}  // namespace aclhost
