// SPDX-License-Identifier: Apache-2.0
#include "trace/cut_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

pb::Session CompleteSession(uint64_t from_ns, uint64_t to_ns) {
  pb::Session session;
  session.set_name("whole");
  session.mutable_host()->set_cpus(4);
  session.set_start_time_ns(from_ns);
  session.set_end_time_ns(to_ns);
  session.set_complete(true);
  return session;
}

std::vector<uint64_t> TimesIn(const std::string& directory) {
  const auto session = SessionReader::Open(directory);
  return session.ok() ? MergedTimes(**session) : std::vector<uint64_t>();
}

std::vector<uint64_t> Within(const std::vector<uint64_t>& times, uint64_t from_ns, uint64_t to_ns) {
  std::vector<uint64_t> within;
  for (const uint64_t time : times)
    if (time >= from_ns && time < to_ns) within.push_back(time);
  return within;
}

// Blocks of BusyBlock, in turn on each CPU; gives the session's last time.
uint64_t WriteBusySession(const std::string& directory, int blocks, uint64_t ring_bytes = 0) {
  auto writer = *SessionWriter::Create(directory, {.ring_bytes = ring_bytes});
  uint64_t end_ns = 0;
  for (int i = 0; i < blocks; ++i) {
    EventBlock block = BusyBlock(static_cast<uint16_t>(i % 3), 500, 1'000'000 + 200'000ull * i,
                                 static_cast<uint32_t>(i + 1));
    end_ns = std::max(end_ns, block.events.back().time_ns);
    EXPECT_TRUE(writer->AppendEvents(block).ok());
  }
  pb::Session session = CompleteSession(1'000'000, end_ns);
  session.mutable_options()->set_ring_bytes(ring_bytes);
  EXPECT_TRUE(writer->WriteSession(session).ok());
  return end_ns;
}

RC_GTEST_PROP(CutSession, HasExactlyTheEventsOfTheStretch, ()) {
  const TemporaryDirectory dir;
  const uint64_t end_ns = WriteBusySession(dir / "whole", *rc::gen::inRange(1, 12));
  const uint64_t from_ns = *rc::gen::inRange<uint64_t>(1'000'000, end_ns);
  const uint64_t to_ns = *rc::gen::inRange<uint64_t>(from_ns + 1, end_ns + 2);
  const auto cut = CutSession(dir / "whole", from_ns, to_ns, dir / "cut");
  RC_ASSERT(cut.ok());
  const auto session = *SessionReader::Open(dir / "cut");
  const std::vector<uint64_t> times = MergedTimes(*session);
  RC_ASSERT(times == Within(TimesIn(dir / "whole"), from_ns, to_ns));
  RC_ASSERT(cut->events == times.size());
  RC_ASSERT(session->session().events() == times.size());
  RC_ASSERT(session->damage() == ReadDamage());
}

RC_GTEST_PROP(CutSession, OfACutIsTheCutOfTheWhole, ()) {
  const TemporaryDirectory dir;
  const uint64_t end_ns = WriteBusySession(dir / "whole", 8);
  const uint64_t from_ns = *rc::gen::inRange<uint64_t>(1'000'000, end_ns - 2);
  const uint64_t to_ns = *rc::gen::inRange<uint64_t>(from_ns + 1, end_ns);
  RC_ASSERT(CutSession(dir / "whole", 0, to_ns, dir / "first").ok());
  RC_ASSERT(CutSession(dir / "first", from_ns, to_ns, dir / "twice").ok());
  RC_ASSERT(CutSession(dir / "whole", from_ns, to_ns, dir / "once").ok());
  RC_ASSERT(TimesIn(dir / "twice") == TimesIn(dir / "once"));
}

