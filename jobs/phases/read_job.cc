// SPDX-License-Identifier: Apache-2.0
#include "jobs/phases/read_job.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "jobs/sources/job_clock.h"
#include "jobs/sources/log_reader.h"
#include "jobs/sources/probe_phases.h"
#include "jobs/sources/resource_csv.h"
#include "jobs/sources/session_resources.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

class JobReader {
 public:
  explicit JobReader(const JobInputs& inputs)
      : inputs_(inputs),
        logs_(inputs.model.logs),
        collector_(inputs.model, tally_),
        sinks_{collector_, tally_, clock_, inputs.thresholds} {}

  absl::StatusOr<JobReading> Read() {
    for (const auto step : {&JobReader::Check, &JobReader::OpenSessions, &JobReader::ReadLogs,
                            &JobReader::ReadSessions, &JobReader::ReadResourceFiles}) {
      absl::Status status = (this->*step)();
      if (!status.ok()) return status;
    }
    JobReading reading;
    reading.job = collector_.Finish();
    reading.counters = tally_.Counters();
    reading.log_lines = sinks_.lines;
    if (reading.job.phases.size() < 2) return NothingFound(reading);
    return reading;
  }

 private:
  absl::Status Check() {
    const bool probes = ReadsProbes();
    const bool reads_logs = std::any_of(logs_.begin(), logs_.end(), [](const LogRules& rules) {
      return rules.format != LogFormat::kProbes;
    });
    const std::string& name = inputs_.model.job.name;
    if (inputs_.logs.empty() && inputs_.session_directory.empty())
      return absl::InvalidArgumentError("nothing to read: give --log FILE, or a session's folder");
    if (inputs_.logs.empty() && !probes)
      return absl::InvalidArgumentError(
          absl::StrCat("model ", name, " reads logs: give --log FILE"));
    if (!inputs_.logs.empty() && !reads_logs)
      return absl::InvalidArgumentError(absl::StrCat(
          "model ", name, " reads the probes of a session, no logs: give --model another one"));
    if (inputs_.session_directory.empty() && !reads_logs)
      return absl::InvalidArgumentError(
          absl::StrCat("model ", name, " reads the probes of a session: give its folder"));
    absl::TimeZone zone;
    if (!inputs_.zone.empty() && !absl::LoadTimeZone(inputs_.zone, &zone))
      return absl::InvalidArgumentError(
          absl::StrCat("this machine does not know the zone '", inputs_.zone,
                       "'; a name like Europe/Berlin or UTC is expected"));
    for (LogRules& rules : logs_) {
      if (!inputs_.zone.empty()) rules.time.zone = inputs_.zone;
    }
    return absl::OkStatus();
  }

  bool ReadsProbes() const {
    return std::any_of(logs_.begin(), logs_.end(),
                       [](const LogRules& rules) { return rules.format == LogFormat::kProbes; });
  }

  absl::Status OpenSessions() {
    if (inputs_.session_directory.empty()) return absl::OkStatus();
    if (inputs_.nodes.empty()) {
      auto session = SessionReader::Open(inputs_.session_directory);
      if (!session.ok()) return session.status();
      const std::string node = (*session)->session().host().hostname();
      sessions_.push_back({node, {}, *std::move(session)});
      collector_.set_default_node(node);
    }
    for (const JobSession& input : inputs_.nodes) {
      auto session = SessionReader::Open(input.directory);
      if (!session.ok()) return session.status();
      sessions_.push_back({input.node, input.to_job, *std::move(session)});
    }
    NameNodes();
    const pb::Session& first = sessions_.front().reader->session();
    clock_ = JobClock(first, sessions_.front().to_job);
    if (first.clocks().empty() && !inputs_.logs.empty()) tally_.Count("session_without_clocks");
    return absl::OkStatus();
  }

  // By its hostname, too, where no other node has that name.
  void NameNodes() {
    std::map<std::string, int> uses;
    for (const OpenSession& session : sessions_) {
      const std::string& hostname = session.reader->session().host().hostname();
      ++uses[session.node];
      if (hostname != session.node) ++uses[hostname];
    }
    for (const OpenSession& session : sessions_) {
      const std::string& hostname = session.reader->session().host().hostname();
      if (!hostname.empty() && uses[hostname] == 1)
        collector_.set_node_name(hostname, session.node);
    }
  }

  // The first kind of log whose `file` fits; kinds that do not say fit all.
  size_t KindOf(const std::string& path) const {
    const std::string name(BaseName(path));
    for (size_t i = 0; i < logs_.size(); ++i) {
      if (logs_[i].format == LogFormat::kProbes) continue;
      if (logs_[i].file.empty() || RE2::PartialMatch(name, RE2(logs_[i].file, RE2::Quiet)))
        return i;
    }
    return logs_.size();
  }

  absl::Status ReadLogs() {
    std::vector<std::unique_ptr<LogReader>> readers(logs_.size());
    for (const std::string& path : inputs_.logs) {
      const size_t kind = KindOf(path);
      if (kind == logs_.size())
        return absl::InvalidArgumentError(absl::StrCat(path, ": its name is none that model ",
                                                       inputs_.model.job.name,
                                                       " has rules for (logs: file)"));
      if (!readers[kind]) readers[kind] = MakeLogReader(logs_[kind], sinks_);
      const auto bytes = OpenLog(path);
      if (!bytes.ok()) return bytes.status();
      absl::Status status = readers[kind]->Read(**bytes, path);
      if (!status.ok()) return status;
      if ((*bytes)->cut_short()) tally_.Count("log_files_cut_short");
    }
    for (const auto& reader : readers) {
      if (reader) reader->Finish();
    }
    return absl::OkStatus();
  }

  absl::Status ReadSessions() {
    const std::string default_node = collector_.default_node();
    for (const OpenSession& session : sessions_) {
      collector_.set_default_node(session.node);
      if (ReadsProbes()) ReadProbePhases(*session.reader, collector_, tally_, session.to_job);
      absl::Status status =
          ReadSessionResources(*session.reader, inputs_.capacities, collector_, session.to_job);
      if (!status.ok()) return status;
    }
    collector_.set_default_node(default_node);
    return absl::OkStatus();
  }

  absl::Status ReadResourceFiles() {
    for (const std::string& path : inputs_.resource_files) {
      absl::Status status = ReadResourceCsv(path, inputs_.zone, sinks_);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status NothingFound(const JobReading& reading) const {
    std::string what = "no phases found";
    if (inputs_.logs.empty()) {
      absl::StrAppend(&what, ": no program of this recording said any (docs/probe-guide.md)");
    } else {
      absl::StrAppend(&what, " in ", reading.log_lines, " lines: is ", inputs_.model.job.name,
                      " the model of this log?");
    }
    if (tally_.Value("log_files_cut_short") > 0) what += " (a compressed file breaks off)";
    for (const TalliedCounter& counter : reading.counters) {
      if (counter.examples.empty()) continue;
      absl::StrAppend(&what, " (", counter.name, ", as ", counter.examples.front(), ")");
      break;
    }
    return absl::InvalidArgumentError(what);
  }

  struct OpenSession {
    std::string node;
    ClockOfJob to_job;
    std::unique_ptr<SessionReader> reader;
  };

  const JobInputs& inputs_;
  std::vector<LogRules> logs_;
  Tally tally_;
  JobClock clock_;
  PhaseCollector collector_;
  LogSinks sinks_;
  std::vector<OpenSession> sessions_;
};

}  // namespace

absl::StatusOr<JobReading> ReadJob(const JobInputs& inputs) { return JobReader(inputs).Read(); }

}  // namespace gordian
