// SPDX-License-Identifier: Apache-2.0
// The two futex calls, without the C library's locks around them: so the waiter and the waker are
// exactly known.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace gordian::puppets {

using FutexWord = std::atomic<uint32_t>;

// True if it slept and was woken; false if the word did not hold `expected`.
inline bool FutexWait(FutexWord& word, uint32_t expected) {
  return syscall(SYS_futex, &word, FUTEX_WAIT, expected, nullptr, nullptr, 0) == 0;
}

// How many it woke.
inline int FutexWake(FutexWord& word, int most = INT_MAX) {
  return static_cast<int>(syscall(SYS_futex, &word, FUTEX_WAKE, most, nullptr, nullptr, 0));
}

}  // namespace gordian::puppets
