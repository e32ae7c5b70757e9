// SPDX-License-Identifier: Apache-2.0
// The gains that reports promise, of recordings whose throughput can be calculated by hand.
#include "whatif/predict_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "analyzer/findings/findings.h"
#include "analyzer/graph/wait_for_graph.h"
#include "nodes/test_cluster.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "whatif/testing/test_traces.h"

namespace gordian::testing {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::StartsWith;

class Predictions : public ::testing::Test {
 protected:
  void Load(TraceBuilder t, const std::string& group = "") {
    ASSERT_TRUE(t.WriteSession(dir_ / "session").ok());
    auto session = SessionReader::Open(dir_ / "session");
    ASSERT_TRUE(session.ok());
    auto timeline = LoadTimeline(**session);
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    Take(*std::move(timeline), group);
  }

  void Take(Timeline timeline, const std::string& group = "") {
    timeline_ = std::move(timeline);
    const WaitForGraph graph = BuildWaitForGraph(timeline_);
    GraphOptions merging;
    if (!group.empty()) merging.groups.push_back({.who = group, .name = group});
    const auto merged = BuildGraph(graph, merging);
    ASSERT_TRUE(merged.ok()) << merged.status();
    vertex_of_entity_ = merged->vertex_of_entity;
    report_ = Judge(graph, *merged, {});
  }

  AnalyzedRecording Recording() const {
    return {.timeline = timeline_,
            .report = report_,
            .vertex_of_entity = vertex_of_entity_,
            .stacks = stacks_,
            .code = code_};
  }

  PredictionCost Predict(uint64_t most_replayed_steps = 0) {
    return PredictFindings(
        Recording(),
        {.command = "gordian whatif trace", .most_replayed_steps = most_replayed_steps}, report_);
  }

  // The answer of gordian whatif.
  pb::WhatIf Ask(const WhatIfRequest& request) const {
    WhatIfAsker asker(Recording(), [] { return true; });
    const auto answer = asker.Ask(request);
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() ? *answer : pb::WhatIf();
  }

  uint32_t Vertex(const std::string& name) const {
    for (const pb::ReportVertex& vertex : report_.vertices()) {
      if (vertex.name() == name) return vertex.id();
    }
    ADD_FAILURE() << "nobody is called " << name;
    return 0;
  }

  pb::Finding Knot(const std::string& from, const std::string& to) const {
    pb::Finding finding;
    finding.set_kind("knot");
    finding.set_title(from + " and " + to);
    finding.add_members(Vertex(from));
    finding.add_members(Vertex(to));
    finding.mutable_edge()->set_from(Vertex(from));
    finding.mutable_edge()->set_to(Vertex(to));
    finding.set_upper_bound_gain(10);
    pb::NaturalFix& fix = Fix("async", from, finding);
    fix.set_whom(Vertex(to));
    fix.set_of_wait(true);
    return finding;
  }

  pb::NaturalFix& Fix(const std::string& change, const std::string& who,
                      pb::Finding& finding) const {
    pb::NaturalFix& fix = *finding.add_natural_fixes();
    fix.set_change(change);
    fix.set_who(Vertex(who));
    return fix;
  }

  // These findings in place of the report's own, in that order.
  void Put(const std::vector<pb::Finding>& findings) {
    report_.clear_findings();
    for (const pb::Finding& finding : findings) {
      *report_.add_findings() = finding;
      report_.mutable_findings(report_.findings_size() - 1)
          ->set_rank(static_cast<uint32_t>(report_.findings_size()));
    }
    report_.set_verdict(findings[0].title());
  }

  const pb::Finding& First() const { return report_.findings(0); }

