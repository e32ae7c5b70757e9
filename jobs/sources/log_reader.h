// SPDX-License-Identifier: Apache-2.0
// Reads one kind of log into a collector of phases.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "jobs/models/phase_model.h"
#include "jobs/sources/job_clock.h"
#include "jobs/sources/thresholds.h"
#include "jobs/tree/phase_collector.h"
#include "jobs/tree/tally.h"
#include "trace/logs/log_bytes.h"

namespace gordian {

// Each is a threshold of jobs/sources/thresholds.h, which says what it does.
struct LogThresholds {
  uint64_t clock_jump_ns = kClockJumpNs;
  size_t fixed_bytes_of_a_rule = kFixedBytesOfARule;
};

// The data that all readers of a job share.
struct LogSinks {
  PhaseCollector& collector;
  Tally& tally;
  const JobClock& clock;
  LogThresholds thresholds;
  uint64_t lines = 0;  // read so far, of all logs
};

class LogReader {
 public:
  virtual ~LogReader() = default;
  // Reads a log to its end. Counts lines that it cannot understand; fails only if the bytes cannot
  // be read. `name` is for messages.
  virtual absl::Status Read(LogBytes& bytes, const std::string& name) = 0;
  // After the last log.
  virtual void Finish() {}
};

// The reader for that format; null for kProbes. All its arguments must outlive it.
std::unique_ptr<LogReader> MakeLogReader(const LogRules& rules, LogSinks& sinks);

// The path's last part.
std::string_view BaseName(std::string_view path);

}  // namespace gordian
