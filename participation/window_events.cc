// SPDX-License-Identifier: Apache-2.0
#include "participation/window_events.h"

#include <algorithm>

namespace gordian {
namespace {

// The first phase, of all or of one thread, that ends behind time_ns.
auto FirstEndingBehind(std::span<const ThreadPhase> of_thread, uint64_t time_ns) {
  return std::partition_point(of_thread.begin(), of_thread.end(),
                              [&](const ThreadPhase& phase) { return phase.to_ns <= time_ns; });
}

}  // namespace

std::span<const ThreadPhase> PhasesOf(const RecordedGraph& graph, EntityId thread) {
  const auto begin =
      std::partition_point(graph.phases.begin(), graph.phases.end(),
                           [&](const ThreadPhase& phase) { return phase.thread < thread; });
  const auto end = std::partition_point(
      begin, graph.phases.end(), [&](const ThreadPhase& phase) { return phase.thread <= thread; });
  return {begin, end};
}

uint32_t PhaseBefore(std::span<const ThreadPhase> of_thread, uint64_t time_ns) {
  if (time_ns == 0) return kNoPhase;
  const auto phase = FirstEndingBehind(of_thread, time_ns - 1);
  return phase != of_thread.end() && phase->from_ns < time_ns ? phase->name : kNoPhase;
}

void StayEvents::Add(uint64_t time_ns, const StayEvent& event) {
  order.push_back({time_ns, static_cast<uint32_t>(events.size())});
  events.push_back(event);
}

void StayEvents::GatherThread(const RecordedGraph& graph, EntityId thread, uint64_t from_ns,
                              uint64_t to_ns) {
  const Timeline& timeline = graph.timeline;
  const Entity& entity = timeline.entities()[thread];
  if (entity.begin_ns >= to_ns || entity.end_ns < from_ns) return;
  StayEvent before{.thread = thread, .value = timeline.creator(thread), .stay = Stay::kUnborn};
  const uint64_t first_ns = from_ns > entity.begin_ns ? from_ns - 1 : from_ns;
  for (SegmentCursor at = timeline.SegmentsFrom(thread, first_ns);
       !at.done() && at.start_ns() < to_ns; at.Next()) {
    if (at.end_ns() <= at.start_ns()) continue;
    if (at.start_ns() >= from_ns) Add(at.start_ns(), before);
    const StayOfThread is = StayOf(timeline, thread, at);
    before = {.thread = thread,
              .value = is.waker,
              .stay = is.stay,
              .is_wait = is.is_wait,
              .is_idle = is.is_idle};
  }
  const bool ends = entity.end_ns < to_ns && entity.end_ns > entity.begin_ns;
  if (ends && before.stay != Stay::kUnborn) Add(entity.end_ns, before);
}

void StayEvents::GatherPhases(const RecordedGraph& graph, uint64_t from_ns, uint64_t to_ns) {
  for (auto first = graph.phases.begin(); first != graph.phases.end();) {
    const auto of_thread = PhasesOf(graph, first->thread);
    for (auto phase = FirstEndingBehind(of_thread, from_ns == 0 ? 0 : from_ns - 1);
         phase != of_thread.end() && phase->from_ns < to_ns; ++phase) {
      const bool follows = phase != of_thread.begin() && std::prev(phase)->to_ns == phase->from_ns;
      const auto add = [&](uint64_t time_ns, uint32_t before) {
        if (time_ns < from_ns || time_ns >= to_ns) return;
        Add(time_ns, {.thread = phase->thread, .value = before, .kind = StayEvent::Kind::kPhase});
      };
      if (!follows) add(phase->from_ns, kNoPhase);
      add(phase->to_ns, phase->name);
    }
    first += static_cast<std::ptrdiff_t>(of_thread.size());
  }
}

void StayEvents::GatherSamples(const RecordedGraph& graph, const RunningSamples& samples,
                               uint64_t from_ns, uint64_t to_ns) {
  const auto first =
      std::partition_point(samples.begin(), samples.end(),
                           [&](const TimedIndex& sample) { return sample.time_ns < from_ns; });
  for (auto sample = first; sample != samples.end() && sample->time_ns < to_ns; ++sample) {
    Add(sample->time_ns, {.thread = graph.timeline.stack_samples()[sample->index].thread,
                          .value = sample->index,
                          .kind = StayEvent::Kind::kSample});
  }
}

void StayEvents::Gather(const RecordedGraph& graph, const RunningSamples& samples, uint64_t from_ns,
                        uint64_t to_ns) {
  events.clear();
  order.clear();
  for (EntityId thread = 0; thread < graph.timeline.thread_count(); ++thread)
    GatherThread(graph, thread, from_ns, to_ns);
  if (!graph.phases.empty()) GatherPhases(graph, from_ns, to_ns);
  if (graph.keep_samples) GatherSamples(graph, samples, from_ns, to_ns);
  SortByTime(order, scratch);
}

RunningSamples RunningSamplesOf(const RecordedGraph& graph) {
  RunningSamples running;
  if (!graph.keep_samples) return running;
  const auto samples = graph.timeline.stack_samples();
  for (size_t i = 0; i < samples.size(); ++i) {
    const StackSample& sample = samples[i];
    const bool runs =
        sample.moment() == StackMoment::kCpu && sample.thread < graph.timeline.thread_count();
    if (runs)
      running.push_back(
          {graph.timeline.start_ns() + sample.since_start_ns, static_cast<uint32_t>(i)});
  }
  std::vector<TimedIndex> scratch;
  SortByTime(running, scratch);
  return running;
}

}  // namespace gordian
