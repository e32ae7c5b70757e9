// SPDX-License-Identifier: Apache-2.0
#include "jobs/models/phase_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "jobs/models/yaml_tree.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kGood[] = R"(model: demo
about: a demo
resources:
  cpu: {capacity: 4, unit: cores}
  net: {per: job}
  gc: {kind: blocking}
phases:
  Job:
    uses: {net: none}
    phases:
      Load: {}
      Step:
        repeat: sequential
        after: Load
        uses: {cpu: exact 0.5}
        phases:
          Worker:
            repeat: concurrent
            place: thread
            uses: {net: variable 2, gc: none}
            phases: {Compute: , Gather: {after: [Compute]}}
logs:
  format: text
  file: 'worker-(?P<worker>\d+)'
  time: {format: "%Y-%m-%d %H:%M:%S,%f", zone: UTC}
  rules:
    - match: '^(?P<time>\S+ \S+) begin (?P<step>\d+)'
      begin: /Job/Step[{step}]/Worker[{worker}]
      node: "w{worker}"
    - match: '^(?P<time>\S+ \S+) gc (?P<ms>\d+)'
      blocked: gc
      in: /Job/Step/Worker[{worker}]
      duration: "{ms}"
      unit: ms
)";

// All errors of ParseModel on `text`.
std::vector<std::string> Errors(const std::string& text) {
  std::vector<std::string> errors;
  EXPECT_FALSE(ParseModel(text, "m.yaml", &errors).ok());
  return errors;
}

// The good model with a piece of it replaced.
std::string With(const std::string& piece, const std::string& instead) {
  std::string text = kGood;
  const size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return text.replace(at, piece.size(), instead);
}

TEST(PhaseModel, HoldsTheTreeOfPhasesWithTheirOrder) {
  const auto model = ParseModel(kGood, "m.yaml");
  ASSERT_TRUE(model.ok()) << model.status();
  std::vector<std::string> paths;
  for (PhaseTypeId type = 0; type < model->job.types.size(); ++type)
    paths.push_back(PathOf(model->job, type));
  EXPECT_THAT(paths, ElementsAre("/Job", "/Job/Load", "/Job/Step", "/Job/Step/Worker",
                                 "/Job/Step/Worker/Compute", "/Job/Step/Worker/Gather"));
  EXPECT_EQ(model->job.types[2].repeat, PhaseRepeat::kSequential);
  EXPECT_THAT(model->job.types[2].after, ElementsAre(1));
  EXPECT_EQ(model->job.types[3].place, PhasePlace::kThread);
  EXPECT_THAT(model->job.types[5].after, ElementsAre(4));
}

TEST(PhaseModel, HoldsResources) {
  const auto model = ParseModel(kGood, "m.yaml");
  ASSERT_TRUE(model.ok());
  ASSERT_EQ(model->job.resources.size(), 3u);
  EXPECT_EQ(model->job.resources[0].capacity, 4);
  EXPECT_EQ(model->job.resources[0].unit, "cores");
  EXPECT_FALSE(model->job.resources[1].per_node);
  EXPECT_EQ(model->job.resources[2].kind, ResourceKind::kBlocking);
}

TEST(PhaseModel, FillsInRulesThatAreInheritedAndLeavesOneElsewhere) {
  const auto model = ParseModel(kGood, "m.yaml");
  ASSERT_TRUE(model.ok());
  const JobModel& job = model->job;
  ASSERT_EQ(job.rules.size(), job.types.size() * job.resources.size());
  EXPECT_EQ(job.rule(1, 0).kind, RuleKind::kLeaves);  // Load: has no rule for cpu
  EXPECT_EQ(job.rule(1, 0).amount, 1);
  EXPECT_EQ(job.rule(1, 1).kind, RuleKind::kNone);   // the root's rule for net is none
  EXPECT_EQ(job.rule(5, 0).kind, RuleKind::kExact);  // Gather, from Step
  EXPECT_EQ(job.rule(5, 0).amount, 0.5);
  EXPECT_EQ(job.rule(5, 1).kind, RuleKind::kVariable);  // from Worker
  EXPECT_EQ(job.rule(5, 1).amount, 2);
  EXPECT_EQ(job.rule(5, 2).kind, RuleKind::kNone);
}

