// SPDX-License-Identifier: Apache-2.0
#include "traffic/spans.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr uint64_t kSpansUnlessTold = 20;

// 1, 2 or 5 times a power of ten, so that there are at most kSpansUnlessTold spans.
uint64_t RoundInterval(uint64_t length_ns) {
  uint64_t interval_ns = 1;
  for (size_t step = 0; length_ns / interval_ns >= kSpansUnlessTold; ++step)
    interval_ns = step % 3 == 1 ? interval_ns / 2 * 5 : interval_ns * 2;
  return interval_ns;
}

void AddIntervals(uint64_t length_ns, SpanPlan& plan) {
  const uint64_t count = length_ns / plan.interval_ns + 1;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t start_ns = i * plan.interval_ns;
    plan.spans.push_back({.start_ns = start_ns,
                          .end_ns = start_ns + std::min(plan.interval_ns, length_ns - start_ns)});
  }
}

void AddPhases(const TrafficOptions& options, const CommonClock& clock, SpanPlan& plan) {
  for (const TrafficPhase& phase : options.phases) {
    const ClockShift shift = phase.node == kOnCommonClock ? ClockShift() : clock.shifts[phase.node];
    plan.instances.push_back({.start_ns = shift.Apply(phase.start_ns),
                              .end_ns = shift.Apply(phase.end_ns),
                              .span = static_cast<uint32_t>(plan.instances.size()),
                              .node = phase.node,
                              .pid = phase.pid});
  }
  std::stable_sort(plan.instances.begin(), plan.instances.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  std::map<std::string, uint32_t> known;
  const auto since_start = [&](uint64_t time_ns) {
    return time_ns - std::min(time_ns, plan.start_ns);
  };
  for (SpanPlan::Instance& instance : plan.instances) {
    const std::string& label = options.phases[instance.span].label;
    const auto [entry, is_new] = known.emplace(label, static_cast<uint32_t>(plan.spans.size()));
    if (is_new) plan.spans.push_back({.label = label, .start_ns = since_start(instance.start_ns)});
    instance.span = entry->second;
    TrafficSpan& span = plan.spans[instance.span];
    span.end_ns = std::max(span.end_ns, since_start(instance.end_ns));
  }
}

}  // namespace

uint32_t SpanPlan::FindKind(SpanKind kind) const {
  size_t at = spans.size() - 1;
  while (at > 0 && spans[at].kind != kind) --at;
  return static_cast<uint32_t>(at);
}

absl::StatusOr<SpanPlan> PlanSpans(const TrafficOptions& options, const CommonClock& clock,
                                   uint64_t start_ns, uint64_t end_ns) {
  SpanPlan plan{.start_ns = start_ns};
  if (options.by_phase) {
    AddPhases(options, clock, plan);
  } else {
    const uint64_t length_ns = end_ns - start_ns;
    plan.interval_ns = options.interval_ns != 0 ? options.interval_ns : RoundInterval(length_ns);
    if (length_ns / plan.interval_ns >= kMostSpans) {
      return absl::InvalidArgumentError(absl::StrCat(
          "intervals of ", FormatDuration(plan.interval_ns), " are more than ", kMostSpans,
          " in a recording of ", FormatDuration(length_ns), "; give longer ones"));
    }
    AddIntervals(length_ns, plan);
  }
  for (const SpanKind kind : {SpanKind::kOutside, SpanKind::kSeveral, SpanKind::kUntimed})
    plan.spans.push_back({.kind = kind});
  return plan;
}

uint32_t SpanFinder::Find(uint64_t common_time_ns, int32_t pid) {
  if (plan_.interval_ns != 0) {
    const uint64_t since = common_time_ns - std::min(common_time_ns, plan_.start_ns);
    const size_t last = plan_.FindKind(SpanKind::kOutside) - 1;
    return static_cast<uint32_t>(std::min<uint64_t>(since / plan_.interval_ns, last));
  }
  const std::vector<SpanPlan::Instance>& instances = plan_.instances;
  while (next_ < instances.size() && instances[next_].start_ns <= common_time_ns)
    active_.push_back(static_cast<uint32_t>(next_++));
  std::erase_if(active_, [&](uint32_t i) { return instances[i].end_ns <= common_time_ns; });
  if (active_.empty()) return plan_.FindKind(SpanKind::kOutside);
  const uint32_t first = instances[active_.front()].span;
  const bool alone = std::all_of(active_.begin(), active_.end(),
                                 [&](uint32_t i) { return instances[i].span == first; });
  if (alone) return first;
  for (auto i = active_.rbegin(); i != active_.rend(); ++i) {
    const SpanPlan::Instance& instance = instances[*i];
    if (instance.node == node_ && instance.pid == pid && pid != 0) return instance.span;
  }
  return plan_.FindKind(SpanKind::kSeveral);
}

}  // namespace gordian
