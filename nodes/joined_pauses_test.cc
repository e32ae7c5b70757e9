// SPDX-License-Identifier: Apache-2.0
// Two nodes that talk to each other and pause now and then: what the joined timeline says of the
// times that both recorded is what it says if neither pauses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nodes/joined_nodes.h"
#include "nodes/test_cluster.h"

namespace gordian {
namespace {

using testing::kDb;
using testing::kSleep;
using testing::kWeb;
using testing::StoryOf;
using testing::TestClock;
using testing::TestCluster;
using testing::TraceBuilder;
using testing::operator""_ms;
using testing::operator""_us;

constexpr uint64_t kTransitNs = 50'000;
constexpr uint64_t kRounds = 300;
constexpr uint64_t kRoundNs = 10'000'000;
constexpr uint64_t kToldAfterNs = 20'000;
constexpr uint8_t kStream = 6;
constexpr uint8_t kDatagrams = 17;

struct Pause {
  uint64_t from_ns = 0;  // true time, as all here
  uint64_t to_ns = 0;
};

// A node with one thread that works and one that sleeps, as its recorder would tell of them.
class PausingNode {
 public:
  PausingNode(TestCluster& cluster, std::string name, int32_t tid, std::vector<Pause> pauses,
              const TestClock& clock)
      : cluster_(cluster), name_(std::move(name)), tid_(tid), pauses_(std::move(pauses)) {
    TraceBuilder& trace = cluster.Node(name_, clock).Unchecked();
    trace.Thread(tid, absl::StrCat("worker", tid)).Thread(tid + 1, absl::StrCat("sleeper", tid));
    for (const Pause& pause : pauses_) {
      pb::Pause& told = *trace.session().add_pauses();
      const uint64_t begin_ns = TestCluster::kBeginNs + static_cast<uint64_t>(clock.skew_ns);
      told.set_from_ns(begin_ns + cluster.Elapsed(name_, 0, pause.from_ns));
      told.set_to_ns(begin_ns + cluster.Elapsed(name_, 0, pause.to_ns));
    }
  }

  template <typename Tell>
  void Record(uint64_t time_ns, Tell tell) {
    Resume(time_ns);
    for (const Pause& pause : pauses_)
      if (pause.from_ns < time_ns && time_ns < pause.to_ns) return;
    tell(cluster_.At(name_, time_ns));
  }
  void Runs(uint64_t time_ns) {
    Record(time_ns, [&](TraceBuilder& trace) { trace.Switch(0, tid_, 0); });
    sleeps_ = false;
  }
  void Sleeps(uint64_t time_ns) {
    Record(time_ns, [&](TraceBuilder& trace) { trace.Switch(tid_, 0, kSleep); });
    sleeps_ = true;
    ++switches_;
  }
  void Sends(uint64_t time_ns, uint16_t from, uint16_t to, uint32_t sequence) {
    Record(time_ns, [&](TraceBuilder&) { cluster_.Send(name_, from, to, sequence, 100, tid_); });
  }
  void IsWoken(uint64_t time_ns, uint16_t from, uint16_t to, uint32_t sequence) {
    Record(time_ns, [&](TraceBuilder&) { cluster_.Deliver(name_, from, to, sequence, 100, tid_); });
  }

 private:
  // The threads are told anew before the first event behind a pause.
  void Resume(uint64_t time_ns) {
    for (; next_ < pauses_.size() && pauses_[next_].to_ns <= time_ns; ++next_) {
      cluster_.At(name_, std::min(pauses_[next_].to_ns + kToldAfterNs, time_ns))
          .Told(tid_, sleeps_ ? kSleep : 0, switches_)
          .Told(tid_ + 1, kSleep, 0);
    }
  }

