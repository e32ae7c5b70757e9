// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/stacks/thresholds.h"
#include "analyzer/suggestions/suggestions.h"

namespace gordian {
namespace {

// Anywhere in a name, in lower case and without underscores.
constexpr std::string_view kSpinWords[] = {"spinlock",   "spinwait", "spinloop",
                                           "spinuntil",  "dospin",   "busywait",
                                           "schedyield", "cpurelax", "onspinwait"};
constexpr std::string_view kLockWords[] = {"llllock",   "mutexlock",   "rwlock",
                                           "futexlock", "lockwait",    "lockslow",
                                           "mutex::",   "sharedmutex", "lockcontended"};

std::string Plain(std::string_view function) {
  std::string plain;
  for (const char c : function) {
    if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

template <typename Words>
bool HoldsAny(const std::string& text, const Words& words) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// Of the program, plain, from the inside: where a call of a library is seen, if at all.
std::vector<std::string> InnermostFunctions(const CodePath& path, const Code& code) {
  std::vector<std::string> functions;
  for (const uint32_t index : path) {
    const CodeFrame& frame = code.frame(index);
    if (frame.kernel) continue;
    if (functions.size() == kLockFrames) break;
    functions.push_back(Plain(frame.function));
  }
  return functions;
}

}  // namespace

bool SaysItSpins(const std::string& function) {
  const std::string plain = Plain(function);
  return HoldsAny(plain, kSpinWords) || plain == "spin" || plain.ends_with("::spin");
}

bool WaitsForLock(const CodePath& path, const Code& code) {
  for (const std::string& plain : InnermostFunctions(path, code)) {
    // A condition's wait also takes a mutex, but it waits for the condition.
    if (plain.find("cond") != std::string::npos && plain.find("wait") != std::string::npos)
      return false;
    if (HoldsAny(plain, kLockWords)) return true;
  }
  return false;
}

bool WaitsForBarrier(const CodePath& path, const Code& code) {
  const std::vector<std::string> functions = InnermostFunctions(path, code);
  return std::any_of(functions.begin(), functions.end(), [](const std::string& plain) {
    return plain.find("barrier") != std::string::npos;
  });
}

}  // namespace gordian
