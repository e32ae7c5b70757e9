// SPDX-License-Identifier: Apache-2.0
#include "output/tuning_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TunedModel Example() {
  TunedModel tuned;
  tuned.model = *ParseModel(
      "model: m\nresources: {cpu: {unit: cores}}\n"
      "phases: {Job: {uses: {cpu: exact 500e-3 cores}, phases: {Step: , Idle: , Rare: }}}\n"
      "logs: {format: spark}\n",
      "m.yaml");
  tuned.job.model = tuned.model.job;
  const AttributionRule half{RuleKind::kExact, 0.5, true};
  tuned.resources.push_back({.resource = 0,
                             .outcome = TuneOutcome::kTuned,
                             .by_records = true,
                             .samples = 1200,
                             .interval_ns = 10'000'000,
                             .error_constant = 0.4,
                             .error_before = 0.2,
                             .error_after = 0.1,
                             .rules = {{1, half, {RuleKind::kExact, 1, true}, 12.5, true},
                                       {3, half, half, 0.01, false}}});
  return tuned;
}

TEST(TuningText, TellsOldAndNewRulesWithTheirEvidenceAndError) {
  const std::string text = TuningText(Example());
  EXPECT_THAT(text, HasSubstr("cpu: what the records say of each kind of phases, 1,200 samples of "
                              "10 ms\n"));
  EXPECT_THAT(text, HasSubstr("Error on time held back, of samples of 80 ms: 40 % spread evenly, "
                              "20 % by the model's rules, 10 % by fitted ones.\n"));
  EXPECT_THAT(text, HasSubstr("/Job/Step    12.5 s  exact 500e-3 cores  exact 1 core\n"));
  EXPECT_THAT(text, HasSubstr("exact 500e-3 cores  stays: too little evidence\n"));
}

TEST(TuningText, TellsWhichRulesHadNoEvidence) {
  EXPECT_THAT(TuningText(Example()), HasSubstr("rules stay: /Job, /Job/Idle\n"));
}

TEST(TuningText, TellsWhyRulesStay) {
  TunedModel tuned = Example();
  tuned.resources[0].outcome = TuneOutcome::kNotBetter;
  EXPECT_THAT(TuningText(tuned), HasSubstr("do no better on time that they were not fitted to"));
  EXPECT_THAT(TuningText(tuned), Not(HasSubstr("by fitted ones")));
  tuned.resources[0] = {.resource = 0, .outcome = TuneOutcome::kNoUse};
  EXPECT_THAT(TuningText(tuned), HasSubstr("cpu: no evidence\n"));
  tuned.resources.clear();
  EXPECT_THAT(TuningText(tuned), HasSubstr("there is nothing to fit"));
}

TEST(TuningText, NamesResourcesThatTheModelLacksAndPhasesThatItCannotName) {
  TunedModel tuned = Example();
  tuned.other_resources = {"disk_read", "x\033[31m"};
  tuned.unnamed_types = 2;
  EXPECT_THAT(TuningText(tuned), HasSubstr("resources lack disk_read, x\uFFFD[31m: name them"));
  EXPECT_THAT(TuningText(tuned), HasSubstr("2 kinds of phases cannot be named"));
}

}  // namespace
}  // namespace gordian
