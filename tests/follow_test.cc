// SPDX-License-Identifier: Apache-2.0
// gordian follow, against gordiand with the real recorder: the mirror holds the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "analyzer/timeline/timeline_stream.h"
#include "recorder/sessions/test_directory.h"
#include "schema/session.pb.h"
#include "tests/program.h"
#include "trace/segment_name.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr uid_t kStranger = 65534;
constexpr uint64_t kSecondNs = 1'000'000'000;
// Only a failing test waits this long.
constexpr auto kFollowPatience = std::chrono::minutes(1);

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void AwaitThat(const char* what, const std::function<bool()>& holds) {
  const auto give_up = std::chrono::steady_clock::now() + kFollowPatience;
  while (!holds()) ASSERT_LT(std::chrono::steady_clock::now(), give_up) << what;
}

pb::Session SessionIn(const std::string& directory) {
  pb::Session session;
  std::ifstream file(directory + "/session.pb", std::ios::binary);
  session.ParseFromIstream(&file);
  return session;
}

// By tid, how long it ran in that time.
std::map<int32_t, uint64_t> RunTimes(const std::string& directory, uint64_t from_ns,
                                     uint64_t to_ns) {
  std::map<int32_t, uint64_t> run_ns;
  const auto stream = TimelineStream::Follow(directory, {});
  EXPECT_TRUE(stream.ok()) << stream.status();
  if (!stream.ok()) return run_ns;
  while (!(*stream)->ended()) {
    const auto window = (*stream)->Next();
    EXPECT_TRUE(window.ok()) << window.status();
    if (!window.ok() || *window == nullptr) break;
    for (const SettledSlice& slice : (*window)->slices) {
      for (size_t i = 0; i < slice.segments.size(); ++i) {
        const bool is_last = i + 1 == slice.segments.size();
        const uint64_t end_ns = is_last ? slice.until_ns : slice.segments[i + 1].start_ns;
        const uint64_t begin_ns = std::max(slice.segments[i].start_ns, from_ns);
        if (slice.segments[i].kind != SegmentKind::kRun || begin_ns >= std::min(end_ns, to_ns))
          continue;
        run_ns[(*stream)->entities()[slice.thread].tid] += std::min(end_ns, to_ns) - begin_ns;
      }
    }
  }
  EXPECT_EQ((*stream)->told_late(), 0u) << directory;
  EXPECT_EQ((*stream)->lost_blocks(), 0u) << directory;
  return run_ns;
}

class FollowTest : public ::testing::Test {
 protected:
  void SetUp() override {
    chmod(directory_.path().c_str(), 0755);
    // Pauses would take time out of one recording before the other begins.
    std::ofstream(directory_.path() + "/gordiand.yaml") << "limits:\n  max-cpu: none\n";
    StartDaemon();
  }

  void StartDaemon() {
    daemon_ = std::make_unique<BackgroundProgram>(
        std::vector<std::string>{GORDIAND_PROGRAM, "--settings",
                                 directory_.path() + "/gordiand.yaml", "--socket", socket_,
                                 "--state-dir", state_, "--min-free", "1M", "--max-size", "256M"},
        std::vector<std::string>{}, directory_.path() + "/log");
    AwaitThat("the daemon answers", [&] { return Gordian({"status"}).exit_code == 0; });
  }
  ProgramResult Gordian(std::vector<std::string> words, std::optional<uid_t> uid = std::nullopt) {
    words.insert(words.begin(), GORDIAN_PROGRAM);
    words.insert(words.end(), {"--socket", socket_});
    return RunProgram(words, uid);
  }
  // Returns when its first session.pb is there.
  std::unique_ptr<BackgroundProgram> Follow(const std::string& out,
                                            std::vector<std::string> more = {}) {
    std::vector<std::string> words = {GORDIAN_PROGRAM, "follow", "web", "-o", out,
                                      "--socket",      socket_};
    words.insert(words.end(), more.begin(), more.end());
    auto program = std::make_unique<BackgroundProgram>(words, std::vector<std::string>{}, errors_);
    AwaitThat("something is followed", [&] { return fs::exists(out + "/session.pb"); });
    return program;
  }
  int Outcome(BackgroundProgram& program) {
    AwaitThat("the command ends", [&] { return program.Ended().has_value(); });
    return program.Ended().value_or(-1);
  }
  // Until so much time has been recorded after the mirror's first session.pb.
  void AwaitRecorded(const std::string& out, uint64_t time_ns) {
    AwaitThat("it knows its time", [&] { return SessionIn(out).complete_until_ns() > 0; });
    const uint64_t begin_ns = SessionIn(out).complete_until_ns();
    AwaitThat("time passes", [&] {
      RunProgram({"/bin/sh", "-c", "for i in 1 2 3 4 5; do /bin/true | /bin/true; done"});
      return SessionIn(out).complete_until_ns() >= begin_ns + time_ns;
    });
  }
  std::string Original() const { return state_ + "/sessions/web"; }

