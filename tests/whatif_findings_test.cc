// SPDX-License-Identifier: Apache-2.0
// What findings say that their fixes gain, and questions about several nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>
#include <utility>
#include <vector>

#include "nodes/test_cluster.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "tests/whatif_runs.h"
#include "whatif/testing/test_traces.h"

namespace gordian::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ProgramResult Analyze(const std::string& trace, const std::vector<std::string>& options) {
  std::vector<std::string> command = {GORDIAN_PROGRAM, "analyze", trace};
  command.insert(command.end(), options.begin(), options.end());
  return RunProgram(command);
}

TEST(Findings, TellWithTheirCommandWhatTheirFixWouldGain) {
  const TempDir dir;
  const std::string trace = Written(Figure1Trace(200), dir / "trace");
  const ProgramResult text = Analyze(trace, {});
  const std::string command = "gordian whatif " + trace + " --async 'B->disk vda'";
  EXPECT_THAT(text.output,
              AllOf(ContainsRegex("  gain      1.* \\(around 2.0×\\) throughput if B went on"),
                    HasSubstr("            " + command + "\n"),
                    ContainsRegex("up to 2.0× by that alone; the ends above hold")));
  const rapidjson::Document json = Json(Analyze(trace, {"--json", "-"}));
  const rapidjson::Value& prediction = json["findings"][0]["predictions"][0];
  EXPECT_EQ(prediction["command"].GetString(), command);
  // The same answer as to the repeated question.
  const rapidjson::Document asked = Json(WhatIf(trace, "--async", "B->disk vda", "--json"));
  for (const char* end : {"low", "high", "expected"})
    EXPECT_EQ(asked[end].GetDouble(), prediction[end].GetDouble());
}

TEST(Findings, AreToldWithTheOptionsThatMakeNamesTheSame) {
  const TempDir dir;
  const std::string trace = Written(LockTrace(200), dir / "trace");
  const std::vector<std::string> options = {"--group", "worker=all", "--threshold", "10%"};
  const ProgramResult text = Analyze(trace, options);
  EXPECT_THAT(text.output, HasSubstr("gordian whatif " + trace +
                                     " --group worker=all --threshold 0.1 --lock 'all->all'\n"));
  const rapidjson::Document asked = Json(
      WhatIf(trace, "--group", "worker=all", "--threshold", "0.1", "--lock", "all->all", "--json"));
  EXPECT_NEAR(asked["expected"].GetDouble(), 8.0 / 6, 0.03);
}

TEST(Findings, AreToldWithoutPredictionsWhereNoneAreWanted) {
  const TempDir dir;
  const std::string trace = Written(Figure1Trace(200), dir / "trace");
  EXPECT_THAT(Analyze(trace, {"--no-predictions"}).output,
              AllOf(Not(HasSubstr("whatif")), Not(HasSubstr("no prediction")),
                    HasSubstr("  gain      up to 2.0× throughput if this wait were gone")));
}

// The words of a command as a shell would take them, after gordian whatif.
std::vector<std::string> WordsAfterWhatIf(const std::string& command) {
  std::vector<std::string> words = {""};
  bool quoted = false;
  for (const char sign : command) {
    if (sign == '\'') {
      quoted = !quoted;
    } else if (sign == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += sign;
    }
  }
  return {words.begin() + 2, words.end()};
}

// Of each prediction of the first findings; tells how many there were.
int ExpectCommandsToRepeatTheirNumbers(const rapidjson::Document& report) {
  int repeated = 0;
  for (const rapidjson::Value& finding : report["findings"].GetArray()) {
    if (!finding.HasMember("predictions")) continue;
    for (const rapidjson::Value& prediction : finding["predictions"].GetArray()) {
      SCOPED_TRACE(prediction["command"].GetString());
      std::vector<std::string> command = {GORDIAN_PROGRAM, "whatif", "--json"};
      for (std::string& word : WordsAfterWhatIf(prediction["command"].GetString()))
        command.push_back(std::move(word));
      const rapidjson::Document asked = Json(RunProgram(command));
      for (const char* number : {"low", "high", "expected", "trust", "self_check"})
        EXPECT_EQ(asked[number].GetDouble(), prediction[number].GetDouble());
      ++repeated;
    }
  }
  return repeated;
}

TEST(Findings, OfARangeAreToldWithACommandThatRepeatsTheirNumbers) {
  const TempDir dir;
  const std::string trace = Written(Figure1Trace(200), dir / "trace");
  const std::vector<std::string> range = {"--from", "503ms", "--to", "1.5049s"};
  EXPECT_THAT(Analyze(trace, range).output,
              AllOf(HasSubstr("×) throughput if B went on while the disk vda"),
                    HasSubstr("gordian whatif " + trace +
                              " --from 503ms --to 1504900us --async 'B->disk vda'\n"),
                    Not(HasSubstr("replayed:"))));
  std::vector<std::string> with_json = range;
  with_json.insert(with_json.end(), {"--json", "-"});
  EXPECT_GT(ExpectCommandsToRepeatTheirNumbers(Json(Analyze(trace, with_json))), 0);
  const rapidjson::Document answer =
      Json(WhatIf(trace, "--from", "503ms", "--to", "1.5049s", "--scale", "vda=0", "--json"));
  EXPECT_NEAR(answer["recording"]["seconds"].GetDouble(), 1.0019, 1e-6);
  EXPECT_NEAR(answer["progress"]["events"].GetInt(), 100, 2);
}

