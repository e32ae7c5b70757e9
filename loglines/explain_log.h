// SPDX-License-Identifier: Apache-2.0
// What a line of a log had been waiting for.
//
//   line -> its moment        line_stamps.h, log_clocks.h
//        -> its thread        line_writers.h
//        -> its work's begin  the one that asked for it (blame_walk.h), or the slice's beginning
//        -> where time went   blame_walk.h
//        -> its slice         causes/causes.h
//        -> lines of others within that slice, and lines outside of it with its rare words
//
// Usage:
//   auto explained = ExplainLine(recording, {.place = {.path = "server.log", .number = 120}});
//   if (!explained.ok()) …  // its message is a line for the user
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/recording.h"
#include "loglines/stamped_log.h"
#include "schema/log_explanation.pb.h"

namespace gordian {

struct LogInput {
  std::string path;
  std::string node;  // empty: that of a folder of its path, if one has a node's name
  // Found in a folder: if it cannot be read, it is left out, with a note.
  bool is_of_folder = false;
};

// "NODE=FILE", or "FILE". InvalidArgument if either is empty.
absl::StatusOr<LogInput> ParseLogInput(const std::string& text);
// All regular files below the folder. NotFound if there is none, ResourceExhausted if there are
// more than a thousand.
absl::StatusOr<std::vector<LogInput>> LogsBelow(const std::string& folder);
// Of texts like these, each a log or a folder of logs.
absl::StatusOr<std::vector<LogInput>> LogInputsOf(const std::vector<std::string>& texts);

struct LogQuestion {
  LinePlace place;
  std::string node;                  // of the file; as in LogInput
  std::vector<LogInput> logs;        // others, or the file once more
  std::string thread;                // a name or number: it wrote the line, whatever the signs say
  std::string zone;                  // of times without one; empty: found (log_clocks.h)
  std::optional<uint64_t> at_ns;     // since the recording's start: whatever its stamp says
  std::optional<uint64_t> since_ns;  // likewise: the work began then
  size_t most_lines = 200;           // of each list
  int threads = 1;
};

// NotFound if there is no such line or thread; OutOfRange if the line was not written while it was
// recorded; FailedPrecondition if it has no stamp.
absl::StatusOr<pb::LogExplanation> ExplainLine(const LoadedRecording& recording,
                                               const LogQuestion& question);

// Recordings in several folders, each of one node or of many, as one. A recording of one node is
// called as its folder. InvalidArgument if two nodes have one name.
absl::StatusOr<LoadedRecording> ReadRecordings(const std::vector<std::string>& directories,
                                               const ReadOptions& options,
                                               const Progress& progress = {});

}  // namespace gordian
