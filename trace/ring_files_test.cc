// SPDX-License-Identifier: Apache-2.0
// The flight recorder: old segments give way together, the limit holds always, identities stay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "absl/strings/match.h"
#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

constexpr uint64_t kStepNs = 10'000'000;

// Feeds a ring with blocks of several CPUs in turn, and checks the limit after each append.
class RingFiles : public ::testing::Test {
 protected:
  void Open(uint64_t ring_bytes) {
    ring_bytes_ = ring_bytes;
    auto writer = SessionWriter::Create(session_, {.ring_bytes = ring_bytes});
    ASSERT_TRUE(writer.ok()) << writer.status();
    writer_ = *std::move(writer);
    writer_->set_identity_snapshot([this](EventBlock& block) {
      std::mt19937_64 random(1);
      for (int32_t tid = 1; tid <= threads_; ++tid) {
        // Start times that do not compress: an identity takes at least 8 bytes.
        const uint64_t start_time_ns = random();
        block.AddTask(now_ns_,
                      TaskRecord{.tid = tid, .start_time_ns = start_time_ns, .comm = "worker"});
      }
    });
  }

  void Append(uint16_t cpu, size_t events) {
    EventBlock block = BusyBlock(cpu, events, now_ns_, static_cast<uint32_t>(now_ns_));
    last_ns_[cpu] = block.events.back().time_ns;
    appended_events_ += events;
    const auto status = writer_->AppendEvents(block);
    ASSERT_TRUE(status.ok()) << status;
    CheckLimit();
    now_ns_ += kStepNs;
  }

  void CheckLimit() {
    const uint64_t bytes = BytesIn(session_);
    ASSERT_LE(bytes, ring_bytes_);
    ASSERT_EQ(bytes, writer_->bytes_on_disk());
  }

  std::unique_ptr<SessionReader> Read() {
    auto reader = SessionReader::Open(session_);
    EXPECT_TRUE(reader.ok()) << reader.status();
    EXPECT_EQ((*reader)->damage().corrupt_blocks, 0u);
    EXPECT_EQ((*reader)->damage().torn_tails, 0u);
    return *std::move(reader);
  }

  // The time of the first event of each CPU that is still there.
  static std::map<uint16_t, uint64_t> FirstTimes(const SessionReader& reader) {
    std::map<uint16_t, uint64_t> first_ns;
    for (const auto& cpu : reader.cpus()) {
      if (!cpu->blocks().empty()) first_ns[cpu->cpu()] = cpu->blocks().front().first_time_ns;
    }
    return first_ns;
  }

  const TemporaryDirectory directory_;
  const std::string session_ = directory_ / "s";
  std::unique_ptr<SessionWriter> writer_;
  uint64_t ring_bytes_ = 0;
  uint64_t now_ns_ = 1'000'000'000;
  uint64_t appended_events_ = 0;
  int32_t threads_ = 100;
  std::map<uint16_t, uint64_t> last_ns_;
};

TEST_F(RingFiles, OldestSegmentsGiveWayTogether) {
  Open(2u << 20);
  constexpr int kCpus = 4;
  for (int round = 0; round < 120; ++round) {
    for (uint16_t cpu = 0; cpu < kCpus; ++cpu) Append(cpu, 4000);
  }
  const auto reader = Read();
  const auto first_ns = FirstTimes(*reader);
  ASSERT_EQ(first_ns.size(), 4u);
  // The ring turned over, and is well filled.
  EXPECT_GT(writer_->events_dropped_by_ring(), appended_events_ / 2);
  EXPECT_GT(writer_->bytes_on_disk(), ring_bytes_ / 2);
  // Every CPU has its newest event, and the spans begin close together: within a quarter of the
  // whole.
  uint64_t earliest_ns = UINT64_MAX;
  uint64_t latest_ns = 0;
  uint64_t events = 0;
  for (const auto& cpu : reader->cpus()) {
    EXPECT_EQ(cpu->blocks().back().last_time_ns, last_ns_[cpu->cpu()]);
    earliest_ns = std::min(earliest_ns, first_ns.at(cpu->cpu()));
    latest_ns = std::max(latest_ns, first_ns.at(cpu->cpu()));
    for (const BlockInfo& block : cpu->blocks()) events += block.events;
  }
  EXPECT_LT(latest_ns - earliest_ns, (now_ns_ - earliest_ns) / 4);
  EXPECT_EQ(events + writer_->events_dropped_by_ring(), appended_events_)
      << "nothing vanished uncounted";
  uint64_t task_events = 0;
  for (const BlockInfo& block : reader->tasks()->blocks()) task_events += block.events;
  EXPECT_EQ(writer_->events_on_disk(), events + task_events);
  EXPECT_GT(writer_->events_written(), writer_->events_on_disk());
}