TEST(PhaseModel, SaysThatPhasesOfOthersDemandNothingThemselves) {
  const auto model = ParseModel(
      "model: m\nresources: {cpu: }\nphases: {Job: {uses: {cpu: leaves 2}, phases: {Step: }}}\n"
      "logs: {format: spark}\n",
      "m.yaml");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->job.rule(0, 0).kind, RuleKind::kLeaves);
  EXPECT_EQ(model->job.rule(1, 0).amount, 2);
}

TEST(PhaseModel, HoldsLogRules) {
  const auto model = ParseModel(kGood, "m.yaml");
  ASSERT_TRUE(model.ok());
  const LogRules& logs = model->logs.at(0);
  EXPECT_EQ(logs.time.kind, LogTimeFormat::Kind::kPattern);
  ASSERT_EQ(logs.rules.size(), 2u);
  EXPECT_EQ(logs.rules[0].path.type, 3u);
  ASSERT_EQ(logs.rules[0].path.keys.size(), 3u);
  EXPECT_TRUE(logs.rules[0].path.keys[0].empty());
  EXPECT_EQ(logs.rules[0].path.keys[1].parts[0].text, "step");
  EXPECT_EQ(logs.rules[1].action, LogAction::kBlocked);
  EXPECT_EQ(logs.rules[1].duration_unit_ns, 1e6);
}

struct BadModel {
  const char* piece;
  const char* instead;
  const char* error;
};

TEST(PhaseModel, TellsLineAndWhatWasExpectedOfEachMistake) {
  const BadModel kCases[] = {
      {"model: demo\n", "", "m.yaml:1: model is missing"},
      {"about:", "abuot:", "m.yaml:2: unknown key 'abuot' in a model, did you mean 'about'?"},
      {"kind: blocking", "kind: blokcing", "m.yaml:6: kind: unknown 'blokcing', did you mean"},
      {"capacity: 4", "capacity: many", "m.yaml:4: capacity: 'many' is no number of at least 0"},
      {"capacity: 4", "capacity: nan", "m.yaml:4: capacity: 'nan' is no number"},
      {"{kind: blocking}", "{kind: blocking, capacity: 1}", "m.yaml:6: a blocking resource"},
      {"net: none", "nett: none",
       "m.yaml:9: uses: there is no resource 'nett', did you mean 'net'"},
      {"exact 0.5", "exact 1.5", "m.yaml:15: uses: 'exact 1.5' for cpu must be"},
      {"exact 0.5", "exact", "m.yaml:15: uses: 'exact' for cpu must be"},
      {"gc: none}", "gc: variable}", "m.yaml:20: uses: 'variable' for gc, which blocks, must be"},
      {"repeat: sequential", "repeat: sequental",
       "m.yaml:13: repeat: unknown 'sequental', did you"},
      {"after: Load", "after: Laod",
       "m.yaml:14: after: 'Laod' is no sibling of Step, did you mean"},
      {"after: Load", "after: Step",
       "m.yaml:12: phases wait for each other in a circle: Step after"},
      {"Load: {}", "Load: {after: Step}", "in a circle: Load after Step after Load"},
      {"  Job:\n", "  Job [1]:\n", "m.yaml:8: 'Job [1]' is no name for a phase"},
      {"format: text", "format: txt", "m.yaml:23: format: unknown 'txt', did you mean 'text'?"},
      {"zone: UTC", "zone: Mars/Base", "m.yaml:25: zone: this machine does not know 'Mars/Base'"},
      {"%Y-%m-%d %H", "%m-%d %H", "m.yaml:25: time: '%m-%d %H:%M:%S,%f' tells no year"},
      {"begin (?P<step>", "begin (?P<step", "m.yaml:27: match: "},
      {"Step[{step}]", "Step[{stpe}]", "m.yaml:28: there is no group (?P<stpe>…) for {stpe}, did"},
      {"/Job/Step[{step}]", "/Job/Stop[{step}]",
       "m.yaml:28: there is no phase 'Stop' in /Job, did you mean 'Step'?"},
      {"begin: /Job/Step[{step}]/Worker[{worker}]", "begin: /Job/Load[{step}]",
       "m.yaml:28: Load is there once, so it has no key"},
      {"begin: /Job", "begin: Job", "m.yaml:28: 'Job/Step[{step}]/Worker[{worker}]' is no path"},
      {"(?P<time>\\S+ \\S+) begin", "begin", "m.yaml:27: when? a group (?P<time>…) in match is"},
      {"      in: /Job/Step/Worker[{worker}]\n", "", "m.yaml:30: in is missing"},
      {"      duration: \"{ms}\"\n", "", "m.yaml:30: how long? duration is missing"},
      {"blocked: gc", "blocked: cpu", "m.yaml:31: there is no blocking resource 'cpu'"},
      {"unit: ms", "unit: hours", "m.yaml:34: unit: unknown 'hours'; there are ns, us, ms, s, min"},
      {"      node: \"w{worker}\"", "      end: /Job", "m.yaml:29: a rule says one thing"},
      {"blocked: gc", "each: jobs\n      blocked: gc",
       "m.yaml:31: each: only documents of JSON have objects within objects"},
      {"blocked: gc", "- gc", "m.yaml:"},
  };
  for (const BadModel& bad : kCases) {
    const std::vector<std::string> errors = Errors(With(bad.piece, bad.instead));
    ASSERT_FALSE(errors.empty()) << bad.instead;
    EXPECT_THAT(errors.front(), HasSubstr(bad.error)) << bad.instead;
  }
}

