// SPDX-License-Identifier: Apache-2.0
#include "analysis/let_through_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "analyzer/testing/scenario_timeline.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint16_t kStorePort = 90;

// A report about the three threads, each its own vertex, with one finding.
class LetThroughFindings : public ::testing::Test {
 protected:
  LetThroughFindings() {
    pb::Finding& finding = *report_.add_findings();
    finding.set_kind("sleep");
    finding.set_title("S sleeps 95 % of the time while P waits for it.");
    finding.add_members(store_);
    finding.add_advice("Sleep shorter.");
    pb::NaturalFix& fix = *finding.add_natural_fixes();
    fix.set_change("in-flight");
    fix.set_who(proxy_);
    fix.set_amount(2);
    report_.set_verdict(finding.title());
    let_through_ = {.program = "P",
                    .server = "S",
                    .ports = {kStorePort},
                    .requests = 900,
                    .most = 2,
                    .full_share = 0.97,
                    .kept = 14,
                    .kept_share = 1,
                    .full_while_kept_share = 0.97,
                    .askers = {proxy_},
                    .servers = {store_}};
  }

  // Each thread is its own.
  std::vector<uint32_t> Vertices() const {
    std::vector<uint32_t> vertices(recorded_.timeline().entities().size());
    std::iota(vertices.begin(), vertices.end(), 0u);
    return vertices;
  }

  const pb::Finding& Told() {
    TellLetThrough(found_, RequestWalk(recorded_.timeline(), found_), {&let_through_, 1},
                   Vertices(), report_);
    return report_.findings(0);
  }

  const ScenarioTimeline recorded_{
      "end 1000\nthread 1 P R\nthread 2 S R\nthread 3 O R\n0 0 switch 0 1\n"};
  const EntityId proxy_ = recorded_.Id("P");
  const EntityId store_ = recorded_.Id("S");
  const EntityId other_ = recorded_.Id("O");
  FoundRequests found_;
  LetThrough let_through_;
  pb::Report report_;
};

TEST_F(LetThroughFindings, ThatKeepRequestsNameTheLimitAndAskForAllThatWait) {
  const pb::Finding& finding = Told();
  EXPECT_EQ(finding.title(),
            "P is the limit: it lets 2 requests at a time through to S (port 90), while up to 14 "
            "wait in it.");
  EXPECT_EQ(report_.verdict(), finding.title());
  EXPECT_EQ(
      finding.why(0),
      "More than 2 requests of its own clients are open in P for 100 % of the time. In 97 % of "
      "that time 2 are under way to S (port 90), and hardly ever more.");
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("Raise what bounds P's requests to S")));
  EXPECT_EQ(finding.natural_fixes(0).amount(), 8);
  EXPECT_EQ(finding.let_through().at_once(), 2u);
  EXPECT_EQ(finding.let_through().kept(), 14u);
}

TEST_F(LetThroughFindings, OfAWorkerNameThoseItWorksFor) {
  let_through_.works_for = "F";
  EXPECT_EQ(Told().title(),
            "P is the limit: it lets 2 requests at a time through to S (port 90), while up to 14 "
            "of F wait.");
  EXPECT_THAT(report_.findings(0).why(0),
              HasSubstr("More than 2 requests of the clients are open in F"));
}

TEST_F(LetThroughFindings, OfAProcessForEachAskWhoBeginsThemForMore) {
  let_through_.beginner = other_;
  const pb::Finding& told = Told();
  EXPECT_EQ(told.natural_fixes(0).who(), other_);
  EXPECT_THAT(told.advice(0), HasSubstr("P is started for each request"));
}

TEST_F(LetThroughFindings, TellHowManyThreadsAsk) {
  let_through_.askers = {proxy_, other_};
  const pb::RequestsLetThrough told = Told().let_through();
  EXPECT_EQ(AskersOf(told, {&let_through_, 1}), 2u);
  EXPECT_EQ(AskersOf(told, {}), 0u);
}

// gordian whatif takes whole numbers.
TEST_F(LetThroughFindings, AskForAWholeNumberOfTimes) {
  let_through_.most = 3;
  let_through_.kept = 13;
  EXPECT_EQ(Told().natural_fixes(0).amount(), 6);
}

// Children of one pool wait for a lock while one of them asks: more children would wait as well.
TEST_F(LetThroughFindings, AskForMoreRequestsFirstWhereMoreThreadsThanRequestsAreThere) {
  pb::Finding& finding = *report_.mutable_findings(0);
  finding.mutable_natural_fixes(0)->set_change("add-thread");
  pb::NaturalFix& queue = *finding.add_natural_fixes();
  queue.set_change("async");
  queue.set_who(proxy_);
  queue.set_whom(store_);
  let_through_.most = 1;
  let_through_.kept = 7;
  let_through_.askers = {proxy_, other_};
  const pb::Finding& told = Told();
  ASSERT_EQ(told.natural_fixes_size(), 2);
  EXPECT_EQ(told.natural_fixes(0).change(), "in-flight");
  EXPECT_EQ(told.natural_fixes(0).who(), proxy_);
  EXPECT_EQ(told.natural_fixes(0).amount(), 8);
  EXPECT_EQ(told.natural_fixes(1).change(), "async");
}

