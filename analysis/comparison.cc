#include "analysis/comparison.h"

#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "report/report_diff.h"

namespace gordian {
namespace {

absl::StatusOr<pb::Report> ReportOn(const std::string& directory, const AnalysisOptions& options,
                                    const AnalysisProgress& progress) {
  auto analysis = Analysis::Run(directory, options, progress);
  if (analysis.ok()) return analysis->report();
  return absl::Status(analysis.status().code(),
                      absl::StrCat(directory, ": ", analysis.status().message()));
}

}  // namespace

absl::StatusOr<pb::ReportDiff> CompareRecordings(const std::string& before,
                                                 const std::string& after,
                                                 const AnalysisOptions& options,
                                                 const AnalysisProgress& progress) {
  const auto first = ReportOn(before, options, progress);
  if (!first.ok()) return first.status();
  const auto second = ReportOn(after, options, progress);
  if (!second.ok()) return second.status();
  return DiffReports(*first, *second);
}

}  // namespace gordian