  TestDirectory directory_;
  const std::string socket_ = directory_.path() + "/run/socket";
  const std::string state_ = directory_.path() + "/state";
  const std::string errors_ = directory_.path() + "/errors";
  const std::string out_ = directory_.path() + "/mirror";
  std::unique_ptr<BackgroundProgram> daemon_;
};

TEST_F(FollowTest, TheMirrorHoldsTheSameBlocksAndTellsTheSameTimes) {
  ASSERT_EQ(Gordian({"start", "web"}).exit_code, 0);
  const auto follow = Follow(out_);
  AwaitRecorded(out_, 3 * kSecondNs);
  ASSERT_EQ(Gordian({"stop", "web"}).exit_code, 0);
  EXPECT_EQ(Outcome(*follow), 0) << TextOf(errors_);

  const auto mirror = SessionReader::Open(out_);
  ASSERT_TRUE(mirror.ok()) << mirror.status();
  EXPECT_EQ((*mirror)->damage(), ReadDamage());
  EXPECT_TRUE((*mirror)->session().complete());
  EXPECT_EQ((*mirror)->session().end_reason(), "asked");
  uint64_t first_ns = UINT64_MAX;
  for (const auto& cpu : (*mirror)->cpus()) {
    first_ns = std::min(first_ns, cpu->blocks().front().first_time_ns);
    const std::string name = "/" + SegmentFileName({{BlockKind::kEvents, cpu->cpu()}, 0});
    EXPECT_TRUE(TextOf(Original() + name).ends_with(TextOf(out_ + name))) << name;
  }
  // Those that ran when it joined are known as soon as they have left their CPU.
  const uint64_t from_ns = first_ns + kSecondNs;
  const uint64_t to_ns = (*mirror)->session().end_time_ns();
  const auto there = RunTimes(Original(), from_ns, to_ns);
  EXPECT_GT(there.size(), 20u);
  EXPECT_EQ(RunTimes(out_, from_ns, to_ns), there);
}

TEST_F(FollowTest, AMirrorIsAnalyzedWhileItGrowsAndCtrlCCompletesIt) {
  ASSERT_EQ(Gordian({"start", "web", "--ring", "16M"}).exit_code, 0);
  const auto follow = Follow(out_, {"--keep", "2s", "--keep-size", "4M"});
  const auto second = Follow(out_ + "2");
  AwaitRecorded(out_, kSecondNs);
  const ProgramResult analysis = RunProgram({GORDIAN_PROGRAM, "dump", "--summary", out_});
  EXPECT_EQ(analysis.exit_code, 0) << analysis.errors;
  EXPECT_THAT(analysis.output, HasSubstr("flight recorder"));
  EXPECT_EQ(follow->End(SIGINT), 0) << TextOf(errors_);
  EXPECT_TRUE(SessionIn(out_).complete());
  EXPECT_EQ(SessionIn(out_).end_reason(), "following ended");
  AwaitRecorded(out_ + "2", kSecondNs);
  EXPECT_FALSE(second->Ended().has_value()) << "the other goes on";
  EXPECT_EQ(Gordian({"status", "web"}).exit_code, 0);
}

TEST_F(FollowTest, AFollowerThatStandsStillKeepsNobodyWaiting) {
  ASSERT_EQ(Gordian({"start", "web"}).exit_code, 0);
  const auto follow = Follow(out_);
  kill(follow->pid(), SIGSTOP);
  AwaitRecorded(Original(), 2 * kSecondNs);
  kill(follow->pid(), SIGCONT);
  ASSERT_EQ(Gordian({"stop", "web"}).exit_code, 0);
  EXPECT_EQ(Outcome(*follow), 0) << TextOf(errors_);
  const auto mirror = SessionReader::Open(out_);
  const auto original = SessionReader::Open(Original());
  ASSERT_TRUE(mirror.ok() && original.ok());
  EXPECT_EQ((*mirror)->damage(), ReadDamage());
  EXPECT_EQ((*mirror)->session().end_time_ns(), (*original)->session().end_time_ns());
  for (const auto& cpu : (*original)->cpus())
    for (const BlockInfo& block : cpu->blocks()) EXPECT_EQ(block.lost, 0u);
}

TEST_F(FollowTest, ADaemonThatIsKilledLeavesARecordingOfWhatCame) {
  ASSERT_EQ(Gordian({"start", "web"}).exit_code, 0);
  const auto follow = Follow(out_);
  AwaitRecorded(out_, kSecondNs);
  daemon_->End(SIGKILL);
  EXPECT_EQ(Outcome(*follow), 1);
  EXPECT_THAT(TextOf(errors_), HasSubstr("gordian: gordiand ended before it answered"));
  const auto mirror = SessionReader::Open(out_);
  ASSERT_TRUE(mirror.ok()) << mirror.status();
  EXPECT_EQ((*mirror)->damage(), ReadDamage());
  EXPECT_FALSE((*mirror)->session().complete());
}

