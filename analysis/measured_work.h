// SPDX-License-Identifier: Apache-2.0
// How much work a recording holds: its requests, or what counts as progress. Inner to the library.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "gate/samples.h"

namespace gordian {

struct MeasuredWork {
  std::string what;  // "requests of port 80"
  Sample rate;       // per second
  uint64_t events = 0;
  // Requests, phases, system calls, and what the program counts. Not ends of waits, wakes and disk
  // requests, of which each may do more work after a fix.
  bool counts_work = true;
  // Of requests; else 0.
  uint16_t port = 0;
  std::string server;        // the program that answers most of them
  uint32_t clients = 0;      // connections at a time
  double closed_share = 0;   // as of TokenTurns
  double response_ns = 0;    // on average
  double several_parts = 0;  // share that came in several parts: a long request, or several at once
};

// The requests of the port that nothing recorded asks. Its `events` are 0 if there are none.
MeasuredWork MeasureRequests(const Analysis& analysis);
// `progress` as of --progress.
absl::StatusOr<MeasuredWork> MeasureProgress(const Analysis& analysis, const std::string& progress);
// The ends of the waits of the threads of that name.
absl::StatusOr<MeasuredWork> MeasureCycles(const Analysis& analysis, const std::string& thread);

// The one thing that the programs of both recordings count, as of --progress; else empty.
std::string CountedByBoth(const Analysis& before, const Analysis& after);

}  // namespace gordian
