// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "whatif/ask/ask.h"

namespace gordian {
namespace {

WhatIfRequest Asking(std::vector<WhatIfRequest::Change> changes, std::string progress = "") {
  return {.changes = std::move(changes), .progress = std::move(progress)};
}

TEST(RequestsAnswer, IsOnlyForChangesWhoseGainsRequestsToldBetter) {
  EXPECT_TRUE(MayAskRequests(Asking({{"in-flight", "a=2"}})));
  EXPECT_FALSE(MayAskRequests(Asking({{"in-flight", "a=2"}, {"cpus", "4"}})));
  EXPECT_TRUE(MayAskRequests(Asking({{"skip", "a->b"}, {"lock", "a->a"}})));
  EXPECT_FALSE(MayAskRequests(Asking({{"timer", "a=0"}})));
  EXPECT_FALSE(MayAskRequests(Asking({{"no-false-wakeups", "a"}})));
  EXPECT_FALSE(MayAskRequests(Asking({})));
  // The user says what counts.
  EXPECT_FALSE(MayAskRequests(Asking({{"in-flight", "a=2"}}, "io")));
}

}  // namespace
}  // namespace gordian
