// SPDX-License-Identifier: Apache-2.0
// Runs a function that reads hostile files in a child process of its own. The child can open, send
// and signal nothing (seccomp), and has bounded memory and time. Its end, even by a crash, does no
// harm.
//
// The child has idle priority. It has a small share of busy CPUs once it has waited for a second,
// and at once if its account is in a hurry. If its account has a pace, it is stopped and let go on
// so that it keeps to it; the limit of wall time does not count these stops.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "symbols/reading_account.h"

namespace gordian {

struct JailLimits {
  uint64_t max_memory_bytes = 0;
  uint32_t max_cpu_seconds = 0;
  uint32_t max_wall_seconds = 0;
  uint64_t max_reply_bytes = 0;       // of all messages together
  ReadingAccount* account = nullptr;  // is told the child's CPU time, and may bound it
  // Null, or the child is ended soon after it becomes true.
  const std::atomic<bool>* stop = nullptr;
};

inline constexpr uint32_t kMaxJailMessageBytes = 16 << 20;

// Sends one message out of the jail; false if no process listens any more.
using JailSend = std::function<bool(std::string_view message)>;

// Calls `inside` in a child, where only `files` stay open, and `take` here for each message that
// it sends. Messages may be anything: the child may be in the hands of the file that it read. True
// if `inside` returned; false if it crashed, ran into a limit, or could not be started, or `take`
// returned false. Messages taken before that stay good.
bool RunInJail(const JailLimits& limits, std::span<const int> files,
               const std::function<void(const JailSend&)>& inside,
               const std::function<bool(std::string_view message)>& take);

}  // namespace gordian