TEST(PhaseModel, TellsAllMistakesAtOnceAndTheFirstAsItsStatus) {
  std::string text = With("unit: cores", "units: cores");
  text.replace(text.find("place: thread"), 13, "place: moon");
  const std::vector<std::string> errors = Errors(text);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_THAT(errors[0], StartsWith("m.yaml:4: unknown key 'units'"));
  EXPECT_THAT(errors[1], StartsWith("m.yaml:19: place: unknown 'moon'"));
  EXPECT_EQ(ParseModel(text, "m.yaml").status().message(), errors[0]);
}

TEST(ModelYaml, RefusesWhatNoModelNeeds) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char name = 'b'; name < 'j'; ++name) {
    const char before = static_cast<char>(name - 1);
    absl::StrAppend(&bomb, std::string(1, name), ": &", std::string(1, name), " [");
    for (int i = 0; i < 9; ++i) absl::StrAppend(&bomb, i ? "," : "", "*", std::string(1, before));
    bomb += "]\n";
  }
  EXPECT_THAT(Errors(bomb).front(), HasSubstr("m.yaml:2: aliases (*name) are not used in models"));
  std::string deep;
  for (int level = 0; level < 10'000; ++level) deep += "- ";
  EXPECT_THAT(Errors(deep + "x\n").front(), HasSubstr("nested more than 40 levels"));
  EXPECT_THAT(Errors(std::string(100'000, '[')).front(), HasSubstr("m.yaml:1: "));
  EXPECT_THAT(Errors(std::string(100'000, '{')).front(), HasSubstr("m.yaml:1: "));
  EXPECT_THAT(Errors("a: 1\nb: 2\na: 3\n").front(), HasSubstr("m.yaml:3: 'a' is said twice"));
  EXPECT_THAT(Errors("? [a, b]\n: 1\n").front(), HasSubstr("a key must be a word"));
  EXPECT_THAT(Errors("a: 1\n---\nb: 1\n").front(), HasSubstr("there is a second one"));
  EXPECT_THAT(Errors("").front(), HasSubstr("m.yaml:1: the file is empty"));
  EXPECT_THAT(Errors("a: [1, 2\nb: 3\n").front(), StartsWith("m.yaml:"));
  EXPECT_THAT(Errors("a: b: c\n").front(), StartsWith("m.yaml:1: "));
  EXPECT_THAT(Errors("- a\n- b\n").front(),
              HasSubstr("m.yaml:1: a model must be a map, not a list"));
  EXPECT_THAT(Errors(std::string(kMaxYamlBytes + 1, 'a')).front(), HasSubstr("this is no model"));
  std::string many = "a:\n";
  for (size_t i = 0; i < kMaxYamlNodes; ++i) many += "- x\n";
  EXPECT_THAT(Errors(many).front(), HasSubstr("this is too much for a model"));
}

TEST(ReadyModels, AreAllGood) {
  EXPECT_EQ(ReadyModels().size(), 17u);
  for (const ReadyModel& ready : ReadyModels()) {
    const auto model = LoadModel(std::string(ready.name));
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ(model->job.name, ready.name);
    EXPECT_FALSE(model->about.empty()) << ready.name;
  }
}

TEST(ReadyModels, AreMeantByNamesThatAreNearlyTheirs) {
  EXPECT_THAT(std::string(LoadModel("sparks").status().message()),
              HasSubstr("there is no model 'sparks', and no such file, did you mean 'spark'?"));
  EXPECT_FALSE(LoadModel("./no/such.yaml").ok());
}

}  // namespace
}  // namespace gordian
