// SPDX-License-Identifier: Apache-2.0
// Which operators a program launches with which tensors and attributes, each once.
#pragma once

#include <atomic>
#include <string>

#include "operator/args.h"

namespace aclhost {

extern std::atomic<bool> is_recording_arguments;

void record_arguments(const Args& args);

// False if it goes on already. The directory exists.
bool start_recording_arguments(const std::string& directory);

// Writes a file of JSON for each call. Empty, or what could not be written.
std::string stop_recording_arguments();

}  // namespace aclhost
