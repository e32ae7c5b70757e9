// SPDX-License-Identifier: Apache-2.0
#include "analyzer/testing/quarrels.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>

#include "schema/session.pb.h"
#include "trace/event_block.h"
#include "trace/random_events.h"
#include "trace/session_writer.h"

namespace gordian {
namespace {

// Few threads and locks, many contradictions.
TraceEvent AnyQuarrel(uint64_t time_ns, EventBlock& block) {
  const auto tid = [] { return *rc::gen::inRange<int32_t>(0, 5); };
  TraceEvent event{.time_ns = time_ns, .cpu = block.cpu};
  switch (*rc::gen::inRange(0, 12)) {
    case 0:
      event.kind = EventKind::kLoss;
      event.loss = {.duration_ns = *rc::gen::inRange<uint64_t>(0, 20), .count = 1};
      return event;
    case 1:
    case 2:
    case 3:
      event.kind = EventKind::kProbe;
      event.probe = {.tid = tid(),
                     .kind = static_cast<ProbeKind>(*rc::gen::inRange(1, 7)),
                     .value = *rc::gen::inRange<uint64_t>(0, 2)};
      block.InternName("");
      return event;
    case 4:
    case 5:
    case 6:
    case 7:
      event.kind = EventKind::kWake;
      event.wake = {.wakee_tid = tid(), .waker_tid = tid()};
      return event;
    default:
      event.sched_switch = {.prev_tid = tid(),
                            .next_tid = tid(),
                            .prev_state = *rc::gen::element(0u, 1u, 1u, 2u, 0x80u),
                            .preempted = *rc::gen::arbitrary<bool>()};
      return event;
  }
}

TaskRecord AnyTask(uint64_t time_ns) {
  const auto change = static_cast<TaskChange>(*rc::gen::inRange(0, 5));
  return {
      .change = change,
      .tid = *rc::gen::inRange<int32_t>(1, 5),
      .tgid = *rc::gen::inRange<int32_t>(1, 3),
      .parent_tid = *rc::gen::inRange<int32_t>(0, 4),
      .state = *rc::gen::element(0u, 1u),
      .switches = *rc::gen::arbitrary<bool>() ? std::optional(*rc::gen::inRange<uint64_t>(0, 4))
                                              : std::nullopt,
      .start_time_ns = change == TaskChange::kNew ? time_ns : *rc::gen::element<uint64_t>(0, 1, 40),
      .comm = "quarrel"};
}

// In order and apart, or not.
pb::Session AnyPauses() {
  pb::Session session;
  uint64_t time_ns = 0;
  while (*rc::gen::inRange(0, 3) > 0) {
    pb::Pause& pause = *session.add_pauses();
    pause.set_from_ns(time_ns += *rc::gen::inRange<uint64_t>(0, 40));
    pause.set_to_ns(time_ns += *rc::gen::inRange<uint64_t>(0, 40));
    if (*rc::gen::inRange(0, 8) == 0) time_ns = 0;
  }
  return session;
}

}  // namespace

void WriteQuarrel(const std::string& directory) {
  auto writer = SessionWriter::Create(directory, {});
  RC_ASSERT(writer.ok());
  for (uint16_t cpu = 0; cpu < 3; ++cpu) {
    EventBlock block;
    block.cpu = cpu;
    uint64_t time_ns = *rc::gen::inRange<uint64_t>(1, 20);
    for (int count = *rc::gen::inRange(1, 60); count > 0; --count) {
      if (*rc::gen::inRange(0, 15) == 0) block.AddTask(time_ns, AnyTask(time_ns));
      block.events.push_back(AnyQuarrel(time_ns, block));
      time_ns += *rc::gen::inRange<uint64_t>(0, 5);
      if (*rc::gen::inRange(0, 8) != 0) continue;
      RC_ASSERT((*writer)->AppendEvents(block).ok());
      block.cpu = cpu;
    }
    RC_ASSERT((*writer)->AppendEvents(block).ok());
  }
  EventBlock told;
  told.cpu = kNoCpu;
  for (uint64_t time_ns = 10; *rc::gen::inRange(0, 4) > 0;) {
    time_ns += *rc::gen::inRange<uint64_t>(0, 40);
    told.AddTask(time_ns, AnyTask(time_ns));
    if (*rc::gen::inRange(0, 2) == 0) continue;
    RC_ASSERT((*writer)->AppendTasks(told).ok());
    told.cpu = kNoCpu;
  }
  RC_ASSERT((*writer)->AppendTasks(told).ok());
  RC_ASSERT((*writer)->WriteSession(AnyPauses()).ok());
}

void WriteAnything(const std::string& directory) {
  auto writer = SessionWriter::Create(directory, {});
  RC_ASSERT(writer.ok());
  for (uint16_t cpu = 0; cpu < 2; ++cpu) {
    EventBlock block = *AnyEventBlock();
    block.cpu = cpu;
    for (TraceEvent& event : block.events) event.cpu = cpu;
    SortByTime(block.events);
    RC_ASSERT((*writer)->AppendEvents(block).ok());
  }
  RC_ASSERT((*writer)->WriteSession({}).ok());
}

}  // namespace gordian
