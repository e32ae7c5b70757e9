// SPDX-License-Identifier: Apache-2.0
// A timeline from the store is the one that was kept.
#include "analyzer/kept/kept_timeline.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/random_scenario.h"
#include "analyzer/testing/scenario.h"
#include "schema/kept.pb.h"
#include "tests/support/trace_builder.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using testing::TraceBuilder;
using testing::operator""_ms;

class KeptFolder {
 public:
  KeptFolder() : store_(*Store::Open({.folder = folder_ / "store", .keep_free_bytes = 0})) {}

  StoredEntry Keep(const Timeline& timeline, const std::string& stage = "timeline") const {
    const StoreKey key{.recording = "01", .stage = stage, .format = 1, .options = ""};
    auto writer = store_.Begin(key, "/recording", KeptTimelineBytes(timeline));
    EXPECT_TRUE(writer.ok()) << writer.status();
    KeepTimeline(timeline, *writer);
    EXPECT_TRUE(writer->Commit().ok());
    return *store_.Find(key);
  }
  // Columns in files whose pages are given back all the time.
  ColumnMemory InFiles() const { return ColumnMemory({.folder = folder_.path()}); }
  const Store& store() const { return store_; }
  const TemporaryDirectory& folder() const { return folder_; }

 private:
  const TemporaryDirectory folder_;
  const Store store_;
};

Timeline TimelineIn(const std::string& directory, size_t events_per_window = 0) {
  auto session = SessionReader::Open(directory);
  EXPECT_TRUE(session.ok()) << session.status();
  auto timeline = LoadTimeline(**session, {.threads = 1, .events_per_window = events_per_window});
  EXPECT_TRUE(timeline.ok()) << timeline.status();
  return *std::move(timeline);
}

// Empty if every section has the same bytes.
std::string DifferenceOf(StoredEntry a, StoredEntry b) {
  for (const std::string section :
       {"told", "segments", "pieces", "windows", "requests", "packets", "samples", "flights"}) {
    const auto of_a = a.Section(section);
    const auto of_b = b.Section(section);
    if (!of_a.ok() || !of_b.ok()) return section + " is missing";
    if (!std::ranges::equal(*of_a, *of_b)) return section;
  }
  return "";
}

RC_GTEST_PROP(KeptTimeline, IsTheSameForRandomRecordings, ()) {
  const KeptFolder folder;
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  WriteScenario(ParseScenario(RandomScenario(seed, *rc::gen::inRange(10, 300))),
                folder.folder() / "s", 3);
  const Timeline read = TimelineIn(folder.folder() / "s", *rc::gen::inRange<size_t>(1, 40));
  const ColumnMemory memory = *rc::gen::inRange(0, 2) > 0 ? folder.InFiles() : ColumnMemory();
  const auto kept = KeptTimelineOf(folder.Keep(read), memory);
  RC_ASSERT(kept.ok());
  RC_ASSERT(ResultsOf(*kept, BuildWaitForGraph(*kept)) == ResultsOf(read, BuildWaitForGraph(read)));
  RC_ASSERT(DifferenceOf(folder.Keep(read), folder.Keep(*kept, "again")) == "");
}

// Programs, things waited for, stacks, and a pause.
TraceBuilder RichTrace() {
  TraceBuilder t;
  t.session().set_name("rich");
  t.Thread(10, "server").Thread(20, "client").Command(10, "server --port 5", "/srv");
  const uint32_t file = t.AddWaitObject({.kind = WaitObjectKind::kFile,
                                         .value = 7,
                                         .device = 8,
                                         .local = {1, 2, 3},
                                         .path = std::string("/a\0\xff", 4)});
  const uint32_t stack = t.AddStack({"schedule"}, {{.function = "Wait"}}, 10);
  t.Cpu(0).At(1_ms).Run(10);
  t.At(2_ms).Block().AddStackSample(10, StackMoment::kWait, stack, 3, file);
  t.At(3_ms).Issue({.sector = 8, .device = t.Disk("vda"), .bytes = 4096, .tid = 20});
  t.At(5_ms).NetSend({.interface = t.Interface("eth0"), .bytes = 1500, .tid = 20});
  t.At(9_ms).WakeFromTimer(10).Run(10).At(10_ms).Exec(10, "other", "other -v", "/tmp");
  t.At(20_ms).Block();
  return t;
}

