#include "report/report_counters.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trace/counters.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

const char* SeverityName(CounterSeverity severity) {
  switch (severity) {
    case CounterSeverity::kInfo:
      return "info";
    case CounterSeverity::kDataLoss:
      return "data_loss";
    case CounterSeverity::kError:
      return "error";
  }
  return "info";
}

// "Most of tokio-rt-worker (31), B (4). ": whose switches contradict each other.
std::string MostContradicted(const Timeline& timeline) {
  constexpr size_t kNamed = 3;
  std::map<std::string, uint64_t> by_name;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const uint32_t count = timeline.contradictions(thread);
    const bool counts =
        timeline.entities()[thread].target || !timeline.session().chains_end_at_targets();
    if (count > 0 && counts) by_name[timeline.entities()[thread].name] += count;
  }
  std::vector<std::pair<uint64_t, std::string>> most_first;
  most_first.reserve(by_name.size());
  for (const auto& [name, count] : by_name) most_first.emplace_back(count, name);
  std::stable_sort(most_first.begin(), most_first.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (most_first.size() > kNamed) most_first.resize(kNamed);
  std::string text;
  for (const auto& [count, name] : most_first) {
    absl::StrAppend(&text, text.empty() ? "Most of " : ", ", CleanText(name), " (", count, ")");
  }
  return text.empty() ? text : text + ". ";
}

uint64_t RequestsWithoutEnd(const WaitForGraph& graph) {
  uint64_t count = 0;
  for (const Entity& entity : graph.entities) count += entity.requests_without_end;
  return count;
}

}  // namespace

pb::ReportCounter& AddCounter(std::string_view name, uint64_t value, pb::Report& report) {
  for (pb::ReportCounter& counter : *report.mutable_counters()) {
    if (counter.name() != name) continue;
    counter.set_value(counter.value() + value);
    return counter;
  }
  pb::ReportCounter& added = *report.add_counters();
  added.set_name(std::string(name));
  added.set_value(value);
  const CounterDefinition* definition = FindCounter(name);
  added.set_severity(SeverityName(definition ? definition->severity : CounterSeverity::kInfo));
  if (definition) added.set_advice(std::string(definition->advice));
  return added;
}

void AddCounters(const Timeline& timeline, const WaitForGraph& graph, pb::Report& report) {
  std::map<std::string, uint64_t> values;
  const uint64_t requests_without_end = RequestsWithoutEnd(graph);
  if (requests_without_end > 0) values["requests_without_end"] = requests_without_end;
  for (const pb::Counter& counter : timeline.session().counters())
    values[counter.name()] = counter.value();
  for (const NamedCount& counter : timeline.counters())
    values[std::string(counter.name)] = counter.value;
  for (const auto& [name, value] : values) {
    pb::ReportCounter& added = AddCounter(name, value, report);
    if (name == "contradicting_switches")
      added.set_advice(absl::StrCat(MostContradicted(timeline), added.advice()));
  }
}

void AddStackCounters(const StackSums& stacks, const Code& code, pb::Report& report) {
  uint64_t undefined = 0;
  for (const StackSum& sum : stacks.all()) {
    if (!code.IsDefined(sum.stack_id)) undefined += sum.samples;
  }
  if (undefined > 0) AddCounter("stack_samples_without_definition", undefined, report);
  if (stacks.samples_without_wait() > 0)
    AddCounter("stack_samples_without_wait", stacks.samples_without_wait(), report);
}

}  // namespace gordian
