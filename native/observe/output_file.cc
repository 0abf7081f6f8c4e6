// SPDX-License-Identifier: Apache-2.0
#include "observe/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace aclhost {

std::string append_to_file(const char* path, const std::string& text) {
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return std::strerror(errno);
  std::string problem;
  for (size_t done = 0; done < text.size() && problem.empty();) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count >= 0) {
      done += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      problem = std::strerror(errno);
    }
  }
  if (close(file) != 0 && problem.empty()) problem = std::strerror(errno);
  return problem;
}

}  // namespace aclhost
