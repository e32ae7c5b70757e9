// SPDX-License-Identifier: Apache-2.0
// The contents of a session in numbers: gathered in one pass over each stream by itself, in no more
// memory than one block and one small record per thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "trace/session_reader.h"
#include "trace/trace_event.h"

namespace gordian {

struct ThreadTally {
  int32_t tid = 0;
  uint64_t cpu_ns = 0;    // between a switch to it and the next switch on that CPU, less pauses
  uint64_t switches = 0;  // away from it
  uint64_t wakes = 0;     // of it
  std::string comm;       // its newest name; empty if no record told it
  uint64_t named_ns = 0;  // when
};

struct SessionSummary {
  std::array<uint64_t, kEventKinds> events{};  // by EventKind
  std::array<uint64_t, kEventKinds> lost{};    // by the kind of the lost records
  uint64_t events_total = 0;
  uint64_t lost_total =
      0;  // told by loss events, by counters, and by the headers of unreadable blocks
  uint64_t unreadable_events = 0;  // in corrupt blocks, as their headers say
  uint64_t bytes_on_disk = 0;
  uint64_t unknown_events = 0;  // of kinds newer than this version
  uint64_t start_time_ns = 0;   // the session's; for a flight recorder the oldest time still held
  uint64_t end_time_ns = 0;     // the session's, or the last event's if that is later
  uint64_t paused_ns = 0;       // of that time, to keep to the budget
  uint32_t cpus = 0;
  uint64_t threads_seen = 0;             // distinct tids
  std::vector<ThreadTally> top_threads;  // by time on a CPU
  ReadDamage damage;

  double seconds() const;
  double recorded_seconds() const;  // without pauses
  double events_per_second() const;
  double bytes_per_event() const;
};

// The instant of time 0 in the output: the session's start, or its first event if session.pb was
// never written.
uint64_t StartTimeNs(const SessionReader& session);

using SummaryProgress = std::function<void(uint64_t done_bytes, uint64_t total_bytes)>;

SessionSummary Summarize(SessionReader& session, size_t top_threads,
                         const SummaryProgress& progress);

// How a session's wall clock relates to its own: from its clock pairs.
struct ClockSummary {
  bool known = false;
  int64_t started_realtime_ns = 0;  // at the session's start
  int64_t offset_ns = 0;            // realtime less monotonic, of the first pair
  bool drift_known = false;         // needs two pairs
  double drift_ppm = 0;             // how much faster realtime ran
  uint64_t error_ns = 0;            // the worst pair's
  int pairs = 0;
};
// On the wall clock; only if it is known.
int64_t WallClockNs(const ClockSummary& clocks, uint64_t time_ns);
ClockSummary SummarizeClocks(const pb::Session& session);

}  // namespace gordian
