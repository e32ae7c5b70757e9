// SPDX-License-Identifier: Apache-2.0
#include "cli/ending_signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace gordian {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kNoTime = milliseconds(0);
constexpr int kNoFile = -1;
const steady_clock::time_point kStart;

TEST(EndingSignals, EachCtrlCIsMoreUrgent) {
  EndingSignals signals;
  EXPECT_EQ(signals.urgency(), Urgency::kNone);
  signals.Take(SIGINT, true, kStart);
  EXPECT_EQ(signals.urgency(), Urgency::kEnd);
  EXPECT_TRUE(signals.from_terminal());
  signals.Take(SIGINT, true, kStart);
  EXPECT_EQ(signals.urgency(), Urgency::kLeaveNames);
  signals.Take(SIGINT, true, kStart);
  signals.Take(SIGINT, true, kStart);
  EXPECT_EQ(signals.urgency(), Urgency::kAtOnce);
}

TEST(EndingSignals, OtherSignalsOnlyEnd) {
  EndingSignals signals;
  for (const int signal : {SIGHUP, SIGTERM, SIGTERM, SIGHUP})
    signals.Take(signal, true, kStart + std::chrono::hours(1));
  EXPECT_EQ(signals.urgency(), Urgency::kEnd);
  signals.Take(SIGCHLD, false, kStart);
  EXPECT_EQ(signals.urgency(), Urgency::kEnd);
}

TEST(EndingSignals, OneThatAProgramSendsTwiceAtOnceCountsOnce) {
  EndingSignals signals;
  signals.Take(SIGINT, false, kStart);
  signals.Take(SIGINT, false, kStart + milliseconds(1));
  EXPECT_EQ(signals.urgency(), Urgency::kEnd);
  EXPECT_FALSE(signals.from_terminal());
  signals.Take(SIGINT, false, kStart + milliseconds(1500));
  EXPECT_EQ(signals.urgency(), Urgency::kLeaveNames);
}

TEST(EndingSignals, AreTakenFromTheKernel) {
  EndingSignals signals;
  EXPECT_FALSE(signals.Wait(kNoTime, kNoFile));
  kill(getpid(), SIGTERM);
  EXPECT_TRUE(signals.Wait(kNoTime, kNoFile));
  EXPECT_EQ(signals.urgency(), Urgency::kEnd);
}

TEST(EndingSignals, AFileEndsTheWait) {
  EndingSignals signals;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(signals.Wait(kNoTime, ends[0]));
  close(ends[1]);
  EXPECT_TRUE(signals.Wait(milliseconds(10'000), ends[0]));
  EXPECT_EQ(signals.urgency(), Urgency::kNone);
  close(ends[0]);
}

// The test itself would end.
TEST(EndingSignals, AReaderThatGoesAwayIsNoEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  {
    EndingSignals signals;
    EXPECT_EQ(write(ends[1], "x", 1), -1);
    EXPECT_EQ(signals.urgency(), Urgency::kNone);
  }
  close(ends[1]);
}

TEST(EndingSignals, BelowNohupAClosedTerminalIsNone) {
  struct sigaction before {};
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignore, &before);
  {
    EndingSignals signals;
    kill(getpid(), SIGHUP);
    EXPECT_FALSE(signals.Wait(kNoTime, kNoFile));
    EXPECT_EQ(signals.urgency(), Urgency::kNone);
  }
  sigaction(SIGHUP, &before, nullptr);
}

}  // namespace
}  // namespace gordian
