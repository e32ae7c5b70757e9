// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_queues.h"

#include <algorithm>

#include "analysis/token_ways.h"

namespace gordian {
namespace {

// Share of the time asleep. With less of it the seat was free while they stood there: it was
// something else that they stood for.
constexpr double kNoSeatLeft = 0.5;

// Of the sleeps that would begin while a seat is free if they began at any time. Who looks for a
// seat and finds one does not sleep; what looks full in packets was given back just then, at times.
constexpr double kBeginWhileFree = 0.5;
// … if they began at any time. With fewer, chance alone may have chosen.
constexpr double kFewestExpected = 10;

// At work, ready, or kept from it by others of its program.
bool IsAwake(const RequestStep& step) {
  return step.kind == RequestStepKind::kRun || step.kind == RequestStepKind::kRunnable ||
         step.kind == RequestStepKind::kLock || step.kind == RequestStepKind::kThread;
}

}  // namespace

QueuesInPackets::QueuesInPackets(const Timeline& timeline, const TokenTurns& turns)
    : timeline_(timeline), turns_(turns) {
  for (const auto& [port, full] : turns.full_when) {
    const auto asker = turns.asker_of.find(port);
    if (port == turns.port || full.empty() || asker == turns.asker_of.end() ||
        asker->second >= timeline.thread_count())
      continue;
    ports_[ProcessOf(asker->second)].push_back(port);
  }
  FindLookers();
}

void QueuesInPackets::FindLookers() {
  struct Sleeps {
    double all = 0;
    double while_free = 0;
  };
  std::map<uint16_t, Sleeps> sleeps;  // by the port that is asked next
  for (const TokenTurn& turn : turns_.turns) {
    uint16_t next = 0;
    for (size_t i = turn.way.size(); i-- > 0;) {
      const RequestStep& step = turn.way[i];
      const std::vector<uint16_t> servers = ServersOfStep(turns_, step);
      if (!servers.empty()) next = servers.front();
      const auto full = turns_.full_when.find(next);
      if (step.kind != RequestStepKind::kTimer || full == turns_.full_when.end()) continue;
      // It looked at some time since it last slept.
      size_t first = i;
      while (first > 0 && IsAwake(turn.way[first - 1]) && turn.way[first - 1].thread == step.thread)
        --first;
      const uint64_t looked_ns = turn.way[first].from_ns;
      ++sleeps[next].all;
      if (TimeWithin(full->second, looked_ns, step.from_ns + 1) == 0) ++sleeps[next].while_free;
    }
  }
  const auto whole_ns = static_cast<double>(timeline_.end_ns() - timeline_.start_ns());
  for (const auto& [port, of_port] : sleeps) {
    const auto full_ns = static_cast<double>(LengthOf(turns_.full_when.at(port)));
    const double expected = of_port.all * (1 - std::min(1.0, full_ns / whole_ns));
    if (expected >= kFewestExpected && of_port.while_free < kBeginWhileFree * expected)
      looked_for_.insert(port);
  }
}

std::pair<uint32_t, int32_t> QueuesInPackets::ProcessOf(EntityId thread) const {
  const Entity& entity = timeline_.entities()[thread];
  return {entity.node, entity.tgid};
}

uint16_t QueuesInPackets::PortStoodFor(EntityId thread, std::span<const OpenStretch> asleep) const {
  if (thread >= timeline_.thread_count()) return 0;
  const auto ports = ports_.find(ProcessOf(thread));
  if (ports == ports_.end()) return 0;
  uint16_t best = 0;
  auto most_ns = static_cast<uint64_t>(kNoSeatLeft * static_cast<double>(LengthOf(asleep)));
  for (const uint16_t port : ports->second) {
    uint64_t full_ns = 0;
    for (const OpenStretch& sleep : asleep)
      full_ns += TimeWithin(turns_.full_when.at(port), sleep.from_ns, sleep.to_ns);
    if (full_ns <= most_ns) continue;
    best = port;
    most_ns = full_ns;
  }
  return best;
}

std::vector<OpenStretch> SleepsWithin(const Timeline& timeline, EntityId thread, uint64_t from_ns,
                                      uint64_t to_ns) {
  std::vector<OpenStretch> sleeps;
  for (SegmentCursor at = timeline.SegmentsFrom(thread, from_ns);
       !at.done() && at.start_ns() < to_ns; at.Next()) {
    if (at.segment().kind != SegmentKind::kWait) continue;
    const uint64_t begin_ns = std::max(from_ns, at.start_ns());
    const uint64_t end_ns = std::min(to_ns, at.end_ns());
    if (begin_ns < end_ns) sleeps.push_back({begin_ns, end_ns});
  }
  return sleeps;
}

EntityId WhoEndsSleeps(const Timeline& timeline, EntityId thread, uint64_t from_ns,
                       uint64_t to_ns) {
  uint64_t longest_ns = 0;
  EntityId who = kNobody;
  for (SegmentCursor at = timeline.SegmentsFrom(thread, from_ns);
       !at.done() && at.start_ns() < to_ns; at.Next()) {
    const ThreadSegment& segment = at.segment();
    const uint64_t time_ns = std::min(to_ns, at.end_ns()) - std::max(from_ns, at.start_ns());
    if (segment.kind != SegmentKind::kWait || time_ns <= longest_ns) continue;
    longest_ns = time_ns;
    who = segment.cause == WaitCause::kThread && segment.waker < timeline.thread_count()
              ? segment.waker
              : kNobody;
  }
  return who;
}

uint64_t LengthOf(std::span<const OpenStretch> stretches) {
  uint64_t length_ns = 0;
  for (const OpenStretch& stretch : stretches) length_ns += stretch.to_ns - stretch.from_ns;
  return length_ns;
}

}  // namespace gordian