// client on web works 2 ms and asks server on db, which works 8 ms for it, of which it says so with
// a probe. Messages are under way for 0.5 ms.
void AskOverTheNetwork(TestCluster& cluster, int requests) {
  constexpr int32_t kClient = 10, kServer = 20;
  for (const char* name : {"web", "db"}) cluster.Node(name).session().mutable_host()->set_cpus(2);
  cluster.Flow(kWeb, kDb);
  cluster.Flow(kDb, kWeb);
  cluster.At("web", 0).Thread(kClient, "client").Run(kClient);
  cluster.At("db", 0).Thread(kServer, "server");
  for (uint32_t i = 0; i < static_cast<uint32_t>(requests); ++i) {
    const uint64_t begin_ns = i * 11_ms;
    cluster.At("web", begin_ns + 2_ms);
    cluster.Send("web", kWeb, kDb, 1000 + i * 100, 100, kClient);
    cluster.At("web", begin_ns + 2_ms).Block();
    cluster.At("db", begin_ns + 2500_us);
    cluster.Deliver("db", kWeb, kDb, 1000 + i * 100, 100, kServer);
    cluster.At("db", begin_ns + 2500_us).Run(kServer);
    cluster.At("db", begin_ns + 10500_us).Probe(kServer, ProbeKind::kCount, "served", 1);
    cluster.Send("db", kDb, kWeb, 7000 + i * 100, 100, kServer);
    cluster.At("db", begin_ns + 10500_us).Block();
    cluster.At("web", begin_ns + 11_ms);
    cluster.Deliver("web", kDb, kWeb, 7000 + i * 100, 100, kClient);
    cluster.At("web", begin_ns + 11_ms).Run(kClient);
  }
  cluster.Measure(static_cast<uint64_t>(requests) * 11_ms);
}

class SeveralNodes : public ::testing::Test {
 protected:
  SeveralNodes() {
    AskOverTheNetwork(cluster_, 200);
    cluster_.Write(run_);
  }

  const TempDir dir_;
  const std::string run_ = dir_ / "run";
  TestCluster cluster_;
};

TEST_F(SeveralNodes, FindingsAreToldWithACommandThatRepeatsTheirNumbers) {
  const ProgramResult text = Analyze(run_, {});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("gordian whatif " + run_ + " --"));
  EXPECT_GT(ExpectCommandsToRepeatTheirNumbers(Json(Analyze(run_, {"--json", "-"}))), 0);
  EXPECT_GT(ExpectCommandsToRepeatTheirNumbers(
                Json(Analyze(run_, {"--json", "-", "--from", "300ms", "--to", "1.7s", "--node",
                                    "db", "--node", "web"}))),
            0);
}

TEST_F(SeveralNodes, ChangesActOnTheNodeThatIsNamed) {
  const auto gain = [&](const std::string& option, const std::string& change) {
    return Json(
               WhatIf(run_, option, change, "--progress", "wakes web/client", "--json"))["expected"]
        .GetDouble();
  };
  EXPECT_NEAR(gain("--run", "db/server=0.5"), 11.0 / 7, 0.03);
  EXPECT_NEAR(gain("--run", "web/client=0.5"), 11.0 / 10, 0.03);
  EXPECT_NEAR(gain("--scale", "link web→db=0"), 11 / 10.5, 0.03);
  EXPECT_NEAR(gain("--cpus", "db=8"), 1, 0.01);
  EXPECT_THAT(WhatIf(run_, "--scale", "link web→db=0.5", "--cpus", "db=8").output,
              StartsWith("With link web→db 2 times as fast, 8 CPUs on db: "));
}

TEST_F(SeveralNodes, ProbesOfAnyOfThemAreProgress) {
  const rapidjson::Document json =
      Json(WhatIf(run_, "--run", "db/server=0.5", "--progress", "probe served", "--json"));
  EXPECT_EQ(json["progress"]["events"].GetInt(), 200);
  EXPECT_NEAR(json["expected"].GetDouble(), 11.0 / 7, 0.03);
}

TEST_F(SeveralNodes, CpusWithoutTheirNodeAreRefused) {
  const ProgramResult without = WhatIf(run_, "--cpus", "8");
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.errors, HasSubstr("give NODE=N"));
  const ProgramResult unknown = WhatIf(run_, "--cpus", "mail=8");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.errors, HasSubstr("no node is called mail; there are db, web"));
  EXPECT_EQ(WhatIf(run_, "--cpus", "db=8", "--cpus", "db=4").exit_code, 2);
}

TEST_F(SeveralNodes, ShareNoLock) {
  const ProgramResult result =
      WhatIf(run_, "--group", "client|server=both", "--add-thread", "both");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors,
              HasSubstr("these threads are on several nodes (db, web), which share no lock"));
}

}  // namespace
}  // namespace gordian::testing
