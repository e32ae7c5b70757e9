// SPDX-License-Identifier: Apache-2.0
// The watermark of a recording that goes on, on the real kernel: no event from before it comes
// later, whatever is in the way.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "recorder/recording/recording.h"
#include "tests/program.h"
#include "tests/recording/played_puppet.h"
#include "tests/recording/slow_recorder.h"
#include "tests/support/temp_dir.h"
#include "trace/counters.h"
#include "trace/session_follower.h"
#include "trace/session_reader.h"

namespace gordian::testing {
namespace {

using namespace std::chrono_literals;

// Samples of resources tell of the time since the ones before: they count by its end.
uint64_t TimeOf(const BlockHeader& header) {
  return header.kind == BlockKind::kResources ? header.last_time_ns : header.first_time_ns;
}

// Looks at a session every few milliseconds, in two ways: with the follower, and by noting the
// watermark and then how long each file is. What lies behind that length later came later.
class Witness {
 public:
  explicit Witness(std::string directory) : directory_(std::move(directory)) {
    thread_ = std::thread([this] {
      while (!stops_) {
        Look();
        std::this_thread::sleep_for(3ms);
      }
    });
  }
  ~Witness() { Stop(); }
  void Stop() {
    stops_ = true;
    if (thread_.joinable()) thread_.join();
  }
  // How many different watermarks it has seen.
  size_t watermarks() const { return watermarks_; }
  uint64_t later_blocks() const { return later_blocks_; }
  uint64_t vanished_blocks() const { return vanished_blocks_; }

  // Of the session as it was left. Nobody writes it any more.
  void CheckEnd() {
    Stop();
    const auto news = follower_->PollLast(0);
    ASSERT_TRUE(news.ok()) << news.status();
    CheckNews(*news);
    CheckLengths();
  }

 private:
  struct Noted {
    uint64_t complete_until_ns = 0;
    std::map<std::string, uint64_t> bytes;  // of each file
  };

  void Look() {
    NoteLengths();
    if (!follower_) {
      auto follower = SessionFollower::Open(directory_);
      if (!follower.ok()) return;
      follower_ = *std::move(follower);
    }
    const auto news = follower_->Poll(0);
    ASSERT_TRUE(news.ok()) << news.status();
    CheckNews(*news);
    if (follower_->ended()) return;
    watermarks_ += follower_->complete_until_ns() > last_ns_ ? 1 : 0;
    ASSERT_GE(follower_->complete_until_ns(), last_ns_);
    last_ns_ = follower_->complete_until_ns();
  }

  void CheckNews(const SessionNews& news) {
    for (const NewBlocks& found : news.blocks)
      for (const FoundBlock& block : found.blocks) {
        EXPECT_GE(TimeOf(block.header), last_ns_) << found.path << " at " << block.offset;
        later_blocks_ += last_ns_ != 0 ? 1 : 0;
      }
    for (const VanishedBlocks& gone : news.vanished) {
      EXPECT_GE(gone.from_ns, last_ns_);
      vanished_blocks_ += gone.blocks;
    }
  }

  void NoteLengths() {
    const auto file = ReadSessionFile(directory_);
    if (!file.ok() || !file->session || file->session->complete_until_ns() == 0) return;
    if (!noted_.empty() && noted_.back().complete_until_ns == file->session->complete_until_ns())
      return;
    Noted noted{.complete_until_ns = file->session->complete_until_ns()};
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory_, error))
      noted.bytes[entry.path().filename()] = entry.file_size(error);
    noted_.push_back(std::move(noted));
  }

  void CheckLengths() const {
    const auto names = ListSegments(directory_);
    ASSERT_TRUE(names.ok());
    for (const SegmentName& name : *names) {
      const std::string file = SegmentFileName(name);
      const auto scan = ScanSegment(directory_ + "/" + file, name.stream);
      ASSERT_TRUE(scan.ok());
      for (const Noted& noted : noted_) {
        const auto bytes = noted.bytes.find(file);
        const uint64_t was_there = bytes == noted.bytes.end() ? 0 : bytes->second;
        for (const FoundBlock& block : scan->blocks) {
          if (block.offset < was_there) continue;
          ASSERT_GE(TimeOf(block.header), noted.complete_until_ns)
              << file << " at " << block.offset;
        }
      }
    }
  }

  const std::string directory_;
  std::unique_ptr<SessionFollower> follower_;
  std::vector<Noted> noted_;
  uint64_t last_ns_ = 0;
  std::atomic<size_t> watermarks_ = 0;
  std::atomic<uint64_t> later_blocks_ = 0;
  std::atomic<uint64_t> vanished_blocks_ = 0;
  std::atomic<bool> stops_ = false;
  std::thread thread_;
};

