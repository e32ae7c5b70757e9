// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/session_sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trace/block_decoder.h"
#include "trace/block_header.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Part = pb::FollowPart;

// A session that a test writes, and a follower whose waits are the test's steps: nothing sleeps.
class SessionSenderTest : public ::testing::Test {
 protected:
  SessionSenderTest() {
    session_ = {.directory = directory_ / "s",
                .end_reason = [this] { return end_reason_; },
                .describe_threads = [this](EventBlock& block) { return Describe(block); }};
  }

  void Begin(uint64_t ring_bytes = 0) {
    auto writer = SessionWriter::Create(session_.directory, {.ring_bytes = ring_bytes});
    ASSERT_TRUE(writer.ok()) << writer.status();
    writer_ = *std::move(writer);
    ring_bytes_ = ring_bytes;
    has_begun_ = true;
  }
  absl::StatusOr<uint64_t> Describe(EventBlock& block) const {
    if (!has_begun_) return absl::FailedPreconditionError("not begun");
    block.Clear();
    block.cpu = kNoCpu;
    block.AddTask(flushed_ns_, {.tid = 7, .tgid = 7, .comm = "server"});
    return flushed_ns_;
  }
  // A block of so many events each of CPUs 0 and 1, and the session.pb behind them.
  void Flush(size_t events = 10) {
    for (uint16_t cpu = 0; cpu < 2; ++cpu) {
      EventBlock block = BusyBlock(cpu, events, now_ns_, static_cast<uint32_t>(now_ns_));
      ASSERT_TRUE(writer_->AppendEvents(block).ok());
    }
    now_ns_ += 1'000'000'000;
    flushed_ns_ = now_ns_;
    WriteSession(now_ns_, false);
  }
  void WriteSession(uint64_t complete_until_ns, bool complete) {
    pb::Session session;
    session.set_start_time_ns(1);
    session.set_complete(complete);
    session.set_complete_until_ns(complete_until_ns);
    session.mutable_options()->set_ring_bytes(ring_bytes_);
    ASSERT_TRUE(writer_->WriteSession(session).ok());
  }
  void End() {
    WriteSession(now_ns_, true);
    end_reason_ = "asked";
  }

  // Each wait does the next step; after the last the follower goes.
  absl::Status Follow(const pb::FollowRequest& request, std::vector<std::function<void()>> steps) {
    size_t next = 0;
    const FollowerEnd follower = {.send =
                                      [this](const Part& part) {
                                        Take(part);
                                        if (on_send_) on_send_(part);
                                        return true;
                                      },
                                  .wait =
                                      [&](std::chrono::nanoseconds) {
                                        if (next == steps.size()) return false;
                                        steps[next++]();
                                        return true;
                                      }};
    RateLimit no_limit(0);
    return SendSession(session_, request, no_limit, follower);
  }

  void Take(const Part& part) {
    whole_ += part.data();
    if (part.goes_on()) return;
    kinds_.push_back(part.kind());
    if (part.kind() == Part::BLOCK || part.kind() == Part::THREADS) {
      const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(whole_.data()),
                                           whole_.size());
      const auto header = ParseBlockHeader(bytes);
      ASSERT_TRUE(header.has_value());
      ASSERT_EQ(header->block_bytes(), whole_.size());
      if (part.kind() == Part::BLOCK) {
        numbers_[header->cpu].push_back(header->sequence);
        lost_ += header->lost;
        sent_[StreamId{header->kind, header->cpu}] += whole_;
      }
    } else if (part.kind() == Part::SESSION) {
      ASSERT_TRUE(last_session_.ParseFromString(whole_));
      last_session_part_ = part;
    }
    whole_.clear();
  }
  std::string File(const std::string& name) const {
    return ReadWholeFile(session_.directory + "/" + name);
  }

  const TemporaryDirectory directory_;
  FollowedSession session_;
  std::unique_ptr<SessionWriter> writer_;
  uint64_t ring_bytes_ = 0;
  bool has_begun_ = false;
  uint64_t now_ns_ = 1'000'000'000;
  uint64_t flushed_ns_ = 1;
  std::string end_reason_;
  std::function<void(const Part&)> on_send_;

  std::string whole_;
  std::vector<Part::Kind> kinds_;
  std::map<uint16_t, std::vector<uint64_t>> numbers_;
  std::map<StreamId, std::string> sent_;
  uint64_t lost_ = 0;
  pb::Session last_session_;
  Part last_session_part_;
};

TEST_F(SessionSenderTest, WhatIsFollowedFromItsBeginningIsSentAsItIsInTheFiles) {
  std::filesystem::create_directory(session_.directory);
  const auto status = Follow({}, {[&] { Begin(); }, [&] { Flush(); }, [&] { Flush(3000); },
                                  [&] {
                                    pb::Symbols symbols;
                                    symbols.add_text("");
                                    ASSERT_TRUE(writer_->WriteSymbols(symbols).ok());
                                    End();
                                  }});
  ASSERT_TRUE(status.ok()) << status;
  for (const uint16_t cpu : {0, 1})
    EXPECT_TRUE((sent_[{BlockKind::kEvents, cpu}]) ==
                File("cpu-00" + std::to_string(cpu) + ".trace"));
  EXPECT_TRUE(last_session_.complete());
  EXPECT_EQ(last_session_.complete_until_ns(), now_ns_);
  ASSERT_GE(kinds_.size(), 2u);
  EXPECT_EQ(kinds_.back(), Part::END);
  EXPECT_EQ(kinds_[kinds_.size() - 2], Part::SYMBOLS);
  EXPECT_EQ(std::count(kinds_.begin(), kinds_.end(), Part::THREADS), 0) << "they are in the tasks";
}

