// SPDX-License-Identifier: Apache-2.0
// Any recording, and the same with pauses: all that the second tells is true.
//
// A small machine is played and recorded whole. Then pauses are cut out of that recording as the
// recorder would have made them. After each pause the cut recording tells the true state of nearly
// every thread: some end before the recorder comes to them. The oracle is the whole one: at any
// time that both recorded, the second says the same of a thread, or that it does not know.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/graph/wait_for_graph.h"
#include "bench/trace_generator.h"
#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

// When a recorder has come round to telling of a thread.
constexpr uint64_t kToldAfterNs = 3'000;

std::unique_ptr<SessionReader> Open(const std::string& directory) {
  auto session = SessionReader::Open(directory);
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

Timeline Load(SessionReader& session) {
  auto timeline = LoadTimeline(session, {.threads = 1, .events_per_window = 3'000});
  EXPECT_TRUE(timeline.ok()) << timeline.status();
  return *std::move(timeline);
}

struct AtTime {
  SegmentKind kind = SegmentKind::kUnknown;
  EntityId waker = kNobody;
};

AtTime StateAt(const Timeline& timeline, EntityId thread, uint64_t time_ns) {
  for (auto at = timeline.SegmentsFrom(thread, time_ns); !at.done(); at.Next())
    if (at.end_ns() > time_ns) return {at.segment().kind, at.segment().waker};
  return {};
}

using EventsOfCpus = std::map<uint16_t, std::vector<TraceEvent>>;

EventsOfCpus AllEvents(SessionReader& session) {
  EventsOfCpus events;
  MergedEvents merged(session);
  while (merged.Next())
    if (merged.event().kind != EventKind::kTask)
      events[merged.event().cpu].push_back(merged.event());
  return events;
}

uint64_t SwitchesUntil(const EventsOfCpus& events, int32_t tid, uint64_t time_ns) {
  uint64_t switches = 0;
  for (const auto& [cpu, its] : events)
    for (const TraceEvent& event : its)
      switches += event.kind == EventKind::kSwitch && event.sched_switch.prev_tid == tid &&
                          event.time_ns < time_ns
                      ? 1
                      : 0;
  return switches;
}

// Writes the events that a recorder with pauses would have written.
class PausingRecorder {
 public:
  PausingRecorder(const EventsOfCpus& events, const Timeline& whole, std::vector<pb::Pause> pauses)
      : events_(events), whole_(whole), pauses_(std::move(pauses)) {}

  void Write(const std::string& directory) {
    auto writer = SessionWriter::Create(directory, {});
    ASSERT_TRUE(writer.ok());
    TellTasks(whole_.start_ns(), **writer);
    for (const auto& [cpu, events] : events_) {
      EventBlock block;
      block.cpu = cpu;
      size_t pause = 0;
      for (const TraceEvent& event : events) {
        while (pause < pauses_.size() && event.time_ns >= pauses_[pause].to_ns()) {
          ASSERT_TRUE((*writer)->AppendEvents(block).ok());
          block.cpu = cpu;
          ++pause;
        }
        if (pause < pauses_.size() && event.time_ns > pauses_[pause].from_ns()) continue;
        block.events.push_back(event);
      }
      ASSERT_TRUE((*writer)->AppendEvents(block).ok());
    }
    for (const pb::Pause& pause : pauses_) {
      const auto untold = static_cast<EntityId>(pause.to_ns() % whole_.thread_count());
      TellTasks(pause.to_ns() + kToldAfterNs, **writer, untold);
    }
    pb::Session session = whole_.session();
    for (const pb::Pause& pause : pauses_) *session.add_pauses() = pause;
    ASSERT_TRUE((*writer)->WriteSession(session).ok());
  }

 private:
  void TellTasks(uint64_t time_ns, SessionWriter& writer, EntityId untold = kNobody) const {
    EventBlock block;
    block.cpu = kNoCpu;
    for (EntityId id = 0; id < whole_.thread_count(); ++id) {
      if (id == untold) continue;
      const Entity& thread = whole_.entities()[id];
      const bool sleeps = StateAt(whole_, id, time_ns).kind == SegmentKind::kWait;
      block.AddTask(time_ns, {.tid = thread.tid,
                              .tgid = thread.tgid,
                              .state = sleeps ? kStateInterruptible : kStateRunning,
                              .switches = SwitchesUntil(events_, thread.tid, time_ns),
                              .start_time_ns = 1,
                              .comm = thread.name});
    }
    ASSERT_TRUE(writer.AppendTasks(block).ok());
  }

  const EventsOfCpus& events_;
  const Timeline& whole_;
  const std::vector<pb::Pause> pauses_;
};

std::vector<pb::Pause> SomePauses(uint64_t from_ns, uint64_t to_ns, std::mt19937& random) {
  std::vector<uint64_t> times(2 * (1 + random() % 4));
  std::uniform_int_distribution<uint64_t> any(from_ns + 1, to_ns - 1);
  for (uint64_t& time_ns : times) time_ns = any(random);
  std::sort(times.begin(), times.end());
  std::vector<pb::Pause> pauses;
  for (size_t i = 0; i < times.size(); i += 2) {
    if (times[i + 1] < times[i] + 10) continue;
    pauses.emplace_back().set_from_ns(times[i]);
    pauses.back().set_to_ns(times[i + 1]);
  }
  return pauses;
}

class PausedTimelines : public testing::TestWithParam<uint32_t> {};

TEST_P(PausedTimelines, SayWhatHappenedOrThatTheyDoNotKnow) {
  std::mt19937 random(GetParam());
  const TemporaryDirectory directory;
  const TraceShape shape{.events = 6'000,
                         .threads = static_cast<int>(8 + random() % 32),
                         .cpus = static_cast<int>(1 + random() % 4),
                         .seed = GetParam()};
  ASSERT_TRUE(GenerateTrace(shape, directory / "whole").ok());
  const auto whole_session = Open(directory / "whole");
  const Timeline whole = Load(*whole_session);
  const EventsOfCpus events = AllEvents(*whole_session);
  PausingRecorder(events, whole, SomePauses(whole.start_ns(), whole.end_ns(), random))
      .Write(directory / "paused");
  const auto paused_session = Open(directory / "paused");
  const Timeline paused = Load(*paused_session);

  ASSERT_EQ(paused.thread_count(), whole.thread_count());
  EXPECT_EQ(paused.end_ns() - paused.start_ns() + paused.pauses().total_ns(),
            whole.end_ns() - whole.start_ns());
  EXPECT_THAT(paused.counters(), testing::IsEmpty());
  uint64_t known = 0;
  uint64_t all = 0;
  std::uniform_int_distribution<uint64_t> any(whole.start_ns(), whole.end_ns() - 1);
  for (int i = 0; i < 20'000; ++i) {
    const auto thread = static_cast<EntityId>(random() % whole.thread_count());
    const uint64_t time_ns = any(random);
    if (paused.pauses().Holds(time_ns)) continue;
    const AtTime there = StateAt(paused, thread, paused.pauses().RecordedTime(time_ns));
    const AtTime here = StateAt(whole, thread, time_ns);
    ++all;
    if (there.kind == SegmentKind::kUnknown) continue;
    ++known;
    const std::string where = absl::StrCat("thread ", thread, " at ", time_ns - whole.start_ns());
    ASSERT_EQ(there.kind, here.kind) << where;
    if (there.waker < paused.thread_count()) {
      ASSERT_EQ(there.waker, here.waker) << where;
    }
  }
  EXPECT_GT(static_cast<double>(known), 0.9 * static_cast<double>(all));
}

// It ran before anybody told so. Its switch behind the pause contradicts nothing.
TEST(PausedTimeline, OfAThreadBornInAPauseThatEndsBeforeItIsToldTheBeginningIsUnknown) {
  const TemporaryDirectory directory;
  auto writer = SessionWriter::Create(directory.path(), {});
  ASSERT_TRUE(writer.ok());
  const auto switches = [](uint64_t time_ns, int32_t from, int32_t to) {
    TraceEvent event{.time_ns = time_ns, .kind = EventKind::kSwitch};
    event.sched_switch = {.prev_tid = from, .next_tid = to};
    return event;
  };
  EventBlock block;
  block.cpu = 0;
  block.events = {switches(1'000, 0, 7)};
  ASSERT_TRUE((*writer)->AppendEvents(block).ok());
  EventBlock births;
  births.cpu = 0;
  births.AddTask(3'000, {.change = TaskChange::kNew, .tid = 8, .tgid = 8, .comm = "short"});
  ASSERT_TRUE((*writer)->AppendTasks(births).ok());
  block.events = {switches(5'000, 8, 7), switches(5'200, 7, 8), switches(5'300, 8, 0)};
  block.events[0].sched_switch.prev_state = kStateRunning;
  block.events[2].sched_switch.prev_state = kStateDead;
  ASSERT_TRUE((*writer)->AppendEvents(block).ok());
  pb::Session session;
  session.set_start_time_ns(1'000);
  session.set_end_time_ns(6'000);
  pb::Pause& pause = *session.add_pauses();
  pause.set_from_ns(2'000);
  pause.set_to_ns(4'000);
  ASSERT_TRUE((*writer)->WriteSession(session).ok());
  const auto reader = Open(directory.path());
  const Timeline timeline = Load(*reader);
  EXPECT_THAT(timeline.counters(), testing::IsEmpty());
  EntityId born = 0;
  while (born < timeline.thread_count() && timeline.entities()[born].tid != 8) ++born;
  ASSERT_LT(born, timeline.thread_count());
  EXPECT_EQ(timeline.entities()[born].run_ns, 1'101U) << "from the end of the pause on";
}

INSTANTIATE_TEST_SUITE_P(Seeds, PausedTimelines, testing::Range(1u, 41u));

}  // namespace
}  // namespace gordian
