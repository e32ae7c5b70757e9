// SPDX-License-Identifier: Apache-2.0
#include "live/rules/rule_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/time_units.h"
#include "live/rules/rule_condition.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<Rule> Rules(const std::string& text) {
  std::vector<std::string> errors;
  auto rules = ParseRules(text, "f", &errors);
  EXPECT_THAT(errors, IsEmpty());
  return rules.ok() ? *rules : std::vector<Rule>();
}

std::vector<std::string> Faults(const std::string& text) {
  std::vector<std::string> errors;
  EXPECT_FALSE(ParseRules(text, "f", &errors).ok());
  return errors;
}

TEST(RuleFile, ARuleHasWhenHowLongAndWhatIsDone) {
  const auto rules = Rules(
      "# of the shop\n"
      "rule slow-checkout\n"
      "  when share of knot > 30 % and participation of \"db (4 threads)\" >= 0.5  # half\n"
      "  for 1m30s\n"
      "  cooldown 2 h\n"
      "  keep 30s\n"
      "  run /usr/local/bin/tell \"the one on call\" --urgent\n"
      "  limit 10s\r\n"
      "\n"
      "rule loss\n"
      "when lost > 0\n");
  ASSERT_THAT(rules, SizeIs(2));
  const Rule& rule = rules[0];
  EXPECT_EQ(rule.name, "slow-checkout");
  EXPECT_EQ(rule.line, 2);
  EXPECT_EQ(rule.for_ns, 90 * kNsPerSecond);
  EXPECT_EQ(rule.cooldown_ns, 7200 * kNsPerSecond);
  EXPECT_EQ(rule.keep_ns, 30 * kNsPerSecond);
  EXPECT_EQ(rule.limit_ns, 10 * kNsPerSecond);
  EXPECT_THAT(rule.command, ElementsAre("/usr/local/bin/tell", "the one on call", "--urgent"));
  ASSERT_THAT(rule.conditions, SizeIs(2));
  EXPECT_EQ(rule.conditions[0].quantity, RuleQuantity::kShare);
  EXPECT_EQ(rule.conditions[0].name, "knot");
  EXPECT_DOUBLE_EQ(rule.conditions[0].bound, 0.3);
  EXPECT_EQ(rule.conditions[1].name, "db (4 threads)");
  EXPECT_EQ(rule.conditions[1].comparison, Comparison::kAtLeast);
  EXPECT_THAT(rules[1].command, IsEmpty());
  EXPECT_EQ(rules[1].keep_ns, 0u);
}

TEST(RuleFile, EachQuantityHasItsForm) {
  for (const std::string condition :
       {"share > 30%", "share of knot >= 0.3", "gain > 2", "participation of db > 50 %",
        "run of \"worker*\" < 1 %", "wait web -> db > 40 %", "wait \"a b\" → c <= 0.5",
        "stalled > 90 %", "unknown > 5 %", "cpus > 95 %", "disk > 0.9", "lost > 0", "lag > 5s",
        "open-waits > 100", "lost-nodes > 0", "requests < 1", "request-time > 500ms",
        "finding is knot", "finding is sink of \"db*\""})
    EXPECT_THAT(Rules("rule r\nwhen " + condition), SizeIs(1)) << condition;
}

TEST(RuleFile, WithoutAnyTimeKeepIsAMinute) {
  EXPECT_EQ(Rules("rule r\nwhen lost > 0\nkeep")[0].keep_ns, 60 * kNsPerSecond);
}

TEST(RuleFile, EachFaultIsToldWithItsLine) {
  EXPECT_THAT(Faults("rule a\n"
                     "  when shore > 3\n"
                     "  for long\n"
                     "rule b!\n"
                     "  when share >30\n"
                     "  color red\n"
                     "rule c\n"),
              ElementsAre(StartsWith("f:2: no condition begins with 'shore', but with finding"),
                          StartsWith("f:3: "), StartsWith("f:4: a rule's name"),
                          StartsWith("f:5: one of > >= < <="), StartsWith("f:6: unknown 'color'"),
                          StartsWith("f:7: the rule has no 'when'")));
}