TEST(CutSession, KeepsTheMeaningOfNumbersThatWereToldBefore) {
  const TemporaryDirectory dir;
  auto writer = *SessionWriter::Create(dir / "whole", {});
  EventBlock told = EveryKindBlock(0, 1'000);
  const EventBlock copy = told;
  ASSERT_TRUE(writer->AppendEvents(told).ok());
  EventBlock later = BusyBlock(0, 100, 5'000'000);
  const uint64_t end_ns = later.events.back().time_ns;
  ASSERT_TRUE(writer->AppendEvents(later).ok());
  ASSERT_TRUE(writer->WriteSession(CompleteSession(1'000, end_ns)).ok());
  ASSERT_TRUE(CutSession(dir / "whole", 4'000'000, end_ns + 1, dir / "cut").ok());

  const auto session = *SessionReader::Open(dir / "cut");
  ASSERT_NE(session->tasks(), nullptr);
  EventBlock kept;
  ASSERT_TRUE(session->tasks()->Read(0, kept).ok());
  EXPECT_EQ(kept.flows, copy.flows);
  EXPECT_EQ(kept.stacks, copy.stacks);
  EXPECT_EQ(kept.wait_objects, copy.wait_objects);
  std::vector<uint64_t> times;
  for (const TraceEvent& event : kept.events) times.push_back(event.time_ns);
  EXPECT_THAT(times, Each(4'000'000u));
  EXPECT_THAT(times, Not(IsEmpty()));
}

TEST(CutSession, TellsWhoLivesWhenItBegins) {
  const TemporaryDirectory dir;
  auto writer = *SessionWriter::Create(dir / "whole", {});
  EventBlock block;
  const auto task = [&](uint64_t time_ns, TaskChange change, int32_t tid, const char* comm) {
    block.AddTask(time_ns, {.change = change,
                            .tid = tid,
                            .tgid = tid,
                            .start_time_ns = 500u + static_cast<uint64_t>(tid),
                            .comm = comm,
                            .command = change == TaskChange::kExec ? "server --fast" : ""});
  };
  task(1'000, TaskChange::kNew, 10, "sh");
  task(1'100, TaskChange::kNew, 20, "gone");
  task(1'200, TaskChange::kExec, 10, "server");
  task(1'300, TaskChange::kExit, 20, "gone");
  task(1'400, TaskChange::kRename, 10, "renamed");
  task(9'000, TaskChange::kNew, 30, "later");
  ASSERT_TRUE(writer->AppendEvents(block).ok());
  ASSERT_TRUE(writer->WriteSession(CompleteSession(1'000, 10'000)).ok());
  ASSERT_TRUE(CutSession(dir / "whole", 5'000, 8'000, dir / "cut").ok());

  const auto session = *SessionReader::Open(dir / "cut");
  EventBlock kept;
  ASSERT_TRUE(session->tasks()->Read(0, kept).ok());
  ASSERT_EQ(kept.tasks.size(), 1);
  EXPECT_EQ(kept.tasks[0].change, TaskChange::kAlive);
  EXPECT_EQ(kept.tasks[0].comm, "renamed");
  EXPECT_EQ(kept.tasks[0].command, "server --fast");
}

TEST(CutSession, TellsWhatGaveWayInTheStretch) {
  const TemporaryDirectory dir;
  const uint64_t end_ns = WriteBusySession(dir / "ring", 2'000, kMinRingBytes);
  const auto whole = *SessionReader::Open(dir / "ring");
  ASSERT_GT(whole->cpus()[0]->blocks().front().sequence, 0);
  ASSERT_TRUE(CutSession(dir / "ring", 0, end_ns + 1, dir / "cut").ok());
  const auto cut = *SessionReader::Open(dir / "cut");
  EXPECT_GT(cut->cpus()[0]->blocks().front().sequence, 0);
  EXPECT_EQ(Within(TimesIn(dir / "cut"), 0, end_ns + 1), TimesIn(dir / "ring"));
}

TEST(CutSession, OfASessionThatGrowsEndsWithItsWatermark) {
  const TemporaryDirectory dir;
  const uint64_t end_ns = WriteBusySession(dir / "whole", 6);
  pb::Session session = CompleteSession(1'000'000, end_ns);
  session.set_complete(false);
  session.set_complete_until_ns(1'500'000);
  session.set_format_version(kSessionFormatVersion);
  WriteWholeFile(dir / "whole/session.pb", session.SerializeAsString());
  const auto cut = CutSession(dir / "whole", 0, UINT64_MAX, dir / "cut");
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ(cut->to_ns, 1'500'000);
  EXPECT_EQ(TimesIn(dir / "cut"), Within(TimesIn(dir / "whole"), 0, 1'500'000));
}

TEST(CutSession, LeavesNothingBehindOnFailure) {
  const TemporaryDirectory dir;
  const uint64_t end_ns = WriteBusySession(dir / "whole", 3);
  EXPECT_TRUE(absl::IsInvalidArgument(
      CutSession(dir / "whole", end_ns + 10, end_ns + 20, dir / "cut").status()));
  EXPECT_TRUE(absl::IsNotFound(CutSession(dir / "nothing", 0, end_ns, dir / "cut").status()));
  EXPECT_TRUE(absl::IsNotFound(CutSession(dir / "whole", 0, end_ns, dir / "no/cut").status()));
  EXPECT_TRUE(absl::IsAlreadyExists(CutSession(dir / "whole", 0, end_ns, dir / "whole").status()));
  EXPECT_THAT(FilesIn(dir.path()), ElementsAre("whole"));
}

TEST(CutSession, LeavesOutADamagedBlockAndTellsIt) {
  const TemporaryDirectory dir;
  const uint64_t end_ns = WriteBusySession(dir / "whole", 9);
  std::string bytes = ReadWholeFile(dir / "whole/cpu-000.trace");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  WriteWholeFile(dir / "whole/cpu-000.trace", bytes);
  const auto cut = CutSession(dir / "whole", 0, end_ns + 1, dir / "cut");
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ(TimesIn(dir / "cut"), TimesIn(dir / "whole"));
}

}  // namespace
}  // namespace gordian
