// SPDX-License-Identifier: Apache-2.0
// Following a session gives what a reader sees at its end, each block once, and tells before of all
// that it will never give.
#include "trace/session_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <utility>

#include "trace/block_decoder.h"
#include "trace/resource_block.h"
#include "trace/session_writer.h"
#include "trace/test_following.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FollowedFolder : public ::testing::Test {
 protected:
  FollowedFolder() { std::filesystem::create_directory(session_); }

  void Follow() {
    auto follower = SessionFollower::Open(session_);
    ASSERT_TRUE(follower.ok()) << follower.status();
    follower_ = *std::move(follower);
  }
  SessionNews Poll(uint64_t now_ns = 0) {
    auto news = follower_->Poll(now_ns);
    EXPECT_TRUE(news.ok()) << news.status();
    return news.ok() ? *std::move(news) : SessionNews{};
  }
  // The numbers of the new blocks of CPU 0.
  std::vector<uint64_t> PollNumbers() {
    std::vector<uint64_t> numbers;
    for (const NewBlocks& found : Poll().blocks)
      for (const FoundBlock& block : found.blocks) numbers.push_back(block.header.sequence);
    return numbers;
  }
  void Tell(const pb::Session& session) {
    const std::string path = session_ + "/session.pb";
    WriteWholeFile(path + ".new", session.SerializeAsString());
    std::filesystem::rename(path + ".new", path);
  }
  std::string Path(uint32_t number = 0) const {
    return session_ + "/" + SegmentFileName({kCpu0, number});
  }
  static std::string Block(uint64_t sequence) {
    return EncodedSwitches(kCpu0, sequence, {100 * sequence + 10, 100 * sequence + 90});
  }

  const TemporaryDirectory directory_;
  const std::string session_ = directory_ / "s";
  std::unique_ptr<SessionFollower> follower_;
};

