// SPDX-License-Identifier: Apache-2.0
// What is said live is what an analysis says later: each frame of a running recording equals the
// analysis of the recording that is cut there, and of the whole but for waits that had not ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "base/time_units.h"
#include "live/live_session.h"
#include "recorder/recording/recording.h"
#include "tests/program.h"
#include "tests/recording/played_puppet.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

constexpr uint64_t kWindowNs = 2 * kNsPerSecond;
constexpr double kNsOfSecond = 1e9;

uint64_t NsOf(double time_s) { return static_cast<uint64_t>(std::llround(time_s * kNsOfSecond)); }

struct Weight {
  uint64_t own_ns = 0;
  uint64_t count = 0;
};
// By the names of the waits' ends: labels count threads, and a frame does not know those that ended
// before it.
using Weights = std::map<std::pair<std::string, std::string>, Weight>;

// The waits of the target: for its own threads, for devices, and for all others together.
Weights WeightsOf(const pb::Report& report) {
  Weights weights;
  for (const pb::ReportEdge& edge : report.edges()) {
    const pb::ReportVertex& from = report.vertices(static_cast<int>(edge.from()));
    const pb::ReportVertex& to = report.vertices(static_cast<int>(edge.to()));
    if (!from.target()) continue;
    const bool is_of_others = !to.target() && to.members_size() > 0;
    Weight& weight = weights[{from.name(), is_of_others ? "others" : to.name()}];
    weight.own_ns += NsOf(edge.own_s());
    weight.count += edge.count();
  }
  return weights;
}

std::vector<std::string> KindsOf(const pb::Report& report) {
  std::vector<std::string> kinds;
  for (const pb::Finding& finding : report.findings()) {
    std::string kind = finding.kind();
    for (const uint32_t member : finding.members())
      kind += " " + report.vertices(static_cast<int>(member)).name();
    if (!finding.apart()) kinds.push_back(std::move(kind));
  }
  return kinds;
}

// An analysis of the stretch that the frame is about, of the recording until then or of all.
pb::Report Later(const std::string& directory, const std::vector<int32_t>& target,
                 const pb::LiveFrame& frame, bool is_cut) {
  ReadOptions reading{.threads = 1};
  const auto whole = ReadRecording(directory, reading);
  EXPECT_TRUE(whole.ok()) << whole.status();
  if (is_cut) reading.until_ns = whole->timeline->start_ns() + NsOf(frame.to_s());
  auto recording = ReadRecording(directory, reading);
  EXPECT_TRUE(recording.ok()) << recording.status();
  recording->directories.clear();  // samples of resources are not live yet
  const auto analysis =
      Analysis::Run(*std::move(recording),
                    {.target = {.pids = target},
                     .range = {.from_ns = NsOf(frame.from_s()), .to_ns = NsOf(frame.to_s())},
                     .threads = 1});
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  return analysis->report();
}

class Live : public ::testing::Test {
 protected:
  const TempDir dir_;
  uint64_t most_remembered_ = 0;
  std::unique_ptr<LiveSession> live_;

  // The puppet plays until there are that many frames; then they are checked.
  void Check(std::vector<std::string> puppet, size_t frames, RecordingOptions options = {}) {
    options.directory = Session();
    auto recording = Recording::Start(options);
    ASSERT_TRUE(recording.ok()) << recording.status();
    puppet.insert(puppet.begin(), PUPPET_PROGRAM);
    puppet.insert(puppet.end(), {"--rounds", "1000000000"});
    BackgroundProgram player(puppet, {}, dir_ / "errors");
    target_ = {player.pid()};
    Follow(frames);
    player.End(SIGKILL);
    ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
    FollowToEnd();
    ASSERT_GE(moments_.size(), frames);
    for (const LiveMoment& moment : moments_) CheckMoment(moment);
  }

 private:
  void Follow(size_t frames) {
    while (moments_.size() < frames) {
      if (!live_) Open();
      if (live_) Look();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  void FollowToEnd() {
    while (!live_->ended()) Look();
  }
  void Open() {
    auto live = LiveSession::Open(
        {{.directory = Session()}},
        {.window_ns = kWindowNs, .target = {.pids = target_}, .most_remembered = most_remembered_});
    if (live.ok()) live_ = *std::move(live);
  }
  void Look() {
    const auto moment = live_->Next();
    ASSERT_TRUE(moment.ok()) << moment.status();
    if (*moment != nullptr) moments_.push_back(**moment);
  }

  void CheckMoment(const LiveMoment& moment) {
    const std::string at = absl::StrCat("at ", moment.frame.to_s(), " s");
    const Weights live = WeightsOf(moment.report);
    const pb::Report cut = Later(Session(), target_, moment.frame, /*is_cut=*/true);
    const Weights later = WeightsOf(cut);
    ASSERT_EQ(live.size(), later.size()) << at;
    for (const auto& [ends, weight] : later) {
      const auto same = live.find(ends);
      ASSERT_NE(same, live.end()) << at << ": " << ends.first << " → " << ends.second;
      EXPECT_EQ(weight.own_ns, same->second.own_ns) << at << ": " << ends.first;
      EXPECT_EQ(weight.count, same->second.count) << at << ": " << ends.first;
    }
    // A moment is not looked at in eighths: its findings may be trusted, and so ranked, otherwise.
    EXPECT_THAT(KindsOf(cut), ::testing::UnorderedElementsAreArray(KindsOf(moment.report))) << at;
    CheckOpenWaits(moment, at);
  }

  // Of the target's threads: later there are only those waits more that had not ended. One for a
  // disk may turn out to be two: for the disk, then for a worker that passes its end on.
  void CheckOpenWaits(const LiveMoment& moment, const std::string& at) {
    const pb::Report whole = Later(Session(), target_, moment.frame, /*is_cut=*/false);
    EXPECT_LE(CountOfTarget(moment.report), CountOfTarget(whole)) << at;
    EXPECT_GE(CountOfTarget(moment.report) + 2 * moment.frame.quality().open_waits(),
              CountOfTarget(whole))
        << at;
  }
  static uint64_t CountOfTarget(const pb::Report& report) {
    uint64_t count = 0;
    for (const pb::ReportEdge& edge : report.edges())
      if (report.vertices(static_cast<int>(edge.from())).target()) count += edge.count();
    return count;
  }
  std::string Session() const { return dir_ / "session"; }

  std::vector<int32_t> target_;
  std::vector<LiveMoment> moments_;
};

TEST_F(Live, IsLaterOfALock) { Check({"mutex"}, 5); }
TEST_F(Live, IsLaterOfMessages) { Check({"tcp-echo"}, 5); }
TEST_F(Live, IsLaterOfADisk) { Check({"disk-sync", "--directory", dir_ / ""}, 5); }
TEST_F(Live, IsLaterOfShortLivedProcesses) { Check({"fork-storm"}, 5); }
// Its ring is large enough to keep all that the frames are compared with.
TEST_F(Live, IsLaterOfAFlightRecorderThatIsReadAnew) {
  most_remembered_ = 1000;
  Check({"fork-storm"}, 8, {.ring_bytes = 256 << 20});
  EXPECT_GE(live_->renewals(), 1u);
}

}  // namespace
}  // namespace gordian::testing
