// SPDX-License-Identifier: Apache-2.0
#include "report/nothing_found.h"

#include "absl/strings/str_cat.h"
#include "report/thresholds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Share of all CPU time that the threads in scope used.
double CpuShare(const pb::Report& report) {
  double run_s = 0;
  for (const pb::ReportVertex& vertex : report.vertices()) {
    if (vertex.in_scope() || vertex.target()) run_s += vertex.run_s();
  }
  const double capacity_s = report.recording().seconds() * report.recording().cpus();
  return capacity_s > 0 ? run_s / capacity_s : 0;
}

NothingFound NothingFoundInLogs(const pb::Report& report) {
  NothingFound found{
      .why = "No kind of phase and no resource costs the job much, as far as its logs tell."};
  if (report.resources().empty())
    found.advice.emplace_back("Give samples of its resources (--resources FILE.csv).");
  found.advice.emplace_back(
      "Record the job meanwhile and give the recording: then its waits are known, too.");
  return found;
}

}  // namespace

NothingFound WhyNothingWasFound(const pb::Report& report) {
  const pb::RecordingSummary& recording = report.recording();
  if (recording.events() == 0 && report.has_job()) return NothingFoundInLogs(report);
  if (recording.events() == 0 || report.vertices().empty()) {
    return {.why = "The recording holds no events of any thread.",
            .advice = {"Record while the program works: gordian record --duration 10s."}};
  }
  NothingFound found;
  const double cpu_share = CpuShare(report);
  if (cpu_share < kIdleCpuShare) {
    found.why = absl::StrCat("The threads looked at used ", PercentText(cpu_share),
                             " of the CPUs: there was hardly any work to be limited.");
    found.advice.emplace_back(
        "Record under full load, and name the program with --pid, --comm or --cgroup.");
  } else {
    found.why =
        "No group of threads and devices was found that waits in a circle or works without a "
        "pause.";
    found.advice.emplace_back(
        "Name the program with --pid, --comm or --cgroup, in case another one was looked at.");
  }
  if (recording.seconds() < kShortRecordingSeconds)
    found.advice.push_back(
        absl::StrCat("Record longer: this one has only ", SecondsText(recording.seconds()), "."));
  found.advice.emplace_back(
      "--explain shows each step; a lower --threshold cuts less; gordian graph --edges lists every "
      "wait.");
  return found;
}

}  // namespace gordian
