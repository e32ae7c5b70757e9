#include "cli/accuracy_listing.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/text_table.h"
#include "jobs/accuracy/accuracy.h"
#include "jobs/report/measured_input.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

const char* MethodWords(UpsamplingMethod method) {
  switch (method) {
    case UpsamplingMethod::kConstant:
      return "constant";
    case UpsamplingMethod::kUntuned:
      return "by demand, no rules";
    case UpsamplingMethod::kTuned:
      return "by demand, the model's rules";
  }
  return "";
}

std::string ResourceWords(const Job& job, ResourceId id) {
  const Resource& resource = job.resources[id];
  const std::string& type = job.model.resources[resource.type].name;
  return CleanText(absl::StrCat(resource.node, resource.node.empty() ? "" : " ", resource.name,
                                type == resource.name ? "" : " ",
                                type == resource.name ? "" : type));
}

std::string TableText(const Job& job, const AccuracyTable& accuracy, const std::string& truth) {
  std::vector<TextTable::Column> columns = {{"UPSAMPLING"}};
  for (const uint32_t factor : accuracy.factors)
    columns.push_back({FormatDuration(factor * accuracy.interval_ns), TextTable::Align::kRight});
  TextTable table(columns);
  for (const AccuracyRow& row : accuracy.rows) {
    std::vector<std::string> cells = {MethodWords(row.method)};
    for (const double error : row.errors) cells.push_back(PercentText(error));
    table.AddRow(std::move(cells));
  }
  return absl::StrCat(ResourceWords(job, accuracy.resource), ", against ", truth, " every ",
                      FormatDuration(accuracy.interval_ns),
                      ": error in share of the use, for samples of each length\n",
                      table.ToString());
}

std::vector<MeasuredUse> MeasuredOf(const Job& job, const JobArguments& arguments,
                                    const Timeline& timeline) {
  const std::string node = timeline.session().host().hostname();
  return MeasuredInput(job,
                       MeasureUse(timeline, job,
                                  {.slice_ns = static_cast<uint64_t>(arguments.slice_ms * 1e6),
                                   .from_ns = job.phases[0].start_ns,
                                   .to_ns = job.phases[0].end_ns,
                                   .node = node}),
                       node);
}

}  // namespace

absl::StatusOr<std::string> AccuracyText(const Job& job, const JobArguments& arguments,
                                         const Timeline* timeline) {
  AccuracyOptions options;
  options.slice_ns = static_cast<uint64_t>(arguments.slice_ms * 1e6);
  std::vector<std::string> tables;
  if (timeline != nullptr) {
    for (const MeasuredUse& measured : MeasuredOf(job, arguments, *timeline)) {
      const auto truth = SamplesOf(job, measured, options.slice_ns);
      const auto table = StudyAccuracyAgainst(job, measured.resource, truth, options);
      if (table.ok()) tables.push_back(TableText(job, *table, "what the records measured"));
    }
  }
  for (ResourceId id = 0; id < job.resources.size(); ++id) {
    const auto table = StudyAccuracy(job, id, options);
    if (table.ok()) tables.push_back(TableText(job, *table, "its own samples"));
  }
  if (tables.empty())
    return absl::FailedPreconditionError(
        "there is nothing to compare with: no resource has samples; give --resources CSV");
  std::string text;
  for (const std::string& table : tables) absl::StrAppend(&text, text.empty() ? "" : "\n", table);
  return text;
}

}  // namespace gordian
