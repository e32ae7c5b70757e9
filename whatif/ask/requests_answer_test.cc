// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "analyzer/testing/scenario_timeline.h"
#include "whatif/ask/ask.h"
#include "whatif/ask/load.h"
#include "whatif/requests/test_tokens.h"

namespace gordian {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

WhatIfRequest Asking(std::vector<WhatIfRequest::Change> changes, std::string progress = "") {
  return {.changes = std::move(changes), .progress = std::move(progress)};
}

TEST(RequestsAnswer, IsOnlyWhereTheUserDoesNotSayWhatCounts) {
  EXPECT_TRUE(MayTellRequests(Asking({{"in-flight", "a=2"}})));
  EXPECT_TRUE(MayTellRequests(Asking({{"skip", "a->b"}})));
  EXPECT_FALSE(MayTellRequests(Asking({})));
  EXPECT_FALSE(MayTellRequests(Asking({{"in-flight", "a=2"}}, "io")));
  EXPECT_TRUE(MayTellRequests(Asking({{"in-flight", "a=2"}}, "phase get")));
}

// 8 connections, 4,000 requests a second: 2 ms from one question to the next, 1.5 ms of it for the
// answer.
pb::WhatIf Loaded() {
  TokenModel model;
  model.population = 8;
  model.recorded_rate = 4000;
  model.recorded_response_ns = 1'500'000;
  model.port = 80;
  pb::WhatIf answer;
  answer.set_low(1.8);
  answer.set_expected(2);
  answer.set_high(2.2);
  TellRecordedLoad(model, answer);
  return answer;
}

TEST(RequestsAnswer, TellsTheResponseTimeByLittlesLaw) {
  pb::WhatIf answer = Loaded();
  EXPECT_NEAR(answer.load().between_ns(), 500'000, 1);
  TellLoadAfter({}, answer);
  EXPECT_NEAR(answer.load().rate_after(), 8000, 1);
  EXPECT_NEAR(answer.load().response_after_ns(), 500'000, 1);
}

TEST(RequestsAnswer, TellsNoResponseTimeThatItDoesNotKnow) {
  pb::WhatIf answer = Loaded();
  answer.mutable_load()->set_between_ns(-1);
  TellLoadAfter({}, answer);
  EXPECT_EQ(answer.load().response_after_ns(), 0);
  // More would ask.
  answer = Loaded();
  TellLoadAfter({.more_at_once = {{1, 2, true, {}}}}, answer);
  EXPECT_EQ(answer.load().response_after_ns(), 0);
  // Nothing was predicted.
  answer = Loaded();
  answer.set_refusal("with nothing changed the replay misses its rate by 30 %");
  TellLoadAfter({}, answer);
  EXPECT_EQ(answer.load().rate_after(), 0);
}

// A thread is busy for 300 of the 1,000 µs from one request to the next; the disk is 200 of these.
TokenModel OpenLoop() {
  TokenModel model;
  model.seats = {{.vertex = 1, .count = 1}};
  model.disks = {{.vertex = 2, .slots = 1}};
  model.nodes = {{.all = 2, .cpus = 2}};
  for (int i = 0; i < 600; ++i) {
    model.steps.push_back({.deed = TokenDeed::kAsk});
    model.steps.push_back({.deed = TokenDeed::kTake, .place = 0, .who = 1});
    model.steps.push_back({.deed = TokenDeed::kRun, .place = 0, .who = 1, .ns = 100'000});
    model.steps.push_back({.deed = TokenDeed::kDisk,
                           .pause = TokenPause::kDisk,
                           .place = 0,
                           .who = 1,
                           .whom = 2,
                           .ns = 200'000});
    model.steps.push_back({.deed = TokenDeed::kAnswer});
    model.steps.push_back({.deed = TokenDeed::kGive, .place = 0, .who = 1});
    model.EndRequest();
  }
  model.closed_share = 0.1;
  model.recorded_rate = 1000;
  model.recorded_response_ns = 300'000;
  model.askers = {3};
  return model;
}

struct Reported {
  Reported() {
    for (const auto& [id, name] :
         {std::pair(1, "worker"), std::pair(2, "vda"), std::pair(3, "client")}) {
      pb::ReportVertex& vertex = *report.add_vertices();
      vertex.set_id(id);
      vertex.set_kind(id == 2 ? "disk" : "thread");
      vertex.set_name(name);
      vertex.set_label(name);
    }
  }
  AnalyzedRecording recording() const { return {timeline, report, {}, stacks, code}; }
  Timeline timeline;
  pb::Report report;
  StackSums stacks;
  Code code;
};

TEST(RequestsAnswer, TellsHowBusyServersAreIfRequestsComeByThemselves) {
  const Reported reported;
  const TokenModel model = OpenLoop();
  pb::WhatIf answer;
  pb::WhatIfChange& change = *answer.add_changes();
  change.set_from("worker");
  change.set_text("no disk");
  TellRecordedLoad(model, answer);
  ASSERT_TRUE(IsOpenLoop(reported.recording(), model, answer));
  TellUtilisation(reported.recording(), model, {.waits = {{1, 2, /*keeps_up=*/false}}}, answer);
  EXPECT_TRUE(answer.load().open_loop());
  EXPECT_NEAR(answer.load().busy(), 0.3, 0.001);
  EXPECT_NEAR(answer.load().busy_after(), 0.1, 0.001);
  EXPECT_THAT(answer.verdict(),
              AllOf(HasSubstr("With no disk: no more requests"), HasSubstr("an open loop"),
                    HasSubstr("30 % of the time, then for 10 %")));
}

TEST(RequestsAnswer, IsAGainIfTheChangeIsTheClients) {
  const Reported reported;
  pb::WhatIf answer;
  answer.add_changes()->set_from("client");
  EXPECT_FALSE(IsOpenLoop(reported.recording(), OpenLoop(), answer));
  answer.mutable_changes(0)->set_from("worker");
  TokenModel closed = OpenLoop();
  closed.closed_share = 0.9;
  EXPECT_FALSE(IsOpenLoop(reported.recording(), closed, answer));
  // The clients hold a lock that others wait for.
  pb::WhatIf lock;
  lock.add_changes()->set_kind("lock");
  lock.mutable_changes(0)->set_from("worker");
  EXPECT_TRUE(IsOpenLoop(reported.recording(), OpenLoop(), lock));
  lock.mutable_changes(0)->set_to("client");
  EXPECT_FALSE(IsOpenLoop(reported.recording(), OpenLoop(), lock));
  // Too few requests tell nothing.
  TokenModel few = OpenLoop();
  few.first.resize(100);
  EXPECT_FALSE(IsOpenLoop(reported.recording(), few, answer));
}

// A client that waits for each answer before it asks again.
TokenModel ClosedLoop() {
  testing::TokenSystem system(/*population=*/1, /*cpus=*/4);
  const uint32_t place = system.AddSeats(2);
  for (int i = 0; i < 2000; ++i)
    system.Think(0).Take(place).Run(100 * testing::kUs).Give(place).Answer().End();
  system.model.askers = {3};
  system.model.closed_share = 1;
  system.RecordItself();
  return system.model;
}

TEST(RequestsAnswer, IsGivenWhereThreadsHaveNone) {
  const Reported reported;
  const auto why = absl::FailedPreconditionError("there are only 16 events; record longer");
  const auto answer =
      AskRequestsAlone(reported.recording(), Asking({{"clients", "client=2"}}), ClosedLoop(), why);
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_TRUE(answer->has_requests());
  EXPECT_NEAR(answer->expected(), 2, 0.1);
  EXPECT_LT(answer->high(), 3);
  EXPECT_EQ(answer->refusal(), "");
  EXPECT_EQ(answer->requests().threads_high(), 0);
  EXPECT_THAT(answer->doubts(0), HasSubstr("threads does not answer: there are only 16 events"));
}

pb::WhatIf SevenTimesByThreads() {
  pb::WhatIf answer;
  answer.add_changes()->set_kind("clients");
  answer.mutable_changes(0)->set_from("client");
  answer.set_low(6);
  answer.set_expected(7);
  answer.set_high(8);
  return answer;
}

TEST(RequestsAnswer, IsOneEndIfAConnectionMayCarrySeveralRequests) {
  const Reported reported;
  const auto request = Asking({{"clients", "client=2"}});
  pb::WhatIf sure = SevenTimesByThreads();
  AskRequests(reported.recording(), request, ClosedLoop(), sure);
  EXPECT_TRUE(sure.has_requests());
  TokenModel several = ClosedLoop();
  several.may_carry_several = true;
  pb::WhatIf unsure = SevenTimesByThreads();
  AskRequests(reported.recording(), request, several, unsure);
  EXPECT_FALSE(unsure.has_requests());
  EXPECT_NEAR(unsure.low(), 2, 0.2);
  EXPECT_NEAR(unsure.expected(), std::sqrt(14), 0.2);
  EXPECT_EQ(unsure.high(), 8);
  EXPECT_THAT(unsure.doubts(0), HasSubstr("more only if it carries several"));
}

// A process for each request, or an affinity: simulated requests know of neither.
TEST(RequestsAnswer, FindsNoMoreCpuTimeThanTheTargetsCpusHave) {
  const ScenarioTimeline busy(
      "end 1000\nthread 1 worker R\nthread 2 client S\nthread 3 other R\n"
      "0 0 switch 0 1\n900 0 switch 1 3 P\n0 1 switch 0 0\n");
  pb::Report report;
  for (const char* name : {"worker", "client", "other"}) {
    pb::ReportVertex& vertex = *report.add_vertices();
    vertex.set_id(static_cast<uint32_t>(report.vertices_size() - 1));
    vertex.set_kind("thread");
    vertex.set_name(name);
    vertex.set_label(name);
  }
  const StackSums stacks;
  const Code code;
  const std::vector<uint32_t> vertex_of_entity = {0, 1, 2};
  const auto told = [&] {
    TokenModel model = ClosedLoop();
    model.askers = {1};
    pb::WhatIf answer = SevenTimesByThreads();
    AskRequests({busy.timeline(), report, vertex_of_entity, stacks, code},
                Asking({{"clients", "client=2"}}), model, answer);
    return answer.expected();
  };
  EXPECT_GT(told(), 1.5);
  report.mutable_vertices(0)->set_target(true);
  EXPECT_NEAR(told(), 1 / 0.9, 0.01);
}

TEST(RequestsAnswer, LeavesThreadsTheLastWordIfItHasNone) {
  const Reported reported;
  const auto request = Asking({{"clients", "client=2"}});
  const auto why = absl::FailedPreconditionError("there are only 16 events");
  EXPECT_EQ(AskRequestsAlone(reported.recording(), request,
                             absl::NotFoundError("no requests were found"), why)
                .status(),
            why);
  // Nothing that requests could mend.
  const auto unclear = absl::InvalidArgumentError("name one of them");
  EXPECT_EQ(AskRequestsAlone(reported.recording(), request, ClosedLoop(), unclear).status(),
            unclear);
}

// Its rate is told in its own cycles then.
TEST(RequestsAnswer, IsAGainIfTheChangeIsOfThreadsWithoutRequests) {
  const Reported reported;
  pb::WhatIf answer;
  pb::WhatIfChange& change = *answer.add_changes();
  change.set_kind("run");
  change.set_from("worker");
  EXPECT_TRUE(IsOpenLoop(reported.recording(), OpenLoop(), answer));
  change.set_from("updater");
  EXPECT_FALSE(IsOpenLoop(reported.recording(), OpenLoop(), answer));
}

}  // namespace
}  // namespace gordian
