// SPDX-License-Identifier: Apache-2.0
#include "runtime/config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"

namespace aclhost {
namespace {

constexpr int kMaxNesting = 10;
constexpr size_t kMaxConfig = 16 << 20;  // bytes

class OpenFile {
 public:
  // A pipe that nobody writes to must not hold the call.
  explicit OpenFile(const char* path) : number_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (number_ >= 0) close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_regular() const {
    struct stat about{};
    return number_ >= 0 && fstat(number_, &about) == 0 && S_ISREG(about.st_mode);
  }
  ssize_t read_some(char* block, size_t size) const { return read(number_, block, size); }

 private:
  const int number_;
};

// False if there is no ordinary file that can be read to its end and is not absurdly long.
bool read_file(const char* path, std::string* text) {
  const OpenFile file(path);
  if (!file.is_regular()) return false;
  char block[4096];
  ssize_t count = 0;
  while ((count = file.read_some(block, sizeof block)) > 0) {
    text->append(block, static_cast<size_t>(count));
    if (text->size() > kMaxConfig) return false;
  }
  return count == 0;
}

}  // namespace

int32_t read_config(const Call& call, const char* parameter, const char* path, std::string* text) {
  if (path == nullptr || *path == '\0') return ACL_SUCCESS;
  if (!read_file(path, text)) {
    return call.fail(ACL_ERROR_INVALID_FILE, parameter,
                     "\"" + std::string(path) +
                         "\" cannot be read; name an existing JSON file of at most 16 MiB");
  }
  if (is_json_object(*text, kMaxNesting)) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_PARSE_FILE, parameter,
                   "\"" + std::string(path) + "\" is not a JSON object nested at most " +
                       std::to_string(kMaxNesting) + " deep; \"{}\" is enough");
}

}  // namespace aclhost
