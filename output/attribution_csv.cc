// SPDX-License-Identifier: Apache-2.0
#include "output/attribution_csv.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/time_units.h"
#include "jobs/attribution/own_use.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr size_t kFlushBytes = 64 << 10;

std::string Field(std::string_view text) {
  std::string clean = CleanText(text);
  if (clean.find_first_of(",\"\r\n") == clean.npos) return clean;
  return absl::StrCat("\"", absl::StrReplaceAll(clean, {{"\"", "\"\""}}), "\"");
}

// Of all its rows the same.
std::string ResourceFields(const Job& job, const ResourceColumns& columns, ResourceId id) {
  const Resource& resource = job.resources[id];
  const ResourceType& type = job.model.resources[resource.type];
  const std::string name = resource.name.empty() || resource.name == type.name
                               ? type.name
                               : absl::StrCat(type.name, "/", resource.name);
  return absl::StrCat(Field(name), ",", Field(resource.node), ",", Field(type.unit), ",",
                      columns.capacity_known ? absl::StrCat(columns.capacity) : "");
}

}  // namespace

void WriteAttributionCsv(const JobAnalysis& analysis, const OutputSink& sink) {
  const Job& job = analysis.job;
  const Timeslices& slices = analysis.attribution.slices;
  std::string text =
      "start_s,end_s,resource,node,unit,capacity,phase,use,exact_demand,weight,measured\n";
  const auto seconds = [&slices](uint64_t slice) { return SecondsOf(slice * slices.slice_ns); };
  for (ResourceId id = 0; id < job.resources.size(); ++id) {
    const std::string of_resource = ResourceFields(job, analysis.attribution.resources[id], id);
    ForEachOwnUse(job, analysis.attribution, analysis.measured, id, [&](const OwnUse& row) {
      absl::StrAppend(&text, seconds(row.slices.begin), ",", seconds(row.slices.end), ",",
                      of_resource, ",", row.phase == kNoId ? "" : Field(PathOf(job, row.phase)));
      absl::StrAppend(&text, ",", row.use, ",", row.exact_demand, ",", row.weight, ",",
                      row.measured ? 1 : 0, "\n");
      if (text.size() < kFlushBytes) return;
      sink(text);
      text.clear();
    });
  }
  sink(text);
}

}  // namespace gordian
