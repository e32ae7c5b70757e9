// SPDX-License-Identifier: Apache-2.0
#include "output/phase_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "fmt/format.h"
#include "output/text_table.h"
#include "trace/counters.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

using Align = TextTable::Align;

uint64_t LengthNs(const Phase& phase) { return phase.end_ns - phase.start_ns; }

// How deep a type lies below the root.
size_t DepthOf(const JobModel& model, PhaseTypeId type) {
  size_t depth = 0;
  for (PhaseTypeId at = model.types[type].parent; at != kNoId; at = model.types[at].parent) ++depth;
  return depth;
}

std::string RepeatWord(PhaseRepeat repeat) {
  switch (repeat) {
    case PhaseRepeat::kOnce:
      return "once";
    case PhaseRepeat::kSequential:
      return "sequential";
    case PhaseRepeat::kConcurrent:
      return "concurrent";
  }
  return "once";
}

void AppendPreorder(const std::vector<std::vector<PhaseTypeId>>& children, PhaseTypeId type,
                    std::vector<PhaseTypeId>& order) {
  order.push_back(type);
  for (const PhaseTypeId child : children[type]) AppendPreorder(children, child, order);
}

std::string TypeTable(const Job& job) {
  TextTable table({{"PHASE"},
                   {"REPEAT"},
                   {"COUNT", Align::kRight},
                   {"TOTAL", Align::kRight},
                   {"MEAN", Align::kRight},
                   {"BLOCKED", Align::kRight},
                   {"LONGEST", Align::kRight},
                   {"WHICH"}});
  for (const PhaseTypeSummary& row : SummarizeTypes(job)) {
    const PhaseType& type = job.model.types[row.type];
    const Phase& longest = job.phases[row.longest];
    table.AddRow({std::string(2 * DepthOf(job.model, row.type), ' ') + CleanText(type.name),
                  RepeatWord(type.repeat), FormatCount(row.count), FormatDuration(row.total_ns),
                  FormatDuration(row.total_ns / row.count),
                  row.blocked_ns == 0 ? "" : FormatDuration(row.blocked_ns),
                  FormatDuration(LengthNs(longest)),
                  row.count == 1 ? "" : CleanText(PathOf(job, row.longest))});
  }
  return table.ToString();
}

std::string ResourceTable(const Job& job) {
  TextTable table({{"RESOURCE"},
                   {"TYPE"},
                   {"NODE"},
                   {"SAMPLES", Align::kRight},
                   {"MEAN", Align::kRight},
                   {"CAPACITY", Align::kRight},
                   {"UNIT"}});
  for (size_t i = 0; i < job.resources.size(); ++i) {
    const Resource& resource = job.resources[i];
    const ResourceType& type = job.model.resources[resource.type];
    double amount = 0, length_ns = 0;
    for (const ResourceSample& sample : job.samples[i]) {
      const auto span_ns = static_cast<double>(sample.end_ns - sample.start_ns);
      amount += sample.use * span_ns;
      length_ns += span_ns;
    }
    const bool blocking = type.kind == ResourceKind::kBlocking;
    table.AddRow({CleanText(resource.name), CleanText(type.name), CleanText(resource.node),
                  blocking ? "blocks" : FormatCount(job.samples[i].size()),
                  length_ns > 0 ? fmt::format("{:.4g}", amount / length_ns) : "",
                  resource.capacity > 0 ? fmt::format("{:.4g}", resource.capacity) : "",
                  CleanText(type.unit)});
  }
  return table.ToString();
}

std::string TreeText(const Job& job) {
  std::string text;
  std::vector<size_t> depth(job.phases.size());
  const uint64_t origin_ns = job.phases[0].start_ns;
  for (PhaseId id = 0; id < job.phases.size(); ++id) {
    const Phase& phase = job.phases[id];
    if (phase.parent != kNoId) depth[id] = depth[phase.parent] + 1;
    std::string name = job.model.types[phase.type].name;
    if (!phase.key.empty()) absl::StrAppend(&name, "[", phase.key, "]");
    text += fmt::format("{:>12.6f}  {:>10}  {}{}{}{}\n", SecondsOf(phase.start_ns - origin_ns),
                        FormatDuration(LengthNs(phase)), std::string(2 * depth[id], ' '),
                        CleanText(name), phase.node.empty() ? "" : "  on " + CleanText(phase.node),
                        phase.end_assumed ? "  (end assumed)" : "");
  }
  return text;
}

}  // namespace

// A phase's blocked times may overlap, as two resources may block it at a time: they are joined.
// Intervals come by start, so that one pass joins those of each phase.
std::vector<PhaseTypeSummary> SummarizeTypes(const Job& job) {
  std::vector<PhaseTypeSummary> of_types(job.model.types.size());
  for (PhaseId id = 0; id < job.phases.size(); ++id) {
    PhaseTypeSummary& summary = of_types[job.phases[id].type];
    summary.type = job.phases[id].type;
    ++summary.count;
    summary.total_ns += LengthNs(job.phases[id]);
    summary.ends_assumed += job.phases[id].end_assumed ? 1 : 0;
    if (summary.longest == kNoId ||
        LengthNs(job.phases[id]) > LengthNs(job.phases[summary.longest]))
      summary.longest = id;
  }
  std::vector<uint64_t> blocked_until_ns(job.phases.size());
  for (const BlockedInterval& blocked : job.blocked) {
    uint64_t& until_ns = blocked_until_ns[blocked.phase];
    const uint64_t from_ns = std::max(until_ns, blocked.start_ns);
    if (blocked.end_ns <= from_ns) continue;
    of_types[job.phases[blocked.phase].type].blocked_ns += blocked.end_ns - from_ns;
    until_ns = blocked.end_ns;
  }
  std::vector<std::vector<PhaseTypeId>> children(job.model.types.size());
  for (PhaseTypeId type = 1; type < job.model.types.size(); ++type)
    children[job.model.types[type].parent].push_back(type);
  std::vector<PhaseTypeId> order;
  AppendPreorder(children, 0, order);
  std::vector<PhaseTypeSummary> summaries;
  for (const PhaseTypeId type : order) {
    if (of_types[type].count > 0) summaries.push_back(of_types[type]);
  }
  return summaries;
}

std::string PhaseText(const JobReading& reading, const PhaseListingOptions& options) {
  const Job& job = reading.job;
  std::string text = TypeTable(job);
  if (!job.resources.empty()) absl::StrAppend(&text, "\n", ResourceTable(job));
  if (options.tree) absl::StrAppend(&text, "\n", TreeText(job));
  return text;
}

std::string CounterText(const std::vector<TalliedCounter>& counters) {
  std::string text;
  for (const TalliedCounter& counter : counters) {
    const CounterDefinition* definition = FindCounter(counter.name);
    if (definition == nullptr) continue;
    text += fmt::format("gordian: {} ({}): {}\n", counter.name, FormatCount(counter.value),
                        definition->meaning);
    for (const std::string& example : counter.examples)
      absl::StrAppend(&text, "  ", CleanText(example), "\n");
  }
  return text;
}

}  // namespace gordian
