// SPDX-License-Identifier: Apache-2.0
#include "jobs/models/rule_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "jobs/models/phase_model.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

ResourceType In(const std::string& unit, const std::string& name = "it") {
  return {.name = name, .unit = unit};
}

double AmountOf(std::string_view words, const ResourceType& resource) {
  const auto rule = ParseRule(words, resource);
  EXPECT_TRUE(rule.ok()) << rule.status();
  if (!rule.ok()) return -1;
  EXPECT_EQ(rule->kind, RuleKind::kExact);
  EXPECT_TRUE(rule->in_unit);
  return rule->amount;
}

std::string ErrorOf(std::string_view words, const ResourceType& resource) {
  const auto rule = ParseRule(words, resource);
  EXPECT_FALSE(rule.ok()) << words;
  return std::string(rule.status().message());
}

TEST(RuleWords, TakeAmountsInTheUnitOfTheResource) {
  EXPECT_EQ(AmountOf("exact 1 core", In("cores")), 1);
  EXPECT_EQ(AmountOf("exact 2.5 cores", In("cores")), 2.5);
  EXPECT_EQ(AmountOf("exact 200 MB/s", In("B/s")), 200e6);
  EXPECT_EQ(AmountOf("exact 200MB/s", In("B/s")), 200e6);
  EXPECT_EQ(AmountOf("exact 1.5 GiB", In("B")), 1.5 * (1 << 30));
  EXPECT_EQ(AmountOf("exact 1 Gbit/s", In("B/s")), 125e6);
  EXPECT_EQ(AmountOf("exact 1 GB/s", In("MB/s")), 1000);
  EXPECT_EQ(AmountOf("exact 20 kIOPS", In("IOPS")), 20e3);
  EXPECT_EQ(AmountOf("exact 1 request", In("requests")), 1);
}

TEST(RuleWords, KnowTheUnitsOfRecordedResources) {
  EXPECT_EQ(AmountOf("exact 1 core", In("", "cpu")), 1);
  EXPECT_EQ(AmountOf("exact 1 MB/s", In("", "disk_write")), 1e6);
}

TEST(RuleWords, TakeSharesOfTheCapacityAsBefore) {
  for (const char* words : {"exact 0.5", "exact 50%", "exact 50 %"}) {
    const auto rule = ParseRule(words, In("cores"));
    ASSERT_TRUE(rule.ok()) << rule.status();
    EXPECT_EQ(*rule, (AttributionRule{RuleKind::kExact, 0.5}));
  }
  EXPECT_EQ(*ParseRule("variable 2", In("")), (AttributionRule{RuleKind::kVariable, 2}));
  EXPECT_EQ(*ParseRule("leaves", In("")), (AttributionRule{RuleKind::kLeaves, 1}));
  EXPECT_EQ(*ParseRule("none", In("")), (AttributionRule{RuleKind::kNone, 0}));
}

TEST(RuleWords, RefuseAnAmountOfAnotherKind) {
  EXPECT_EQ(ErrorOf("exact 1 core", In("B/s", "net")),
            "'exact 1 core' for net: its amounts are in B/s, and 'core' is no such unit");
  EXPECT_THAT(ErrorOf("exact 1 GB", In("B/s")), HasSubstr("'GB' is no such unit"));
  EXPECT_THAT(ErrorOf("exact 1 GB/s", In("cores")), HasSubstr("amounts are in cores"));
  EXPECT_THAT(ErrorOf("exact 5 kicks", In("")), HasSubstr("has no unit; give it one"));
  EXPECT_THAT(ErrorOf("variable 2 cores", In("cores")), HasSubstr("only 'exact' takes amounts"));
}

TEST(RuleWords, RefuseNumbersThatAreNoAmount) {
  for (const char* words : {"exact", "exact 0", "exact -1 core", "exact 1.5", "exact 150%",
                            "exact nan core", "exact inf cores", "exact core", "exact 0 cores",
                            "variable 0", "variable nan", "variable x", "leaves -1",
                            "variable 1e10", "none 1", "blocks", "", " exact 1", "Exact 1 core"})
    EXPECT_THAT(ErrorOf(words, In("cores")), HasSubstr("must be 'none', 'exact SHARE'")) << words;
  EXPECT_THAT(ErrorOf("exact 1e300 PB/s", In("B/s")), HasSubstr("more or less than any resource"));
  EXPECT_THAT(ErrorOf("exact 1e-400 cores", In("cores")), HasSubstr("must be"));
}

TEST(RuleWords, AreShownAsTheyWereWritten) {
  for (const char* words : {"exact 1 core", "exact 0.25 cores", "exact 0.5", "variable",
                            "variable 0.2", "leaves", "none"})
    EXPECT_EQ(RuleWords(*ParseRule(words, In("cores")), In("cores")), words);
  for (const char* words : {"exact 200 MB/s", "exact 1.5 GB/s", "exact 12 B/s", "exact 3 kB/s"})
    EXPECT_EQ(RuleWords(*ParseRule(words, In("B/s")), In("B/s")), words);
}

TEST(RuleWords, AreKeptByTheModel) {
  const auto model = ParseModel(
      "model: m\nresources: {cpu: {unit: cores}}\n"
      "phases: {Job: {uses: {cpu: exact 500e-3 CPUs}, phases: {Step: }}}\nlogs: {format: spark}\n",
      "m.yaml");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->rule_words[0], "exact 500e-3 CPUs");
  EXPECT_EQ(model->rule_words[1], "exact 500e-3 CPUs") << "inherited";
  EXPECT_EQ(model->job.rule(1, 0), (AttributionRule{RuleKind::kExact, 0.5, true}));
}

TEST(RuleWords, TellTheLineOfAWrongUnit) {
  const auto model = ParseModel(
      "model: m\nresources: {net: {unit: B/s}}\nphases: {Job: {uses: {net: exact 1 core}}}\n"
      "logs: {format: spark}\n",
      "m.yaml");
  EXPECT_EQ(model.status().message(),
            "m.yaml:3: uses: 'exact 1 core' for net: its amounts are in B/s, and 'core' is no such "
            "unit");
}

RC_GTEST_PROP(RuleWords, AreReadAsTheSameRule, ()) {
  const std::string unit = *rc::gen::element<std::string>("cores", "B/s", "B", "MB/s", "IOPS");
  const auto kind = *rc::gen::element(RuleKind::kExact, RuleKind::kVariable, RuleKind::kLeaves);
  const double amount = *rc::gen::inRange(1, 1 << 30) / *rc::gen::element(1.0, 7.0, 1000.0, 1e-4);
  AttributionRule rule{kind, amount};
  rule.in_unit = kind == RuleKind::kExact;
  if (kind != RuleKind::kExact) rule.amount = std::min(rule.amount, 1e9);
  const auto read = ParseRule(RuleWords(rule, In(unit)), In(unit));
  RC_ASSERT(read.ok());
  RC_ASSERT(*read == rule);
}

RC_GTEST_PROP(RuleWords, AnyTextIsARuleOrAnErrorOfOneLine, (std::string text)) {
  const auto rule = ParseRule("exact " + text, In("B/s"));
  if (rule.ok()) RC_ASSERT(rule->amount > 0);
}

}  // namespace
}  // namespace gordian
