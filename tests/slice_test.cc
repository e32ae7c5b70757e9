// SPDX-License-Identifier: Apache-2.0
// gordian slice, as a person meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/time_literals.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

template <typename... Arguments>
ProgramResult Gordian(const Arguments&... arguments) {
  return RunProgram({GORDIAN_PROGRAM, arguments...});
}

// A server works for a client, which waits for it. Two workers do nothing.
class SliceVerb : public ::testing::Test {
 protected:
  void SetUp() override {
    TraceBuilder t;
    t.Thread(10, "client").Thread(20, "server").Thread(30, "worker-1").Thread(31, "worker-2");
    t.At(1_ms).Cpu(0).Run(10).Cpu(1).Run(20);
    t.At(3_ms).Cpu(0).Block();
    t.At(9_ms).Cpu(1).Wake(10).Cpu(0).Run(10);
    t.At(12_ms);
    ASSERT_TRUE(t.WriteSession(recording_).ok());
  }

  TempDir dir_;
  std::string recording_ = dir_ / "trace";
};

TEST_F(SliceVerb, SaysInTheFirstLineWhatTheMomentCameFrom) {
  const ProgramResult result =
      Gordian("slice", recording_, "--thread", "client", "--at", "11ms", "--scope", "burst");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("What client/10 did until 11 ms came from "));
  EXPECT_THAT(result.output, HasSubstr("of 2 threads"));
  EXPECT_THAT(result.output, HasSubstr("\n  wake server "));
}

TEST_F(SliceVerb, TellsTheSameAsJsonAndDot) {
  ProgramResult result =
      Gordian("slice", recording_, "--thread", "10", "--at", "11ms", "--json", "-");
  rapidjson::Document json;
  json.Parse(result.output.c_str());
  ASSERT_FALSE(json.HasParseError()) << result.output;
  EXPECT_STREQ(json["thread"].GetString(), "client/10");
  EXPECT_EQ(json["all"]["threads"].GetUint64(), 2u);
  EXPECT_EQ(json["tree"].Size(), 2u);
  result = Gordian("slice", recording_, "--thread", "10", "--at", "11ms", "--dot", "-");
  EXPECT_THAT(result.output, StartsWith("digraph slice {"));
  EXPECT_THAT(result.output, HasSubstr("n1 -> n0 [label=\"wake\"]"));
}

TEST_F(SliceVerb, WritesATraceForPerfetto) {
  const std::string file = dir_ / "slice.pftrace";
  const ProgramResult result =
      Gordian("slice", recording_, "--thread", "server", "--forward", "--perfetto", file);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::ifstream written(file);
  std::ostringstream bytes;
  bytes << written.rdbuf();
  EXPECT_THAT(bytes.str(), HasSubstr("client"));
}

TEST_F(SliceVerb, TellsTheCriticalPathOfAThread) {
  const ProgramResult result =
      Gordian("slice", recording_, "--critical-path", "--thread", "client");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("The critical path is "));
  EXPECT_THAT(result.output, HasSubstr("server/20"));
}

TEST_F(SliceVerb, ComparesTwoMoments) {
  const ProgramResult result = Gordian("slice", recording_, "--thread", "client", "--at", "2ms",
                                       "--diff", recording_, "--diff-at", "11ms");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("only in the second"));
  EXPECT_THAT(result.output, HasSubstr("  wake server"));
}

TEST_F(SliceVerb, TellsWhatAPhaseCameFrom) {
  const std::string phases = dir_ / "phases";
  TraceBuilder t;
  t.Thread(10, "client").Thread(20, "server").Cpu(0).Run(10).Cpu(1).Run(20);
  t.At(1_ms).Cpu(kNoCpu).PhaseBegin(10, "step", "").At(2_ms).PhaseBegin(10, "inner", "");
  t.At(3_ms).Cpu(0).Block().At(6_ms).Cpu(1).Wake(10).At(6_ms + 1).Cpu(0).Run(10);
  t.At(7_ms).Cpu(kNoCpu).Probe(10, ProbeKind::kPhaseEnd, "inner");
  t.At(8_ms).Probe(10, ProbeKind::kPhaseEnd, "step").PhaseBegin(10, "step", "");
  t.At(9_ms).Probe(10, ProbeKind::kPhaseEnd, "step");
  t.At(20_ms).Cpu(0).Block().Cpu(1).Block();
  ASSERT_TRUE(t.WriteSession(phases).ok());
  ProgramResult result = Gordian("slice", phases, "--phase", "step", "--critical-path");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("Phase step of client/10, number 1 of 2. The critical path "
                                        "is 7 ms long"))
      << "with what another phase within it took";
  EXPECT_THAT(result.output, HasSubstr("server/20"));
  result = Gordian("slice", phases, "--phase", "step", "--occurrence", "2", "--critical-path");
  EXPECT_THAT(result.output, StartsWith("Phase step of client/10, number 2 of 2. The critical path "
                                        "is 1 ms long"));
  result = Gordian("slice", phases, "--phase", "inner", "--scope", "thread");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("Phase inner of client/10, number 1 of 1. What client/10"));
  EXPECT_THAT(result.output, HasSubstr("9 ms of 2 threads: 6 ms on a CPU"));
  EXPECT_THAT(Gordian("slice", phases, "--phase", "outer").errors,
              HasSubstr("no phase outer begins then; programs told inner, step"));
  EXPECT_THAT(Gordian("slice", phases, "--phase", "step", "--occurrence", "3").errors,
              HasSubstr("there are only 2 phases step then"));
  EXPECT_EQ(Gordian("slice", phases, "--phase", "step", "--occurrence", "last").exit_code, 2);
  EXPECT_EQ(Gordian("slice", phases, "--phase", "step", "--thread", "server").exit_code, 1);
}

TEST_F(SliceVerb, TellsThePathOfAllThatWasRecorded) {
  const ProgramResult result = Gordian("slice", recording_, "--whole");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("The critical path is "));
  EXPECT_EQ(Gordian("slice", recording_, "--whole", "--thread", "client").exit_code, 2);
}

TEST_F(SliceVerb, RefusesWhatMeansNoThreadOrSeveral) {
  ProgramResult result = Gordian("slice", recording_, "--thread", "nobody");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("no thread nobody lives then"));
  result = Gordian("slice", recording_);
  EXPECT_EQ(result.exit_code, 2);
  result = Gordian("slice", recording_, "--thread", "client", "--at", "9s");
  EXPECT_NE(result.exit_code, 0);
  result = Gordian("slice", recording_, "--thread", "client", "--perfetto", "-");
  EXPECT_EQ(result.exit_code, 2);
}

}  // namespace
}  // namespace gordian::testing
