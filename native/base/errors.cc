// SPDX-License-Identifier: Apache-2.0
#include "base/errors.h"

#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <utility>

namespace aclhost {
namespace {

constexpr size_t kMaxTexts = 64;  // a client that never asks must not grow without bound

struct ThreadTexts {
  std::deque<std::string> newest_first;
  std::string handed_out;
};

// Plain variables, which can be read at any time: clients call from static destructors, and from
// those of other keys. A thread_local object with a destructor would end the process where there is
// no memory to note the destructor.
thread_local ThreadTexts* thread_texts = nullptr;
thread_local int32_t thread_runtime_code = 0;

pthread_key_t key_of_texts;
bool has_key = false;

__attribute__((constructor)) void prepare() {
  has_key = pthread_key_create(&key_of_texts, [](void* texts) {
              thread_texts = nullptr;
              delete static_cast<ThreadTexts*>(texts);
            }) == 0;
}

// Throws bad_alloc.
ThreadTexts& texts_of_this_thread() {
  if (thread_texts == nullptr) {
    auto texts = std::make_unique<ThreadTexts>();
    const bool ends = has_key && pthread_setspecific(key_of_texts, texts.get()) == 0;
    if (!ends) throw std::bad_alloc();
    thread_texts = texts.release();
  }
  return *thread_texts;
}

bool is_runtime_layer(int32_t code) {
  const int32_t family = code / 1000;
  return family == 107 || family == 207 || family == 507;
}

const char* title_of(int32_t code) {
  switch (code / 1000) {
    case 161:
      return "AclNN_Parameter_Error(EZ1001)";
    case 361:
      return "AclNN_Runtime_Error(EZ9903)";
    case 561:
      return "AclNN_Inner_Error(EZ9999)";
    default:
      return is_runtime_layer(code) ? "Runtime_Error(EE1001)" : "Invalid_Argument(EH0001)";
  }
}

const char* title_of_null(int32_t code) {
  return code / 1000 == 100 ? "Null_Argument(EH0002)" : title_of(code);
}

// "2026-01-31-23:59:59.123.456", local time.
std::string timestamp() {
  timeval now{};
  gettimeofday(&now, nullptr);
  tm parts{};
  localtime_r(&now.tv_sec, &parts);
  char day[32];
  strftime(day, sizeof day, "%Y-%m-%d-%H:%M:%S", &parts);
  char text[64];
  snprintf(text, sizeof text, "%s.%03d.%03d", day, static_cast<int>(now.tv_usec / 1000),
           static_cast<int>(now.tv_usec % 1000));
  return text;
}

void keep_text(const char* title, const std::string& message) {
  std::deque<std::string>& texts = texts_of_this_thread().newest_first;
  texts.push_front("[PID:" + std::to_string(getpid()) + "] " + timestamp() + " " + title + ": " +
                   message);
  if (texts.size() > kMaxTexts) texts.pop_back();
}

// `text` makes the message.
template <typename Text>
int32_t remember(int32_t code, const char* title, const Text& text) noexcept {
  if (is_runtime_layer(code)) thread_runtime_code = code;
  try {
    keep_text(title, text());
  } catch (const std::bad_alloc&) {
    // The code alone has to do.
  }
  return code;
}

std::string sentence(int32_t code, const char* call, const char* parameter,
                     const std::string& what) {
  std::string text = std::string(call) + " returns " + std::to_string(code) + ": ";
  if (*parameter != '\0') text += std::string(parameter) + " ";
  return text + what;
}

}  // namespace

int32_t report(const Status& status) noexcept {
  if (status.ok()) return 0;
  return remember(status.code(), title_of(status.code()), [&] { return status.failure().message; });
}

int32_t report(int32_t code, const char* call, const char* parameter,
               const std::string& what) noexcept {
  return remember(code, title_of(code), [&] { return sentence(code, call, parameter, what); });
}

int32_t report_null(int32_t code, const char* call, const char* parameter) noexcept {
  return remember(code, title_of_null(code), [&] {
    return sentence(code, call, parameter, "is a null pointer; pass a valid one");
  });
}

int32_t report_exception(int32_t code, const char* call) noexcept {
  try {
    try {
      throw;
    } catch (const std::exception& problem) {
      report(code, call, "", std::string("could not finish: ") + problem.what());
    }
  } catch (...) {
    // Not even memory for the text: the code alone has to do.
  }
  return code;
}

const char* take_recent_message() noexcept {
  ThreadTexts* texts = thread_texts;
  if (texts == nullptr || texts->newest_first.empty()) return nullptr;
  try {
    std::string joined;
    for (const std::string& text : texts->newest_first) {
      if (!joined.empty()) joined += '\n';
      joined += text;
    }
    texts->handed_out = std::move(joined);
  } catch (const std::bad_alloc&) {
    texts->handed_out = std::move(texts->newest_first.front());  // better than nothing
  }
  texts->newest_first.clear();
  return texts->handed_out.c_str();
}

int32_t last_runtime_code() { return thread_runtime_code; }
void forget_last_runtime_code() { thread_runtime_code = 0; }

std::string hex(const void* pointer) {
  char text[32];
  snprintf(text, sizeof text, "%p", pointer);
  return text;
}

}  // namespace aclhost
