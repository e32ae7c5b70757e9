// SPDX-License-Identifier: Apache-2.0
#include "output/whatif_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

pb::WhatIf Answer() {
  pb::WhatIf answer;
  answer.set_verdict("With a larger pool: 7.8 times the throughput.");
  answer.set_low(6);
  answer.set_expected(7);
  answer.set_high(8);
  answer.mutable_wait_alone()->set_gain(6);
  answer.mutable_with_path()->set_gain(8);
  return answer;
}

TEST(WhatIfText, TellsOfThreadsAlone) {
  const std::string text = WhatIfText(Answer(), TextStyle{});
  EXPECT_THAT(text, HasSubstr("6.00 to 8.00, between these 7.00"));
  EXPECT_THAT(text, Not(HasSubstr("Little")));
}

TEST(WhatIfText, KeepsTheIntervalOfThreadsWhereRequestsAnswer) {
  pb::WhatIf answer = Answer();
  pb::WhatIfRequests& told = *answer.mutable_requests();
  told.set_requests(3300);
  told.set_at_once(16);
  told.set_self_check(0.012);
  told.set_little_miss(0.001);
  told.set_threads_low(2);
  told.set_threads_expected(2.5);
  told.set_threads_high(3);
  const std::string text = WhatIfText(answer, TextStyle{});
  EXPECT_THAT(text, HasSubstr("3,300"));
  EXPECT_THAT(text, HasSubstr("(6.00 to 8.00)"));
  EXPECT_THAT(text, HasSubstr("1.2 %"));
  EXPECT_THAT(text, HasSubstr("2.00 to 3.00, between these 2.50"));
}

TEST(WhatIfText, TellsWhatWidensTheInterval) {
  pb::WhatIf answer = Answer();
  pb::WhatIfCalibration& made = *answer.mutable_calibration();
  made.set_model_low(6.5);
  made.set_model_high(7.5);
  made.set_programs(28);
  const std::string text = WhatIfText(answer, TextStyle{.width = 400});
  EXPECT_THAT(text, HasSubstr("6.00 to 8.00, likely 7.00: as wide as 9 of 10 measured gains call "
                              "for, of 28 programs whose fixes were predicted"));
  EXPECT_THAT(text, HasSubstr("6.50 to 7.50, between these 7.00"));
  EXPECT_THAT(text, Not(HasSubstr("on this machine")));
  made.set_own_widen(true);
  EXPECT_THAT(WhatIfText(answer, TextStyle{.width = 400}),
              HasSubstr("predictions on this machine that missed make it wider"));
}

TEST(WhatIfText, TellsRequestsInTheirOwnWords) {
  pb::WhatIf answer = Answer();
  pb::WhatIfLoad& load = *answer.mutable_load();
  load.set_port(80);
  load.set_service("port 80");
  load.set_connections(8);
  load.set_rate(4030);
  load.set_rate_after(7900);
  load.set_response_ns(1'200'000);
  load.set_between_ns(785'000);
  load.set_response_after_ns(600'000);
  const std::string text = WhatIfText(answer, TextStyle{.width = 400});
  EXPECT_THAT(text, HasSubstr("4,030 → 7,900 requests a second of port 80, 1.2 ms → 600 µs each"));
  EXPECT_THAT(text, HasSubstr("8 connections / 4,030 a second"));
  // An open loop has a verdict of its own.
  load.set_open_loop(true);
  EXPECT_THAT(WhatIfText(answer, TextStyle{.width = 400}), Not(HasSubstr("→ 7,900")));
}

TEST(WhatIfText, TellsPhasesAsThoseOfThreads) {
  pb::WhatIf answer = Answer();
  pb::WhatIfLoad& load = *answer.mutable_load();
  load.set_service("phase order");
  load.set_connections(6);
  load.set_rate(460);
  load.set_rate_after(2354);
  load.set_response_ns(12'300'000);
  load.set_between_ns(743'000);
  const std::string text = WhatIfText(answer, TextStyle{.width = 400});
  EXPECT_THAT(text, HasSubstr("460 → 2,354 requests a second of phase order"));
  EXPECT_THAT(text, HasSubstr("6 threads / 460 a second are 13 ms from one phase to the next: "
                              "12.3 ms in it, 743 µs between"));
}

TEST(WhatIfText, TellsWhatWasMeasuredAndHowEarlierPredictionsFared) {
  pb::WhatIf answer = Answer();
  EXPECT_THAT(WhatIfText(answer, TextStyle{}), Not(HasSubstr("so far")));
  answer.mutable_verification()->set_verdict("Predicted 2, measured 3.");
  answer.mutable_verification()->set_progress("requests of port 80");
  answer.mutable_earlier()->set_text("7 of 9 predictions on this machine held");
  const std::string text = WhatIfText(answer, TextStyle{.width = 400});
  EXPECT_THAT(text, HasSubstr("Predicted 2, measured 3."));
  EXPECT_THAT(text, HasSubstr("counted in both: requests of port 80"));
  EXPECT_THAT(text,
              HasSubstr("7 of 9 predictions on this machine held (gordian whatif --history)"));
}

}  // namespace
}  // namespace gordian
