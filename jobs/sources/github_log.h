// SPDX-License-Identifier: Apache-2.0
// Logs of GitHub Actions' jobs: "TIME TEXT" a line, as the site and the API give them, or
// "JOB<tab>STEP<tab>TIME TEXT", as `gh run view --log` does.
//
// A file, or a job's lines in it, is a Job. The name is the one its log tells ("Complete job
// name"), or the one in front of its lines, or the file's. Where lines do not name their step,
// steps show in the text: "##[group]Run …" begins one, as do the runner's own words when it begins
// its containers, cleans up behind actions, and ends. A step lasts until the next begins.
// "##[group]NAME" to
// "##[endgroup]" within it is a Group, unless it is the step's own head.
//
// The model needs the phase Job, which discovers steps: each is a type by its name, so that the
// same step of several jobs can be compared. A Group within has its name as its key.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/logs/log_time.h"
#include "jobs/sources/log_reader.h"

namespace gordian {

class GithubLog : public LogReader {
 public:
  explicit GithubLog(LogSinks& sinks);
  absl::Status Read(LogBytes& bytes, const std::string& name) override;

 private:
  struct Span {
    std::string name;
    uint64_t start_ns;
    uint64_t end_ns;
  };
  struct Step {
    Span span;
    std::vector<Span> groups;
  };
  struct JobLog {
    std::string name;
    uint64_t start_ns = 0;
    uint64_t last_ns = 0;
    std::vector<Step> steps;
    bool in_head = false;   // of a step: its group is no Group
    bool in_group = false;  // the last step's last group is open
    bool prepared = false;  // the runner told the job's name
  };
  bool TakeLine(std::string_view line, const std::string& file);
  void TakeText(std::string_view text, bool names_step, uint64_t time_ns, JobLog& job);
  void BeginStep(std::string_view name, uint64_t time_ns, JobLog& job);
  void BeginGroup(std::string_view name, uint64_t time_ns, JobLog& job);
  void HandOver();
  void HandOverStep(const Step& step, uint32_t job, std::string_view job_name);

  LogSinks& sinks_;
  LogTimeParser time_;
  PhaseTypeId job_type_;
  std::map<std::string, JobLog> jobs_;  // of this file, by the name in front of their lines
  size_t phases_ = 0;                   // in them
};

}  // namespace gordian
