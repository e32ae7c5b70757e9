// SPDX-License-Identifier: Apache-2.0
// A session written is a session read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SessionFiles, GiveBackEveryEventInOrderOfTime) {
  const TemporaryDirectory directory;
  auto writer = SessionWriter::Create(directory / "s", {});
  ASSERT_TRUE(writer.ok()) << writer.status();
  EventBlock tasks;
  tasks.AddTask(10, TaskRecord{.tid = 5, .comm = "five"});
  ASSERT_TRUE((*writer)->AppendTasks(tasks).ok());
  EventBlock one = SwitchBlock(1, {20, 40, 60});
  EventBlock zero = SwitchBlock(0, {30, 50, 70});
  EventBlock none = SwitchBlock(kNoCpu, {35});
  for (EventBlock* block : {&one, &zero, &none}) {
    ASSERT_TRUE((*writer)->AppendEvents(*block).ok());
    EXPECT_TRUE(block->empty());
  }
  pb::Session session;
  session.set_name("s");
  ASSERT_TRUE((*writer)->WriteSession(session).ok());

  auto reader = SessionReader::Open(directory / "s");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->session().name(), "s");
  EXPECT_EQ((*reader)->session().format_version(), kSessionFormatVersion);
  EXPECT_EQ((*reader)->damage(), ReadDamage{});
  EXPECT_EQ((*reader)->bytes_on_disk(), (*writer)->bytes_on_disk());
  ASSERT_EQ((*reader)->cpus().size(), 3u);
  EXPECT_EQ((*reader)->cpus()[0]->cpu(), 0);
  EXPECT_EQ((*reader)->cpus()[1]->cpu(), 1);
  EXPECT_EQ((*reader)->cpus()[2]->cpu(), kNoCpu);
  EXPECT_THAT(MergedTimes(**reader), ElementsAre(10, 20, 30, 35, 40, 50, 60, 70));
}

TEST(SessionFiles, AreReadLikeBlocksThatNoFileHolds) {
  auto one = std::make_unique<EventStream>(StreamId{BlockKind::kEvents, 1});
  one->AddHeld(0, SwitchBlock(1, {20, 40}));
  one->AddHeld(1, EventBlock{.cpu = 1});  // nothing to read
  one->AddHeld(2, SwitchBlock(1, {60}));
  EventBlock known;
  known.cpu = kNoCpu;
  known.AddTask(10, TaskRecord{.tid = 5, .comm = "five"});
  auto tasks = std::make_unique<EventStream>(StreamId{BlockKind::kTasks, kNoCpu});
  tasks->AddHeld(0, known);
  std::vector<std::unique_ptr<EventStream>> cpus;
  cpus.push_back(std::move(one));
  const auto reader = SessionReader::Held({}, std::move(cpus), std::move(tasks));
  EXPECT_THAT(MergedTimes(*reader), ElementsAre(10, 20, 40, 60));
  EXPECT_EQ(reader->damage().missing_blocks, 1u);
  EventBlock block;
  ASSERT_TRUE(reader->cpus()[0]->Read(1, block).ok());
  EXPECT_EQ(block.cpu, 1);
}

TEST(SessionFiles, ManyEventsAtOnceBecomeSeveralBlocks) {
  const TemporaryDirectory directory;
  auto writer = SessionWriter::Create(directory / "s", {});
  ASSERT_TRUE(writer.ok());
  std::vector<uint64_t> times(3 * kMaxBlockEvents + 5);
  for (size_t i = 0; i < times.size(); ++i) times[i] = i;
  EventBlock block = SwitchBlock(0, times);
  ASSERT_TRUE((*writer)->AppendEvents(block).ok());
  auto reader = SessionReader::Open(directory / "s");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->cpus()[0]->blocks().size(), 4u);
  EXPECT_EQ(MergedTimes(**reader), times);
}

TEST(SessionFiles, ABlockMayOverlapTheOneBefore) {
  const TemporaryDirectory directory;
  auto writer = SessionWriter::Create(directory / "s", {});
  ASSERT_TRUE(writer.ok());
  EventBlock first = SwitchBlock(0, {10, 20, 40});
  EventBlock second = SwitchBlock(0, {30, 50});
  EventBlock other = SwitchBlock(1, {35, 45});
  for (EventBlock* block : {&first, &second, &other}) {
    ASSERT_TRUE((*writer)->AppendEvents(*block).ok());
  }
  auto reader = SessionReader::Open(directory / "s");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_THAT(MergedTimes(**reader), ElementsAre(10, 20, 30, 35, 40, 45, 50));
}