TEST(KeptTimeline, HoldsAllThatARecordingTells) {
  const KeptFolder folder;
  ASSERT_TRUE(RichTrace().WriteSession(folder.folder() / "s").ok());
  const Timeline read = TimelineIn(folder.folder() / "s");
  const auto kept = KeptTimelineOf(folder.Keep(read), {});
  ASSERT_TRUE(kept.ok()) << kept.status();
  ASSERT_EQ(kept->entities().size(), read.entities().size());
  EXPECT_EQ(kept->session().name(), "rich");
  EXPECT_EQ(kept->block_records().size(), 1u);
  EXPECT_EQ(kept->packet_rows().front().size(), 1u);
  ASSERT_EQ(kept->stack_samples().size(), 1u);
  EXPECT_EQ(kept->stack_samples().front().weight_log2, 3u);
  EXPECT_EQ(kept->wait_objects(), read.wait_objects());
  EXPECT_EQ(kept->wait_objects().size(), 1u);
  for (EntityId thread = 0; thread < read.thread_count(); ++thread) {
    EXPECT_TRUE(std::ranges::equal(kept->programs(thread), read.programs(thread)));
    EXPECT_EQ(kept->entities()[thread].command, read.entities()[thread].command);
  }
  EXPECT_EQ(DifferenceOf(folder.Keep(read), folder.Keep(*kept, "again")), "");
}

TEST(KeptTimeline, CanHaveItsWaitsJoinedAndStaysWhatItWasInTheStore) {
  const KeptFolder folder;
  TraceBuilder t;
  t.Thread(10, "A").Cpu(0).At(1_ms).Run(10);
  for (uint64_t i = 1; i <= 5; ++i)
    t.At(i * 10_ms).Block().At(i * 10_ms + 5_ms).WakeFromTimer(10).Run(10);
  ASSERT_TRUE(t.WriteSession(folder.folder() / "s").ok());
  Timeline read = TimelineIn(folder.folder() / "s");
  auto kept = KeptTimelineOf(folder.Keep(read), folder.InFiles());
  ASSERT_TRUE(kept.ok()) << kept.status();
  const SleepStart sleep{.thread = 0, .start_ns = read.start_ns() + 20_ms};
  // The recording starts with its first event.
  const SleepStart sleeps[] = {{0, sleep.start_ns - 1_ms}};
  EXPECT_EQ(read.JoinWaits(sleeps), 1u);
  EXPECT_EQ(kept->JoinWaits(sleeps), 1u);
  EXPECT_EQ(ResultsOf(*kept, BuildWaitForGraph(*kept)), ResultsOf(read, BuildWaitForGraph(read)));
  const auto again = KeptTimelineOf(*folder.store().Find({"01", "timeline", 1, ""}), {});
  ASSERT_TRUE(again.ok()) << again.status();
  const Timeline anew = TimelineIn(folder.folder() / "s");
  EXPECT_EQ(ResultsOf(*again, BuildWaitForGraph(*again)), ResultsOf(anew, BuildWaitForGraph(anew)));
}

TEST(KeptTimeline, DoesNotTellWhatOneReadingLacked) {
  const KeptFolder folder;
  ASSERT_TRUE(RichTrace().WriteSession(folder.folder() / "s").ok());
  auto session = SessionReader::Open(folder.folder() / "s");
  ASSERT_TRUE(session.ok());
  const ColumnMemory none({.folder = folder.folder() / "nowhere"});
  const auto read = LoadTimeline(**session, {.memory = none});
  ASSERT_TRUE(read.ok());
  ASSERT_FALSE(read->counters().empty());
  const auto kept = KeptTimelineOf(folder.Keep(*read), {});
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_TRUE(kept->counters().empty());
}

