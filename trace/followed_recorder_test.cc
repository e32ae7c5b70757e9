// SPDX-License-Identifier: Apache-2.0
// A follower beside a recorder that writes: whatever the recorder does between any two looks, each
// block is given once, or told as lost.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "trace/session_follower.h"
#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_following.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

constexpr uint64_t kForever = std::numeric_limits<uint64_t>::max();

// What a follower was given, by stream.
using Numbers = std::map<StreamId, std::vector<uint64_t>>;

Numbers NumbersOf(const SessionReader& reader) {
  Numbers numbers;
  const auto add = [&](const EventStream& stream, BlockKind kind) {
    for (const BlockInfo& block : stream.blocks())
      numbers[{kind, stream.cpu()}].push_back(block.sequence);
  };
  for (const auto& cpu : reader.cpus()) add(*cpu, BlockKind::kEvents);
  if (reader.tasks() != nullptr) add(*reader.tasks(), BlockKind::kTasks);
  return numbers;
}

// Writes a session as a recorder may, in steps so small that a follower comes in between any two:
// blocks in pieces, appends that fail and are cut back or stay torn, new segments, the oldest
// segment deleted, session.pb replaced. It remembers what it wrote, and checks each poll.
class FakeRecorder {
 public:
  FakeRecorder(std::string folder, uint32_t seed, bool is_ring)
      : folder_(std::move(folder)), random_(seed), is_ring_(is_ring) {
    std::filesystem::create_directory(folder_);
    for (const StreamId id :
         {kCpu0, StreamId{BlockKind::kEvents, 1}, StreamId{BlockKind::kEvents, kNoCpu},
          StreamId{BlockKind::kTasks, kNoCpu}})
      streams_.try_emplace(id);
    auto follower = SessionFollower::Open(folder_);
    RC_ASSERT(follower.ok());
    follower_ = *std::move(follower);
  }

  void Step() {
    switch (random_() % 12) {
      case 0:
      case 1:
        return TellSession(false);
      case 2:
        return EndSegment(AnyStream());
      case 3:
      case 4:
        if (is_ring_) DeleteOldest();
        return;
      default:
        return Append(AnyStream());
    }
  }

  // What is written from now on has this time at least.
  void TellSession(bool is_last) {
    now_ns_ += 1 + random_() % 50;
    pb::Session session = Description(now_ns_, is_ring_ ? 1 << 20 : 0);
    session.set_complete(is_last);
    session.set_end_time_ns(now_ns_);
    session.set_events(random_() % 1000);
    const std::string path = folder_ + "/session.pb";
    WriteWholeFile(path + ".new", session.SerializeAsString());
    MayPoll();
    std::filesystem::rename(path + ".new", path);
    told_ns_ = now_ns_;
    MayPoll();
  }

  void Finish() {
    TellSession(true);
    Poll();
    RC_ASSERT(follower_->ended());
    const auto reader = SessionReader::Open(folder_);
    RC_ASSERT(reader.ok());
    for (const auto& [id, numbers] : NumbersOf(**reader))
      for (const uint64_t number : numbers) RC_ASSERT(given_[id].contains(number));
    for (const auto& [id, stream] : streams_)
      for (const Written& block : stream.blocks)
        RC_ASSERT(block.is_deleted || given_[id].contains(block.sequence));
    if (is_ring_) return;
    RC_ASSERT(follower_->damage() == (*reader)->damage());
    RC_ASSERT(vanished_.empty());
    RC_ASSERT(overruns_.empty());
  }

 private:
  struct Written {
    uint64_t sequence = 0;
    uint32_t segment = 0;
    std::vector<uint64_t> times_ns;
    bool is_deleted = false;
  };
  struct FakeStream {
    std::vector<Written> blocks;
    std::map<uint32_t, uint64_t> last_time_ns;  // of each segment that is there
    uint64_t next_sequence = 0;
    uint32_t next_number = 0;
    bool is_open = false;
  };

  StreamId AnyStream() { return std::next(streams_.begin(), random_() % streams_.size())->first; }
  std::string Path(StreamId id, uint32_t number) const {
    return folder_ + "/" + SegmentFileName({id, number});
  }
  void EndSegment(StreamId id) { streams_[id].is_open = false; }

  void Append(StreamId id) {
    FakeStream& stream = streams_[id];
    if (!stream.is_open) {
      stream.is_open = true;
      stream.last_time_ns[stream.next_number++] = 0;
      WriteWholeFile(Path(id, stream.next_number - 1), "");
      MayPoll();
    }
    const uint32_t number = stream.next_number - 1;
    // Blocks may overlap a little, but none is from before the last session.pb.
    Written block{.sequence = stream.next_sequence, .segment = number};
    uint64_t time_ns = std::max(told_ns_, now_ns_ - std::min<uint64_t>(now_ns_, random_() % 20));
    for (int events = 1 + static_cast<int>(random_() % 3); events > 0; --events)
      block.times_ns.push_back(time_ns += random_() % 10);
    now_ns_ = std::max(now_ns_, time_ns);
    const std::string bytes = EncodedSwitches(id, block.sequence, block.times_ns);
    const auto size_before = std::filesystem::file_size(Path(id, number));
    const size_t torn = random_() % bytes.size();
    AppendTo(Path(id, number), bytes.substr(0, torn));
    MayPoll();
    switch (random_() % 8) {
      case 0:  // the disk is full
        std::filesystem::resize_file(Path(id, number), size_before);
        return MayPoll();
      case 1:  // … and cannot even be cut back
        return EndSegment(id);
      default:
        break;
    }
    AppendTo(Path(id, number), bytes.substr(torn));
    stream.last_time_ns[number] = std::max(stream.last_time_ns[number], block.times_ns.back());
    stream.blocks.push_back(std::move(block));
    ++stream.next_sequence;
    MayPoll();
  }

