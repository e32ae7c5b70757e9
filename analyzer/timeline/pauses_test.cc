// SPDX-License-Identifier: Apache-2.0
// How a pause changes the times and events of a recording.
#include "analyzer/timeline/pauses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace gordian {
namespace {

using testing::ElementsAre;

pb::Session SessionWith(const std::vector<std::pair<uint64_t, uint64_t>>& pauses) {
  pb::Session session;
  for (const auto& [from_ns, to_ns] : pauses) {
    pb::Pause& pause = *session.add_pauses();
    pause.set_from_ns(from_ns);
    pause.set_to_ns(to_ns);
  }
  return session;
}

// 89 ns of the first pause are cut out, 9 of the second.
Pauses TwoPauses() { return Pauses(SessionWith({{110, 200}, {250, 260}}), 100); }

TEST(Pauses, ARecordingWithoutAnyKeepsItsTimes) {
  const Pauses none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.RecordedTime(12345), 12345u);
  EXPECT_EQ(none.ClockTime(12345), 12345u);
  EXPECT_EQ(none.LastResume(12345), 0u);
  EXPECT_EQ(none.NextPause(5, 77), 77u);
}

TEST(Pauses, LeaveOneNanosecondEach) {
  const Pauses pauses = TwoPauses();
  EXPECT_EQ(pauses.total_ns(), 98u);
  EXPECT_EQ(pauses.RecordedTime(110), 110u);
  EXPECT_EQ(pauses.RecordedTime(150), 110u);
  EXPECT_EQ(pauses.RecordedTime(200), 111u);
  EXPECT_EQ(pauses.RecordedTime(250), 161u);
  EXPECT_EQ(pauses.RecordedTime(259), 161u);
  EXPECT_EQ(pauses.RecordedTime(300), 202u);
}

TEST(Pauses, RecordedTimesAreFoundOnTheClockAgain) {
  const Pauses pauses = TwoPauses();
  for (const uint64_t clock_ns : {100, 110, 200, 220, 250, 260, 300})
    EXPECT_EQ(pauses.ClockTime(pauses.RecordedTime(clock_ns)), clock_ns);
}

TEST(Pauses, WhatEndsWithAWindowEndsWhereThePauseBegins) {
  const Pauses pauses = TwoPauses();
  EXPECT_EQ(pauses.ClockTime(111), 200u);
  EXPECT_EQ(pauses.ClockTimeOfEnd(111), 111u);
  EXPECT_EQ(pauses.ClockTimeOfEnd(112), 201u);
  EXPECT_EQ(pauses.ClockTimeOfEnd(105), 105u);
}

TEST(Pauses, TellWhatIsAroundATime) {
  const Pauses pauses = TwoPauses();
  EXPECT_EQ(pauses.LastResume(110), 0u);
  EXPECT_EQ(pauses.LastResume(111), 111u);
  EXPECT_EQ(pauses.LastResume(161), 111u);
  EXPECT_EQ(pauses.LastResume(170), 162u);
  EXPECT_EQ(pauses.NextPause(100, 999), 110u);
  EXPECT_EQ(pauses.NextPause(110, 999), 110u);
  EXPECT_EQ(pauses.NextPause(111, 999), 161u);
  EXPECT_EQ(pauses.NextPause(162, 999), 999u);
  EXPECT_EQ(pauses.NextResume(110), 111u);
  EXPECT_EQ(pauses.NextResume(111), 162u);
  EXPECT_EQ(pauses.NextResume(162), Pauses::kNever);
  EXPECT_FALSE(pauses.Holds(110));
  EXPECT_TRUE(pauses.Holds(111));
  EXPECT_TRUE(pauses.Holds(199));
  EXPECT_FALSE(pauses.Holds(200));
}

using Stretch = std::pair<uint64_t, uint64_t>;

std::vector<Stretch> Windows(const Pauses& pauses, uint64_t from_ns, uint64_t to_ns) {
  std::vector<Stretch> windows;
  pauses.ForEachWindow(from_ns, to_ns, [&](uint64_t window_from_ns, uint64_t window_to_ns) {
    windows.emplace_back(window_from_ns, window_to_ns);
  });
  return windows;
}

