// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/chrome_trace.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/time_units.h"
#include "jobs/logs/log_time.h"
#include "jobs/sources/chrome_trace_parser.h"
#include "jobs/sources/own_work.h"
#include "trace/logs/decimal_time.h"

namespace gordian {
namespace {

// No sound time is later; the sum of two such fits.
constexpr uint64_t kLatestNs = 1ull << 62;
// Most programs round times to this: a shorter time between two events is none.
constexpr uint64_t kResolutionNs = kNsPerUs;

// The bottom one always has a phase, or nothing in it has.
template <typename Outer>
Outer& InnermostWithPhase(std::vector<Outer>& around) {
  for (size_t i = around.size(); i-- > 1;) {
    if (around[i].own_phase) return around[i];
  }
  return around.front();
}

}  // namespace

ChromeTrace::ChromeTrace(const LogRules& rules, LogSinks& sinks)
    : sinks_(sinks), monotonic_(rules.time.monotonic) {
  const PhaseTypes& types = sinks.collector.types();
  for (PhaseTypeId type = 1; type < types.size() && file_type_ == kNoId; ++type) {
    if (types[type].parent == 0) file_type_ = type;
  }
}

void ChromeTrace::SetBeginning(std::string_view beginning_us) {
  beginning_ns_ = ParseDecimalNs(beginning_us, kNsPerUs).value_or(0);
  if (beginning_ns_ > kLatestNs) beginning_ns_ = 0;
}

void ChromeTrace::KeepSpan(const Span& span) {
  if (span.end_ns > kLatestNs) return sinks_.tally.Count("log_spans_malformed");
  if (spans_.size() >= PhaseCollector::kMaxPhases) return sinks_.tally.Count("phases_over_limit");
  spans_.push_back(span);
}

bool ChromeTrace::End(const ChromeEvent& event, uint64_t time_ns) {
  std::vector<OpenSpan>& open = open_[{event.pid, event.tid}];
  if (open.empty()) {
    sinks_.tally.Count("phase_ends_without_begin");
    return true;
  }
  const OpenSpan span = open.back();
  open.pop_back();
  if (span.start_ns > time_ns) return false;
  KeepSpan({span.start_ns, time_ns, span.name, span.key, event.pid, event.tid});
  return true;
}

// Events of other kinds (instants, numbers, flows, names of threads) say nothing of phases.
void ChromeTrace::AddEvent(const ChromeEvent& event, uint64_t line) {
  ++sinks_.lines;
  if (event.is_sum || (event.phase != "X" && event.phase != "B" && event.phase != "E")) return;
  const auto time_ns = ParseDecimalNs(event.timestamp, kNsPerUs);
  const auto duration_ns = ParseDecimalNs(event.duration, kNsPerUs);
  bool good = time_ns.has_value();
  if (event.phase == "X") {
    good = good && duration_ns && !event.name.empty();
    if (good)
      KeepSpan({*time_ns, *time_ns + *duration_ns, names_.Number(event.name),
                names_.Number(event.key), event.pid, event.tid});
  } else if (event.phase == "B") {
    good = good && !event.name.empty();
    if (good)
      open_[{event.pid, event.tid}].push_back(
          {*time_ns, names_.Number(event.name), names_.Number(event.key)});
  } else if (good) {
    good = End(event, *time_ns);
  }
  if (!good)
    sinks_.tally.CountLine("log_lines_malformed", file_, line, "an event of a Chrome trace");
}

std::optional<uint64_t> ChromeTrace::JobTime(uint64_t time_ns) const {
  const uint64_t absolute_ns = beginning_ns_ + time_ns;
  return monotonic_ ? std::optional(absolute_ns) : sinks_.clock.FromWall(absolute_ns);
}

// kNoId if it cannot stand in the tree.
uint32_t ChromeTrace::AddPhase(const Span& span, uint32_t parent) {
  PhaseCollector& collector = sinks_.collector;
  const PhaseTypeId type = collector.types().ChildOrNew(
      parent == kNoId ? 0 : collector.TypeOf(parent), names_.Text(span.name));
  const auto start = JobTime(span.start_ns), end = JobTime(span.end_ns);
  if (type == kNoId) return kNoId;  // too many types are counted where they are made
  if (!start || !end) {
    sinks_.tally.Count("log_spans_malformed");
    return kNoId;
  }
  std::vector<std::string_view> keys(collector.types().depth(type) + 1);
  keys.back() = names_.Text(span.key);
  return collector.AddWithin(
      parent, {.type = type, .keys = keys, .node = {}, .pid = span.pid, .tid = span.tid}, *start,
      *end);
}

// Goes over each thread's events by their beginnings, long ones first, with a stack of those
// around. Ends: each event is pushed and popped once.
void ChromeTrace::HandOver(const std::string& file) {
  std::sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
    return std::tie(a.pid, a.tid, a.start_ns, b.end_ns, a.name, a.key) <
           std::tie(b.pid, b.tid, b.start_ns, a.end_ns, b.name, b.key);
  });
  uint32_t file_phase = kNoId;
  if (file_type_ != kNoId) {
    uint64_t start_ns = std::numeric_limits<uint64_t>::max(), end_ns = 0;
    for (const Span& span : spans_) {
      start_ns = std::min(start_ns, span.start_ns);
      end_ns = std::max(end_ns, span.end_ns);
    }
    const auto start = JobTime(start_ns), end = JobTime(end_ns);
    const std::string_view keys[] = {{}, file};
    if (start && end) {
      const bool one_process = spans_.front().pid == spans_.back().pid;
      file_phase = sinks_.collector.AddWithin(kNoId,
                                              {.type = file_type_,
                                               .keys = keys,
                                               .node = {},
                                               .pid = one_process ? spans_.front().pid : 0},
                                              *start, *end);
    }
  }
  // An event that has no phase of its own hands what lies in it to the phase around.
  struct Outer {
    const Span* span;
    uint32_t phase;
    bool own_phase;
    OwnWork own_work;
  };
  std::vector<Outer> around;
  const auto close = [&] {
    Outer outer = std::move(around.back());
    around.pop_back();
    if (!outer.own_phase) return;
    const uint64_t end_ns = JobTime(outer.span->end_ns).value_or(0);
    outer.own_work.Finish(sinks_.collector, end_ns, kResolutionNs);
    if (!around.empty()) InnermostWithPhase(around).own_work.ChildEnds(end_ns);
  };
  for (const Span& span : spans_) {
    const uint64_t middle_ns = span.start_ns + (span.end_ns - span.start_ns) / 2;
    const auto ends_before = [&](const Outer& outer) {
      return outer.span->pid != span.pid || outer.span->tid != span.tid ||
             outer.span->end_ns < middle_ns || outer.span->end_ns <= span.start_ns;
    };
    while (!around.empty() && ends_before(around.back())) close();
    const uint32_t parent = around.empty() ? file_phase : around.back().phase;
    const bool own_name = std::any_of(around.begin(), around.end(), [&](const Outer& outer) {
      return outer.span->name == span.name;
    });
    const uint32_t phase = own_name ? kNoId : AddPhase(span, parent);
    const uint64_t start_ns = JobTime(span.start_ns).value_or(0);
    if (phase != kNoId && !around.empty())
      InnermostWithPhase(around).own_work.ChildBegins(sinks_.collector, phase, start_ns,
                                                      kResolutionNs);
    around.push_back({&span, phase == kNoId ? parent : phase, phase != kNoId,
                      OwnWork(phase, {.pid = span.pid, .tid = span.tid}, start_ns)});
  }
  while (!around.empty()) close();
}

absl::Status ChromeTrace::Read(LogBytes& bytes, const std::string& name) {
  file_ = std::string(BaseName(name));
  absl::Status status = ParseChromeTrace(bytes, file_, *this, sinks_.tally);
  for (const auto& [thread, open] : open_)
    sinks_.tally.Count("chrome_events_without_end", open.size());
  if (!spans_.empty()) {
    const bool json = file_.ends_with(".json");
    HandOver(json ? file_.substr(0, file_.size() - 5) : file_);
  }
  spans_.clear();
  open_.clear();
  beginning_ns_ = 0;
  return status;
}

}  // namespace gordian
