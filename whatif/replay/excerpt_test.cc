// SPDX-License-Identifier: Apache-2.0
// Parts of recordings as recordings of their own.
#include <gtest/gtest.h>

#include <optional>

#include "analyzer/graph/wait_for_graph.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "whatif/testing/test_traces.h"

namespace gordian::testing {
namespace {

class Excerpts : public ::testing::Test {
 protected:
  const Timeline& Load(TraceBuilder t) {
    EXPECT_TRUE(t.WriteSession(dir_ / "session").ok());
    auto session = SessionReader::Open(dir_ / "session");
    auto timeline = LoadTimeline(**session);
    EXPECT_TRUE(timeline.ok()) << timeline.status();
    whole_ = *std::move(timeline);
    return whole_;
  }
  // Times count from the recording's start.
  Timeline Part(uint64_t from_ns, uint64_t to_ns) const {
    return whole_.Excerpt(whole_.start_ns() + from_ns, whole_.start_ns() + to_ns);
  }

  const TempDir dir_;
  Timeline whole_;
};

TEST_F(Excerpts, LedgersAddUpAndSegmentsLieWithin) {
  Load(Figure1Trace(50));
  const Timeline part = Part(103_ms, 216_ms);
  EXPECT_EQ(part.end_ns() - part.start_ns(), 113_ms);
  ASSERT_EQ(part.thread_count(), whole_.thread_count());
  for (EntityId thread = 0; thread < part.thread_count(); ++thread) {
    const Entity& entity = part.entities()[thread];
    EXPECT_EQ(
        entity.run_ns + entity.runnable_ns + entity.wait_ns + entity.spin_ns + entity.unknown_ns,
        entity.end_ns - entity.begin_ns);
    for (auto at = part.SegmentsFrom(thread); !at.done(); at.Next()) {
      EXPECT_GE(at.start_ns(), part.start_ns());
      EXPECT_LE(at.end_ns(), part.end_ns());
      EXPECT_LE(at.start_ns(), at.end_ns());
    }
  }
}

TEST_F(Excerpts, WaitsThatEndLaterHadNobodyToEndThemYet) {
  Load(Figure1Trace(50));
  // A waits from 102 to 110 ms; B, which is the second thread, for the disk from 105 to 110.
  const Timeline part = Part(103_ms, 108_ms);
  for (EntityId thread = 0; thread < 2; ++thread) {
    std::optional<ThreadSegment> last;
    for (auto at = part.SegmentsFrom(thread); !at.done(); at.Next()) last = at.segment();
    ASSERT_TRUE(last.has_value());
    EXPECT_EQ(last->kind, SegmentKind::kWait);
    EXPECT_EQ(last->waker, kNobody);
    EXPECT_TRUE(last->open_end);
    EXPECT_EQ(last->open_start, thread == 0 ? 1 : 0);
  }
  ASSERT_EQ(part.block_records().size(), 1u);
  EXPECT_FALSE(part.block_records()[0].complete);
}

TEST_F(Excerpts, WhoLivedBeforeOrAfterIsThereForNoTime) {
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(1);
  t.Thread(11, "A").At(0).Cpu(0).Run(11);
  t.At(10_ms).New(11, 12, "early").Wake(12).At(12_ms).Run(12);
  t.At(14_ms).Exit(12).Switch(12, 11, kDead);
  t.At(80_ms).New(11, 13, "late").At(99_ms).Block();
  Load(std::move(t));
  const Timeline part = Part(20_ms, 60_ms);
  ASSERT_EQ(part.thread_count(), 3u);
  for (EntityId thread = 1; thread < 3; ++thread) {
    EXPECT_EQ(part.entities()[thread].begin_ns, part.start_ns());
    EXPECT_EQ(part.entities()[thread].end_ns, part.start_ns());
    EXPECT_TRUE(part.SegmentsFrom(thread).done());
  }
  EXPECT_EQ(part.entities()[0].run_ns, 40_ms);
}

TEST_F(Excerpts, TheWholeIsItsOwnExcerpt) {
  const Timeline& whole = Load(ClosedNetworkTrace(20));
  const Timeline part = whole.Excerpt(whole.start_ns(), whole.end_ns());
  EXPECT_EQ(part.block_records().size(), whole.block_records().size());
  for (EntityId thread = 0; thread < whole.thread_count(); ++thread) {
    auto at = part.SegmentsFrom(thread);
    for (auto was = whole.SegmentsFrom(thread); !was.done(); was.Next(), at.Next()) {
      ASSERT_FALSE(at.done());
      EXPECT_EQ(at.start_ns(), was.start_ns());
      EXPECT_EQ(at.end_ns(), was.end_ns());
      EXPECT_EQ(at.segment().waker, was.segment().waker);
    }
    EXPECT_TRUE(at.done());
  }
}

}  // namespace
}  // namespace gordian::testing
