// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_request.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace gordian {
namespace {

TEST(StopRequest, IsMadeByTheFirstSignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const StopRequest stop;
    EXPECT_FALSE(stop.asked());
    raise(signal);
    EXPECT_TRUE(stop.asked());
  }
}

TEST(StopRequest, OneThatAProgramSendsTwiceAtOnceCountsOnce) {
  const StopRequest stop;
  raise(SIGTERM);
  raise(SIGTERM);
  EXPECT_TRUE(stop.asked());
}

TEST(StopRequest, TheNextOneBeginsAnew) {
  {
    const StopRequest stop;
    raise(SIGINT);
  }
  const StopRequest stop;
  EXPECT_FALSE(stop.asked());
}

TEST(StopRequestDeathTest, BeforeAndBehindItSignalsEndTheProgram) {
  { const StopRequest stop; }
  EXPECT_EXIT(raise(SIGINT), ::testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(raise(SIGTERM), ::testing::KilledBySignal(SIGTERM), "");
}

TEST(StopRequest, AnIgnoredSignalStaysIgnored) {
  struct sigaction before {};
  sigaction(SIGINT, nullptr, &before);
  ::signal(SIGINT, SIG_IGN);
  {
    const StopRequest stop;
    raise(SIGINT);
    EXPECT_FALSE(stop.asked());
  }
  raise(SIGINT);
  sigaction(SIGINT, &before, nullptr);
}

}  // namespace
}  // namespace gordian
