// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/unseen_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;

constexpr int32_t kWorker = 11;
constexpr uint32_t kSamples = 100;

// A worker that was seen a hundred times in `main`, of these so many times below that function.
class UnseenFunctions : public ::testing::Test {
 protected:
  void Run(uint32_t samples_below, const BuiltFrame& inner) {
    TraceBuilder trace;
    const uint32_t below = trace.AddStack({}, {inner, {.function = "main"}});
    const uint32_t in_main = trace.AddStack({}, {{.function = "main"}});
    trace.session().mutable_options()->set_sample_hz(99);
    trace.Thread(kWorker, "worker").At(0).Cpu(0).Run(kWorker);
    for (uint32_t i = 0; i < kSamples; ++i)
      trace.At((i + 1) * 1_ms)
          .AddStackSample(kWorker, StackMoment::kCpu, i < samples_below ? below : in_main);
    trace.At((kSamples + 1) * 1_ms).Block();
    EXPECT_TRUE(trace.WriteSession(dir_ / "trace").ok());
    auto session = SessionReader::Open(dir_ / "trace");
    auto timeline = LoadTimeline(**session);
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    timeline_ = *std::move(timeline);
    const Waits waits(timeline_, {});
    std::vector<uint32_t> vertices(waits.entities().size());
    std::iota(vertices.begin(), vertices.end(), 0);
    stacks_ = StackSums(timeline_, waits, vertices, {.from_ns = 0, .to_ns = 3600_s, .threads = 1});
    code_ = Code(trace.symbols());
    report_.mutable_scope()->add_vertices(0);
  }

  TempDir dir_;
  Timeline timeline_;
  pb::Report report_;
  StackSums stacks_;
  Code code_;
  const AnalyzedRecording recording_ = {.timeline = timeline_,
                                        .report = report_,
                                        .vertex_of_entity = {},
                                        .stacks = stacks_,
                                        .code = code_};
};

TEST_F(UnseenFunctions, AreAtMostWhatSoManySamplesWithoutThemAllow) {
  Run(50, {.function = "parse"});
  EXPECT_NEAR(MostUnseenShare(recording_), 0.03, 0.001);
  EXPECT_TRUE(TellsOfUnseenFunctions(recording_, "Commit").ok());
}

// No stack has a script's functions, whether they take no time or all of it.
TEST_F(UnseenFunctions, OfAScriptAreNotKnown) {
  Run(60, {.function = "_PyEval_EvalFrameDefault"});
  const absl::Status status = TellsOfUnseenFunctions(recording_, "put");
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("most are in an interpreter"));
}

TEST_F(UnseenFunctions, OfTheInterpreterItselfAreSeenOrNotThere) {
  Run(60, {.function = "Perl_runops_standard"});
  EXPECT_TRUE(TellsOfUnseenFunctions(recording_, "Perl_pp_multiply").ok());
  EXPECT_FALSE(TellsOfUnseenFunctions(recording_, "checksum").ok());
}

TEST_F(UnseenFunctions, OfAProgramThatRunsAFewScriptsAreSeenOrNotThere) {
  Run(20, {.function = "luaV_execute"});
  EXPECT_NEAR(MostUnseenShare(recording_), 0.03, 0.001);
  EXPECT_TRUE(TellsOfUnseenFunctions(recording_, "Commit").ok());
}

}  // namespace
}  // namespace gordian::testing