TEST_F(FollowedFolder, GivesEachBlockOnceAsItComes) {
  Follow();
  EXPECT_THAT(PollNumbers(), IsEmpty());
  EXPECT_EQ(follower_->complete_until_ns(), 0u);
  AppendTo(Path(), Block(0) + Block(1));
  EXPECT_THAT(PollNumbers(), ElementsAre(0, 1));
  EXPECT_THAT(PollNumbers(), IsEmpty());
  AppendTo(Path(), Block(2));
  Tell(Description(290));
  EXPECT_THAT(PollNumbers(), ElementsAre(2));
  EXPECT_EQ(follower_->complete_until_ns(), 290u);
  EXPECT_FALSE(follower_->ended());
  pb::Session last = Description(290);
  last.set_complete(true);
  Tell(last);
  EXPECT_TRUE(Poll().session_changed);
  EXPECT_TRUE(follower_->ended());
  EXPECT_EQ(follower_->complete_until_ns(), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(follower_->damage(), ReadDamage{});
}

TEST_F(FollowedFolder, ABlockThatIsBeingWrittenIsNoDamage) {
  Follow();
  Tell(Description(0));
  const std::string block = Block(0);
  for (size_t bytes = 0; bytes < block.size(); ++bytes) {
    EXPECT_THAT(PollNumbers(), IsEmpty()) << bytes;
    ASSERT_EQ(follower_->damage(), ReadDamage{}) << bytes;
    AppendTo(Path(), block.substr(bytes, 1));
  }
  EXPECT_THAT(PollNumbers(), ElementsAre(0));
  EXPECT_EQ(follower_->damage(), ReadDamage{});
}

TEST_F(FollowedFolder, ACutBackAppendLeavesNothing) {
  Follow();
  Tell(Description(0));
  AppendTo(Path(), Block(0) + Block(1).substr(0, 90));
  EXPECT_THAT(PollNumbers(), ElementsAre(0));
  ASSERT_EQ(truncate(Path().c_str(), static_cast<off_t>(Block(0).size())), 0);
  EXPECT_THAT(PollNumbers(), IsEmpty());
  AppendTo(Path(), Block(1) + Block(2));
  EXPECT_THAT(PollNumbers(), ElementsAre(1, 2));
  EXPECT_EQ(follower_->damage(), ReadDamage{});
}

TEST_F(FollowedFolder, ABlockThatMakesTheFileAsLongAsACutBackOneIsGiven) {
  Follow();
  Tell(Description(0));
  const std::string longer = EncodedSwitches(kCpu0, 1, {110, 300, 317, 3210, 54'321, 65'432});
  ASSERT_GT(longer.size(), Block(1).size());
  AppendTo(Path(), Block(0) + longer.substr(0, Block(1).size()));
  EXPECT_THAT(PollNumbers(), ElementsAre(0));
  ASSERT_EQ(truncate(Path().c_str(), static_cast<off_t>(Block(0).size())), 0);
  AppendTo(Path(), Block(1));
  EXPECT_THAT(PollNumbers(), ElementsAre(1));
}

TEST_F(FollowedFolder, ATornEndIsDamageWhenTheNextSegmentBegins) {
  Follow();
  Tell(Description(0));
  AppendTo(Path(), Block(0) + Block(1).substr(0, 90));
  EXPECT_THAT(PollNumbers(), ElementsAre(0));
  EXPECT_EQ(follower_->damage().torn_tails, 0u);
  AppendTo(Path(1), Block(1));
  EXPECT_THAT(PollNumbers(), ElementsAre(1));
  EXPECT_EQ(follower_->damage().torn_tails, 1u);
}

TEST_F(FollowedFolder, ATornEndIsDamageWhenTheCallerGivesUp) {
  Follow();
  Tell(Description(0));
  AppendTo(Path(), Block(0) + Block(1).substr(0, 90));
  Poll();
  ASSERT_TRUE(follower_->PollLast(0).ok());
  EXPECT_TRUE(follower_->ended());
  EXPECT_EQ(follower_->complete_until_ns(), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(follower_->damage().torn_tails, 1u);
  EXPECT_EQ(follower_->damage().skipped_bytes, 90u);
}

TEST_F(FollowedFolder, NoiseIsOneDamageHoweverItGrows) {
  Follow();
  Tell(Description(0));
  const std::string noise(2000, 'x');
  for (int part = 0; part < 50; ++part) {
    AppendTo(Path(), noise);
    EXPECT_THAT(PollNumbers(), IsEmpty());
  }
  AppendTo(Path(), Block(0).substr(0, 60));
  EXPECT_THAT(PollNumbers(), IsEmpty());
  AppendTo(Path(), Block(0).substr(60));
  EXPECT_THAT(PollNumbers(), ElementsAre(0));
  EXPECT_EQ(follower_->damage().corrupt_blocks, 1u);
  EXPECT_EQ(follower_->damage().skipped_bytes, 50 * noise.size());
}

TEST_F(FollowedFolder, TellsHowManyBlocksVanishedAndWhen) {
  Follow();
  Tell(Description(0, 1 << 20));
  AppendTo(Path(), Block(0));
  EXPECT_THAT(PollNumbers(), ElementsAre(0));
  Tell(Description(95, 1 << 20));
  Poll();
  std::filesystem::remove(Path());  // with a block 1 that nobody saw
  AppendTo(Path(2), Block(4));
  Tell(Description(300, 1 << 20));
  const SessionNews news = Poll();
  ASSERT_THAT(news.vanished, SizeIs(1));
  EXPECT_EQ(news.vanished[0].blocks, 3u);
  EXPECT_EQ(news.vanished[0].from_ns, 95u);
  EXPECT_EQ(news.vanished[0].to_ns, 410u);
  EXPECT_EQ(follower_->damage(), ReadDamage{});
}

TEST_F(FollowedFolder, TheEndOfASegmentThatWentMayBeMissed) {
  Follow();
  Tell(Description(95, 1 << 20));
  AppendTo(Path(), Block(0));
  EXPECT_THAT(PollNumbers(), ElementsAre(0));
  std::filesystem::remove(Path());  // with a block 1 that nobody saw
  AppendTo(Path(1), Block(2));
  const SessionNews news = Poll();
  ASSERT_THAT(news.vanished, SizeIs(1));
  EXPECT_EQ(news.vanished[0].blocks, 1u);
}

TEST_F(FollowedFolder, WhatGaveWayBeforeItWasFollowedIsNotTold) {
  Tell(Description(900, 1 << 20));
  AppendTo(Path(3), Block(7));
  Follow();
  const SessionNews news = Poll();
  EXPECT_THAT(news.blocks, SizeIs(1));
  EXPECT_THAT(news.vanished, IsEmpty());
  EXPECT_FALSE(news.overrun.has_value());
  EXPECT_EQ(follower_->damage(), ReadDamage{});
}

// The oldest end of what is there tells how far the deleted can reach.
TEST_F(FollowedFolder, TellsAnOverrunOnlyIfTheDeletedMayReachPastTheWatermark) {
  const auto other = session_ + "/" + SegmentFileName({{BlockKind::kEvents, 1}, 0});
  Follow();
  Tell(Description(150, 1 << 20));
  AppendTo(Path(), Block(0));
  AppendTo(other, EncodedSwitches({BlockKind::kEvents, 1}, 0, {120, 140}));
  EXPECT_FALSE(Poll().overrun.has_value());
  std::filesystem::remove(Path());
  Tell(Description(200, 1 << 20));
  EXPECT_FALSE(Poll().overrun.has_value()) << "what ended before 140 was given";
  AppendTo(other, EncodedSwitches({BlockKind::kEvents, 1}, 1, {210, 250}));
  const SessionNews news = Poll();
  ASSERT_TRUE(news.overrun.has_value());
  EXPECT_EQ(news.overrun->from_ns, 200u);
  EXPECT_EQ(news.overrun->to_ns, 251u);
}

// Segment 1 ends before segment 0 did. While that was there, what ended at 185 was the oldest.
TEST_F(FollowedFolder, ASegmentThatEndsBeforeThoseBeforeItCountsByTheirEnd) {
  const StreamId other{BlockKind::kEvents, 1};
  Follow();
  Tell(Description(170, 1 << 20));
  AppendTo(Path(), EncodedSwitches(kCpu0, 0, {171, 190}));
  AppendTo(Path(1), EncodedSwitches(kCpu0, 1, {180, 181}));
  EXPECT_FALSE(Poll().overrun.has_value());
  AppendTo(session_ + "/" + SegmentFileName({other, 0}), EncodedSwitches(other, 0, {182, 185}));
  std::filesystem::remove(session_ + "/" + SegmentFileName({other, 0}));
  std::filesystem::remove(Path());
  Tell(Description(200, 1 << 20));
  const SessionNews news = Poll();
  ASSERT_TRUE(news.overrun.has_value());
  EXPECT_EQ(news.overrun->from_ns, 170u);
  EXPECT_EQ(news.overrun->to_ns, 191u);
}

TEST_F(FollowedFolder, AFullRingMayHaveLostAStreamOfWhichNothingIsLeft) {
  const StreamId other{BlockKind::kEvents, 1};
  Follow();
  Tell(Description(5, 1 << 20));
  EXPECT_FALSE(Poll().overrun.has_value());
  AppendTo(session_ + "/" + SegmentFileName({other, 0}), EncodedSwitches(other, 0, {20, 80}));
  AppendTo(Path(), Block(0));
  AppendTo(Path(1), Block(1));
  std::filesystem::remove(session_ + "/" + SegmentFileName({other, 0}));
  const SessionNews news = Poll();
  ASSERT_TRUE(news.overrun.has_value());
  EXPECT_EQ(news.overrun->from_ns, 5u);
  EXPECT_EQ(news.overrun->to_ns, 91u);
}

TEST_F(FollowedFolder, ASegmentThatGoesAfterTheListingHoldsTheWatermarkForAPoll) {
  Follow();
  Tell(Description(50, 1 << 20));
  AppendTo(Path(), Block(0));
  Poll();
  Tell(Description(99, 1 << 20));
  // It is listed, and not there when it is opened.
  std::filesystem::create_symlink("nowhere", Path(1));
  Poll();
  EXPECT_EQ(follower_->complete_until_ns(), 50u);
  Poll();
  EXPECT_EQ(follower_->complete_until_ns(), 99u);
  EXPECT_EQ(follower_->damage().unreadable_files, 0u);
}

TEST_F(FollowedFolder, TheWatermarkNeverGoesBack) {
  Follow();
  Tell(Description(500));
  Poll();
  Tell(Description(400));
  Poll();
  EXPECT_EQ(follower_->complete_until_ns(), 500u);
  WriteWholeFile(session_ + "/session.pb", "no session");
  EXPECT_FALSE(Poll().session_changed);
  EXPECT_EQ(follower_->complete_until_ns(), 500u);
}

TEST_F(FollowedFolder, AnotherRecordingInItsPlaceIsAnError) {
  Follow();
  Tell(Description(500));
  Poll();
  pb::Session other = Description(0);
  other.set_start_time_ns(2);
  Tell(other);
  EXPECT_TRUE(absl::IsFailedPrecondition(follower_->Poll(0).status()));
}

TEST_F(FollowedFolder, SilenceLastsUntilAnythingIsNew) {
  Follow();
  Poll(1000);
  Poll(1500);
  EXPECT_EQ(follower_->silent_ns(1700), 700u);
  Tell(Description(0));
  Poll(2000);
  EXPECT_EQ(follower_->silent_ns(2100), 100u);
  AppendTo(Path(), Block(0));
  Poll(3000);
  EXPECT_EQ(follower_->silent_ns(3000), 0u);
}

TEST_F(FollowedFolder, ItsBlocksDecode) {
  auto writer = SessionWriter::Create(session_, {});
  ASSERT_TRUE(writer.ok());
  EventBlock block = EveryKindBlock(0, 1000);
  ASSERT_TRUE((*writer)->AppendEvents(block).ok());
  pb::ResourceBlock resources;
  resources.add_resources()->set_name("cpu");
  resources.add_samples();
  ASSERT_TRUE((*writer)->AppendResources(resources).ok());
  Follow();
  const SessionNews news = Poll();
  ASSERT_THAT(news.blocks, SizeIs(2));
  EventStream stream(news.blocks[0].stream);
  stream.AddSegment(news.blocks[0].path, news.blocks[0].blocks);
  EventBlock again;
  ASSERT_TRUE(stream.Read(0, again).ok());
  EXPECT_EQ(again.events.size(), EveryKindBlock(0, 1000).events.size());
  const auto file = OpenFile(news.blocks[1].path);
  ASSERT_TRUE(file.ok());
  BlockDecoder decoder;
  const auto read =
      ReadResourceBlock(file->handle, news.blocks[1].path, news.blocks[1].blocks[0], decoder);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->resources(0).name(), "cpu");
}

}  // namespace
}  // namespace gordian
