// SPDX-License-Identifier: Apache-2.0
// Several threads as one, compared with their states at each nanosecond.
#include "analyzer/waits/union_of_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;

constexpr EntityId kCreator = 100;
constexpr SegmentKind kRun = SegmentKind::kRun;
constexpr SegmentKind kRunnable = SegmentKind::kRunnable;
constexpr SegmentKind kWait = SegmentKind::kWait;
constexpr SegmentKind kSpin = SegmentKind::kSpin;
constexpr SegmentKind kUnknown = SegmentKind::kUnknown;

// One thread, from its birth, the first segment's start, to its death.
struct Life {
  std::vector<ThreadSegment> segments;
  uint64_t end_ns = 0;
};

ThreadSegment From(uint64_t start_ns, SegmentKind kind, EntityId waker = kNobody) {
  ThreadSegment segment{.start_ns = start_ns, .waker = waker, .kind = kind};
  segment.cause = WaitCause::kThread;
  return segment;
}

// The recording begins at 0.
std::vector<ThreadSegment> Unite(std::vector<Life> lives) {
  UnionOfThreads united(0, kCreator);
  for (Life& life : lives) {
    const std::span<ThreadSegment> piece = life.segments;
    united.Add(SegmentCursor({&piece, 1}, 0, life.end_ns), life.end_ns);
  }
  return united.Segments();
}

// "0 wait 100" for each: the time, the kind, the waker.
std::vector<std::string> Told(const std::vector<ThreadSegment>& segments) {
  static constexpr const char* kNames[] = {"unknown", "run", "runnable", "wait", "spin"};
  std::vector<std::string> lines;
  for (const ThreadSegment& segment : segments) {
    const std::string whom = segment.waker == kNobody ? "" : absl::StrCat(" ", segment.waker);
    lines.push_back(
        absl::StrCat(segment.start_ns, " ", kNames[static_cast<size_t>(segment.kind)], whom));
  }
  return lines;
}

TEST(UnionOfThreads, WaitsForTheCreatorWhileNoneOfThemLives) {
  const std::vector<ThreadSegment> united = Unite({{{From(10, kRun)}, 20}, {{From(30, kRun)}, 40}});
  EXPECT_THAT(Told(united),
              ElementsAre("0 wait 100", "10 run", "20 wait 100", "30 run", "40 wait 100"));
  EXPECT_EQ(united[2].cause, WaitCause::kCreator);
  EXPECT_TRUE(united.front().open_start) << "it may have begun before the recording";
  EXPECT_TRUE(united.back().open_end) << "and goes on behind it";
}

TEST(UnionOfThreads, OneThatIsBornAsAnotherDiesLeavesNoGap) {
  EXPECT_THAT(Told(Unite({{{From(10, kRun)}, 20}, {{From(20, kRun)}, 30}})),
              ElementsAre("0 wait 100", "10 run", "30 wait 100"));
}

TEST(UnionOfThreads, RunsWhileAnyRunsAndElseDoesTheMostOfWhatTheyDo) {
  // The second thread waits all along: the first thread's states count.
  EXPECT_THAT(Told(Unite({{{From(0, kRun), From(10, kRunnable), From(20, kSpin, 7),
                            From(30, kUnknown), From(40, kWait, 7), From(50, kRun)},
                           60},
                          {{From(0, kWait, 8)}, 60}})),
              ElementsAre("0 run", "10 runnable", "20 spin 7", "30 unknown", "40 wait 7", "50 run",
                          "60 wait 100"));
  // Two threads in different states: run counts before runnable, before spin, before unknown.
  EXPECT_THAT(Told(Unite({{{From(0, kRun)}, 10},
                          {{From(0, kRunnable)}, 20},
                          {{From(0, kSpin)}, 30},
                          {{From(0, kUnknown)}, 40},
                          {{From(0, kWait)}, 50}})),
              ElementsAre("0 run", "10 runnable", "20 spin", "30 unknown", "40 wait 100"));
}