TEST(Pauses, CutAStretchIntoWindows) {
  const Pauses pauses = TwoPauses();
  EXPECT_THAT(Windows(pauses, 100, 105), ElementsAre(Stretch(100, 105)));
  EXPECT_THAT(Windows(pauses, 100, 210),
              ElementsAre(Stretch(100, 110), Stretch(200, 250), Stretch(260, 308)));
  EXPECT_THAT(Windows(pauses, 111, 161), ElementsAre(Stretch(200, 250)));
  EXPECT_THAT(Windows(pauses, 105, 112), ElementsAre(Stretch(105, 110), Stretch(200, 201)));
  EXPECT_THAT(Windows(pauses, 110, 112), ElementsAre(Stretch(200, 201)));
  EXPECT_THAT(Windows(pauses, 105, 105), ElementsAre(Stretch(105, 105)));
  EXPECT_THAT(pauses.Stretches(), ElementsAre(Stretch(110, 200), Stretch(250, 260)));
}

TEST(Pauses, NonsenseInAFileIsLeftOut) {
  const Pauses pauses(
      SessionWith({{300, 200}, {120, 121}, {150, 160}, {155, 170}, {160, 165}, {0, ~0ull}}), 100);
  EXPECT_EQ(pauses.count(), 1u);
  EXPECT_EQ(pauses.RecordedTime(160), 151u);
}

TEST(Pauses, ThoseBeforeTheOldestEventOfAFlightRecorderCutNothing) {
  const Pauses pauses(SessionWith({{10, 50}, {80, 120}}), 100);
  EXPECT_EQ(pauses.count(), 1u);
  EXPECT_EQ(pauses.RecordedTime(100), 100u);
  EXPECT_EQ(pauses.RecordedTime(120), 101u);
}

TraceEvent Probe(uint64_t time_ns, ProbeKind kind) {
  TraceEvent event{.time_ns = time_ns, .kind = EventKind::kProbe};
  event.probe = {.tid = 7, .kind = kind};
  return event;
}

std::vector<uint64_t> TimesOf(const EventBlock& block) {
  std::vector<uint64_t> times;
  for (const TraceEvent& event : block.events) times.push_back(event.time_ns);
  return times;
}

TEST(Pauses, OfWhatHappenedInOneOnlyWhatHoldsForLongerStays) {
  EventBlock block;
  block.events = {Probe(105, ProbeKind::kSpinBegin), Probe(120, ProbeKind::kSpinBegin),
                  Probe(130, ProbeKind::kSpinEnd), Probe(140, ProbeKind::kFalseWakeup),
                  Probe(150, ProbeKind::kPhaseEnd)};
  block.AddTask(160, TaskRecord{.change = TaskChange::kExit, .tid = 3});
  block.events.push_back({.time_ns = 170, .kind = EventKind::kSwitch});
  block.events.push_back({.time_ns = 200, .kind = EventKind::kSwitch});
  TwoPauses().CutOutOf(block);
  EXPECT_THAT(TimesOf(block), ElementsAre(105, 110, 110, 110, 111));
  EXPECT_EQ(block.events[1].probe.kind, ProbeKind::kSpinRelease);
  EXPECT_EQ(block.events[2].probe.kind, ProbeKind::kPhaseEnd);
  EXPECT_EQ(block.events[3].kind, EventKind::kTask);
  EXPECT_EQ(block.events[4].kind, EventKind::kSwitch);
}

TEST(Pauses, ShortenWhatLastedOverThem) {
  EventBlock block;
  TraceEvent done{.time_ns = 210, .kind = EventKind::kBlockComplete};
  done.block.service_ns = 110;
  TraceEvent unknown = done;
  unknown.block.service_ns = 0;
  TraceEvent loss{.time_ns = 210, .kind = EventKind::kLoss};
  loss.loss = {.duration_ns = 60, .count = 1};
  block.events = {done, unknown, loss};
  TwoPauses().CutOutOf(block);
  EXPECT_EQ(block.events[0].block.service_ns, 21u);  // 100 to 110, and 200 to 210
  EXPECT_EQ(block.events[1].block.service_ns, 0u);
  EXPECT_EQ(block.events[2].loss.duration_ns, 11u);
}

}  // namespace
}  // namespace gordian
