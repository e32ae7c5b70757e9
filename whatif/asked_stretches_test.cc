// SPDX-License-Identifier: Apache-2.0
// Answers about long recordings, of which stretches are replayed.
#include "whatif/ask/asked_stretches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "analyzer/findings/findings.h"
#include "analyzer/graph/wait_for_graph.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "whatif/testing/test_traces.h"

namespace gordian::testing {
namespace {

class AskedStretches : public ::testing::Test {
 protected:
  void Load(TraceBuilder t) {
    ASSERT_TRUE(t.WriteSession(dir_ / "session").ok());
    auto session = SessionReader::Open(dir_ / "session");
    ASSERT_TRUE(session.ok());
    auto timeline = LoadTimeline(**session);
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    timeline_ = *std::move(timeline);
    const WaitForGraph graph = BuildWaitForGraph(timeline_);
    const auto merged = BuildGraph(graph, {});
    ASSERT_TRUE(merged.ok()) << merged.status();
    vertex_of_entity_ = merged->vertex_of_entity;
    report_ = Judge(graph, *merged, {});
  }

  AnalyzedRecording Recording() const {
    return {.timeline = timeline_,
            .report = report_,
            .vertex_of_entity = vertex_of_entity_,
            .stacks = stacks_,
            .code = code_};
  }
  uint32_t VertexOf(const std::string& name) const {
    for (const pb::ReportVertex& vertex : report_.vertices())
      if (vertex.name() == name) return vertex.id();
    ADD_FAILURE() << "nobody is called " << name;
    return 0;
  }
  // The disk takes no time.
  ReplayOptions FreeDisk() const {
    ReplayOptions options;
    options.changes.disks.push_back({.disk = VertexOf("vda"), .factor = 0});
    return options;
  }
  absl::StatusOr<StretchesReplayed> Replay(
      uint64_t most_steps, const ReplayOptions& options,
      const std::function<bool()>& on_replay = [] { return true; }) const {
    return ReplayStretches(Recording(), StretchesToReplay(timeline_, most_steps), nullptr, options,
                           on_replay);
  }

  const TempDir dir_;
  Timeline timeline_;
  std::vector<uint32_t> vertex_of_entity_;
  StackSums stacks_;
  Code code_;
  pb::Report report_;
};

TEST_F(AskedStretches, AreNoneOfAShortRecording) {
  Load(Figure1Trace(300));
  EXPECT_TRUE(StretchesToAsk(Recording()).empty());
  EXPECT_TRUE(StretchesToReplay(timeline_, 1'000'000).empty());
}

TEST_F(AskedStretches, AreEvenlySpread) {
  Load(Figure1Trace(4'000));
  const auto stretches = StretchesToReplay(timeline_, 16'000);
  ASSERT_EQ(stretches.size(), 8);
  const uint64_t every_ns = (timeline_.end_ns() - timeline_.start_ns()) / 8;
  for (size_t i = 0; i < stretches.size(); ++i) {
    EXPECT_GE(stretches[i].from_ns, timeline_.start_ns() + i * every_ns);
    EXPECT_LE(stretches[i].to_ns, timeline_.start_ns() + (i + 1) * every_ns);
    EXPECT_EQ(stretches[i].to_ns - stretches[i].from_ns, stretches[0].to_ns - stretches[0].from_ns);
  }
}

TEST_F(AskedStretches, AnswerAsTheWholeDoes) {
  Load(Figure1Trace(4'000));
  const auto whole = ReplayTimeline(timeline_, vertex_of_entity_, [&] {
    ReplayOptions options = FreeDisk();
    options.marks = DefaultProgress(Recording())->marks;
    return options;
  }());
  const auto replayed = Replay(16'000, FreeDisk());
  ASSERT_TRUE(whole.ok() && replayed.ok()) << replayed.status();
  EXPECT_EQ(replayed->answered, 8);
  EXPECT_LT(replayed->result.steps, whole->steps / 2);
  EXPECT_NEAR(replayed->result.wait_alone.gain, whole->wait_alone.gain, 0.02);
  EXPECT_NEAR(replayed->result.with_path.gain, whole->with_path.gain, 0.02);
  EXPECT_NEAR(replayed->result.recorded_rate, whole->recorded_rate, 0.02 * whole->recorded_rate);
  EXPECT_LT(replayed->result.self_check(), 0.02);
  EXPECT_EQ(replayed->result.wait_alone.next.kind, whole->wait_alone.next.kind);
  EXPECT_NEAR(replayed->result.expected, whole->expected, 0.02);
  EXPECT_EQ(replayed->result.other_paths.size(), whole->other_paths.size());
}

// First the disk takes 5 of 6 ms, then 1 of 2: of both together 2 of 8 ms are left.
TEST_F(AskedStretches, CountTheWorkOfAllAndTellThatTheyDiffer) {
  Load(ChangingTrace(4'000));
  const auto replayed = Replay(8'000, FreeDisk());
  ASSERT_TRUE(replayed.ok()) << replayed.status();
  const ReplayResult& result = replayed->result;
  EXPECT_NEAR(result.wait_alone.gain, 4, 0.2);
  EXPECT_GT(result.wait_alone.chance, 0.3);
  EXPECT_LT(result.low, 3);
  EXPECT_GT(result.high, 5);
}

TEST_F(AskedStretches, DoNotTellOfProgressThatIsTooRare) {
  Load(Figure1Trace(1'000));
  NamedProgress rare = *DefaultProgress(Recording());
  rare.marks.resize(40);
  const auto replayed = ReplayStretches(Recording(), StretchesToReplay(timeline_, 2'000), &rare,
                                        FreeDisk(), [] { return true; });
  EXPECT_TRUE(absl::IsFailedPrecondition(replayed.status())) << replayed.status();
}

TEST_F(AskedStretches, EndWhenNobodyWantsTheAnswerAnyMore) {
  Load(Figure1Trace(1'000));
  int asked = 0;
  const auto replayed = Replay(8'000, FreeDisk(), [&asked] { return ++asked < 3; });
  EXPECT_TRUE(absl::IsCancelled(replayed.status())) << replayed.status();
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace gordian::testing
