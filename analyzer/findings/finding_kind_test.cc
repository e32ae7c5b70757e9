// SPDX-License-Identifier: Apache-2.0
// The table of kinds is whole, and its names are those of reports.
#include "analyzer/findings/evidence/finding_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "analyzer/findings/finding.h"
#include "analyzer/findings/kinds/kinds.h"
#include "analyzer/findings/sureness.h"

namespace gordian {
namespace {

TEST(FindingKinds, HaveARowEachInTheirOrder) {
  const auto rows = AllKinds();
  ASSERT_EQ(rows.size(), static_cast<size_t>(FindingKind::kGap) + 1);
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].kind, static_cast<FindingKind>(i));
}

TEST(FindingKinds, HaveAllPartsThatBelongToThem) {
  for (const KindRow& row : AllKinds()) {
    SCOPED_TRACE(row.facts.name);
    EXPECT_STRNE(row.facts.in_words, "");
    EXPECT_THAT(std::string(row.facts.if_gone), ::testing::StartsWith("if "));
    const bool is_detected = row.of_vertex != nullptr || row.of_light_circle != nullptr ||
                             row.of_circle != nullptr || row.of_members != nullptr;
    const bool is_judged_here = !row.facts.of_phases && !row.facts.of_job;
    EXPECT_EQ(is_detected, is_judged_here);
    EXPECT_EQ(row.title != nullptr, is_judged_here);
    EXPECT_EQ(row.why != nullptr, is_judged_here);
    EXPECT_EQ(row.advice != nullptr, is_judged_here);
    EXPECT_EQ(row.upper_bound != nullptr, is_judged_here);
    EXPECT_EQ(row.doubts != nullptr, is_judged_here);
    EXPECT_EQ(row.fixes != nullptr, is_judged_here);
  }
}

TEST(FindingKinds, AreReadAsTheyAreWritten) {
  std::set<std::string> names;
  for (const KindRow& row : AllKinds()) {
    pb::Report report;
    WriteFinding({.kind = row.kind}, report);
    const std::string name = report.findings(0).kind();
    EXPECT_TRUE(names.insert(name).second) << name << " is two kinds";
    EXPECT_EQ(FindingKindOf(name), row.kind);
    EXPECT_STREQ(FactsOf(report.findings(0)).in_words, row.facts.in_words);
  }
  EXPECT_THAT(names, ::testing::Contains("outside"));
}

TEST(FindingKinds, OfALaterVersionAreLimits) {
  pb::Finding finding;
  finding.set_kind("entanglement");
  EXPECT_EQ(FindingKindOf(finding.kind()), std::nullopt);
  EXPECT_TRUE(FactsOf(finding).limits);
  EXPECT_FALSE(FactsOf(finding).of_phases);
}

TEST(Sureness, IsToldInWords) {
  EXPECT_STREQ(SurenessWord(1), "sure");
  EXPECT_STREQ(SurenessWord(0.9), "sure");
  EXPECT_STREQ(SurenessWord(0.89), "likely");
  EXPECT_STREQ(SurenessWord(0.4), "possible");
  EXPECT_STREQ(SurenessWord(0.39), "a guess");
  EXPECT_STREQ(SurenessWord(0), "a guess");
}

TEST(Sureness, EveryWordHasAMeaningAndTheSurestStandsFirst) {
  double before = 2;
  for (const Sureness& row : SurenessTable()) {
    EXPECT_LT(row.at_least, before);
    EXPECT_STRNE(row.meaning, "");
    before = row.at_least;
  }
  EXPECT_EQ(before, 0);
}

}  // namespace
}  // namespace gordian
