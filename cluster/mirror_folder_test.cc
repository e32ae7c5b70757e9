// SPDX-License-Identifier: Apache-2.0
#include "cluster/mirror_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "trace/block_encoder.h"
#include "trace/counters.h"
#include "trace/session_follower.h"
#include "trace/session_reader.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Part = pb::FollowPart;

constexpr uint64_t kSecond = 1'000'000'000;

class MirrorFolderTest : public ::testing::Test {
 protected:
  void Open(MirrorLimits limits = {}) {
    auto folder = MirrorFolder::Create(path_, limits);
    ASSERT_TRUE(folder.ok()) << folder.status();
    folder_ = *std::move(folder);
  }
  absl::Status Take(Part::Kind kind, const std::string& data, bool goes_on = false) {
    Part part;
    part.set_kind(kind);
    part.set_data(data);
    part.set_goes_on(goes_on);
    return folder_->Take(part);
  }
  static std::string Block(const EventBlock& events, BlockKind kind, uint64_t sequence) {
    BlockEncoder encoder;
    const auto encoded = encoder.EncodeEvents(events, 0, events.events.size(), kind, sequence);
    EXPECT_TRUE(encoded.ok()) << encoded.status();
    return {encoded->bytes.begin(), encoded->bytes.end()};
  }
  static std::string Busy(uint16_t cpu, uint64_t sequence, uint64_t begin_ns, size_t count = 100) {
    return Block(BusyBlock(cpu, count, begin_ns, static_cast<uint32_t>(begin_ns)),
                 BlockKind::kEvents, sequence);
  }
  static std::string Threads(uint64_t time_ns, uint64_t sequence = 0) {
    EventBlock block;
    block.cpu = kNoCpu;
    block.AddTask(time_ns, {.tid = 7, .tgid = 7, .comm = "server"});
    return Block(block, BlockKind::kTasks, sequence);
  }
  absl::Status TakeSession(uint64_t complete_until_ns, bool complete = false,
                           uint64_t skipped_events = 0) {
    pb::Session session;
    session.set_format_version(1);
    session.set_start_time_ns(5);
    session.set_complete_until_ns(complete_until_ns);
    session.set_complete(complete);
    Part part;
    part.set_kind(Part::SESSION);
    part.set_data(session.SerializeAsString());
    part.set_skipped_events(skipped_events);
    return folder_->Take(part);
  }
  std::unique_ptr<SessionReader> Read() const {
    auto reader = SessionReader::Open(path_);
    EXPECT_TRUE(reader.ok()) << reader.status();
    return *std::move(reader);
  }

  const TemporaryDirectory directory_;
  const std::string path_ = directory_ / "mirror";
  std::unique_ptr<MirrorFolder> folder_;
};

TEST_F(MirrorFolderTest, BlocksAreKeptAsTheyCome) {
  Open();
  const std::string first = Busy(1, 40, kSecond);
  const std::string second = Busy(1, 41, 2 * kSecond);
  ASSERT_TRUE(Take(Part::BLOCK, first).ok());
  ASSERT_TRUE(Take(Part::BLOCK, second.substr(0, 100), true).ok());
  ASSERT_TRUE(Take(Part::BLOCK, second.substr(100)).ok());
  ASSERT_TRUE(TakeSession(3 * kSecond).ok());
  EXPECT_TRUE(ReadWholeFile(path_ + "/cpu-001.trace") == first + second);
  const auto reader = Read();
  EXPECT_EQ(reader->damage(), ReadDamage()) << "what was before gave way";
  EXPECT_EQ(reader->session().complete_until_ns(), 3 * kSecond);
  EXPECT_EQ(folder_->counts().events, 200u);
}