TEST_F(RingFiles, HoldTheLimitEvenInTheSmallestRing) {
  Open(kMinRingBytes);
  for (int round = 0; round < 20; ++round) {
    for (uint16_t cpu = 0; cpu < 16; ++cpu) Append(cpu, 5000);
  }
  EXPECT_GT(writer_->bytes_on_disk(), ring_bytes_ / 4);
  for (uint16_t cpu = 14; cpu < 16; ++cpu) {
    EXPECT_TRUE(FirstTimes(*Read()).contains(cpu)) << "the newest events of CPU " << cpu;
  }
}

TEST_F(RingFiles, TheSessionFileCountsToo) {
  Open(kMinRingBytes);
  pb::Session session;
  for (int round = 0; round < 100; ++round) {
    Append(0, 6000);
    session.add_command(std::string(1000, 'x'));
    ASSERT_TRUE(writer_->WriteSession(session).ok());
    CheckLimit();
  }
}

TEST_F(RingFiles, ACpuThatWentIdleGivesWay) {
  Open(kMinRingBytes);
  Append(7, 100);
  for (int round = 0; round < 100; ++round) Append(0, 10'000);
  EXPECT_FALSE(FirstTimes(*Read()).contains(7));
  // And comes back.
  Append(7, 100);
  EXPECT_TRUE(FirstTimes(*Read()).contains(7));
}

TEST_F(RingFiles, AQuietCpuDoesNotKeepOldIdentities) {
  Open(2u << 20);
  for (int round = 0; round < 200; ++round) {
    Append(0, 10'000);
    Append(7, 1);
  }
  const auto files = FilesIn(session_);
  EXPECT_LE(std::count_if(files.begin(), files.end(),
                          [](const std::string& name) { return name.starts_with("tasks"); }),
            14);
}

TEST_F(RingFiles, TheNewestIdentitiesBeforeTheWindowStay) {
  Open(2u << 20);
  threads_ = 500;
  for (int round = 0; round < 120; ++round) {
    Append(0, 6000);
    Append(1, 6000);
    if (round % 10 != 0) continue;
    const auto reader = Read();
    uint64_t window_begin_ns = UINT64_MAX;
    for (const auto& [cpu, first_ns] : FirstTimes(*reader)) {
      window_begin_ns = std::min(window_begin_ns, first_ns);
    }
    ASSERT_NE(reader->tasks(), nullptr);
    ASSERT_FALSE(reader->tasks()->blocks().empty());
    // The first block that is left is the head of its segment: the identity of all threads.
    ASSERT_LE(reader->tasks()->blocks().front().first_time_ns, window_begin_ns);
    ASSERT_EQ(reader->tasks()->blocks().front().events, 500u);
  }
  EXPECT_GT(writer_->events_dropped_by_ring(), 0u);
}

TEST_F(RingFiles, IdentitiesOfManyThreadsDoNotFloodTheRing) {
  Open(2u << 20);
  threads_ = 40'000;
  for (int round = 0; round < 150; ++round) Append(0, 6000);
  uint64_t tasks_bytes = 0;
  const auto reader = Read();
  for (const BlockInfo& block : reader->tasks()->blocks()) tasks_bytes += block.bytes;
  EXPECT_LT(tasks_bytes, ring_bytes_ / 2);
  EXPECT_TRUE(FirstTimes(*reader).contains(0));
}

TEST_F(RingFiles, TooSmallARingIsRefused) {
  const auto writer = SessionWriter::Create(directory_ / "small", {.ring_bytes = 4096});
  EXPECT_EQ(writer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(writer.status().message()), ::testing::HasSubstr("at least 1048576"));
  EXPECT_FALSE(SessionReader::Open(directory_ / "small").ok());
}

}  // namespace
}  // namespace gordian
