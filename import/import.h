// SPDX-License-Identifier: Apache-2.0
// Makes a session out of a foreign trace, or an activity graph: the formats of docs/import-csv.md,
// docs/import-kernel-traces.md and docs/import-activities.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/activities.pb.h"
#include "schema/session.pb.h"

namespace gordian {

struct ImportProgress {
  uint64_t lines = 0;
  uint64_t bytes_read = 0;
  uint64_t file_bytes = 0;  // 0: not known, as of a pipe
};

struct ImportOptions {
  std::string file;       // "-" is standard input
  std::string directory;  // must not exist, or be empty
  std::string recorder_version;
  // Called every few thousand lines. An error ends the import, which returns it.
  std::function<absl::Status(const ImportProgress&)> progress;
};

struct ImportResult {
  uint64_t lines = 0;  // 0: the format has none
  uint64_t events = 0;
  uint64_t bytes_on_disk = 0;
  pb::Session session;
};

struct ActivityImportResult {
  uint64_t lines = 0;
  uint64_t bytes_on_disk = 0;
  pb::ActivityGraph graph;
};

enum class ActivityFormat : uint8_t { kCsv, kOtelSpans, kSparkEvents };

enum class KernelTraceFormat : uint8_t { kFtraceText, kPerfData, kPerfetto, kTraceDat };

// Of all: the directory appears whole or not at all: the session is written in a hidden sibling of
// it, which is then renamed, or removed after an error. A wrong line is InvalidArgument:
// "FILE:LINE: reason".
absl::StatusOr<ImportResult> ImportCsv(const ImportOptions& options);
// Of a kernel's own trace. What it lacks is told by counters. In a binary format the place is an
// offset: "FILE: byte 4096: reason".
absl::StatusOr<ImportResult> ImportKernelTrace(const ImportOptions& options,
                                               KernelTraceFormat format);
// Spans and events may be compressed by gzip or zstd.
absl::StatusOr<ActivityImportResult> ImportActivities(const ImportOptions& options,
                                                      ActivityFormat format);

}  // namespace gordian