TEST_F(FollowTest, ADaemonThatStopsEndsItWithItsReason) {
  ASSERT_EQ(Gordian({"start", "web"}).exit_code, 0);
  const auto follow = Follow(out_);
  daemon_->End(SIGTERM);
  EXPECT_EQ(Outcome(*follow), 0) << TextOf(errors_);
  EXPECT_EQ(SessionIn(out_).end_reason(), "daemon stopped");
}

// Nothing that it did is in the mirror: it was told to sleep as the mirror began.
TEST_F(FollowTest, AThreadThatSleepsAllTheTimeIsKnownToWait) {
  BackgroundProgram sleeper({"/bin/sleep", "1000"}, {}, errors_);
  ASSERT_EQ(Gordian({"start", "web"}).exit_code, 0);
  AwaitRecorded(Original(), kSecondNs);
  const auto follow = Follow(out_);
  AwaitRecorded(out_, 2 * kSecondNs);
  ASSERT_EQ(Gordian({"stop", "web"}).exit_code, 0);
  EXPECT_EQ(Outcome(*follow), 0) << TextOf(errors_);
  const auto session = SessionReader::Open(out_);
  ASSERT_TRUE(session.ok()) << session.status();
  const auto timeline = Timeline::Load(**session, {}, nullptr);
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  for (const Entity& entity : timeline->entities()) {
    if (entity.tid != sleeper.pid()) continue;
    EXPECT_EQ(entity.unknown_ns, 0u);
    EXPECT_EQ(entity.wait_ns, entity.end_ns - entity.begin_ns);
    EXPECT_GE(entity.wait_ns, kSecondNs);
  }
}

TEST_F(FollowTest, TopTellsASessionUntilItEndsAndLeavesNothingBehind) {
  ASSERT_EQ(Gordian({"start", "web"}).exit_code, 0);
  const std::string frames = directory_.path() + "/frames";
  const std::string kept = directory_.path() + "/kept";
  fs::create_directory(kept);
  BackgroundProgram top({"/bin/sh", "-c",
                         "TMPDIR=" + kept + " exec " GORDIAN_PROGRAM " top web --json --socket " +
                             socket_ + " >" + frames},
                        {}, errors_);
  const auto count = [&] {
    const std::string text = TextOf(frames);
    return std::count(text.begin(), text.end(), '\n');
  };
  AwaitThat("two frames come", [&] {
    RunProgram({"/bin/sh", "-c", "for i in 1 2 3 4 5; do /bin/true | /bin/true; done"});
    return count() >= 2;
  });
  EXPECT_FALSE(fs::is_empty(kept));
  ASSERT_EQ(Gordian({"stop", "web"}).exit_code, 0);
  EXPECT_EQ(Outcome(top), 0) << TextOf(errors_);
  const std::string text = TextOf(frames);
  const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
  EXPECT_THAT(last, HasSubstr("\"ended\":true"));
  EXPECT_THAT(last, HasSubstr("\"because\":\"asked\""));
  EXPECT_TRUE(fs::is_empty(kept)) << "it kept no more than it had to, and no longer";

  const ProgramResult over = Gordian({"top", "web"});
  EXPECT_EQ(over.exit_code, 1);
  EXPECT_THAT(over.errors, HasSubstr("session 'web' has ended already"));
}

TEST_F(FollowTest, TopOfADaemonThatIsKilledTellsSo) {
  ASSERT_EQ(Gordian({"start", "web"}).exit_code, 0);
  const std::string frames = directory_.path() + "/frames";
  BackgroundProgram top(
      {"/bin/sh", "-c",
       "exec " GORDIAN_PROGRAM " top web --json --socket " + socket_ + " >" + frames},
      {}, errors_);
  AwaitThat("a frame comes", [&] { return TextOf(frames).find('\n') != std::string::npos; });
  daemon_->End(SIGKILL);
  EXPECT_EQ(Outcome(top), 0);
  EXPECT_THAT(TextOf(frames), HasSubstr("gordiand ended before it answered"));
}

TEST_F(FollowTest, OnlyOperatorsFollowAndOnlyWhatRuns) {
  ASSERT_EQ(Gordian({"start", "web"}).exit_code, 0);
  ProgramResult result = Gordian({"follow", "web", "-o", "/tmp/gordian-stranger"}, kStranger);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("may follow sessions"));
  ASSERT_EQ(Gordian({"stop", "web"}).exit_code, 0);
  result = Gordian({"follow", "web", "-o", out_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("session 'web' has ended already"));
  EXPECT_FALSE(fs::exists(out_));
}

}  // namespace
}  // namespace gordian
