// SPDX-License-Identifier: Apache-2.0
// Logs of GitLab CI's jobs, with the marks section_start:UNIX_SECONDS:NAME and
// section_end:UNIX_SECONDS:NAME, several of which may stand on one line. Each file is a Job, by its
// name; each section a phase within, or within another section, of its own type. With the runner's
// time stamps in front of the lines (FF_TIMESTAMPS) these count, as they are finer; and each
// command that the log shows ("$ make", in green) is a phase within its section, with the command
// as its key, until the next one or the section's end. What a section does beside those
// within it is a phase `itself`.
//
// The model needs the phase Job, which discovers sections. A section that is not ended lasts until
// the one around it ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/logs/log_time.h"
#include "jobs/sources/log_reader.h"
#include "jobs/sources/own_work.h"

namespace gordian {

class GitlabLog : public LogReader {
 public:
  explicit GitlabLog(LogSinks& sinks);
  absl::Status Read(LogBytes& bytes, const std::string& name) override;

 private:
  struct Section {
    std::string name;
    uint32_t phase;
    OwnWork own_work;
    uint32_t command = kNoId;
  };
  bool TakeLine(std::string_view line);
  bool TakeMark(std::string_view mark, bool start, std::optional<uint64_t> line_time_ns);
  void BeginSection(std::string_view name, uint64_t time_ns);
  void EndSection(std::string_view name, uint64_t time_ns);
  void EndCommand(Section& section, uint64_t time_ns);
  void EndInnermost(uint64_t time_ns);
  void BeginCommand(std::string_view command, uint64_t time_ns);

  LogSinks& sinks_;
  LogTimeParser time_;
  PhaseTypeId job_type_;
  std::string job_;
  uint32_t job_phase_ = kNoId;
  uint64_t last_ns_ = 0;
  std::vector<Section> open_;
};

}  // namespace gordian