  // As a flight recorder does. A segment of tasks goes when another one is there.
  void DeleteOldest() {
    StreamId oldest{};
    uint64_t oldest_ns = kForever;
    for (const auto& [id, stream] : streams_) {
      const size_t kept = id.kind == BlockKind::kTasks ? 1 : 0;
      if (stream.last_time_ns.size() <= kept) continue;
      if (stream.last_time_ns.begin()->second >= oldest_ns) continue;
      oldest = id;
      oldest_ns = stream.last_time_ns.begin()->second;
    }
    if (oldest_ns == kForever) return;
    FakeStream& stream = streams_[oldest];
    // A ring is full when its first stream is at its second segment, at the earliest.
    const FakeStream& first = streams_[kCpu0];
    if (first.next_number < 2 || (oldest == kCpu0 && first.last_time_ns.size() < 2)) return;
    const uint32_t number = stream.last_time_ns.begin()->first;
    std::filesystem::remove(Path(oldest, number));
    stream.last_time_ns.erase(number);
    if (stream.last_time_ns.empty()) stream.is_open = false;
    for (Written& block : stream.blocks)
      if (block.segment == number) block.is_deleted = true;
    MayPoll();
  }

  void MayPoll() {
    if (random_() % 4 == 0) Poll();
  }

  void Poll() {
    const uint64_t promised_ns = follower_->complete_until_ns();
    // What went before it was followed is not told.
    for (auto& [id, stream] : streams_)
      if (is_first_poll_)
        std::erase_if(stream.blocks, [](const Written& b) { return b.is_deleted; });
    is_first_poll_ = false;
    const auto news = follower_->Poll(0);
    RC_ASSERT(news.ok());
    for (const NewBlocks& found : news->blocks)
      for (const FoundBlock& block : found.blocks) {
        RC_ASSERT(given_[found.stream].insert(block.header.sequence).second);
        RC_ASSERT(block.header.first_time_ns >= promised_ns);
      }
    for (const VanishedBlocks& vanished : news->vanished) {
      vanished_.push_back(vanished);
      RC_ASSERT(vanished.from_ns >= promised_ns);
    }
    if (news->overrun) {
      overruns_.push_back(*news->overrun);
      RC_ASSERT(news->overrun->from_ns >= promised_ns);
    }
    CheckPromise();
  }

  // Every event before the watermark was given, or lies in what was told as lost.
  void CheckPromise() {
    const uint64_t complete_until_ns = follower_->complete_until_ns();
    for (const auto& [id, stream] : streams_)
      for (const Written& block : stream.blocks) {
        if (given_[id].contains(block.sequence)) continue;
        for (const uint64_t time_ns : block.times_ns)
          if (time_ns < complete_until_ns) {
            RC_ASSERT(block.is_deleted);
            RC_ASSERT(IsTold(id, time_ns));
          }
      }
  }

  bool IsTold(StreamId id, uint64_t time_ns) const {
    constexpr uint64_t kOverlapNs = 50;  // more than blocks overlap
    return std::any_of(overruns_.begin(), overruns_.end(),
                       [&](const TimeStretch& overrun) {
                         return overrun.from_ns <= time_ns && time_ns < overrun.to_ns + kOverlapNs;
                       }) ||
           std::any_of(vanished_.begin(), vanished_.end(), [&](const VanishedBlocks& vanished) {
             return vanished.stream == id && vanished.from_ns <= time_ns &&
                    time_ns < vanished.to_ns + kOverlapNs;
           });
  }

  const std::string folder_;
  std::mt19937 random_;
  const bool is_ring_;
  uint64_t now_ns_ = 1000;
  uint64_t told_ns_ = 0;
  std::map<StreamId, FakeStream> streams_;
  std::unique_ptr<SessionFollower> follower_;
  std::map<StreamId, std::set<uint64_t>> given_;
  std::vector<VanishedBlocks> vanished_;
  std::vector<TimeStretch> overruns_;
  bool is_first_poll_ = true;
};

void FollowFakeRecorder(uint32_t seed, bool is_ring, int steps) {
  const TemporaryDirectory directory;
  FakeRecorder recorder(directory / "s", seed, is_ring);
  for (int step = 0; step < steps; ++step) recorder.Step();
  recorder.Finish();
}

RC_GTEST_PROP(Follower, GivesWhatAReaderSeesAtTheEnd, (uint32_t seed, uint8_t steps)) {
  FollowFakeRecorder(seed, false, steps);
}

