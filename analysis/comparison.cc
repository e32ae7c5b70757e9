// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "analysis/gate_measurements.h"
#include "report/report_diff.h"

namespace gordian {
namespace {

struct ReadSide {
  std::vector<pb::Report> reports;
  std::vector<MeasuredRecording> measured;
};

absl::Status WithFolder(const std::string& directory, const absl::Status& status) {
  return {status.code(), absl::StrCat(directory, ": ", status.message())};
}

absl::StatusOr<ReadSide> ReadAll(const std::vector<std::string>& directories,
                                 const AnalysisOptions& options, const GateRequest& gate,
                                 bool with_parts, const AnalysisProgress& progress) {
  ReadSide side;
  for (const std::string& directory : directories) {
    const auto analysis = Analysis::Run(directory, options, progress);
    if (!analysis.ok()) return WithFolder(directory, analysis.status());
    side.reports.push_back(analysis->report());
    if (gate.conditions.empty()) continue;
    auto measured = MeasureRecording(directory, *analysis, options, gate, with_parts);
    if (!measured.ok()) return WithFolder(directory, measured.status());
    side.measured.push_back(*std::move(measured));
  }
  return side;
}

absl::Status CheckSize(const std::vector<std::string>& side) {
  if (side.empty() || side.size() > kMostRecordings)
    return absl::InvalidArgumentError(
        absl::StrCat("give 1 to ", kMostRecordings, " recordings on each side"));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<pb::ReportDiff> CompareRecordings(const ComparedRecordings& recordings,
                                                 const AnalysisOptions& options,
                                                 const GateRequest& gate,
                                                 const AnalysisProgress& progress) {
  if (absl::Status status = CheckSize(recordings.before); !status.ok()) return status;
  if (absl::Status status = CheckSize(recordings.after); !status.ok()) return status;
  const bool with_parts = NeedsParts(gate, recordings.before.size(), recordings.after.size());
  const auto before = ReadAll(recordings.before, options, gate, with_parts, progress);
  if (!before.ok()) return before.status();
  const auto after = ReadAll(recordings.after, options, gate, with_parts, progress);
  if (!after.ok()) return after.status();
  pb::ReportDiff diff = DiffReports(before->reports, after->reports);
  if (gate.conditions.empty()) return diff;
  auto judged = JudgeGate(gate, before->measured, after->measured);
  if (!judged.ok()) return judged.status();
  *diff.mutable_gate() = *std::move(judged);
  return diff;
}

}  // namespace gordian
