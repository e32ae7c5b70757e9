// SPDX-License-Identifier: Apache-2.0
// The one stage that writes ranks, order and verdict.
#include "analyzer/findings/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/findings/finding.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;

class RankedFindings : public ::testing::Test {
 protected:
  pb::Finding& Add(FindingKind kind, const std::string& title, double share = 0.5) {
    WriteFinding({.kind = kind, .share = share, .title = title}, report_);
    return *report_.mutable_findings(report_.findings_size() - 1);
  }

  static void Predict(double low, double high, pb::Finding& finding) {
    pb::Prediction& prediction = *finding.add_predictions();
    prediction.set_low(low);
    prediction.set_high(high);
    prediction.set_ranks(true);
  }

  std::vector<std::string> Titles() const {
    std::vector<std::string> titles;
    for (const pb::Finding& finding : report_.findings()) titles.push_back(finding.title());
    return titles;
  }

  pb::Report report_;
};

TEST_F(RankedFindings, AreNumberedFromOne) {
  Add(FindingKind::kKnot, "a");
  Add(FindingKind::kSink, "b");
  RankFindings(report_);
  EXPECT_EQ(report_.findings(0).rank(), 1u);
  EXPECT_EQ(report_.findings(1).rank(), 2u);
}

TEST_F(RankedFindings, BeginWithPhasesThatCostMuchAndEndWithWhatHoldsUpNothing) {
  Add(FindingKind::kBackground, "background");
  Add(FindingKind::kKnot, "apart").set_apart(true);
  Add(FindingKind::kOutlier, "little", 0.01);
  Add(FindingKind::kKnot, "knot");
  Add(FindingKind::kSink, "sink");
  Add(FindingKind::kImbalance, "much", 0.3);
  RankFindings(report_);
  EXPECT_THAT(Titles(), ElementsAre("much", "knot", "sink", "little", "background", "apart"));
}

TEST_F(RankedFindings, ThatGainClearlyMorePassTheirNeighbours) {
  Predict(1.1, 1.2, Add(FindingKind::kKnot, "less"));
  Predict(2.0, 2.2, Add(FindingKind::kSleep, "more"));
  RankFindings(report_);
  EXPECT_THAT(Titles(), ElementsAre("more", "less"));
}

TEST_F(RankedFindings, OfASleepStayBehindTheKnotWhoseMembersWaitForTheSleeper) {
  const auto order_if = [this](uint32_t sleeper, double least_gain_of_knot) {
    report_.Clear();
    pb::Finding& knot = Add(FindingKind::kKnot, "knot");
    knot.add_members(3);
    knot.add_members(5);
    Predict(least_gain_of_knot, 2.5, knot);
    pb::Finding& sleep = Add(FindingKind::kSleep, "sleep");
    sleep.add_members(sleeper);
    Predict(6.0, 7.0, sleep);
    RankFindings(report_);
    return Titles();
  };
  EXPECT_THAT(order_if(5, 2.0), ElementsAre("knot", "sleep"));
  EXPECT_THAT(order_if(4, 2.0), ElementsAre("sleep", "knot"));  // another one sleeps
  EXPECT_THAT(order_if(5, 1.0), ElementsAre("sleep", "knot"));  // the waits may cost nothing
}

TEST_F(RankedFindings, OfAWaitForThreadsThatAQuotaHoldsBackStandBehindTheQuota) {
  const auto order_if_quota_is_of = [this](uint32_t held_back, double share) {
    report_.Clear();
    Add(FindingKind::kKnot, "wait", 0.9).mutable_edge()->set_to(7);
    pb::Finding& quota = Add(FindingKind::kStarvation, "quota", share);
    quota.add_members(held_back);
    quota.mutable_cpu_quota()->set_cpus(0.2);
    RankFindings(report_);
    return Titles();
  };
  EXPECT_THAT(order_if_quota_is_of(7, 0.8), ElementsAre("quota", "wait"));
  EXPECT_THAT(order_if_quota_is_of(8, 0.8), ElementsAre("wait", "quota"));
  EXPECT_THAT(order_if_quota_is_of(7, 0.3), ElementsAre("wait", "quota"));
}