  const TempDir dir_;
  Timeline timeline_;
  std::vector<uint32_t> vertex_of_entity_;
  StackSums stacks_;
  Code code_;
  pb::Report report_;
};

// loop works 4 ms, waits 1 ms for vda and 5 ms for vdb.
TraceBuilder TwoDisksTrace(int rounds) {
  constexpr int32_t kLoop = 11;
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(1);
  t.Thread(kLoop, "loop").At(0).Cpu(0).Run(kLoop);
  const uint32_t disks[] = {t.Disk("vda"), t.Disk("vdb")};
  const uint64_t service_ns[] = {1_ms, 5_ms};
  uint64_t now_ns = 0;
  for (int i = 0; i < rounds; ++i) {
    for (int disk = 0; disk < 2; ++disk) {
      BlockEvent request = {.sector = 8,
                            .device = disks[disk],
                            .bytes = 4096,
                            .tid = kLoop,
                            .operation = BlockOperation::kRead};
      t.At(now_ns += 2_ms).Issue(request).Block(kDiskSleep);
      request.service_ns = service_ns[disk];
      t.At(now_ns += service_ns[disk]).Complete(request).WakeFromBlock(kLoop, disks[disk]);
      t.Run(kLoop);
    }
  }
  return t;
}

// greedy keeps the only CPU for 20 ms at a time; meek works 1 ms and waits 1 ms for vda.
TraceBuilder UnfairTrace(int rounds) {
  constexpr int32_t kGreedy = 11, kMeek = 12;
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(1);
  t.Thread(kGreedy, "greedy", kGreedy).Thread(kMeek, "meek", kGreedy);
  const uint32_t disk = t.Disk("vda");
  t.At(0).Cpu(0).Run(kMeek);
  for (int i = 0; i < rounds; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 21_ms;
    BlockEvent read = {.sector = 8,
                       .device = disk,
                       .bytes = 4096,
                       .tid = kMeek,
                       .operation = BlockOperation::kRead};
    t.At(begin_ns + 1_ms).Issue(read).Block(kDiskSleep, kGreedy);
    read.service_ns = 1_ms;
    t.At(begin_ns + 2_ms).Complete(read).WakeFromBlock(kMeek, disk);
    t.At(begin_ns + 21_ms).Run(kMeek);
  }
  return t;
}

TEST_F(Predictions, AreWhatGordianWhatIfAnswersToTheirCommand) {
  Load(Figure1Trace(200));
  Predict();
  ASSERT_EQ(First().predictions_size(), 1);
  const pb::Prediction& prediction = First().predictions(0);
  EXPECT_EQ(prediction.command(), "gordian whatif trace --async 'B->disk vda'");
  pb::WhatIf answer = Ask({.changes = {{"async", "B->disk vda"}}});
  Calibrate({}, answer);
  EXPECT_EQ(prediction.low(), answer.low());
  EXPECT_EQ(prediction.high(), answer.high());
  EXPECT_EQ(prediction.expected(), answer.expected());
  EXPECT_EQ(prediction.trust(), answer.trust());
  EXPECT_EQ(prediction.progress(), "cycles of B");
  EXPECT_NEAR(prediction.expected(), 2, 0.05);
  EXPECT_TRUE(prediction.ranks());
}

TEST_F(Predictions, OfLocksAreThoseOfEachFix) {
  Load(LockTrace(200), "worker");
  Predict();
  ASSERT_EQ(First().kind(), "knot");
  ASSERT_EQ(First().predictions_size(), 2);
  EXPECT_EQ(First().predictions(0).change(), "--lock 'worker->worker'");
  EXPECT_EQ(First().predictions(0).expected(),
            Ask({.changes = {{"lock", "worker->worker"}}}).expected());
  EXPECT_NEAR(First().predictions(0).expected(), 8.0 / 6, 0.03);
  EXPECT_EQ(First().predictions(1).change(), "--batch 'worker->worker'");
  EXPECT_EQ(First().predictions(1).expected(),
            Ask({.changes = {{"batch", "worker->worker"}}}).expected());
}

TEST_F(Predictions, OfWakesForNothingAreFollowedByAdvice) {
  Load(NeedlessWakesTrace(2'000), "helper");
  pb::Finding herd;
  herd.set_kind("knot");
  herd.add_members(Vertex("helper"));
  herd.add_advice("Split the lock.");
  herd.mutable_edge()->set_from(Vertex("helper"));
  herd.mutable_edge()->set_to(Vertex("helper"));
  herd.set_upper_bound_gain(10);
  pb::NaturalFix& fix = Fix("no-false-wakeups", "helper", herd);
  fix.set_if_woken_for_nothing(true);
  fix.set_advice("Wake no more threads than there is work for.");
  pb::Finding boss;
  boss.set_kind("sink");
  boss.add_members(Vertex("boss"));
  Put({boss, herd});
  Predict();
  const pb::Finding& told = report_.findings(1);
  ASSERT_GE(told.predictions_size(), 1);
  EXPECT_EQ(told.predictions(0).change(), "--no-false-wakeups helper");
  EXPECT_NEAR(told.predictions(0).expected(), 50.0 / 42, 0.03);
  EXPECT_THAT(told.advice(0), HasSubstr("Wake no more threads than there is work for"));
  EXPECT_EQ(told.advice(1), "Split the lock.");
}

// A load generator whose kernel wakes all threads of the target for each connection.
TEST_F(Predictions, OfStrangersWhoWakeTheTargetForNothingBeginWithThat) {
  Load(NeedlessWakesTrace(2'000), "helper");
  pb::Finding boss;
  boss.set_kind("sink");
  boss.set_title("The limit is outside of the target: boss is busy 90 % of the time.");
  boss.set_share(0.9);
  boss.add_members(Vertex("boss"));
  pb::NaturalFix& fix = Fix("no-false-wakeups", "helper", boss);
  fix.set_if_woken_for_nothing(true);
  fix.set_advice("Wake no more threads than there is work for.");
  Put({boss});
  Predict();
  EXPECT_EQ(First().title(), boss.title()) << "a thread of the target";
  boss.add_outside(Vertex("boss"));
  Put({boss});
  Predict();
  EXPECT_THAT(First().title(),
              AllOf(HasSubstr("are woken for nothing in "),
                    HasSubstr("by boss, outside of the target, which is busy 90 % of the time.")));
  EXPECT_EQ(report_.verdict(), First().title());
  EXPECT_EQ(First().members_size(), 2);
}

TEST_F(Predictions, OfACpuBoundStageAreOfHalfItsWork) {
  Load(PipelineTrace(200));
  Predict();
  ASSERT_EQ(First().kind(), "sink");
  ASSERT_EQ(First().predictions_size(), 1);
  EXPECT_EQ(First().predictions(0).change(), "--run compressor=0.5");
  // The disk and the consumer are ready after 4 of 10 ms.
  EXPECT_NEAR(First().predictions(0).expected(), 2, 0.05);
  EXPECT_FALSE(First().predictions(0).ranks());
}

TEST_F(Predictions, OfWorkAreAYardstickUnlessEvenHalfOfItGainsNothing) {
  Load(PipelineTrace(200));
  pb::Finding sink;
  sink.set_kind("sink");
  sink.add_members(Vertex("consumer"));
  sink.set_upper_bound_gain(2);
  Fix("run", "consumer", sink).set_amount(0.5);
  Put({sink});
  Predict();
  ASSERT_EQ(First().predictions_size(), 1);
  EXPECT_NEAR(First().predictions(0).expected(), 1, 0.01);
  EXPECT_TRUE(First().predictions(0).ranks());
}

// The bound is a sum of waits: with the work that goes with them the gain is larger.
TEST_F(Predictions, MayBeMoreThanTheFindingsBound) {
  Load(Figure1Trace(200));
  report_.mutable_findings(0)->set_upper_bound_gain(1.5);
  Predict();
  EXPECT_NEAR(First().predictions(0).expected(), 2, 0.05);
}

TEST_F(Predictions, AreNotMadeOfWhatTheReplayCannotReproduce) {
  Load(UnfairTrace(200));
  Put({Knot("meek", "vda")});
  const double self_check = Ask({.changes = {{"async", "meek->disk vda"}}}).self_check();
  ASSERT_GT(self_check, kPoorSelfCheck);
  Predict();
  EXPECT_THAT(First().predictions(), IsEmpty());
  EXPECT_THAT(First().no_prediction_because(), HasSubstr("the replay misses the recorded rate by"));
}

TEST_F(Predictions, OrderFindingsByWhatTheySurelyGain) {
  Load(TwoDisksTrace(200));
  Put({Knot("loop", "vda"), Knot("loop", "vdb")});
  Predict();
  EXPECT_EQ(First().title(), "loop and vdb");
  EXPECT_EQ(report_.verdict(), "loop and vdb");
  EXPECT_NEAR(First().predictions(0).expected(), 2, 0.05);
  EXPECT_NEAR(report_.findings(1).predictions(0).expected(), 10.0 / 9, 0.03);
  EXPECT_EQ(First().rank(), 1u);
  EXPECT_EQ(report_.findings(1).rank(), 2u);
}

TEST_F(Predictions, LeaveTheOrderWhereTheFirstHasNone) {
  Load(TwoDisksTrace(200));
  pb::Finding without = Knot("loop", "vda");
  without.set_kind("sink");
  without.clear_members();
  without.add_members(Vertex("vda"));
  without.clear_natural_fixes();
  without.set_no_natural_fix_because("what was not recorded cannot be replayed");
  Put({without, Knot("loop", "vdb")});
  Predict();
  EXPECT_EQ(First().kind(), "sink");
  EXPECT_THAT(First().no_prediction_because(), HasSubstr("was not recorded"));
  EXPECT_EQ(report_.findings(1).predictions_size(), 1);
}

TEST_F(Predictions, LeaveTheOrderWhereIntervalsAreNotApart) {
  Load(TwoDisksTrace(200));
  pb::Finding again = Knot("loop", "vda");
  again.set_title("the same again");
  Put({Knot("loop", "vda"), again});
  Predict();
  EXPECT_EQ(First().title(), "loop and vda");
}

TEST_F(Predictions, EndWhenTheyAreStopped) {
  Load(TwoDisksTrace(200));
  Put({Knot("loop", "vda"), Knot("loop", "vdb")});
  const uint64_t all_steps = Predict().replayed_steps;
  std::map<std::string, double> whole;
  for (const pb::Finding& finding : report_.findings())
    whole[finding.title()] = finding.predictions(0).expected();
  for (int replays = 0; replays < 8; ++replays) {
    Put({Knot("loop", "vda"), Knot("loop", "vdb")});
    int left = replays;
    PredictionOptions options{.command = "gordian whatif trace"};
    options.stop_asked = [&left] { return left <= 0; };
    options.progress = [&left](double) { --left; };
    const PredictionCost cost = PredictFindings(Recording(), options, report_);
    EXPECT_TRUE(cost.stopped);
    EXPECT_LT(cost.replayed_steps, all_steps);
    EXPECT_EQ(left, 0) << "no replay was begun behind the stop";
    EXPECT_EQ(report_.findings_size(), 2);
    for (const pb::Finding& finding : report_.findings()) {
      // All of a finding's prediction, or none.
      if (finding.predictions_size() > 0) {
        EXPECT_EQ(finding.predictions(0).expected(), whole[finding.title()]);
      } else {
        EXPECT_THAT(finding.no_prediction_because(),
                    StartsWith("the analysis was stopped; ask gordian whatif trace --async"));
      }
    }
  }
}

TEST_F(Predictions, OfLongRecordingsAreThoseOfTheirMiddle) {
  Load(Figure1Trace(20'000));
  constexpr uint64_t kAllowed = 200'000;
  const PredictionCost cost = Predict(kAllowed);
  EXPECT_EQ(cost.allowed_steps, kAllowed);
  EXPECT_LE(cost.replayed_steps, kAllowed);
  EXPECT_THAT(cost.replayed_s, AllOf(Ge(3), Le(40)));
  ASSERT_EQ(First().predictions_size(), 1);
  EXPECT_EQ(First().predictions(0).replayed_s(), cost.replayed_s);
  EXPECT_NEAR(First().predictions(0).expected(), 2, 0.05);
  EXPECT_LT(First().predictions(0).self_check(), 0.02);
}

TEST_F(Predictions, AreLeftToWhoeverAsksWhereThePartIsTooShort) {
  Load(Figure1Trace(1'000));
  Predict(24);
  EXPECT_THAT(First().predictions(), IsEmpty());
  EXPECT_THAT(First().no_prediction_because(),
              AllOf(StartsWith("too little happens in the "),
                    HasSubstr("ask gordian whatif trace --async 'B->disk vda'")));
}

TEST_F(Predictions, CostNoMoreThanTheyMayHoweverManyFixesThereAre) {
  Load(TwoDisksTrace(5'000));
  Put({Knot("loop", "vda"), Knot("loop", "vdb"), Knot("loop", "vda")});
  for (const uint64_t allowed : {20'000u, 100'000u, 400'000u}) {
    for (pb::Finding& finding : *report_.mutable_findings()) finding.clear_predictions();
    const PredictionCost cost = Predict(allowed);
    EXPECT_LT(cost.replayed_steps, 2 * allowed);
  }
}

TEST_F(Predictions, OfFurtherFindingsAreLeftToWhoeverAsks) {
  Load(LockTrace(2'000), "worker");
  const pb::Finding lock = First();
  Put({lock, lock, lock, lock, lock, lock, lock, lock});
  constexpr uint64_t kAllowed = 50'000;
  const PredictionCost cost = PredictFindings(
      Recording(),
      {.command = "gordian whatif trace", .most_replayed_steps = kAllowed, .most_findings = 8},
      report_);
  EXPECT_LE(cost.replayed_steps, kAllowed);
  EXPECT_EQ(First().predictions_size(), 2);
  EXPECT_THAT(report_.findings(7).predictions(), IsEmpty());
  EXPECT_THAT(report_.findings(7).no_prediction_because(),
              HasSubstr("gordian whatif trace --lock 'worker->worker'"));
}

TEST_F(Predictions, AreNotMadeOfAJobThatEnds) {
  Load(Figure1Trace(200));
  report_.mutable_path()->set_is_job(true);
  EXPECT_EQ(Predict().replayed_steps, 0u);
  EXPECT_THAT(First().predictions(), IsEmpty());
  EXPECT_THAT(First().no_prediction_because(), HasSubstr("this job ends"));
}

TEST_F(Predictions, AreMadeOfTheJobItself) {
  Load(Figure1Trace(200));
  report_.mutable_path()->set_is_job(true);
  report_.mutable_path()->set_seconds(2);
  report_.mutable_findings(0)->set_kind("path");
  EXPECT_GT(Predict().replayed_steps, 0u);
}

TEST_F(Predictions, OfAJobAreOfItsTime) {
  Load(Figure1Trace(200));
  pb::JobPath& path = *report_.mutable_path();
  path.set_is_job(true);
  path.set_root("sh");
  path.set_seconds(2);
  const pb::WhatIf answer = Ask({.changes = {{"scale", "disk vda=0"}}});
  EXPECT_NEAR(answer.expected(), 2, 0.05);
  EXPECT_EQ(answer.job().root(), "sh");
  EXPECT_FALSE(answer.job().whole());
  EXPECT_DOUBLE_EQ(answer.job().seconds(), 2);
  EXPECT_NEAR(answer.job().seconds_after(), 1, 0.03);
  EXPECT_LE(answer.job().least_seconds_after(), answer.job().seconds_after());
  EXPECT_GE(answer.job().most_seconds_after(), answer.job().seconds_after());
  EXPECT_THAT(answer.verdict(), HasSubstr("as fast; what was recorded of the job takes 2 s → 1 s"));
  EXPECT_THAT(answer.refusal(), IsEmpty());
}

TEST_F(Predictions, ShareWhatTheyHaveInCommon) {
  Load(TwoDisksTrace(200));
  WhatIfAsker asker(Recording(), [] { return true; });
  const auto answer = asker.Ask({.changes = {{"async", "loop->disk vda"}}});
  ASSERT_TRUE(answer.ok());
  const uint64_t first = asker.replayed_steps();
  const auto again = asker.Ask({.changes = {{"async", "loop->disk vda"}}});
  ASSERT_TRUE(again.ok());
  EXPECT_LT(asker.replayed_steps() - first, first);
  EXPECT_EQ(again->SerializeAsString(), answer->SerializeAsString());
}

TEST(TooManyForced, IsMoreThanAThousandthOfTheSteps) {
  pb::WhatIf answer;
  answer.set_steps(10'000);
  answer.set_forced_steps(10);
  EXPECT_FALSE(TooManyForced(answer));
  answer.set_forced_steps(11);
  EXPECT_TRUE(TooManyForced(answer));
}

}  // namespace
}  // namespace gordian::testing
