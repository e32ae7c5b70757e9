// SPDX-License-Identifier: Apache-2.0
#include "output/accuracy_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "output/text_table.h"
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
    case UpsamplingMethod::kLearned:
      return "by demand, rules learned";
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

}  // namespace

std::string AccuracyText(const Job& job, std::span<const AccuracyStudy> studies) {
  std::string text;
  for (const AccuracyStudy& study : studies) {
    absl::StrAppend(&text, text.empty() ? "" : "\n",
                    TableText(job, study.table,
                              study.by_phases_only    ? "what the phases used by the records"
                              : study.against_records ? "what the records measured"
                                                      : "its own samples"));
  }
  return text;
}

}  // namespace gordian
