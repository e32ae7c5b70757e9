// SPDX-License-Identifier: Apache-2.0
#include "output/junit_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

pb::Gate GateWith(const std::string& outcome, const std::string& condition) {
  pb::Gate gate;
  pb::GateCondition* only = gate.add_conditions();
  only->set_condition(condition);
  only->set_outcome(outcome);
  only->set_text("\"A & B\" is the limit\x01");
  return gate;
}

TEST(GateJunit, AConditionThatHoldsIsAFailure) {
  const std::string xml = GateJunit(GateWith("holds", "wait(A->B)>+10%"));
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(xml, HasSubstr("name=\"wait(A-&gt;B)&gt;+10%\""));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"holds\" message=\"holds: &quot;A &amp; B&quot; is"));
  EXPECT_THAT(xml, Not(HasSubstr("\x01")));
}

TEST(GateJunit, AnUndecidedOneIsSkippedUnlessItIsStrict) {
  pb::Gate gate = GateWith("undecided", "new-limit");
  EXPECT_THAT(GateJunit(gate), HasSubstr("<skipped message=\"undecided: "));
  EXPECT_THAT(GateJunit(gate), HasSubstr("failures=\"0\" errors=\"0\" skipped=\"1\""));
  gate.set_strict(true);
  EXPECT_THAT(GateJunit(gate), HasSubstr("<failure type=\"undecided\""));
}

TEST(GateJunit, APassedOneHasItsNumbersAsOutput) {
  EXPECT_THAT(GateJunit(GateWith("does not hold", "new-limit")),
              HasSubstr("<system-out>does not hold: "));
}

}  // namespace
}  // namespace gordian