TEST_F(RankedFindings, ThatAreAGuessStandBehindSurerOnesWhateverTheyPromise) {
  pb::Finding& guess = Add(FindingKind::kSleep, "guess");
  guess.set_confidence(0.2);
  Predict(2.0, 2.2, guess);
  Predict(1.1, 1.2, Add(FindingKind::kKnot, "sure"));
  Add(FindingKind::kBackground, "background");
  RankFindings(report_);
  EXPECT_THAT(Titles(), ElementsAre("sure", "guess", "background"));
  EXPECT_EQ(report_.verdict(), "sure");
}

TEST_F(RankedFindings, ThatAreOnlyGuessesGiveTheVerdictAllTheSame) {
  Add(FindingKind::kSleep, "guess").set_confidence(0.2);
  RankFindings(report_, "Nothing holds it up.");
  EXPECT_EQ(report_.verdict(), "guess");
}

TEST_F(RankedFindings, StayWhereIntervalsTouchOrDoNotRank) {
  Predict(1.1, 1.9, Add(FindingKind::kKnot, "less"));
  pb::Finding& more = Add(FindingKind::kSleep, "more");
  Predict(1.9, 2.2, more);
  RankFindings(report_);
  EXPECT_THAT(Titles(), ElementsAre("less", "more"));
  report_.mutable_findings(1)->mutable_predictions(0)->set_low(2.1);
  report_.mutable_findings(1)->mutable_predictions(0)->set_ranks(false);
  RankFindings(report_);
  EXPECT_THAT(Titles(), ElementsAre("less", "more"));
}

TEST_F(RankedFindings, DoNotPassOneWithoutAPrediction) {
  Predict(1.1, 1.2, Add(FindingKind::kKnot, "less"));
  Add(FindingKind::kSink, "none");
  Predict(2.0, 2.2, Add(FindingKind::kKnot, "more"));
  RankFindings(report_);
  EXPECT_THAT(Titles(), ElementsAre("less", "none", "more"));
}

TEST_F(RankedFindings, KeepTheirOrderWhenRankedAgain) {
  Predict(1.1, 1.2, Add(FindingKind::kKnot, "less"));
  Predict(2.0, 2.2, Add(FindingKind::kSleep, "more"));
  Add(FindingKind::kImbalance, "much", 0.3);
  RankFindings(report_);
  const std::string once = report_.SerializeAsString();
  RankFindings(report_);
  EXPECT_EQ(report_.SerializeAsString(), once);
}

TEST_F(RankedFindings, TakeTheNumbersThatPointToThemAlong) {
  Add(FindingKind::kKnot, "knot");
  Add(FindingKind::kImbalance, "much", 0.3).add_explained_by(1);
  report_.add_issues()->set_finding(2);
  report_.add_issues();  // below the threshold
  RankFindings(report_);
  EXPECT_THAT(Titles(), ElementsAre("much", "knot"));
  EXPECT_THAT(report_.findings(0).explained_by(), ElementsAre(2));
  EXPECT_EQ(report_.issues(0).finding(), 1u);
  EXPECT_EQ(report_.issues(1).finding(), 0u);
}

TEST_F(RankedFindings, GiveTheirFirstLimitAsVerdict) {
  Add(FindingKind::kKnot, "knot");
  RankFindings(report_, "Nothing.");
  EXPECT_EQ(report_.verdict(), "knot");
}

TEST_F(RankedFindings, WithoutALimitLeaveTheVerdictThatTheJudgementGave) {
  Add(FindingKind::kBackground, "background");
  RankFindings(report_, "Nothing holds it up.");
  EXPECT_EQ(report_.verdict(), "Nothing holds it up.");
  Add(FindingKind::kOutlier, "little", 0.01);
  RankFindings(report_);
  EXPECT_EQ(report_.verdict(), "Nothing holds it up.");
}

}  // namespace
}  // namespace gordian
