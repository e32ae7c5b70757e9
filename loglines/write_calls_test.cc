// SPDX-License-Identifier: Apache-2.0
#include "loglines/write_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "loglines/explain_log.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian {
namespace {

using testing::TempDir;
using testing::TraceBuilder;
using testing::WriteFile;
using testing::operator""_ms;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two threads of one program run all of the time; the second calls write at 5 ms.
class RecordedWriteCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    TraceBuilder t;
    t.Origin(100'000'000'000);
    pb::ClockPair& pair = *t.session().add_clocks();
    pair.set_monotonic_ns(100'000'000'000);
    pair.set_realtime_ns(1'795'746'615'000'000'000);
    t.session().mutable_options()->add_counted_calls("write");
    t.Thread(10, "server", 10).Thread(11, "server", 10);
    t.At(0).Cpu(0).Run(10).Cpu(1).Run(11);
    t.At(2_ms).Cpu(0).Probe(10, ProbeKind::kCount, "syscall accept4", 1);
    t.At(5_ms).Cpu(1).Probe(11, ProbeKind::kCount, "syscall write", 1);
    t.At(20_ms).Cpu(0).Block().Cpu(1).Block();
    ASSERT_TRUE(t.WriteSession(dir_ / "trace").ok());
    auto recording = ReadRecording(dir_ / "trace", {.threads = 1});
    ASSERT_TRUE(recording.ok()) << recording.status();
    recording_ = *std::move(recording);
  }

  TempDir dir_;
  LoadedRecording recording_;
};

TEST_F(RecordedWriteCalls, AreOfTheThreadThatMadeThem) {
  const WriteCalls calls = WriteCalls::Read(recording_);
  const Timeline& timeline = *recording_.timeline;
  const uint64_t start_ns = timeline.start_ns();
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const auto times_ns = calls.Within(thread, start_ns, timeline.end_ns());
    if (timeline.entities()[thread].tid == 11) {
      EXPECT_THAT(times_ns, ElementsAre(start_ns + 5_ms));
    } else {
      EXPECT_TRUE(times_ns.empty());
    }
    EXPECT_TRUE(calls.Within(thread, start_ns + 6_ms, timeline.end_ns()).empty());
  }
}

TEST_F(RecordedWriteCalls, MayComeALittleBehindTheStamp) {
  const std::string path = WriteFile(dir_ / "x.log", "2026-11-27T02:30:15.004900Z x\n");
  const auto told = ExplainLine(recording_, {.place = {.path = path, .number = 1}});
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(told->writers(0).thread(), "server/11");
  EXPECT_NEAR(static_cast<double>(told->at_ns()), 5e6, 10);
}

TEST_F(RecordedWriteCalls, TellTheThreadAndTheMomentOfALine) {
  const std::string path = WriteFile(dir_ / "x.log", "2026-11-27T02:30:15.00Z x\n");
  const auto told = ExplainLine(recording_, {.place = {.path = path, .number = 1}});
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(told->writers(0).thread(), "server/11");
  EXPECT_GT(told->writers(0).how_sure(), 0.99);
  EXPECT_THAT(told->writers(0).signs(), ::testing::Contains("it called write then"));
  EXPECT_NEAR(static_cast<double>(told->at_ns()), 5e6, 10);
}

}  // namespace
}  // namespace gordian