class WatermarkOfARecording : public ::testing::Test {
 protected:
  // Loads the machine until the witness has seen enough watermarks.
  static void LoadUntil(const Witness& witness, size_t watermarks,
                        const std::vector<std::string>& puppet) {
    for (int rounds = 0; rounds < 400 && witness.watermarks() < watermarks; ++rounds)
      ASSERT_TRUE(PlayPuppet(puppet).ok());
    EXPECT_GE(witness.watermarks(), watermarks);
  }
  void Check(RecordingOptions options, size_t watermarks,
             const std::vector<std::string>& puppet = {"fork-storm", "--rounds", "300"}) {
    options.directory = Session();
    auto recording = Recording::Start(options);
    ASSERT_TRUE(recording.ok()) << recording.status();
    Witness witness(Session());
    LoadUntil(witness, watermarks, puppet);
    // A flight recorder until it has deleted a segment.
    const std::string first = Session() + "/cpu-000.trace";
    for (int rounds = 0; options.ring_bytes != 0 && std::filesystem::exists(first) && rounds < 400;
         ++rounds)
      ASSERT_TRUE(PlayPuppet({"pipe-ping-pong", "--rounds", "20000"}).ok());
    ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
    witness.CheckEnd();
    EXPECT_GT(witness.later_blocks(), 0u);
    vanished_blocks_ = witness.vanished_blocks();
    const auto reader = SessionReader::Open(Session());
    ASSERT_TRUE(reader.ok());
    session_ = (*reader)->session();
    EXPECT_EQ(session_.complete_until_ns(), session_.end_time_ns());
  }
  uint64_t Lost() const {
    uint64_t lost = 0;
    for (const pb::Counter& counter : session_.counters())
      if (counter.name().starts_with("records_lost_")) lost += counter.value();
    return lost;
  }
  std::string Session() const { return dir_ / "session"; }

  const TempDir dir_;
  pb::Session session_;
  uint64_t vanished_blocks_ = 0;
};

TEST_F(WatermarkOfARecording, HoldsUnderLoad) { Check({}, 6); }

TEST_F(WatermarkOfARecording, HoldsWithStacksOfAllWaits) {
  Check({.stacks = StackChoice::kAll}, 4);
}

// Interrupts come in between the clock, the place in the ring, and the record.
TEST_F(WatermarkOfARecording, HoldsWhereRecordsAreLongInTheMaking) {
  Check({.stacks = StackChoice::kAll, .test_window_rounds = 1000}, 4,
        {"pipe-ping-pong", "--rounds", "2000"});
}

TEST_F(WatermarkOfARecording, HoldsWhereRingsOverflow) {
  Check({.kernel_ring_bytes_per_cpu = 4096}, 6);
  EXPECT_GT(Lost(), 0u);
}

TEST_F(WatermarkOfARecording, HoldsInAFlightRecorder) {
  Check({.ring_bytes = 1u << 20, .flush_interval = absl::Milliseconds(50)}, 60);
  EXPECT_GT(CounterValue(session_, "ring_events_given_way"), 0u);
}

TEST_F(WatermarkOfARecording, HoldsOverPauses) {
  Check({.flush_interval = absl::Milliseconds(100),
         .budget_share = 0.03 / static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN))},
        60, {"pipe-ping-pong", "--rounds", "3000"});
  EXPECT_GT(session_.pauses_size(), 0);
}

// The witness looks at what is on the disk, while the recorder waits for it.
class WatermarkOnASlowDisk : public WatermarkOfARecording {
 protected:
  void SetUp() override {
    recorder_ = SlowRecorder::Start(dir_);
    ASSERT_NE(recorder_, nullptr);
    witness_ = std::make_unique<Witness>(recorder_->Session());
  }
  void LoadUntil(size_t watermarks) {
    WatermarkOfARecording::LoadUntil(*witness_, watermarks, {"fork-storm", "--rounds", "50"});
  }

  std::unique_ptr<SlowRecorder> recorder_;
  std::unique_ptr<Witness> witness_;
};

TEST_F(WatermarkOnASlowDisk, HoldsWhereEachWriteTakesLong) {
  recorder_->disk().SetTimeOfChange(20ms);
  LoadUntil(6);
  recorder_->End();
  witness_->CheckEnd();
  EXPECT_GT(witness_->later_blocks(), 0u);
}

TEST_F(WatermarkOnASlowDisk, HoldsWhereWritesStall) {
  LoadUntil(2);
  for (int round = 0; round < 20; ++round) {
    recorder_->StallInTheMiddle();
    ASSERT_TRUE(PlayPuppet({"fork-storm", "--rounds", "30"}).ok());
    recorder_->disk().GoOn();
    ASSERT_TRUE(PlayPuppet({"fork-storm", "--rounds", "5"}).ok());
  }
  LoadUntil(witness_->watermarks() + 2);
  recorder_->End();
  witness_->CheckEnd();
  EXPECT_GT(witness_->later_blocks(), 0u);
}

TEST_F(WatermarkOnASlowDisk, IsTrueOfARecorderThatIsKilledInTheMiddleOfAWrite) {
  LoadUntil(2);
  recorder_->StallInTheMiddle();
  recorder_->Kill();
  witness_->CheckEnd();
}

TEST_F(WatermarkOfARecording, IsStillTrueOfTheFilesOfAKilledRecorder) {
  for (int round = 0; round < 5; ++round) {
    const std::string session = absl::StrCat(dir_ / "killed", round);
    BackgroundProgram recorder({GORDIAN_PROGRAM, "record", "--budget", "none", "-o", session}, {},
                               dir_ / "errors");
    Witness witness(session);
    LoadUntil(witness, 2 + static_cast<size_t>(round), {"fork-storm", "--rounds", "50"});
    ASSERT_EQ(recorder.End(SIGKILL), 128 + SIGKILL);
    witness.CheckEnd();
    const auto file = ReadSessionFile(session);
    ASSERT_TRUE(file.ok() && file->session.has_value());
    EXPECT_FALSE(file->session->complete());
    EXPECT_GT(file->session->complete_until_ns(), 0u);
  }
}

}  // namespace
}  // namespace gordian::testing
