// SPDX-License-Identifier: Apache-2.0
// Places in a program's code where threads seem to spin for a lock, and where they seem to be woken
// for nothing. The kernel cannot see either, so the program should tell the recorder there.
// Suggestions only: nothing of the analysis changes unless the user asks for it.
//
// Both rest on stacks; without any in the recording there are no suggestions. They would rather
// miss a place than blame a wrong one:
//
// Likely spins. A CPU sample counts if the program itself proves that it only waited:
// - the machine code there is a spin loop (symbols/spin_loop.h: it cannot end by itself), or
// - a function says so by its name (pthread_spin_lock, SpinLock::Lock, sched_yield …).
// Code that merely stays in a small place does not count: it may be computing. Time that probes
// already call a spin is left out, and so are places of which they tell nearly all. Samples are
// summed up by process and function. If several threads of the process were seen there, they most
// likely wait for one of them (`likely`); a single thread may as well poll for something that no
// thread gives.
//
// Likely false wakeups. A thread waits at a place (stack), is woken by a thread, and waits at the
// same place again, and between
// - it ran for at most kMostRunNs, and did not spin;
// - it woke no thread, asked no disk for anything, sent no packet. A thread that queues for a lock
//   does not count, nor does its own wait for such a lock: a condition's mutex is taken and given
//   back on every wakeup, false or not. Nor do waits at barriers, which let all go on at once;
// - its waker woke another thread of its process at once with it (within kAtOnceNs): a wakeup is
//   false because there was work for only one of them. A thread that is woken alone and sleeps
//   again may have done a short work that is not visible.
// A place is suggested if that happened kFewestWakeups times, and if at least kLeastWorked of the
// wakeups there led to visible work: one of the above, or a run of kLeastWorkNs. Waits in pipes,
// sockets and for disks, children or timers are left out: the kernel ends them only when there is
// something.
//
// Estimates. A wakeup is known to be false or not if the stacks of all waits around it were taken.
// The share of the false among these, each counted by the product of its stacks' weights, is taken
// for the share of all wakeups there. With --stacks=all every one is known.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/stacks/stacks.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

enum class SuggestionKind : uint8_t { kSpin, kFalseWakeup };

struct Suggestion {
  SuggestionKind kind = SuggestionKind::kSpin;
  bool likely = false;         // else only possible
  EntityId thread = kNobody;   // the thread that was seen most there
  uint32_t threads = 0;        // how many were seen there
  double time_ns = 0;          // spun, or waited up to a false wakeup
  double count = 0;            // false wakeups
  uint64_t samples = 0;        // behind it: CPU samples, or false wakeups that were seen
  uint64_t other_samples = 0;  // of CPUs: the spinning function and what it calls do other work
  CodePath path;               // the heaviest there
};

struct Suggestions {
  std::vector<Suggestion> all;  // most time first
  // The sleeps that follow the false wakeups of `all`, for Timeline::JoinWaits; in order.
  std::vector<SleepStart> after_false_wakeups;
};

struct SuggestionOptions {
  uint64_t from_ns = 0;  // only samples within [from_ns, to_ns) count
  uint64_t to_ns = UINT64_MAX;
};

Suggestions FindSuggestions(const Timeline& timeline, const Code& code,
                            const SuggestionOptions& options = {});

// Its two halves.
std::vector<Suggestion> FindSpins(const Timeline& timeline, const Code& code,
                                  const SuggestionOptions& options);
Suggestions FindFalseWakeups(const Timeline& timeline, const Code& code,
                             const SuggestionOptions& options);

// Hints in functions' names.
bool SaysItSpins(const std::string& function);  // spin_lock, SpinLock::Lock, sched_yield …
bool WaitsForLock(const CodePath& path, const Code& code);  // mutexes and the like
// A barrier lets all go on that wait there: none of them is woken for nothing.
bool WaitsForBarrier(const CodePath& path, const Code& code);

}  // namespace gordian
