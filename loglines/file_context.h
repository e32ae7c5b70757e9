// SPDX-License-Identifier: Apache-2.0
// A log file beside a recording: on which nodes it may have been written, in which zone its times
// are, and the signs of who wrote it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "loglines/explain_log.h"
#include "loglines/line_writers.h"
#include "loglines/log_clocks.h"
#include "loglines/stamped_log.h"

namespace gordian {

// What is asked of all files alike. All must outlive it.
struct LogSetting {
  const LoadedRecording& recording;
  const LogClocks& clocks;
  const LineWriters& writers;
  std::string zone;  // told; empty: none
};

class FileContext {
 public:
  // `line` is one that has a stamp, and is to be within the recording; empty: none is known, and
  // the first line with a stamp tells the zone.
  static absl::StatusOr<FileContext> Learn(const LogSetting& setting, const LogInput& input,
                                           std::string_view line);

  StampedLog& log() { return log_; }
  const FileSigns& signs() const { return signs_; }
  const ChosenZone& zone() const { return zone_; }
  const StampReading& reading() const { return reading_; }
  const std::vector<uint32_t>& nodes() const { return signs_.nodes; }

  // When it was written, by node; and its beginning.
  SampleLine SampleOf(std::string_view line, const LineStamp& stamp) const;
  // On the node where it is within the recording; else on the first.
  LineWindow WindowOf(const LineStamp& stamp) const;

 private:
  FileContext(const LogSetting& setting, StampedLog log)
      : setting_(&setting), log_(std::move(log)) {}
  absl::Status LearnSigns(const std::string& path);

  const LogSetting* setting_;
  StampedLog log_;
  ChosenZone zone_;
  StampReading reading_;
  FileSigns signs_;
};

// The node of that name, or of that host, or, if `name` is empty, the one whose name a folder of
// the path has; else all. NotFound if `name` is no node's.
absl::StatusOr<std::vector<uint32_t>> NodesOfLog(const LoadedRecording& recording,
                                                 const LogClocks& clocks, const LogInput& input);

}  // namespace gordian