TEST_F(MirrorFolderTest, ListsOfThreadsBeginSegmentsAndTasksAreNumberedWithThem) {
  Open();
  ASSERT_TRUE(Take(Part::THREADS, Threads(kSecond)).ok());
  ASSERT_TRUE(Take(Part::BLOCK, Threads(2 * kSecond, 30)).ok());
  ASSERT_TRUE(Take(Part::THREADS, Threads(3 * kSecond)).ok());
  ASSERT_TRUE(Take(Part::THREADS, Threads(3 * kSecond, 1)).ok());
  ASSERT_TRUE(Take(Part::BLOCK, Threads(4 * kSecond, 33)).ok());
  ASSERT_TRUE(TakeSession(5 * kSecond).ok());
  EXPECT_THAT(FilesIn(path_), ElementsAre("session.pb", "tasks.s000001.trace", "tasks.trace"));
  const auto reader = Read();
  EXPECT_EQ(reader->damage().missing_blocks, 2u) << "31 and 32 are still missing";
  EXPECT_EQ(reader->damage().corrupt_blocks, 0u);
}

TEST_F(MirrorFolderTest, TheNewestPartIsKeptWithinItsBytesAndItsTime) {
  Open({.bytes = kMinRingBytes, .keep_ns = 20 * kSecond});
  uint64_t sequence = 0;
  for (uint64_t second = 1; second <= 100; ++second, ++sequence) {
    if (second % 3 == 0) {
      ASSERT_TRUE(Take(Part::THREADS, Threads(second * kSecond)).ok());
    }
    for (uint16_t cpu = 0; cpu < 2; ++cpu) {
      ASSERT_TRUE(Take(Part::BLOCK, Busy(cpu, sequence, second * kSecond)).ok());
    }
    ASSERT_TRUE(TakeSession(second * kSecond).ok());
    ASSERT_LE(BytesIn(path_), kMinRingBytes);
    ASSERT_EQ(BytesIn(path_), folder_->counts().bytes_on_disk);
  }
  const auto reader = Read();
  ASSERT_EQ(reader->cpus().size(), 2u);
  EXPECT_EQ(reader->damage(), ReadDamage());
  for (const auto& cpu : reader->cpus()) {
    const uint64_t first_ns = cpu->blocks().front().first_time_ns;
    EXPECT_GE(first_ns, 75 * kSecond);
    EXPECT_LT(first_ns, 82 * kSecond);
    EXPECT_LE(reader->tasks()->blocks().front().first_time_ns, first_ns)
        << "the threads of the oldest events are there";
  }
}

TEST_F(MirrorFolderTest, WhoFollowsItLearnsOfEachBlockOnceAndOfWhatGaveWay) {
  Open({.bytes = kMinRingBytes, .keep_ns = 20 * kSecond});
  ASSERT_TRUE(TakeSession(1).ok());
  auto follower = SessionFollower::Open(path_);
  ASSERT_TRUE(follower.ok());
  ASSERT_TRUE((*follower)->Poll(0).ok());
  uint64_t blocks = 0, vanished = 0;
  for (uint64_t second = 1; second <= 100; ++second) {
    ASSERT_TRUE(Take(Part::BLOCK, Busy(0, second - 1, second * kSecond)).ok());
    ASSERT_TRUE(TakeSession(second * kSecond).ok());
    if (second % 40 != 0) continue;
    const auto news = (*follower)->Poll(0);
    ASSERT_TRUE(news.ok()) << news.status();
    for (const NewBlocks& found : news->blocks) blocks += found.blocks.size();
    for (const VanishedBlocks& gone : news->vanished) vanished += gone.blocks;
    EXPECT_EQ((*follower)->damage(), ReadDamage());
  }
  EXPECT_GT(vanished, 0u);
  EXPECT_EQ(blocks + vanished, 80u);
}

