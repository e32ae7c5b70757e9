// SPDX-License-Identifier: Apache-2.0
// Small recordings of threads that are woken together: one of them finds work, the others do not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/stacks/stacks.h"
#include "analyzer/suggestions/suggestions.h"
#include "analyzer/timeline/timeline.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {

// Thread 1 "main" wakes 2 "busy", which works, and 3 "idle", which runs a little and sleeps again.
// Thread 4 "other" of another process only sleeps.
struct Herd {
  int rounds = 20;
  uint64_t idle_runs_ns = 3'000;
  uint64_t busy_runs_ns = 100'000;
  uint64_t between_wakes_ns = 2'000;
  int32_t busy_process = 1;
  uint8_t weight_log2 = 0;
  std::string reason = "futex_wait";
  std::string call = "pthread_cond_wait";
  bool with_stacks = true;
  int cut_rounds = 0;                  // in which stacks end in the C library
  bool declares = false;               // says gordian_false_wakeup()
  bool idle_sleeps_elsewhere = false;  // every second time
  bool queues_for_lock = false;        // in between, and is let in by `busy`
  bool hands_on_lock = false;          // wakes `other`, which queues for a lock
  bool wakes_other = false;
  bool wakes_other_early = false;  // before that one sleeps
  bool asks_disk = false;
  bool sends = false;
  bool by_timer = false;  // is woken by a timer
};
TraceBuilder BuildHerd(const Herd& herd);

// Built, written, and read again.
class LoadedTrace {
 public:
  explicit LoadedTrace(TraceBuilder& built, size_t events_per_block = 1000);
  Timeline& timeline() { return *timeline_; }
  const Code& code() const { return code_; }
  Suggestions Find() const { return FindSuggestions(*timeline_, code_); }
  EntityId Id(const std::string& name) const;
  // Every thread's segments, as text.
  std::string Segments() const;

 private:
  std::optional<Timeline> timeline_;
  Code code_;
};

}  // namespace gordian::testing
