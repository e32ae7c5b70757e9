// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/otel_log.h"

#include <utility>

namespace gordian {

void OtelLog::AddSpan(OtelSpan span) {
  if (span.start_ns == 0 || span.id.empty()) return sinks_.tally.Count("log_spans_malformed");
  if (spans_.size() >= PhaseCollector::kMaxPhases) return sinks_.tally.Count("phases_over_limit");
  if (!by_id_.try_emplace(span.id, spans_.size()).second)
    return sinks_.tally.Count("phases_duplicate");
  spans_.push_back({.id = std::move(span.id),
                    .parent_id = std::move(span.parent_id),
                    .name = names_.Number(span.name),
                    .start_ns = span.start_ns,
                    .end_ns = span.end_ns,
                    .tid = span.tid});
}

void OtelLog::PlaceSpans(const OtelPlace& place) {
  const uint32_t node = names_.Number(place.node);
  for (; first_unplaced_ < spans_.size(); ++first_unplaced_) {
    spans_[first_unplaced_].node = node;
    spans_[first_unplaced_].pid = place.pid;
  }
}

absl::Status OtelLog::Damaged(uint64_t line, bool breaks_off) {
  sinks_.tally.CountLine("log_lines_malformed", file_, line, [&]() -> std::string {
    return breaks_off ? "a JSON document that breaks off" : "a JSON document that is damaged";
  });
  return absl::OkStatus();
}

absl::Status OtelLog::Read(LogBytes& bytes, const std::string& name) {
  file_ = BaseName(name);
  return ReadOtelSpans(bytes, *this);
}

// Its parent first. Ends: the way up meets a span that is done, has no parent, or stands on the way
// already (spans may name each other as parents), and each span is taken once.
void OtelLog::Collect(size_t span) {
  std::vector<size_t> way;
  uint32_t parent = kNoId;
  for (size_t at = span;;) {
    if (states_[at] == State::kDone) {
      parent = phases_[at];
      break;
    }
    if (states_[at] == State::kOnTheWay) {
      sinks_.tally.Count("phases_parent_missing");
      break;
    }
    states_[at] = State::kOnTheWay;
    way.push_back(at);
    if (spans_[at].parent_id.empty()) break;
    const auto above = by_id_.find(spans_[at].parent_id);
    if (above == by_id_.end()) {
      sinks_.tally.Count("phases_parent_missing");
      break;
    }
    at = above->second;
  }
  for (; !way.empty(); way.pop_back()) {
    const size_t at = way.back();
    AddToTree(at, parent);
    states_[at] = State::kDone;
    // A span that cannot stand in the tree hands its children to its own parent.
    if (phases_[at] == kNoId) phases_[at] = parent;
    parent = phases_[at];
  }
}

void OtelLog::AddToTree(size_t index, uint32_t parent) {
  const Span& span = spans_[index];
  PhaseCollector& collector = sinks_.collector;
  const PhaseTypeId type = collector.types().ChildOrNew(
      parent == kNoId ? 0 : collector.TypeOf(parent), names_.Text(span.name));
  const auto start = sinks_.clock.FromWall(span.start_ns);
  const auto end = sinks_.clock.FromWall(span.end_ns);
  if (type == kNoId || !start || !end) {
    // Too many types are counted where they are made.
    if (!start || !end) sinks_.tally.Count("log_spans_malformed");
    return;
  }
  const PhaseMark mark{
      .type = type, .keys = {}, .node = names_.Text(span.node), .pid = span.pid, .tid = span.tid};
  phases_[index] = span.end_ns == 0 ? collector.BeginWithin(parent, mark, *start)
                                    : collector.AddWithin(parent, mark, *start, *end);
}

void OtelLog::Finish() {
  states_.assign(spans_.size(), State::kWaiting);
  phases_.assign(spans_.size(), kNoId);
  for (size_t span = 0; span < spans_.size(); ++span) Collect(span);
  spans_.clear();
  first_unplaced_ = 0;
  by_id_.clear();
}

}  // namespace gordian