TEST(RuleFile, WhatMakesNoSenseIsRefused) {
  const std::string lost = "rule r\nwhen lost > 0\n";
  EXPECT_THAT(Faults(""), ElementsAre("f:1: there is no rule"));
  EXPECT_THAT(Faults("# only a comment"), SizeIs(1));
  EXPECT_THAT(Faults("when lost > 0"), ElementsAre(HasSubstr("before the first rule")));
  EXPECT_THAT(Faults(lost + lost), ElementsAre("f:3: there is another rule 'r' above"));
  EXPECT_THAT(Faults(lost + "when lag > 1s"), ElementsAre(HasSubstr("'when' twice")));
  EXPECT_THAT(Faults(lost + "run"), ElementsAre(HasSubstr("a program")));
  EXPECT_THAT(Faults(lost + "run \"\""), ElementsAre(HasSubstr("a program")));
  EXPECT_THAT(Faults(lost + "limit 1s"), ElementsAre(HasSubstr("no 'run'")));
  EXPECT_THAT(Faults(lost + "run x\nlimit 0s"), ElementsAre(HasSubstr("'limit'")));
  EXPECT_THAT(Faults(lost + "cooldown 300d"), ElementsAre(HasSubstr("a week")));
  EXPECT_THAT(Faults(lost + "run \"x"), ElementsAre(HasSubstr("no end")));
  EXPECT_THAT(Faults(lost + "run \"x\"y"), ElementsAre(HasSubstr("blank")));
  EXPECT_THAT(Faults(lost + "run a\x1b[31m"), ElementsAre(HasSubstr("control character")));
  EXPECT_THAT(Faults("rule ../../etc\nwhen lost > 0"), ElementsAre(HasSubstr("a rule's name")));
  EXPECT_THAT(Faults("rule ..\nwhen lost > 0"), ElementsAre(HasSubstr("a rule's name")));
  EXPECT_THAT(Faults("rule a b\nwhen lost > 0"), ElementsAre(HasSubstr("one name")));
  EXPECT_THAT(Faults(lost + "run a" + std::string(1, '\0') + "b"), SizeIs(1));
  EXPECT_THAT(Faults(std::string((1 << 20) + 1, 'x')), ElementsAre(HasSubstr("1 MiB")));
}

TEST(RuleFile, ConditionsThatMakeNoSenseAreRefused) {
  for (const std::string condition : {"",
                                      "share",
                                      "share >",
                                      "share > x",
                                      "share > 30 % 5",
                                      "share > 30 % and",
                                      "share > 30 % or lost > 0",
                                      "share > -1",
                                      "share > inf",
                                      "share > nan",
                                      "share of kno > 1",
                                      "participation > 0.5",
                                      "participation of > 0.5",
                                      "wait a b > 1",
                                      "wait a -> > 1",
                                      "lag > 5",
                                      "lag > 5 %",
                                      "lost > 1 %",
                                      "gain > 50%",
                                      "finding",
                                      "finding is",
                                      "finding is no",
                                      "finding is knot of",
                                      "\"share\" > 3"})
    EXPECT_THAT(Faults("rule r\nwhen " + condition), SizeIs(1)) << condition;
}

TEST(RuleFile, MoreRulesThanTheMostAreRefused) {
  std::string text;
  for (size_t i = 0; i <= kMostRules; ++i)
    text += "rule r" + std::to_string(i) + "\nwhen lost > 0\n";
  EXPECT_THAT(Faults(text), ElementsAre(HasSubstr("more than 200")));
}

TEST(RuleFile, IsReadFromAFile) {
  const testing::TempDir directory;
  const std::string path = testing::WriteFile(directory / "shop.rules", "rule r\nwhen lost > 0\n");
  EXPECT_THAT(*ReadRuleFile(path), SizeIs(1));
  EXPECT_THAT(std::string(ReadRuleFile(directory / "no").status().message()), HasSubstr("/no"));
  EXPECT_FALSE(ReadRuleFile(directory.path()).ok());
}

TEST(RuleCondition, ANameIsALabelWithOrWithoutItsCount) {
  EXPECT_TRUE(IsLabel("worker", "worker"));
  EXPECT_TRUE(IsLabel("worker", "worker (16 threads)"));
  EXPECT_TRUE(IsLabel("worker (16 threads)", "worker (16 threads)"));
  EXPECT_TRUE(IsLabel("worker", "worker/4711"));
  EXPECT_TRUE(IsLabel("web1/worker", "web1/worker"));
  EXPECT_TRUE(IsLabel("work*", "worker/4711"));
  EXPECT_TRUE(IsLabel("*", ""));
  EXPECT_TRUE(IsLabel("*a*b", "xaybab"));
  EXPECT_FALSE(IsLabel("worker", "worker-2"));
  EXPECT_FALSE(IsLabel("worker", "web1/worker"));
  EXPECT_FALSE(IsLabel("a*b", "ab*"));
  EXPECT_FALSE(IsLabel("", "a"));
  // Stars do not multiply the work.
  EXPECT_FALSE(IsLabel(std::string(100, '*') + "b", std::string(10'000, 'a')));
}

}  // namespace
}  // namespace gordian