TEST(UnionOfThreads, WaitsForWhoeverFirstMakesOneOfThemReady) {
  EXPECT_THAT(Told(Unite({{{From(0, kRun), From(10, kWait, 7), From(40, kRun)}, 50},
                          {{From(0, kRun), From(20, kWait, 8), From(30, kRunnable)}, 50}})),
              ElementsAre("0 run", "20 wait 8", "30 runnable", "40 run", "50 wait 100"));
}

TEST(UnionOfThreads, ABirthEndsTheWaitOfTheOthersForTheCreator) {
  EXPECT_THAT(
      Told(Unite({{{From(0, kRun), From(10, kWait, 7), From(40, kRun)}, 50},
                  {{From(20, kRunnable)}, 30}})),
      ElementsAre("0 run", "10 wait 100", "20 runnable", "30 wait 7", "40 run", "50 wait 100"));
}

TEST(UnionOfThreads, HasTheKernelStateAndTheCauseOfTheWaitThatEnds) {
  ThreadSegment disk = From(10, kWait, 9);
  disk.cause = WaitCause::kDisk;
  disk.state = kStateUninterruptible;
  const std::vector<ThreadSegment> united = Unite({{{From(0, kRun), disk, From(20, kRun)}, 30}});
  EXPECT_EQ(united[1].cause, WaitCause::kDisk);
  EXPECT_EQ(united[1].state, kStateUninterruptible);
}

TEST(UnionOfThreads, OfNoThreadIsOneLongWait) {
  EXPECT_THAT(Told(Unite({})), ElementsAre("0 wait 100"));
}

constexpr uint64_t kLongestNs = 40;

rc::Gen<Life> AnyLife() {
  return rc::gen::exec([] {
    Life life;
    auto times_ns = *rc::gen::unique<std::vector<uint64_t>>(
        *rc::gen::inRange<size_t>(2, 7), rc::gen::inRange<uint64_t>(0, kLongestNs));
    std::sort(times_ns.begin(), times_ns.end());
    life.end_ns = times_ns.back();
    times_ns.pop_back();
    for (const uint64_t time_ns : times_ns) {
      life.segments.push_back(
          From(time_ns, *rc::gen::element(kRun, kRunnable, kWait, kSpin, kUnknown), 1 + time_ns));
    }
    return life;
  });
}

SegmentKind KindAt(const std::vector<ThreadSegment>& segments, uint64_t time_ns) {
  SegmentKind kind = kWait;
  for (const ThreadSegment& segment : segments) {
    if (segment.start_ns <= time_ns) kind = segment.kind;
  }
  return kind;
}

// The definition, taken literally.
SegmentKind ExpectedAt(const std::vector<Life>& lives, uint64_t time_ns) {
  for (const SegmentKind kind : {kRun, kRunnable, kSpin, kUnknown}) {
    for (const Life& life : lives) {
      const bool lives_now = life.segments.front().start_ns <= time_ns && time_ns < life.end_ns;
      if (lives_now && KindAt(life.segments, time_ns) == kind) return kind;
    }
  }
  return kWait;
}

RC_GTEST_PROP(UnionOfThreads, DoesAtEachNanosecondWhatTheDefinitionSays, ()) {
  const auto lives =
      *rc::gen::container<std::vector<Life>>(*rc::gen::inRange<size_t>(1, 5), AnyLife());
  const std::vector<ThreadSegment> united = Unite(lives);
  for (uint64_t time_ns = 0; time_ns < kLongestNs; ++time_ns)
    RC_ASSERT(KindAt(united, time_ns) == ExpectedAt(lives, time_ns));
  RC_ASSERT(united.front().start_ns == 0u);
  for (size_t i = 1; i < united.size(); ++i) {
    RC_ASSERT(united[i - 1].start_ns < united[i].start_ns);
    RC_ASSERT(united[i - 1].kind != united[i].kind);
  }
}

}  // namespace
}  // namespace gordian