TEST_F(LetThroughFindings, AskForMoreRequestsWhereTheFindingHasNoFix) {
  report_.mutable_findings(0)->clear_natural_fixes();
  report_.mutable_findings(0)->set_no_natural_fix_because("nothing shows what it sleeps for");
  const pb::Finding& told = Told();
  ASSERT_EQ(told.natural_fixes_size(), 1);
  EXPECT_EQ(told.natural_fixes(0).change(), "in-flight");
  EXPECT_TRUE(told.no_natural_fix_because().empty());
}

TEST_F(LetThroughFindings, AskForAsManyThreadsAsRequestsWait) {
  let_through_.askers = {proxy_, other_};
  report_.mutable_findings(0)->mutable_natural_fixes(0)->set_change("add-thread");
  for (size_t id = 0; id < Vertices().size(); ++id) report_.add_vertices();
  for (const uint32_t thread : {7, 8})
    report_.mutable_vertices(static_cast<int>(proxy_))->add_members(thread);
  EXPECT_EQ(Told().natural_fixes(0).amount(), 14);
}

TEST_F(LetThroughFindings, OfAnotherProgramStayAsTheyAre) {
  let_through_.askers = {other_};
  let_through_.servers = {other_};
  EXPECT_FALSE(Told().has_let_through());
}

TEST_F(LetThroughFindings, ThatKeepRequestsForAPartOfTheTimeAreNotTold) {
  let_through_.kept_share = 0.3;
  EXPECT_FALSE(Told().has_let_through());
}

TEST_F(LetThroughFindings, OfServersThatAreNotAskedAsMuchAsTheyCouldBeAreNotTold) {
  let_through_.full_while_kept_share = 0.3;
  EXPECT_FALSE(Told().has_let_through());
}

// It works, or wants a CPU: then nobody has to ask it for more.
TEST_F(LetThroughFindings, AreOfSleepsAndKnotsAlone) {
  report_.mutable_findings(0)->set_kind("sink");
  EXPECT_FALSE(Told().has_let_through());
}

TEST_F(LetThroughFindings, OfAKnotWithinTheServerAreNotTold) {
  report_.mutable_findings(0)->set_kind("knot");
  report_.mutable_findings(0)->clear_natural_fixes();
  EXPECT_FALSE(Told().has_let_through());
}

// S waits for O, which it asks; P would let more through to S if there were more of it.
TEST_F(LetThroughFindings, OfAServerThatWaitsForTheNextOneAreTold) {
  pb::Finding& finding = *report_.mutable_findings(0);
  finding.set_kind("knot");
  finding.clear_natural_fixes();
  finding.add_members(other_);
  const std::vector<LetThrough> ways = {let_through_,
                                        {.program = "S",
                                         .server = "O",
                                         .ports = {91},
                                         .most = 2,
                                         .full_share = 0.9,
                                         .askers = {store_},
                                         .servers = {other_}}};
  TellLetThrough(found_, RequestWalk(recorded_.timeline(), found_), ways, Vertices(), report_);
  EXPECT_THAT(finding.title(), HasSubstr("P is the limit: it lets 2 requests at a time"));
}

TEST_F(LetThroughFindings, AreToldOnce) {
  *report_.add_findings() = report_.findings(0);
  Told();
  EXPECT_FALSE(report_.findings(1).has_let_through());
}

TEST_F(LetThroughFindings, OfThreadsWhoseClientsAreNotSeenGetTheNumberAdded) {
  pb::Finding& finding = *report_.mutable_findings(0);
  finding.set_kind("knot");
  finding.set_title("The threads of P hold each other up: each waits 87 % of the time.");
  finding.clear_members();
  finding.add_members(proxy_);
  let_through_.kept = 0;
  let_through_.kept_share = 0;
  let_through_.most = 1;
  let_through_.askers = {proxy_, other_};
  EXPECT_EQ(Told().title(),
            "The threads of P hold each other up: each waits 87 % of the time, and they have 1 "
            "request at a time under way to S (port 90).");
  EXPECT_EQ(finding.natural_fixes(0).amount(), 2);
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("more ways to ask"), "Sleep shorter."));
}

// More of them would wait there instead.
TEST_F(LetThroughFindings, OfServersThatWorkOnOneAfterTheOtherAreNotTold) {
  const auto add = [&](uint16_t client, uint64_t from_ns, uint64_t to_ns) {
    FlowTuple tuple;
    tuple.source_port = client;
    tuple.destination_port = kStorePort;
    found_.connections.push_back({.to_server = tuple, .is_served = true});
    found_.requests.push_back({.connection = static_cast<uint32_t>(found_.connections.size() - 1),
                               .thread = store_,
                               .client = proxy_,
                               .start_ns = ScenarioTimeline::At(from_ns),
                               .received_ns = ScenarioTimeline::At(from_ns),
                               .answer_ns = ScenarioTimeline::At(to_ns),
                               .end_ns = ScenarioTimeline::At(to_ns)});
  };
  // S runs all the time, and answers the second right behind the first.
  const ScenarioTimeline busy(
      "end 1000\nthread 1 P R\nthread 2 S R\nthread 3 O R\n0 0 switch 0 2\n");
  add(1, 100, 400);
  add(2, 101, 700);
  add(3, 102, 990);
  TellLetThrough(found_, RequestWalk(busy.timeline(), found_), {&let_through_, 1}, Vertices(),
                 report_);
  EXPECT_FALSE(report_.findings(0).has_let_through());
}

