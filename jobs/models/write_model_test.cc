// SPDX-License-Identifier: Apache-2.0
#include "jobs/models/write_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/models/phase_model.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kModel[] = R"(# What our job does.
# Two lines.

model: demo
resources:
  cpu: {unit: cores}
  gc: {kind: blocking}   # stops all
phases:
  Job:
    uses: {cpu: none}
    phases:
      Load: {place: thread}
      Step:
        repeat: sequential
        after: Load
        uses: {cpu: exact 500e-3 cores, gc: blocks}
        phases: {Compute: , Send: {uses: {cpu: variable}}}
logs:
  format: text
  time: {format: "%Y-%m-%d %H:%M:%S,%f", zone: UTC}
  rules:
    - match: '^(?P<time>\S+ \S+) it''s "begin" (?P<step>\d+): # not a comment, nor {a: map}'
      begin: /Job/Step[{step}]
)";

constexpr PhaseTypeId kLoad = 1, kStep = 2, kCompute = 3, kSend = 4;

class WrittenModel : public ::testing::Test {
 protected:
  WrittenModel() : model_(*ParseModel(kModel, "m.yaml")), job_(model_.job) {}

  void Set(PhaseTypeId type, const AttributionRule& rule) {
    job_.rules[type * job_.resources.size()] = rule;
  }
  std::string Written(const std::string& text = kModel) {
    const auto written = WithRules(text, "m.yaml", job_, unnamed_);
    EXPECT_TRUE(written.ok()) << written.status();
    return written.ok() ? *written : "";
  }

  const PhaseModel model_;
  JobModel job_;
  size_t unnamed_ = 0;
};

TEST_F(WrittenModel, SaysTheNewRulesAndKeepsTheWordsOfTheOthers) {
  Set(kSend, {RuleKind::kVariable, 0.2});
  const std::string written = Written();
  EXPECT_THAT(written, HasSubstr("Send: {uses: {cpu: variable 0.2}}"));
  EXPECT_THAT(written, HasSubstr("cpu: exact 500e-3 cores"));
  EXPECT_THAT(written, HasSubstr("gc: blocks"));
}

TEST_F(WrittenModel, KeepsTheRulesOfPhasesBelowOneThatChanged) {
  Set(kStep, {RuleKind::kExact, 2, true});
  const auto read = ParseModel(Written(), "m.yaml");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->job.rule(kStep, 0), (AttributionRule{RuleKind::kExact, 2, true}));
  EXPECT_EQ(read->job.rule(kCompute, 0), (AttributionRule{RuleKind::kExact, 0.5, true}))
      << "it had inherited that";
}

TEST_F(WrittenModel, SaysNothingWhereAPhaseUsesWhatItsParentDoes) {
  for (const PhaseTypeId type : {kStep, kCompute}) Set(type, {RuleKind::kVariable, 3});
  EXPECT_THAT(Written(), Not(HasSubstr("Compute: {uses")));
}

TEST_F(WrittenModel, KeepsAllElseAndTheFirstComments) {
  const std::string written = Written();
  EXPECT_THAT(written, StartsWith("# What our job does.\n# Two lines.\n\nmodel: demo\n"));
  EXPECT_THAT(written, Not(HasSubstr("stops all")));
  const auto read = ParseModel(written, "m.yaml");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->logs[0].rules[0].match, model_.logs[0].rules[0].match);
  EXPECT_EQ(read->logs[0].time.pattern, model_.logs[0].time.pattern);
  EXPECT_EQ(read->job.types[kStep].after, model_.job.types[kStep].after);
  EXPECT_EQ(read->job.types[kLoad].place, PhasePlace::kThread);
}

TEST_F(WrittenModel, SaysTheNewCapacity) {
  job_.resources[0].capacity = 1.5;
  EXPECT_THAT(Written(), HasSubstr("cpu: {unit: cores, capacity: 1.5}"));
}

TEST_F(WrittenModel, IsWrittenTheSameAgain) {
  Set(kLoad, {RuleKind::kExact, 0.25, true});
  const std::string once = Written();
  EXPECT_EQ(Written(once), once);
}

TEST_F(WrittenModel, NamesPhasesThatOnlyTheDataNamed) {
  job_.types.push_back({.name = "Found", .parent = kStep});
  job_.types.push_back({.name = "Deep", .parent = 5});
  job_.types.push_back({.name = "like its parent", .parent = kStep});
  job_.types.push_back({.name = "no[name]", .parent = kStep});
  for (const AttributionRule rule :
       {AttributionRule{RuleKind::kExact, 0.5, true}, AttributionRule{RuleKind::kVariable, 4},
        AttributionRule{RuleKind::kExact, 0.5, true}, AttributionRule{RuleKind::kNone, 0}}) {
    job_.rules.push_back(rule);
    job_.rules.push_back({RuleKind::kVariable, 1});  // gc
  }
  const std::string written = Written();
  EXPECT_EQ(unnamed_, 1u);
  EXPECT_THAT(written, Not(HasSubstr("like its")));
  const auto read = ParseModel(written, "m.yaml");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->job.types.size(), 7u);
  EXPECT_EQ(PathOf(read->job, 6), "/Job/Step/Found/Deep");
  EXPECT_EQ(read->job.rule(6, 0), (AttributionRule{RuleKind::kVariable, 4}));
  EXPECT_TRUE(read->observed_repeat[5]);
}

TEST(WrittenModels, AreReadBackForAllReadyModels) {
  for (const ReadyModel& ready : ReadyModels()) {
    const auto model = ParseModel(ready.text, ready.name);
    ASSERT_TRUE(model.ok());
    JobModel job = model->job;
    for (size_t i = 0; i < job.rules.size(); ++i) {
      const bool is_open = job.rules[i].kind == RuleKind::kLeaves;
      const ResourceType& resource = job.resources[i % job.resources.size()];
      if (is_open && resource.kind == ResourceKind::kConsumable)
        job.rules[i] = {RuleKind::kVariable, 0.3};
    }
    size_t unnamed = 0;
    const auto written = WithRules(ready.text, ready.name, job, unnamed);
    EXPECT_TRUE(written.ok()) << written.status();
  }
}

}  // namespace
}  // namespace gordian
