// SPDX-License-Identifier: Apache-2.0
// A recording that a Python program has open: its analysis for SQL, and its tables as arrays.
//
// Arrays of segments and edges are kept in the store, as they are many and depend on the recording
// alone. Where both are kept, the recording is not analyzed before something else is asked for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "analysis/options.h"
#include "analysis/recording_key.h"
#include "python/table_arrays.h"

namespace gordian {

// Thread-safe. A thread waits for results that another one is making.
class OpenRecording {
 public:
  // Of a folder as ReadRecording takes it. Its store and stop of `options` are not used.
  static absl::StatusOr<std::shared_ptr<OpenRecording>> Open(const std::string& directory,
                                                             AnalysisOptions options,
                                                             const StopAsked& stop);

  // It lives as long as this.
  absl::StatusOr<const Analysis*> Analyzed(const StopAsked& stop);
  // NotFound, with a line for the user, if there is no such table, or it is a function.
  absl::StatusOr<TableArrays> ArraysOf(const std::string& table, const StopAsked& stop);

 private:
  OpenRecording(std::string directory, AnalysisOptions options);

  absl::StatusOr<const Analysis*> AnalyzedLocked(const StopAsked& stop);
  std::optional<TableArrays> FindKept(const SqlTable& table) const;
  std::optional<TableArrays> KeepForNextTime(const SqlTable& table, const StopAsked& stop) const;
  StoreKey KeyOf(const SqlTable& table) const;

  const std::string directory_;
  const AnalysisOptions options_;
  const std::optional<RecordingKey> key_;  // nothing: nothing is kept
  std::mutex mutex_;                       // of all below
  std::unique_ptr<const Analysis> analysis_;
  std::map<std::string, TableArrays> arrays_;  // by table
};

// The recordings that a process has open, by number. Thread-safe.
class RecordingNumbers {
 public:
  int64_t Add(std::shared_ptr<OpenRecording> recording);      // above 0; none is given twice
  std::shared_ptr<OpenRecording> Find(int64_t number) const;  // null: it is not open
  void Remove(int64_t number);

 private:
  mutable std::mutex mutex_;
  int64_t last_ = 0;
  std::map<int64_t, std::shared_ptr<OpenRecording>> open_;
};

// Those of this process. Python and SQLite know a recording only by number, so that no mistake of
// theirs reads memory that is gone.
RecordingNumbers& OpenRecordings();

}  // namespace gordian