// Eight clients of a database lock one row while they ask a service.
TEST_F(LetThroughFindings, OfATargetsThreadsAreTheLimitWhereThereIsNoOther) {
  report_.clear_findings();
  for (size_t id = 0; id < Vertices().size(); ++id)
    report_.add_vertices()->set_target(id == proxy_ || id == other_);
  let_through_.kept = 0;
  let_through_.kept_share = 0;
  let_through_.most = 1;
  let_through_.askers = {proxy_, other_};
  const auto tell = [&] { TellNarrowWay(found_, {&let_through_, 1}, Vertices(), report_); };
  let_through_.full_share = 0.3;
  tell();
  EXPECT_EQ(report_.findings_size(), 0);
  let_through_.full_share = 0.97;
  tell();
  ASSERT_EQ(report_.findings_size(), 1);
  EXPECT_EQ(report_.findings(0).title(),
            "P is the limit: 2 of its threads ask S (port 90), and have 1 request at a time under "
            "way.");
  EXPECT_EQ(report_.verdict(), report_.findings(0).title());
  EXPECT_EQ(report_.findings(0).upper_bound_gain(), 2);
  EXPECT_EQ(report_.findings(0).natural_fixes_size(), 0);
  tell();
  EXPECT_EQ(report_.findings_size(), 1) << "there is a limit now";
}

// Goroutines: two threads have sixteen requests under way, and wait for each other.
class FullWay : public LetThroughFindings {
 protected:
  FullWay() {
    pb::Finding& finding = *report_.mutable_findings(0);
    finding.set_kind("knot");
    finding.set_title("The threads of P hold each other up.");
    finding.clear_members();
    finding.add_members(proxy_);
    report_.set_verdict(finding.title());
    for (size_t id = 0; id < Vertices().size(); ++id) {
      pb::ReportVertex& vertex = *report_.add_vertices();
      vertex.set_target(id != store_);
      vertex.set_wait_s(9);
      vertex.set_run_s(1);
    }
    let_through_.kept = 0;
    let_through_.most = 16;
    let_through_.on_average = 15.6;
    let_through_.askers = {proxy_, other_};
  }

  std::string Title() {
    TellFullWay(found_, {&let_through_, 1}, Vertices(), report_);
    return report_.verdict();
  }
};

TEST_F(FullWay, IsTheLimitWhateverTheThreadsWaitForMeanwhile) {
  EXPECT_EQ(Title(),
            "P is the limit: it has 16 requests at a time under way to S (port 90), on average "
            "15.6, and hardly ever more.");
  const pb::Finding& finding = report_.findings(0);
  ASSERT_EQ(finding.natural_fixes_size(), 1);
  EXPECT_EQ(finding.natural_fixes(0).change(), "in-flight");
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("more connections"), "Sleep shorter."));
  EXPECT_EQ(finding.let_through().at_once(), 16u);
}

TEST_F(FullWay, IsNoLimitIfOftenFewerAreUnderWay) {
  let_through_.on_average = 9;
  EXPECT_EQ(Title(), "The threads of P hold each other up.");
}

TEST_F(FullWay, IsNoLimitIfTheServerIsBusy) {
  report_.mutable_vertices(static_cast<int>(store_))->set_run_s(30);
  EXPECT_EQ(Title(), "The threads of P hold each other up.");
}

TEST_F(FullWay, OfThreadsThatWaitForTheirAnswersIsToldByTheGraph) {
  let_through_.most = 2;
  let_through_.on_average = 2;
  EXPECT_EQ(Title(), "The threads of P hold each other up.");
}

TEST_F(FullWay, IsToldWithConnectionsThatHaveNoRequestUnderWay) {
  pb::Finding& finding = *report_.mutable_findings(0);
  finding.add_members(store_);
  finding.add_outside(store_);
  finding.set_title("The limit is outside of the target: P waits 88 % of the time for S.");
  let_through_.most = 1;
  let_through_.on_average = 0.9;
  let_through_.connections = 1;
  Title();
  EXPECT_THAT(finding.title(), HasSubstr("for S."));
  let_through_.connections = 12;
  Title();
  EXPECT_EQ(finding.title(),
            "The limit is outside of the target: P waits 88 % of the time for S, and P has 1 "
            "request at a time under way on 12 connections.");
  EXPECT_EQ(finding.natural_fixes(0).amount(), 12);
}

}  // namespace
}  // namespace gordian
