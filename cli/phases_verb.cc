// SPDX-License-Identifier: Apache-2.0
// gordian phases: the phases of a job, the limit of each, and the gain of mending it.
#include <iostream>
#include <memory>

#include "cli/analysis_progress.h"
#include "cli/output.h"
#include "cli/phases_arguments.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "jobs/report/job_thresholds.h"
#include "output/accuracy_text.h"
#include "output/phase_text.h"

namespace gordian {
namespace {

constexpr char kPhasesExamples[] =
    "gordian phases trace                                      (what its programs' probes say)\n"
    "gordian phases trace --log app.log --model mine.yaml      (a log beside a recording)\n"
    "gordian phases --log events.zst --model spark --tree      (no recording: every phase)\n"
    "gordian phases --log w1.log --log w2.log --model giraph --resources cpu.csv --html job.html\n"
    "gordian phases trace --job spark=a.json --job spark=b.json   (jobs side by side)\n"
    "gordian phases trace --validate                           (how far estimates can be trusted)";

int PrintTree(const PhasesArguments& arguments) {
  const auto reading = ReadRecordedJob(arguments.job, arguments.analysis.threads);
  if (!reading.ok()) return Fail(reading.status());
  std::cerr << CounterText(reading->counters);
  return PrintOrFail(PhaseText(*reading, {.tree = true}));
}

int PrintAccuracy(const PhasesArguments& arguments) {
  const auto studied = StudyRecordedJob(arguments.job, arguments.analysis.threads);
  if (!studied.ok()) return Fail(studied.status());
  return PrintOrFail(AccuracyText(studied->job, studied->studies));
}

absl::StatusOr<Analysis> Analyze(const PhasesArguments& arguments) {
  const std::string& directory = arguments.job.inputs.session_directory;
  if (directory.empty()) return Analysis::OfJob(arguments.job);
  AnalysisOptions options = arguments.analysis;
  options.job = arguments.job;
  return AnalyzeShowing(directory, options, arguments.outputs.quiet);
}

int Phases(const CLI::App& command, const PhasesArguments& arguments) {
  if (arguments.list_thresholds) return PrintOrFail(JobThresholdText());
  const std::string& directory = arguments.job.inputs.session_directory;
  if (arguments.job.inputs.logs.empty() && arguments.job.jobs.empty() && directory.empty())
    return FailUsage(command, "give --log FILE, or a recording's folder");
  if (arguments.tree) return PrintTree(arguments);
  if (arguments.validate) return PrintAccuracy(arguments);
  if (const std::string conflict = OutputConflict(arguments.outputs); !conflict.empty())
    return FailUsage(command, conflict);
  auto opened = ReportOutputs::Open(arguments.outputs);
  if (!opened.ok()) return Fail(opened.status());
  const auto analysis = Analyze(arguments);
  if (!analysis.ok()) return Fail(analysis.status());
  const absl::Status written = opened->Write(*analysis);
  return written.ok() ? kExitSuccess : Fail(written);
}

}  // namespace

Verb AddPhasesVerb(CLI::App& app) {
  const auto arguments = std::make_shared<PhasesArguments>();
  CLI::App* command = AddCommand(
      app, "phases", "Tell which phase of a job is limited by which resource", kPhasesExamples);
  AddPhasesOptions(*command, *arguments);
  return {command, [arguments, command] { return Phases(*command, *arguments); }};
}

}  // namespace gordian
