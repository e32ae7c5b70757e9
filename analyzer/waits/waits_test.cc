// SPDX-License-Identifier: Apache-2.0
#include "analyzer/waits/waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/scenario_timeline.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A scenario's waits, told as "10-30 A for B".
class RecordedWaits {
 public:
  explicit RecordedWaits(const std::string& scenario)
      : recorded_(scenario), waits_(recorded_.timeline(), {}) {}

  std::vector<std::string> In(uint64_t from_ns, uint64_t to_ns) const {
    std::vector<WaitInterval> collected;
    waits_.Collect(recorded_.At(from_ns), recorded_.At(to_ns), collected);
    std::vector<std::string> told;
    for (const WaitInterval& wait : collected) {
      told.push_back(absl::StrCat(Since(wait.start_ns), "-", Since(wait.end_ns), " ",
                                  Name(wait.waiter), " for ", Name(wait.waker)));
    }
    return told;
  }

  // With the special marks of each behind it.
  std::vector<std::string> Between(const std::string& waiter, const std::string& waker,
                                   uint64_t from_ns = 0, uint64_t to_ns = 1000) const {
    std::vector<std::string> told;
    for (const Wait& wait :
         waits_.Between(recorded_.Id(waiter), waker.empty() ? kNobody : recorded_.Id(waker),
                        recorded_.At(from_ns), recorded_.At(to_ns))) {
      told.push_back(
          absl::StrCat(Since(wait.start_ns), "-", Since(wait.end_ns), " for ", Name(wait.waker),
                       wait.cause == WaitCause::kSpin ? " spinning" : "",
                       wait.open_start ? " open_start" : "", wait.open_end ? " open_end" : ""));
    }
    return told;
  }

 private:
  static uint64_t Since(uint64_t time_ns) { return time_ns - kScenarioStartNs; }
  std::string Name(EntityId id) const {
    return id == kNobody ? "nobody" : waits_.entities()[id].name;
  }

  ScenarioTimeline recorded_;
  Waits waits_;
};

// A waits for B from 10 to 30 and from 50 to 70, and from 90 on for an unknown thread; B for the
// disk from 40 to 60.
constexpr char kTwoThreads[] = R"(
end 100
thread 1 A R
thread 2 B R
disk 8 vda
0 0 switch 0 1
0 1 switch 0 2
10 0 switch 1 0 S
30 1 wake 1 by 2
30 0 switch 0 1
40 1 switch 2 0 D
50 0 switch 1 0 S
60 1 wake 2 by disk 8
60 1 switch 0 2
70 1 wake 1 by 2
70 0 switch 0 1
90 0 switch 1 0 S
)";

TEST(Waits, AreCollectedByWaiterThenByTime) {
  EXPECT_THAT(RecordedWaits(kTwoThreads).In(0, 100),
              ElementsAre("10-30 A for B", "50-70 A for B", "40-60 B for vda"));
}

TEST(Waits, BelongToARangeThatTheyOverlapAndAreGivenWhole) {
  const RecordedWaits waits(kTwoThreads);
  EXPECT_THAT(waits.In(29, 51), ElementsAre("10-30 A for B", "50-70 A for B", "40-60 B for vda"));
  EXPECT_THAT(waits.In(15, 20), ElementsAre("10-30 A for B")) << "it lies around the range";
  EXPECT_THAT(waits.In(30, 40), IsEmpty())
      << "one ends where the range begins, one begins at its end";
  EXPECT_THAT(waits.In(30, 41), ElementsAre("40-60 B for vda"));
}

TEST(Waits, ThatHaveNotEndedMakeNoEdge) {
  EXPECT_THAT(RecordedWaits(kTwoThreads).In(80, 100), IsEmpty());
}

TEST(Waits, ThatHaveNotEndedAreAmongTheSingleOnesOfTheirWaiter) {
  const RecordedWaits waits(kTwoThreads);
  EXPECT_THAT(waits.Between("A", ""),
              ElementsAre("10-30 for B", "50-70 for B", "90-100 for nobody open_end"));
  EXPECT_THAT(waits.Between("A", "B"), ElementsAre("10-30 for B", "50-70 for B"));
}