TEST_F(SessionSenderTest, AFollowerThatJoinsIsToldTheThreadsAndThenWhatIsNew) {
  Begin();
  Flush();
  Flush();
  EXPECT_TRUE(absl::IsCancelled(Follow({}, {[&] { Flush(); }, [&] { Flush(); }})));
  ASSERT_GE(kinds_.size(), 2u);
  EXPECT_EQ(kinds_[0], Part::THREADS);
  EXPECT_EQ(kinds_[1], Part::SESSION) << "nothing of what was before";
  EXPECT_THAT(numbers_[0], ElementsAre(2, 3));
  EXPECT_THAT(numbers_[1], ElementsAre(2, 3));
  EXPECT_EQ(last_session_part_.skipped_blocks(), 0u) << "nothing was promised of that";
}

TEST_F(SessionSenderTest, OneThatWasCutOffGoesOnWhereItStopped) {
  Begin();
  Flush();
  const uint64_t promised_ns = now_ns_;
  Flush();
  Flush();
  pb::FollowRequest request;
  request.set_after_ns(promised_ns);
  EXPECT_TRUE(absl::IsCancelled(Follow(request, {[&] { Flush(); }})));
  EXPECT_THAT(numbers_[0], ElementsAre(1, 2, 3));
  EXPECT_EQ(lost_, 0u);
}

TEST_F(SessionSenderTest, TooMuchThatWaitsIsPassedOverAndTold) {
  Begin();
  Flush();
  pb::FollowRequest request;
  request.set_max_behind_bytes(20'000);
  EXPECT_TRUE(absl::IsCancelled(
      Follow(request, {[&] { Flush(); }, [&] { Flush(20'000); }, [&] { Flush(); }})));
  EXPECT_THAT(numbers_[0], ElementsAre(1, 2, 3)) << "no number is left out";
  EXPECT_EQ(lost_, 40'000u);
  EXPECT_EQ(last_session_part_.skipped_events(), 40'000u);
  EXPECT_EQ(last_session_part_.skipped_blocks(), 2u);
  EXPECT_GT(last_session_part_.skipped_bytes(), 20'000u);
}

TEST_F(SessionSenderTest, WhatWasPassedOverIsLostInItsOwnTimeAndNotBefore) {
  Begin();
  Flush();
  pb::FollowRequest request;
  request.set_max_behind_bytes(1);
  uint64_t begin_ns = 0;
  EXPECT_TRUE(absl::IsCancelled(Follow(request, {[&] {
                                         begin_ns = now_ns_;
                                         Flush(1000);
                                       }})));
  const std::string& bytes = sent_[StreamId{BlockKind::kEvents, 0}];
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  const auto header = ParseBlockHeader({data, bytes.size()});
  ASSERT_TRUE(header.has_value());
  BlockDecoder decoder;
  EventBlock block;
  ASSERT_TRUE(
      decoder.DecodeEvents(*header, {data + header->header_bytes, header->payload_bytes}, block)
          .ok());
  ASSERT_THAT(block.events, SizeIs(1));
  EXPECT_EQ(block.events[0].kind, EventKind::kLoss);
  EXPECT_EQ(block.events[0].loss.count, 1000u);
  EXPECT_GE(block.events[0].time_ns - block.events[0].loss.duration_ns, begin_ns);
  EXPECT_LT(block.events[0].time_ns, now_ns_);
}

TEST_F(SessionSenderTest, WhatAFlightRecorderDeletesBeforeItIsSentIsTold) {
  Begin(kMinRingBytes);
  Flush();
  bool is_slow = false;
  // While the follower takes its first block, the ring turns over.
  on_send_ = [&](const Part& part) {
    if (!is_slow || part.kind() != Part::BLOCK) return;
    is_slow = false;
    for (int i = 0; i < 100; ++i) Flush(4000);
  };
  EXPECT_TRUE(absl::IsCancelled(Follow({}, {[&] {
                                              Flush();
                                              Flush();
                                              is_slow = true;
                                            },
                                            [&] { Flush(); }, [&] { Flush(); }})));
  EXPECT_GT(last_session_part_.skipped_blocks(), 0u);
  EXPECT_TRUE(std::is_sorted(numbers_[0].begin(), numbers_[0].end()));
  EXPECT_EQ(last_session_.complete_until_ns(), now_ns_);
}

TEST_F(SessionSenderTest, ThreadsAreToldAgainWhenSoMuchWasSent) {
  Begin();
  Flush();
  pb::FollowRequest request;
  request.set_threads_every_bytes(1);
  request.set_threads_every_ns(1);
  EXPECT_TRUE(absl::IsCancelled(Follow(request, {[&] { Flush(); }, [&] { Flush(); }})));
  EXPECT_EQ(std::count(kinds_.begin(), kinds_.end(), Part::THREADS), 1)
      << "but never more than once a second";
}

TEST_F(SessionSenderTest, AnArmedSessionThatIsDroppedEndsTheStream) {
  end_reason_ = "asked";  // its folder is gone
  EXPECT_TRUE(Follow({}, {}).ok());
  EXPECT_THAT(kinds_, ElementsAre(Part::END));
}

}  // namespace
}  // namespace gordian
