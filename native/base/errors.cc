// SPDX-License-Identifier: Apache-2.0
#include "base/errors.h"

#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <deque>
#include <exception>
#include <utility>

namespace aclhost {
namespace {

constexpr size_t kMaxTexts = 64;  // a client that never asks must not grow without bound

struct ThreadTexts {
  std::deque<std::string> newest_first;
  std::string handed_out;
};

// Clients free things in static destructors, when the main thread's own objects are gone already.
// Nothing destroys these three, so they can still be read then.
thread_local ThreadTexts* thread_texts = nullptr;
thread_local bool thread_ended = false;
thread_local int32_t thread_runtime_code = 0;

struct EndOfThread {
  ~EndOfThread() {
    thread_ended = true;
    delete std::exchange(thread_texts, nullptr);
  }
};

// Null once the thread is ending.
ThreadTexts* texts_of_this_thread() {
  if (thread_texts == nullptr && !thread_ended) {
    thread_local EndOfThread end_of_thread;
    thread_texts = new ThreadTexts;
  }
  return thread_texts;
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

int32_t remember(int32_t code, const char* title, const std::string& message) {
  if (is_runtime_layer(code)) thread_runtime_code = code;
  ThreadTexts* texts = texts_of_this_thread();
  if (texts == nullptr) return code;
  texts->newest_first.push_front("[PID:" + std::to_string(getpid()) + "] " + timestamp() + " " +
                                 title + ": " + message);
  if (texts->newest_first.size() > kMaxTexts) texts->newest_first.pop_back();
  return code;
}

std::string sentence(int32_t code, const char* call, const char* parameter,
                     const std::string& what) {
  std::string text = std::string(call) + " returns " + std::to_string(code) + ": ";
  if (*parameter != '\0') text += std::string(parameter) + " ";
  return text + what;
}

}  // namespace

int32_t report(const Status& status) {
  if (status.ok()) return 0;
  return remember(status.code(), title_of(status.code()), status.failure().message);
}

int32_t report(int32_t code, const char* call, const char* parameter, const std::string& what) {
  return remember(code, title_of(code), sentence(code, call, parameter, what));
}

int32_t report_null(int32_t code, const char* call, const char* parameter) {
  const char* what = "is a null pointer; pass a valid one";
  return remember(code, title_of_null(code), sentence(code, call, parameter, what));
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

const char* take_recent_message() {
  ThreadTexts* texts = texts_of_this_thread();
  if (texts == nullptr || texts->newest_first.empty()) return nullptr;
  std::string joined;
  for (const std::string& text : texts->newest_first) {
    if (!joined.empty()) joined += '\n';
    joined += text;
  }
  texts->handed_out = std::move(joined);
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