TEST(Waits, BetweenTwoAreThoseOfTheOneForTheOther) {
  const RecordedWaits waits(kTwoThreads);
  EXPECT_THAT(waits.Between("B", "A"), IsEmpty());
  EXPECT_THAT(waits.Between("B", "vda"), ElementsAre("40-60 for vda"));
  EXPECT_THAT(waits.Between("vda", "B"), IsEmpty()) << "a device has no waits of its own here";
  EXPECT_THAT(waits.Between("A", "B", 30, 50), IsEmpty());
  EXPECT_THAT(waits.Between("A", "B", 29, 51), ElementsAre("10-30 for B", "50-70 for B"));
}

TEST(Waits, ThatBeganBeforeTheRecordingCountFromItsStart) {
  const RecordedWaits waits(R"(
end 50
thread 1 A S
thread 2 B R
0 0 switch 0 2
20 0 wake 1 by 2
30 1 switch 0 1
)");
  EXPECT_THAT(waits.In(0, 50), ElementsAre("0-20 A for B"));
  EXPECT_THAT(waits.Between("A", "B"), ElementsAre("0-20 for B open_start"));
}

TEST(Waits, IncludeSpinsForWhoHadTheLock) {
  const RecordedWaits waits(R"(
end 50
thread 1 X R
thread 2 Y R
0 0 switch 0 1
0 1 switch 0 2
3 1 probe 2 spin_begin 7
4 1 probe 2 spin_end 7
10 0 probe 1 spin_begin 7
20 1 probe 2 spin_release 7
21 0 probe 1 spin_end 7
)");
  EXPECT_THAT(waits.In(5, 50), ElementsAre("10-21 X for Y"));
  EXPECT_THAT(waits.Between("X", "Y"), ElementsAre("10-21 for Y spinning"));
}

TEST(Waits, WithoutAWakeAreForNobodyKnown) {
  EXPECT_THAT(RecordedWaits(R"(
end 50
thread 1 A R
0 0 switch 0 1
10 0 switch 1 0 S
30 0 switch 0 1
)")
                  .In(0, 50),
              ElementsAre("10-30 A for unknown"));
}

TEST(Waits, ThatLastForNoTimeAreNone) {
  EXPECT_THAT(RecordedWaits(R"(
end 50
thread 1 A R
thread 2 B R
0 0 switch 0 1
0 1 switch 0 2
10 0 switch 1 0 S
10 1 wake 1 by 2
20 0 switch 0 1
)")
                  .In(0, 50),
              IsEmpty());
}

// A writes and waits. A worker of the kernel, idle or in the midst of its work, is woken by the
// disk, runs, and wakes A.
std::string WrittenThrough(const std::string& worker_state, const std::string& worker = "kernel") {
  return "end 100\nthread 1 A R\n" + worker + R"( 2 kworker R
disk 8 vda
0 0 switch 0 1
0 1 switch 0 2
5 1 switch 2 0 )" +
         worker_state + R"(
10 0 switch 1 0 D
40 1 wake 2 by disk 8
42 1 switch 0 2
45 1 wake 1 by 2
45 0 switch 0 1
46 1 switch 2 0 I
)";
}

TEST(Waits, AreForTheDiskUntilItWokeAnIdleWorkerThatPassesOnItsEnd) {
  const RecordedWaits waits(WrittenThrough("I"));
  EXPECT_THAT(waits.In(0, 100),
              ElementsAre("10-40 A for vda", "40-45 A for kworker", "5-40 kworker for vda"));
  EXPECT_THAT(waits.In(0, 40), ElementsAre("10-40 A for vda", "5-40 kworker for vda"));
  EXPECT_THAT(waits.In(40, 100), ElementsAre("40-45 A for kworker"));
  EXPECT_THAT(waits.Between("A", ""), ElementsAre("10-40 for vda", "40-45 for kworker"));
  EXPECT_THAT(waits.Between("A", "", 41, 100), ElementsAre("40-45 for kworker"));
  EXPECT_THAT(waits.Between("A", "kworker"), ElementsAre("40-45 for kworker"));
}

TEST(Waits, AreForAWorkerThatWaitsForTheDiskInTheMidstOfItsWork) {
  EXPECT_THAT(RecordedWaits(WrittenThrough("D")).In(0, 100),
              ElementsAre("10-45 A for kworker", "5-40 kworker for vda"));
}

TEST(Waits, AreForAThreadThatIsNoneOfTheKernels) {
  EXPECT_THAT(RecordedWaits(WrittenThrough("S", "thread")).In(0, 100),
              ElementsAre("10-45 A for kworker", "5-40 kworker for vda"));
}

}  // namespace
}  // namespace gordian
