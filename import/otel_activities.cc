// SPDX-License-Identifier: Apache-2.0
#include "import/otel_activities.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fmt/format.h"

namespace gordian {

uint32_t OtelActivities::Name(std::string_view text) {
  const auto number = names_.Number(text);
  if (!number.ok()) over_limit_ = number.status();
  return number.ok() ? *number : 0;
}

void OtelActivities::AddSpan(OtelSpan span) {
  const bool fits = span.start_ns != 0 && span.end_ns != 0 && !span.id.empty() &&
                    span.name.size() <= kMaxActivityNameBytes;
  if (!fits || !by_id_.try_emplace(std::move(span.id), spans_.size()).second) {
    ++odd_;
    return;
  }
  if (spans_.size() == kMaxSpans) {
    over_limit_ = absl::ResourceExhaustedError("more than 8 million spans: import parts of them");
    return;
  }
  spans_.push_back({.parent_id = std::move(span.parent_id),
                    .links = std::move(span.links),
                    .start_ns = span.start_ns,
                    .end_ns = span.end_ns,
                    .name = Name(span.name)});
}

// "shop@n1 [41]": the service and, as far as they are told, the instance or node and the process.
void OtelActivities::PlaceSpans(const OtelPlace& place) {
  std::string text = place.service.empty() ? "(no service)" : place.service;
  const std::string& where = place.instance.empty() ? place.node : place.instance;
  if (!where.empty()) text += "@" + where;
  if (place.pid != 0) text += fmt::format(" [{}]", place.pid);
  text.resize(std::min<size_t>(text.size(), kMaxActivityNameBytes / 2));  // with room for the lane
  const uint32_t number = Name(text);
  for (; first_unplaced_ < spans_.size(); ++first_unplaced_) spans_[first_unplaced_].place = number;
}

absl::Status OtelActivities::Damaged(uint64_t line, bool breaks_off) {
  return absl::InvalidArgumentError(
      fmt::format("{}: a JSON document that {}", line, breaks_off ? "breaks off" : "is damaged"));
}

size_t OtelActivities::Find(const std::string& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() || found->second >= spans_.size() ? kNoSpan : found->second;
}

std::string OtelActivities::WorkerOf(const Span& span) const {
  return Lanes::Name(names_.Text(span.place), span.lane);
}

void OtelActivities::TakeLanes() {
  std::vector<size_t> order(spans_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](size_t a, size_t b) { return spans_[a].start_ns < spans_[b].start_ns; });
  for (const size_t number : order) {
    Span& span = spans_[number];
    span.lane = lanes_.Take(span.place, span.start_ns, std::max(span.start_ns, span.end_ns));
  }
}

// The cause's line is parted where it starts the effect: as long as it goes on, at the effect's
// beginning; else at its end, and the effect was under way until it began. If the effect began
// before the cause did, this is an edge back in time, which the sink counts.
absl::Status OtelActivities::WriteCause(const Span& cause, size_t cause_number, const Span& effect,
                                        ActivitySink& sink) {
  const uint64_t at_ns =
      std::clamp(effect.start_ns, cause.start_ns, std::max(cause.start_ns, cause.end_ns));
  if (effect.start_ns >= cause.start_ns)
    events_[cause_number].push_back({.time_ns = at_ns, .starts = true});
  return sink.Add({.src_worker = WorkerOf(cause),
                   .src_ns = at_ns,
                   .dst_worker = WorkerOf(effect),
                   .dst_ns = effect.start_ns,
                   .type = "ControlMessage",
                   .label = names_.Text(effect.name)});
}

absl::Status OtelActivities::WriteCauses(ActivitySink& sink) {
  for (size_t number = 0; number < spans_.size(); ++number) {
    const Span& span = spans_[number];
    for (const std::string& link : span.links) {
      const size_t cause = Find(link);
      if (cause == kNoSpan || cause == number) {
        ++odd_;
        continue;
      }
      if (absl::Status status = WriteCause(spans_[cause], cause, span, sink); !status.ok())
        return status;
    }
    if (span.parent_id.empty()) continue;
    const size_t parent_number = Find(span.parent_id);
    if (parent_number == kNoSpan || parent_number == number) {
      ++without_parent_;
      continue;
    }
    const Span& parent = spans_[parent_number];
    if (absl::Status status = WriteCause(parent, parent_number, span, sink); !status.ok())
      return status;
    // A parent waits for the children that end before it does.
    const bool is_waited_for = span.end_ns >= span.start_ns && span.start_ns >= parent.start_ns &&
                               span.end_ns <= parent.end_ns;
    if (!is_waited_for) continue;
    events_[parent_number].push_back({.time_ns = span.start_ns, .waited_for = 1});
    events_[parent_number].push_back({.time_ns = span.end_ns, .waited_for = -1});
    if (span.end_ns == span.start_ns) continue;  // it would lead in a circle
    absl::Status status = sink.Add({.src_worker = WorkerOf(span),
                                    .src_ns = span.end_ns,
                                    .dst_worker = WorkerOf(parent),
                                    .dst_ns = span.end_ns,
                                    .type = "ControlMessage",
                                    .label = names_.Text(span.name)});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status OtelActivities::WriteLine(const Span& span, std::vector<LineEvent>& events,
                                       ActivitySink& sink) {
  const std::string worker = WorkerOf(span);
  const std::string& name = names_.Text(span.name);
  absl::Status status;
  const auto write = [&](uint64_t begin_ns, uint64_t end_ns, bool waits) {
    if (!status.ok()) return;
    status = sink.Add({.src_worker = worker,
                       .src_ns = begin_ns,
                       .dst_worker = worker,
                       .dst_ns = end_ns,
                       .type = waits ? "Waiting" : "Processing",
                       .label = name,
                       .traversable = !waits});
  };
  if (span.end_ns < span.start_ns) {
    write(span.start_ns, span.end_ns, false);  // counted as an edge back in time
  } else {
    PartLine(span.start_ns, span.end_ns, events, write);
  }
  return status;
}

absl::Status OtelActivities::Finish(ActivitySink& sink, pb::ActivityGraph& graph) {
  PlaceSpans({});  // what stands in no group of resources, as no exporter writes it
  if (!over_limit_.ok()) return over_limit_;
  events_.resize(spans_.size());
  TakeLanes();
  if (absl::Status status = WriteCauses(sink); !status.ok()) return status;
  for (size_t number = 0; number < spans_.size(); ++number) {
    if (absl::Status status = WriteLine(spans_[number], events_[number], sink); !status.ok())
      return status;
  }
  AddGraphCounter(graph, "activities_odd", odd_);
  AddGraphCounter(graph, "spans_without_parent", without_parent_);
  return absl::OkStatus();
}

}  // namespace gordian
