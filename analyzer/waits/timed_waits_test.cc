// SPDX-License-Identifier: Apache-2.0
#include "analyzer/waits/timed_waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/waits/waits.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "trace/session_reader.h"

namespace gordian::testing {
namespace {

using ::testing::ElementsAre;

constexpr int32_t kWaiter = 1;
constexpr int32_t kHolder = 2;
constexpr int32_t kOther = 3;

WaitObjectRecord ObjectOf(WaitObjectKind kind, uint64_t value) {
  return {.kind = kind, .tgid = 9, .value = value};
}

// The waiter, on CPU 1, sleeps and is woken; the others run on CPUs of their own.
class Turns {
 public:
  Turns() {
    t_.Thread(kWaiter, "waiter", 9).Thread(kHolder, "holder", 9).Thread(kOther, "other", 9);
    for (int32_t tid = 1; tid <= 3; ++tid) t_.Cpu(static_cast<uint16_t>(tid)).Run(tid);
    stack_ = t_.Cpu(1).AddStack({"futex_wait"}, {{.function = "Take"}});
    futex_ = Object(WaitObjectKind::kFutex, 0x1000);
  }

  uint32_t Object(WaitObjectKind kind, uint64_t value) {
    return t_.AddWaitObject(ObjectOf(kind, value));
  }
  uint32_t futex() const { return futex_; }

  // Sleeps from now on for that time; 0: no sample tells the object. `waker` 0: the timer.
  Turns& Sleep(uint64_t length_ns, int32_t waker, uint32_t object = 0) {
    t_.At(now_ns_).Cpu(1).Block();
    if (object != 0) t_.AddStackSample(kWaiter, StackMoment::kWait, stack_, 0, object);
    now_ns_ += length_ns;
    t_.At(now_ns_);
    if (waker == 0) {
      t_.Cpu(1).WakeFromTimer(kWaiter);
    } else {
      t_.Cpu(static_cast<uint16_t>(waker)).Wake(kWaiter);
    }
    t_.At(now_ns_).Cpu(1).Run(kWaiter);
    return *this;
  }
  Turns& Run(uint64_t length_ns) {
    now_ns_ += length_ns;
    return *this;
  }

  // The waits, as "5 ms for holder".
  std::vector<std::string> Waits() {
    t_.At(now_ns_ + 1_ms);
    const TempDir dir;
    EXPECT_TRUE(t_.WriteSession(dir / "trace").ok());
    auto session = SessionReader::Open(dir / "trace");
    auto timeline = LoadTimeline(**session, {.threads = 1});
    EXPECT_TRUE(timeline.ok()) << timeline.status();
    const gordian::Waits waits(*timeline, {});
    std::vector<WaitInterval> collected;
    waits.Collect(0, timeline->end_ns(), collected);
    std::vector<std::string> told;
    for (const WaitInterval& wait : collected) {
      told.push_back(absl::StrCat((wait.end_ns - wait.start_ns) / 1000, " us for ",
                                  waits.entities()[wait.waker].name));
    }
    return told;
  }