  TestCluster& cluster_;
  const std::string name_;
  const int32_t tid_;
  const std::vector<Pause> pauses_;
  size_t next_ = 0;
  bool sleeps_ = true;
  uint64_t switches_ = 0;
};

// front on web1 asks back on db1 a hundred times a second, and waits for the answer.
JoinedNodes AskAllTheTime(const std::vector<Pause>& web_pauses, const std::vector<Pause>& db_pauses,
                          const TestClock& db_clock = {}, uint8_t protocol = kStream) {
  TestCluster cluster;
  PausingNode web(cluster, "web1", 10, web_pauses, {});
  PausingNode db(cluster, "db1", 20, db_pauses, db_clock);
  cluster.Flow(kWeb, kDb, protocol);
  cluster.Flow(kDb, kWeb, protocol);
  const bool numbered = protocol == kStream;
  for (uint32_t round = 0; round < kRounds; ++round) {
    const uint64_t begin_ns = round * kRoundNs;
    const uint32_t asked = numbered ? 1'000 + round * 100 : 0;
    const uint32_t answered = numbered ? 7'000 + round * 100 : 0;
    if (round == 0) web.Runs(begin_ns);
    web.Sends(begin_ns + 1_ms, kWeb, kDb, asked);
    web.Sleeps(begin_ns + 1010_us);
    db.IsWoken(begin_ns + 1_ms + kTransitNs, kWeb, kDb, asked);
    db.Runs(begin_ns + 1100_us);
    db.Sends(begin_ns + 5_ms, kDb, kWeb, answered);
    db.Sleeps(begin_ns + 5010_us);
    web.IsWoken(begin_ns + 5_ms + kTransitNs, kDb, kWeb, answered);
    web.Runs(begin_ns + 5100_us);
  }
  cluster.Measure(kRounds * kRoundNs, 100_ms);
  return cluster.Load();
}

struct AtTime {
  SegmentKind kind = SegmentKind::kUnknown;
  std::string waker;
  bool operator==(const AtTime&) const = default;
};

AtTime StateAt(const Timeline& timeline, const std::string& thread, uint64_t time_ns) {
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    if (timeline.entities()[id].name != thread) continue;
    for (auto at = timeline.SegmentsFrom(id, time_ns); !at.done(); at.Next()) {
      if (at.end_ns() <= time_ns) continue;
      const EntityId waker = at.segment().waker;
      return {at.segment().kind, waker == kNobody ? "" : timeline.entities()[waker].name};
    }
  }
  return {};
}

struct Agreement {
  double known = 0;      // share of the times looked at
  double different = 0;  // … of those known
  std::string differences;
};

// At times that all nodes recorded, a little away from the borders.
Agreement Compare(const JoinedNodes& paused, const JoinedNodes& whole, const std::string& thread,
                  uint64_t away_ns) {
  const Pauses& pauses = paused.timeline.pauses();
  Agreement agreement;
  uint64_t known = 0;
  uint64_t different = 0;
  uint64_t all = 0;
  for (uint64_t time_ns = whole.timeline.start_ns() + 1; time_ns < whole.timeline.end_ns();
       time_ns += 77'777) {
    if (pauses.Holds(time_ns - away_ns) || pauses.Holds(time_ns) || pauses.Holds(time_ns + away_ns))
      continue;
    const AtTime there = StateAt(paused.timeline, thread, pauses.RecordedTime(time_ns));
    const AtTime here = StateAt(whole.timeline, thread, time_ns);
    ++all;
    if (there.kind == SegmentKind::kUnknown) continue;
    ++known;
    const bool is_same =
        there.kind == here.kind && (there.waker.empty() || there.waker == here.waker);
    different += is_same ? 0 : 1;
    if (!is_same && agreement.differences.size() < 500)
      absl::StrAppend(&agreement.differences, (time_ns - whole.timeline.start_ns()) / 1000,
                      " us: ", static_cast<int>(there.kind), " ", there.waker, " and not ",
                      here.kind, " ", here.waker, "\n");
  }
  agreement.different = static_cast<double>(different) / static_cast<double>(known);
  agreement.known = static_cast<double>(known) / static_cast<double>(all);
  return agreement;
}

const Entity& ThreadOf(const JoinedNodes& joined, const std::string& name) {
  for (const Entity& entity : joined.timeline.entities())
    if (entity.name == name) return entity;
  std::abort();
}

void ExpectTimesAddUp(const JoinedNodes& joined) {
  for (EntityId id = 0; id < joined.timeline.thread_count(); ++id) {
    const Entity& thread = joined.timeline.entities()[id];
    EXPECT_EQ(thread.run_ns + thread.runnable_ns + thread.wait_ns + thread.unknown_ns,
              thread.end_ns - thread.begin_ns);
  }
}

const std::vector<Pause> kTwo = {{403_ms, 903_ms}, {1506_ms, 2103_ms}};

TEST(JoinedPauses, OfEqualPausesTheRestIsAsInARecordingWithoutThem) {
  const JoinedNodes whole = AskAllTheTime({}, {});
  const JoinedNodes paused = AskAllTheTime(kTwo, kTwo);
  EXPECT_EQ(paused.timeline.pauses().count(), 2u);
  EXPECT_EQ(paused.timeline.pauses().total_ns(), 500_ms + 597_ms - 2);
  EXPECT_EQ(
      paused.timeline.end_ns() - paused.timeline.start_ns(),
      whole.timeline.end_ns() - whole.timeline.start_ns() - paused.timeline.pauses().total_ns());
  for (const char* thread : {"worker10", "worker20"}) {
    const Agreement agreement = Compare(paused, whole, thread, 0);
    EXPECT_EQ(agreement.differences, "") << thread;
    EXPECT_GT(agreement.known, 0.98) << thread;
  }
  EXPECT_EQ(StoryOf(paused.timeline, "web1", "sleeper10"), "0 unknown | 403000 wait")
      << "told behind the first pause, it sleeps on over the second";
  ExpectTimesAddUp(paused);
}

// db1 records all the time: of the times that web1 recorded, too, everything is known.
TEST(JoinedPauses, WhatACheapNodeRecordsWhileADearOnePausesIsCutOut) {
  const JoinedNodes whole = AskAllTheTime({}, {});
  const JoinedNodes paused = AskAllTheTime(kTwo, {});
  EXPECT_EQ(paused.timeline.pauses().total_ns(), 500_ms + 597_ms - 2);
  for (const char* thread : {"worker10", "worker20"}) {
    const Agreement agreement = Compare(paused, whole, thread, 0);
    EXPECT_EQ(agreement.differences, "") << thread;
    EXPECT_GT(agreement.known, 0.98) << thread;
  }
  const Entity& back = ThreadOf(paused, "worker20");
  EXPECT_EQ(back.unknown_ns, ThreadOf(whole, "worker20").unknown_ns);
  // 300 rounds less those in the pauses; the last nanosecond of each pause stays.
  uint64_t run_ns = 0;
  for (uint64_t round = 0; round < kRounds; ++round) {
    uint64_t left_ns = 3910_us;
    for (const Pause& pause : kTwo) {
      const uint64_t from_ns = std::max(pause.from_ns, round * kRoundNs + 1100_us);
      const uint64_t to_ns = std::min(pause.to_ns, round * kRoundNs + 5010_us);
      if (from_ns < to_ns) left_ns -= to_ns - from_ns;
    }
    run_ns += left_ns;
  }
  EXPECT_NEAR(static_cast<double>(back.run_ns), static_cast<double>(run_ns), 2.0);
  EXPECT_EQ(StoryOf(paused.timeline, "web1", "sleeper10"), "0 unknown | 403000 wait");
  EXPECT_EQ(paused.nodes[0].name, "db1");
  EXPECT_EQ(paused.nodes[0].paused_ns, 0u);
  EXPECT_GT(paused.nodes[1].paused_ns, 1'000_ms);
  ExpectTimesAddUp(paused);
}

// The clock of db1 is off and drifts, and its pauses begin and end a little later or earlier.
TEST(JoinedPauses, SkewedPausesAreBroughtTogetherOnOneClock) {
  const std::vector<Pause> shifted = {{403_ms + 700_us, 902_ms + 500_us},
                                      {1505_ms + 800_us, 2104_ms}};
  for (const int64_t skew_ns : {-5'000'000'000, 5'000'000'000}) {
    const TestClock clock = {
        .skew_ns = skew_ns, .drift_ppm = 100, .error_ns = 200'000, .bound_ns = 300'000};
    const JoinedNodes whole = AskAllTheTime({}, {}, clock);
    const JoinedNodes paused = AskAllTheTime(kTwo, shifted, clock);
    EXPECT_EQ(paused.timeline.pauses().count(), 2u);
    EXPECT_EQ(paused.nodes[0].contradictions, 0u);
    EXPECT_LT(paused.nodes[0].bound_ns, 150'000u) << "messages tighten the clocks all the same";
    for (const char* thread : {"worker10", "worker20"}) {
      const Agreement agreement = Compare(paused, whole, thread, 1_ms);
      EXPECT_GT(agreement.known, 0.98) << thread;
      // Within the clocks' bound both say when something happens.
      EXPECT_LT(agreement.different, 0.01) << agreement.differences;
    }
    for (const NodeLink& link : paused.links)
      EXPECT_LE(link.longest_ns, kTransitNs + link.bound_ns);
    ExpectTimesAddUp(paused);
  }
}

// Neither numbers that come round nor an order that is lost make a message of two halves.
TEST(JoinedPauses, NoMessageIsInventedAcrossThem) {
  for (const uint8_t protocol : {kStream, kDatagrams}) {
    for (const auto& [web, db] : {std::pair(kTwo, std::vector<Pause>()),
                                  std::pair(std::vector<Pause>(), kTwo), std::pair(kTwo, kTwo)}) {
      const JoinedNodes joined = AskAllTheTime(web, db, {}, protocol);
      uint64_t timed = 0;
      for (const NodeLink& link : joined.links) {
        timed += link.timed_messages;
        EXPECT_EQ(link.longest_ns, kTransitNs) << int{protocol};
        EXPECT_EQ(link.shortest_ns, kTransitNs) << int{protocol};
      }
      EXPECT_GT(timed, 350u) << int{protocol};
      EXPECT_EQ(joined.waits.waits, joined.waits.matched) << int{protocol};
    }
  }
}

TEST(JoinedPauses, PausesOfManyNodesMayLieAnywhere) {
  // One after the other, overlapping, one in the other, and touching both ends.
  const JoinedNodes joined =
      AskAllTheTime({{2_ms, 100_ms}, {400_ms, 900_ms}, {2000_ms, 2400_ms}},
                    {{100_ms, 200_ms}, {500_ms, 1000_ms}, {2100_ms, 2200_ms}, {2900_ms, 3000_ms}});
  EXPECT_EQ(joined.timeline.pauses().count(), 4u);
  EXPECT_NEAR(static_cast<double>(joined.timeline.pauses().total_ns()), 1'298e6, 100);
  ExpectTimesAddUp(joined);
  EXPECT_EQ(StoryOf(joined.timeline, "web1", "sleeper10"), "0 unknown | 2000 wait");
}

}  // namespace
}  // namespace gordian