TEST(SessionFiles, ResourceSamplesComeBack) {
  const TemporaryDirectory directory;
  auto writer = SessionWriter::Create(directory / "s", {});
  ASSERT_TRUE(writer.ok());
  pb::ResourceBlock block;
  block.set_first_time_ns(1);
  block.set_last_time_ns(2);
  block.add_resources()->set_name("cpu0");
  block.add_samples()->set_value(0.5);
  ASSERT_TRUE((*writer)->AppendResources(block).ok());
  auto reader = SessionReader::Open(directory / "s");
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto blocks = (*reader)->ReadResources();
  ASSERT_TRUE(blocks.ok());
  ASSERT_EQ(blocks->size(), 1u);
  EXPECT_EQ((*blocks)[0].SerializeAsString(), block.SerializeAsString());
}

size_t OpenFiles() { return FilesIn("/proc/self/fd").size(); }

TEST(SessionFiles, NeedOneOpenFilePerStreamWhileWrittenAndNoneWhileRead) {
  const TemporaryDirectory directory;
  const size_t open_before = OpenFiles();
  auto writer = SessionWriter::Create(directory / "s", {.ring_bytes = 2u << 20});
  ASSERT_TRUE(writer.ok());
  constexpr uint16_t kCpus = 10;
  for (uint64_t round = 0; round < 30; ++round) {
    for (uint16_t cpu = 0; cpu < kCpus; ++cpu) {
      EventBlock block = BusyBlock(cpu, 2'500, round * 1'000'000'000);
      ASSERT_TRUE((*writer)->AppendEvents(block).ok());
    }
  }
  ASSERT_GT(FilesIn(directory / "s").size(), 2 * kCpus) << "several segments each";
  EXPECT_LE(OpenFiles(), open_before + kCpus);
  writer->reset();
  auto reader = SessionReader::Open(directory / "s");
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE(MergedTimes(**reader).empty());
  EXPECT_EQ(OpenFiles(), open_before);
}

TEST(SessionFiles, AStreamIsReadByManyThreadsAtOnce) {
  const TemporaryDirectory directory;
  auto writer = SessionWriter::Create(directory / "s", {});
  ASSERT_TRUE(writer.ok());
  constexpr uint64_t kBlocks = 8;
  for (uint64_t i = 0; i < kBlocks; ++i) {
    EventBlock block = SwitchBlock(0, {i * 10, i * 10 + 1});
    ASSERT_TRUE((*writer)->AppendEvents(block).ok());
  }
  auto reader = SessionReader::Open(directory / "s");
  ASSERT_TRUE(reader.ok());
  const EventStream& stream = *(*reader)->cpus()[0];
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      EventBlock block;
      for (uint64_t number = 0; number < kBlocks; ++number) {
        if (stream.Read(number, block).ok() && block.events.front().time_ns == number * 10) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 4 * static_cast<int>(kBlocks));
}

TEST(SessionFiles, SmallInversionsOfTimeAreSortedAndCounted) {
  const TemporaryDirectory directory;
  auto writer = SessionWriter::Create(directory / "s", {});
  ASSERT_TRUE(writer.ok());
  EventBlock block = SwitchBlock(0, {10, 30, 20, 40, 35, 50});
  ASSERT_TRUE((*writer)->AppendEvents(block).ok());
  EXPECT_EQ((*writer)->time_inversions_sorted(), 2u);
  auto reader = SessionReader::Open(directory / "s");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_THAT(MergedTimes(**reader), ElementsAre(10, 20, 30, 35, 40, 50));
}

TEST(SessionFiles, AFolderWithSomethingInItIsRefusedAndNotTouched) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "s");
  std::ofstream(directory / "s/mine") << "precious";
  const auto writer = SessionWriter::Create(directory / "s", {});
  EXPECT_EQ(writer.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(writer.status().message()), HasSubstr("not an empty directory"));
  EXPECT_THAT(FilesIn(directory / "s"), ElementsAre("mine"));
}

TEST(SessionFiles, AnEmptyFolderIsTaken) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "s");
  EXPECT_TRUE(SessionWriter::Create(directory / "s", {}).ok());
}

TEST(SessionFiles, WhatIsNoSessionIsRefusedInOneLine) {
  const TemporaryDirectory directory;
  EXPECT_EQ(SessionReader::Open(directory / "missing").status().code(),
            absl::StatusCode::kNotFound);
  std::filesystem::create_directory(directory / "empty");
  EXPECT_EQ(SessionReader::Open(directory / "empty").status().code(),
            absl::StatusCode::kFailedPrecondition);
  std::ofstream(directory / "file") << "text";
  EXPECT_EQ(SessionReader::Open(directory / "file").status().code(),
            absl::StatusCode::kFailedPrecondition);
  std::filesystem::create_directory(directory / "torn");
  std::ofstream(directory / "torn/session.pb") << "";
  EXPECT_THAT(SessionReader::Open(directory / "torn").status().message(),
              ::testing::HasSubstr("its session.pb is damaged"));
}

}  // namespace
}  // namespace gordian
