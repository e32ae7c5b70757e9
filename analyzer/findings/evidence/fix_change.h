// SPDX-License-Identifier: Apache-2.0
// The changes that natural fixes are made of. gordian whatif knows them by the same names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gordian {

enum class FixChange : uint8_t {
  kAsync,           // `who` does not wait for `whom`
  kSkip,            // `who` does not even ask `whom` (a disk), or start it: the calls are gone, too
  kLock,            // `who` never finds the lock taken that `whom` holds
  kBatch,           // one `who` works for all that wait
  kNoFalseWakeups,  // `who` is never woken for nothing
  kScale,           // the disk `who` takes `amount` times as long
  kTimer,           // `who` sleeps `amount` times as long
  kRun,             // `who` works `amount` times as long
  kFunction,        // the function in which `who` likely spins takes `amount` times as long
  kAddThread,       // `amount` more threads like `who`
  kInFlight,        // `amount` times as many requests of `who` under way
  kClients,         // `amount` times as many of `who`
  kCpus,            // `amount` CPUs
  kQuota,           // `amount` CPUs are the quota of the cgroup that `who` is in
};

// As the option of gordian whatif: async, lock, …
const char* FixChangeName(FixChange change);
std::optional<FixChange> FixChangeOf(std::string_view name);

}  // namespace gordian