RC_GTEST_PROP(Follower, TellsOfAllThatAFlightRecorderDeletesUnread,
              (uint32_t seed, uint8_t steps)) {
  FollowFakeRecorder(seed, true, steps);
}

// Damaged bytes come in steps, too.
RC_GTEST_PROP(Follower, CountsDamageAsAReaderDoes, (uint32_t seed)) {
  const TemporaryDirectory directory;
  const std::string folder = directory / "s";
  std::filesystem::create_directory(folder);
  std::mt19937 random(seed);
  std::string bytes;
  for (uint64_t sequence = 0; sequence < 6; ++sequence) {
    if (random() % 3 == 0) bytes += std::string(random() % 1500, static_cast<char>(random()));
    bytes += EncodedSwitches(kCpu0, sequence, {100 * sequence + 1, 100 * sequence + 70});
  }
  for (int flips = static_cast<int>(random() % 4); flips > 0; --flips)
    bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
  if (random() % 2 == 0) bytes.resize(random() % bytes.size());
  WriteWholeFile(folder + "/session.pb", Description(0).SerializeAsString());
  auto follower = SessionFollower::Open(folder);
  RC_ASSERT(follower.ok());
  std::vector<uint64_t> offsets;
  const auto take = [&](const absl::StatusOr<SessionNews>& news) {
    RC_ASSERT(news.ok());
    for (const NewBlocks& found : news->blocks)
      for (const FoundBlock& block : found.blocks) offsets.push_back(block.offset);
  };
  for (size_t done = 0; done < bytes.size();) {
    const size_t part = std::min<size_t>(bytes.size() - done, 1 + random() % 700);
    AppendTo(folder + "/cpu-000.trace", bytes.substr(done, part));
    done += part;
    take((*follower)->Poll(0));
  }
  take((*follower)->PollLast(0));
  const auto scan = ScanSegment(folder + "/cpu-000.trace", kCpu0);
  const auto reader = SessionReader::Open(folder);
  RC_ASSERT(reader.ok());
  RC_ASSERT((*follower)->damage() == (*reader)->damage());
  if (bytes.empty()) return;
  RC_ASSERT(scan.ok());
  RC_ASSERT(offsets.size() == scan->blocks.size());
  for (size_t i = 0; i < offsets.size(); ++i) RC_ASSERT(offsets[i] == scan->blocks[i].offset);
}

// The true writer, and a follower that never rests.
TEST(FollowerBesideAWriter, GivesOrTellsEveryBlockOfAFlightRecorder) {
  const TemporaryDirectory directory;
  const std::string session = directory / "s";
  auto writer = SessionWriter::Create(session, {.ring_bytes = 1u << 20});
  ASSERT_TRUE(writer.ok());
  std::atomic<bool> is_done = false;
  std::map<uint16_t, uint64_t> written;
  std::thread recorder([&] {
    uint64_t now_ns = 1'000'000'000;
    for (int round = 0; round < 400; ++round) {
      for (uint16_t cpu = 0; cpu < 3; ++cpu) {
        if (cpu == 2 && round % 50 != 0) continue;  // a quiet one
        EventBlock block = BusyBlock(cpu, 3000, now_ns, static_cast<uint32_t>(round));
        ++written[cpu];
        EXPECT_TRUE((*writer)->AppendEvents(block).ok());
      }
      now_ns += 10'000'000;
      pb::Session description = Description(now_ns, 1u << 20);
      description.set_complete(round == 399);
      EXPECT_TRUE((*writer)->WriteSession(description).ok());
    }
    is_done = true;
  });
  auto follower = SessionFollower::Open(session);
  ASSERT_TRUE(follower.ok());
  std::map<uint16_t, uint64_t> given;
  std::map<uint16_t, uint64_t> vanished;
  std::map<uint16_t, uint64_t> before;  // it was followed
  bool is_first = true;
  while (!(*follower)->ended()) {
    const uint64_t promised_ns = (*follower)->complete_until_ns();
    const auto news = (*follower)->Poll(0);
    ASSERT_TRUE(news.ok()) << news.status();
    for (const NewBlocks& found : news->blocks) {
      given[found.stream.cpu] += found.blocks.size();
      if (is_first) before.try_emplace(found.stream.cpu, found.blocks[0].header.sequence);
      for (const FoundBlock& block : found.blocks)
        ASSERT_GE(block.header.first_time_ns, promised_ns);
    }
    for (const VanishedBlocks& gone : news->vanished) {
      vanished[gone.stream.cpu] += gone.blocks;
      EXPECT_GE(gone.from_ns, promised_ns);
    }
    is_first = false;
  }
  recorder.join();
  EXPECT_TRUE(is_done);
  for (const uint16_t cpu : {0, 1})
    EXPECT_EQ(before[cpu] + given[cpu] + vanished[cpu], written[cpu]) << cpu;
  EXPECT_LE(before[2] + given[2] + vanished[2], written[2]) << "its last may have gone unseen";
  EXPECT_EQ((*follower)->damage(), ReadDamage{});
}

}  // namespace
}  // namespace gordian
