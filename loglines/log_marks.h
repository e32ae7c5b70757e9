// SPDX-License-Identifier: Apache-2.0
// The lines of logs as marks on a recording's time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/recording.h"
#include "loglines/explain_log.h"

namespace gordian {

// More are kept of no recording: about 30 MB.
inline constexpr size_t kMostLogMarks = 100'000;
inline constexpr size_t kMostMarkBytes = 240;

struct LogMark {
  uint64_t from_ns = 0;  // since the recording's start …
  uint64_t to_ns = 0;    // … later: the time that its stamp can mean
  uint32_t file = 0;     // in LogMarks::files
  uint64_t line = 0;     // from 1
  std::string text;      // clean, cut at kMostMarkBytes
};

struct LogMarks {
  std::vector<std::string> files;  // clean text
  std::vector<LogMark> marks;      // by time
  uint64_t outside = 0;            // lines written when nothing was recorded
  uint64_t left_out = 0;           // beyond kMostLogMarks, or too long to be read
  std::vector<std::string> notes;  // files that could not be read, a line each
};

// Lines with a stamp of their own; those without belong to the line above. `zone`: of times without
// one; empty: found (log_clocks.h). An error if no file could be read.
absl::StatusOr<LogMarks> MarksOfLogs(const LoadedRecording& recording,
                                     std::span<const LogInput> logs, const std::string& zone);

// Those of [from_ns, to_ns) as a picture shows them: in each of `columns` equal parts the first,
// and how many lines there are.
struct LogColumn {
  const LogMark* first = nullptr;
  uint64_t lines = 0;
};
std::vector<LogColumn> MarkColumns(const LogMarks& marks, uint64_t from_ns, uint64_t to_ns,
                                   size_t columns);

}  // namespace gordian