 private:
  TraceBuilder t_;
  uint64_t now_ns_ = 1_ms;
  uint32_t stack_ = 0;
  uint32_t futex_ = 0;
};

TEST(TimedWaits, AreForWhoEndsTheLastTurn) {
  Turns turns;
  turns.Sleep(5_ms, 0, turns.futex()).Run(5_us).Sleep(5_ms, 0).Run(5_us).Sleep(2_ms, kHolder);
  EXPECT_THAT(turns.Waits(),
              ElementsAre("5000 us for holder", "5000 us for holder", "2000 us for holder"));
}

TEST(TimedWaits, ThatNobodyEndsAreSleeps) {
  Turns turns;
  turns.Sleep(5_ms, 0, turns.futex()).Run(5_us).Sleep(5_ms, 0).Run(5_us).Sleep(5_ms, 0);
  EXPECT_THAT(turns.Waits(),
              ElementsAre("5000 us for timer", "5000 us for timer", "5000 us for timer"));
}

TEST(TimedWaits, GoOnIfTheThreadDidNextToNothingInBetween) {
  Turns little;
  little.Sleep(5_ms, 0, little.futex()).Run(40_us).Sleep(2_ms, kHolder);
  EXPECT_THAT(little.Waits(), ElementsAre("5000 us for holder", "2000 us for holder"));
  Turns work;
  work.Sleep(5_ms, 0, work.futex()).Run(60_us).Sleep(2_ms, kHolder);
  EXPECT_THAT(work.Waits(), ElementsAre("5000 us for timer", "2000 us for holder"));
}

TEST(TimedWaits, PassOverAShortWaitForAMutex) {
  Turns turns;
  turns.Sleep(5_ms, 0, turns.futex()).Run(5_us).Sleep(80_us, kOther).Run(5_us).Sleep(2_ms, kHolder);
  EXPECT_THAT(turns.Waits(),
              ElementsAre("5000 us for holder", "80 us for other", "2000 us for holder"));
  Turns longer;
  longer.Sleep(5_ms, 0, longer.futex()).Run(5_us).Sleep(120_us, kOther);
  EXPECT_THAT(longer.Waits(), ElementsAre("5000 us for other", "120 us for other"));
  Turns idle;
  idle.Sleep(5_ms, 0, idle.futex()).Run(5_us).Sleep(80_us, kOther).Run(5_us).Sleep(5_ms, 0);
  EXPECT_THAT(idle.Waits(),
              ElementsAre("5000 us for timer", "80 us for other", "5000 us for timer"))
      << "idle workers do not wait for each other";
}

// As Ruby's interpreter does: who is told that another one waits gives its lock up at once.
TEST(TimedWaits, AreForWhoHandsOverAtOnceThroughTheSameFutex) {
  Turns turns;
  turns.Sleep(100_ms, 0, turns.futex()).Run(70_us).Sleep(30_us, kHolder, turns.futex()).Run(90_ms);
  turns.Sleep(100_ms, 0).Run(70_us).Sleep(30_us, kHolder).Run(90_ms);
  EXPECT_THAT(turns.Waits(), ElementsAre("100000 us for holder", "30 us for holder",
                                         "100000 us for holder", "30 us for holder"));
}

TEST(TimedWaits, AreSleepsIfTheHandOverIsOfAnotherFutex) {
  Turns turns;
  const uint32_t mutex = turns.Object(WaitObjectKind::kFutex, 0x2000);
  turns.Sleep(5_ms, 0, turns.futex()).Run(5_us).Sleep(30_us, kHolder, mutex).Run(1_ms);
  EXPECT_THAT(turns.Waits(), ElementsAre("5000 us for timer", "30 us for holder"))
      << "it looked, found work, and the look's mutex was taken";
}

TEST(TimedWaits, AreForOneConditionVariableAtEitherOfItsTwoWords) {
  Turns turns;
  const uint32_t second_word = turns.Object(WaitObjectKind::kFutex, 0x1004);
  turns.Sleep(5_ms, 0, turns.futex()).Run(5_us).Sleep(2_ms, kHolder, second_word);
  EXPECT_THAT(turns.Waits(), ElementsAre("5000 us for holder", "2000 us for holder"));
}

TEST(TimedWaits, EndWhereAnotherFutexIsKnown) {
  Turns turns;
  const uint32_t other = turns.Object(WaitObjectKind::kFutex, 0x2000);
  turns.Sleep(5_ms, 0, turns.futex()).Run(5_us).Sleep(2_ms, kHolder, other);
  EXPECT_THAT(turns.Waits(), ElementsAre("5000 us for timer", "2000 us for holder"));
}

TEST(TimedWaits, OfThreadsThatSleepByTheClockStaySleeps) {
  Turns turns;
  const uint32_t sleep = turns.Object(WaitObjectKind::kTimer, 5'000'000);
  turns.Sleep(5_ms, 0, sleep).Run(5_us).Sleep(2_ms, kHolder, turns.futex());
  EXPECT_THAT(turns.Waits(), ElementsAre("5000 us for timer", "2000 us for holder"));
}

TEST(TimedWaits, OfThreadsThatAlsoWaitForAnswersStaySleeps) {
  Turns turns;
  const uint32_t socket = turns.Object(WaitObjectKind::kSocket, 77);
  turns.Sleep(5_ms, 0, turns.futex()).Run(5_us).Sleep(2_ms, kHolder).Run(1_ms);
  turns.Sleep(2_ms, kHolder, socket);
  EXPECT_THAT(turns.Waits(),
              ElementsAre("5000 us for timer", "2000 us for holder", "2000 us for holder"))
      << "the second wait may be for the answer to what was sent when the timer came";
}

TEST(TimedWaits, OfWhichNoObjectIsKnownStaySleeps) {
  Turns turns;
  turns.Sleep(5_ms, 0).Run(5_us).Sleep(2_ms, kHolder);
  EXPECT_THAT(turns.Waits(), ElementsAre("5000 us for timer", "2000 us for holder"));
}

}  // namespace
}  // namespace gordian::testing