TEST_F(MirrorFolderTest, WhatANewCallBringsAgainIsLeftOut) {
  Open();
  const std::string first = Busy(0, 4, kSecond);
  const std::string second = Busy(0, 5, 2 * kSecond);
  ASSERT_TRUE(Take(Part::BLOCK, first).ok());
  ASSERT_TRUE(TakeSession(kSecond, false, 10).ok());
  ASSERT_TRUE(Take(Part::BLOCK, second.substr(0, 50), true).ok());  // cut off
  folder_->GoOn();
  ASSERT_TRUE(Take(Part::BLOCK, first).ok());
  ASSERT_TRUE(Take(Part::BLOCK, second).ok());
  ASSERT_TRUE(TakeSession(2 * kSecond, false, 3).ok());
  EXPECT_TRUE(ReadWholeFile(path_ + "/cpu-000.trace") == first + second);
  EXPECT_EQ(folder_->counts().skipped_events, 13u);
}

TEST_F(MirrorFolderTest, WhatWasPassedOverIsCountedInTheRecording) {
  Open();
  ASSERT_TRUE(TakeSession(kSecond, false, 1234).ok());
  const auto reader = Read();
  const auto& counters = reader->session().counters();
  ASSERT_EQ(counters.size(), 1);
  EXPECT_EQ(counters[0].name(), "events_not_followed");
  EXPECT_EQ(counters[0].value(), 1234u);
}

TEST_F(MirrorFolderTest, OnlyWholeRoundsAreCompletedWhenNobodyFollowsAnyMore) {
  Open();
  ASSERT_TRUE(TakeSession(kSecond).ok());
  ASSERT_TRUE(Take(Part::BLOCK, Busy(0, 0, 2 * kSecond)).ok());
  ASSERT_TRUE(folder_->Finish().ok());
  EXPECT_FALSE(Read()->session().complete()) << "other CPUs' blocks may have been to come";
  ASSERT_TRUE(TakeSession(2 * kSecond).ok());
  ASSERT_TRUE(folder_->Finish().ok());
  EXPECT_TRUE(Read()->session().complete());
  EXPECT_EQ(Read()->session().end_reason(), "following ended");
}

TEST_F(MirrorFolderTest, WhatNoRecorderSendsIsRefused) {
  Open({.bytes = kMinRingBytes});
  const std::string block = Busy(0, 0, kSecond);
  const absl::Status refused[] = {
      Take(Part::BLOCK, "nonsense"),
      Take(Part::BLOCK, block.substr(0, block.size() - 1)),
      Take(Part::BLOCK, block + "x"),
      Take(Part::BLOCK, Busy(9000, 0, kSecond)),
      Take(Part::THREADS, block),
      Take(Part::SESSION, "\xff"),
      Take(Part::SESSION, std::string(kMinRingBytes + 1, 'x')),
      Take(Part::SYMBOLS, std::string(kMinRingBytes + 1, 'x')),
      Take(Part::ALIVE, "x"),
      Take(Part::BLOCK, "", true),
  };
  for (const absl::Status& status : refused) EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  ASSERT_TRUE(Take(Part::BLOCK, block.substr(0, 50), true).ok());
  EXPECT_TRUE(absl::IsDataLoss(Take(Part::SESSION, ""))) << "in the middle of a block";
}

TEST_F(MirrorFolderTest, AnotherSessionOfTheNameIsNotMixedIn) {
  Open();
  ASSERT_TRUE(TakeSession(kSecond).ok());
  pb::Session other;
  other.set_start_time_ns(77);
  const absl::Status status = Take(Part::SESSION, other.SerializeAsString());
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(status.message(), HasSubstr("another session"));
}

TEST_F(MirrorFolderTest, WildTimesDoNotMakeManyFiles) {
  Open({.bytes = 64u << 20, .keep_ns = kSecond});
  std::mt19937_64 random(1);
  for (uint64_t sequence = 0; sequence < 2000; ++sequence) {
    ASSERT_TRUE(Take(Part::BLOCK, Busy(0, sequence, random() >> 2, 2)).ok());
  }
  EXPECT_LE(FilesIn(path_).size(), 40u);
}

}  // namespace
}  // namespace gordian