// Pieces of windows or threads that are not there, and windows that are not all of the bytes.
TEST(KeptTimeline, IsRefusedIfItContradictsItself) {
  const KeptFolder folder;
  struct Piece {
    uint64_t start_ns = 0;
    uint32_t count = 0;
    uint32_t window = 0;
  };
  const auto with = [&](const Piece& piece, uint32_t count, const std::vector<uint64_t>& ends,
                        EntityId answerer = 0) {
    pb::KeptTimeline told;
    told.add_questions()->set_answerer(answerer);
    told.add_entities();
    told.add_creators(kNobody);
    told.set_ended(std::string(1, '\0'));
    told.add_exits(0);
    told.add_contradictions(0);
    told.add_program_rows();
    told.add_program_row_of(0);
    told.add_piece_count(count);
    told.add_packets_of_node(0);
    told.add_local_messages_of_node(0);
    const StoreKey key{.recording = "01", .stage = "t", .format = 1, .options = ""};
    auto writer = folder.store().Begin(key, "/recording");
    writer->AddMessage("told", told);
    writer->AddColumn<Piece>("pieces", {&piece, 1});
    writer->AddColumn<uint64_t>("windows", ends);
    writer->AddBytes("segments", std::vector<std::byte>(7));
    for (const std::string section :
         {"requests", "packets", "local messages", "samples", "flights"})
      writer->AddBytes(section, {});
    EXPECT_TRUE(writer->Commit().ok());
    return KeptTimelineOf(*folder.store().Find(key), {}).status();
  };
  EXPECT_TRUE(with({0, 3, 1}, 1, {0, 7}).ok());
  EXPECT_TRUE(absl::IsDataLoss(with({0, 3, 2}, 1, {0, 7})));
  EXPECT_TRUE(absl::IsDataLoss(with({0, 0, 1}, 1, {0, 7})));
  EXPECT_TRUE(absl::IsDataLoss(with({0, 3, 1}, 2, {0, 7})));
  EXPECT_TRUE(absl::IsDataLoss(with({0, 3, 1}, 0, {0, 7})));
  EXPECT_TRUE(absl::IsDataLoss(with({0, 3, 1}, 1, {0, 6})));
  EXPECT_TRUE(absl::IsDataLoss(with({0, 3, 1}, 1, {8, 7})));
  EXPECT_TRUE(absl::IsDataLoss(with({0, 3, 1}, 1, {0, 7}, 1)));
}

// Beginning, end, and a moment of each thread, each by a timeline of its own.
RC_GTEST_PROP(KeptTimeline, CanBeAskedForAnyMoment, ()) {
  const KeptFolder folder;
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  WriteScenario(ParseScenario(RandomScenario(seed, *rc::gen::inRange(10, 300))),
                folder.folder() / "s", 3);
  const Timeline read = TimelineIn(folder.folder() / "s", *rc::gen::inRange<size_t>(1, 40));
  const auto kept = KeptTimelineOf(folder.Keep(read), {});
  RC_ASSERT(kept.ok());
  for (int i = 0; i < 20; ++i) {
    if (read.thread_count() == 0) return;
    const auto thread = *rc::gen::inRange<EntityId>(0, read.thread_count());
    const auto from_ns = *rc::gen::inRange<uint64_t>(read.start_ns(), read.end_ns() + 2);
    SegmentCursor of_kept = kept->SegmentsFrom(thread, from_ns);
    SegmentCursor of_read = read.SegmentsFrom(thread, from_ns);
    RC_ASSERT(of_kept.done() == of_read.done());
    for (int step = 0; step < 3 && !of_kept.done(); ++step, of_kept.Next(), of_read.Next()) {
      RC_ASSERT(!of_read.done());
      RC_ASSERT(of_kept.start_ns() == of_read.start_ns());
      RC_ASSERT(of_kept.end_ns() == of_read.end_ns());
      RC_ASSERT(of_kept.segment().waker == of_read.segment().waker);
    }
  }
}

}  // namespace
}  // namespace gordian
