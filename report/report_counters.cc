// SPDX-License-Identifier: Apache-2.0
#include "report/report_counters.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "report/in_scope.h"
#include "report/thresholds.h"
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

// Whether so much of the thread's time is unknown that a finding about it may be doubted.
bool LacksTime(const Entity& thread) {
  const auto life_ns = static_cast<double>(thread.end_ns - thread.begin_ns);
  return static_cast<double>(thread.unknown_ns) >= kUnknownWorthTelling * life_ns;
}

// Switches of a thread that contradict each other make its time unknown, and no other one's. Where
// no finding rests on such a thread, or little of its time is unknown, the reader has nothing to
// do.
void TellContradictions(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                        const pb::Report& report, pb::ReportCounter& counter) {
  constexpr size_t kNamed = 3;
  const std::vector<char> in_scope = InScope(report);
  std::map<std::string, uint64_t> by_name;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const uint32_t count = timeline.contradictions(thread);
    if (count == 0 || vertex_of_entity[thread] >= in_scope.size()) continue;
    const Entity& entity = timeline.entities()[thread];
    if (in_scope[vertex_of_entity[thread]] && LacksTime(entity)) by_name[entity.name] += count;
  }
  if (by_name.empty()) {
    counter.set_severity(SeverityName(CounterSeverity::kInfo));
    counter.set_advice("No finding rests on time that is unknown for this: nothing to do.");
    return;
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
  counter.set_advice(absl::StrCat(text, ". ", counter.advice()));
}

// The programs that the kernel left out, the most frequent first.
void TellLeftOut(const pb::Session& session, pb::ReportCounter& counter) {
  std::vector<std::pair<uint64_t, std::string>> most_first;
  for (const pb::LeftOut& program : session.left_out())
    most_first.emplace_back(program.count(), program.program());
  if (most_first.empty()) return;
  std::sort(most_first.rbegin(), most_first.rend());
  std::string text;
  for (const auto& [count, program] : most_first)
    absl::StrAppend(&text, text.empty() ? "Left out: " : ", ", CleanText(program), " (", count,
                    ")");
  counter.set_advice(absl::StrCat(text, ". ", counter.advice()));
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

void AddCounters(const Timeline& timeline, const WaitForGraph& graph,
                 std::span<const uint32_t> vertex_of_entity, pb::Report& report) {
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
      TellContradictions(timeline, vertex_of_entity, report, added);
    if (name == "kernel_programs_skipped") TellLeftOut(timeline.session(), added);
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
