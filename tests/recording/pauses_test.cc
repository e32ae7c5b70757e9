// SPDX-License-Identifier: Apache-2.0
// A recording with a budget, on the real kernel: the records of its pauses, and the analysis of
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "analyzer/graph/wait_for_graph.h"
#include "recorder/recording/recording.h"
#include "tests/support/recorded_session.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

using namespace std::chrono_literals;

int32_t OwnTid() { return static_cast<int32_t>(syscall(SYS_gettid)); }

// The budget of the recording: less than the cost of two threads that wake each other all the time,
// on any machine, and enough that pauses last some seconds at most.
constexpr double kBudgetOfACpu = 0.03;
constexpr int kPauses = 2;

// Two threads that hand a byte to and fro until it is gone, and one that sleeps all along.
class Load {
 public:
  Load() {
    EXPECT_EQ(pipe(there_) | pipe(back_) | pipe(sleep_), 0);
    ping_ = std::thread([this] {
      ping_tid_ = OwnTid();
      char byte = 0;
      while (!ends_ && write(there_[1], &byte, 1) == 1 && read(back_[0], &byte, 1) == 1) {
      }
      close(there_[1]);
    });
    pong_ = std::thread([this] {
      char byte = 0;
      while (read(there_[0], &byte, 1) == 1 && write(back_[1], &byte, 1) == 1) {
      }
    });
    sleeper_ = std::thread([this] {
      sleeper_tid_ = OwnTid();
      char byte = 0;
      EXPECT_EQ(read(sleep_[0], &byte, 1), 0);
    });
  }
  ~Load() {
    ends_ = true;
    ping_.join();
    pong_.join();
    close(sleep_[1]);
    sleeper_.join();
    for (const int fd : {there_[0], back_[0], back_[1], sleep_[0]}) close(fd);
  }
  int32_t ping_tid() const { return ping_tid_; }
  int32_t sleeper_tid() const { return sleeper_tid_; }

 private:
  int there_[2], back_[2], sleep_[2];
  std::atomic<bool> ends_ = false;
  std::atomic<int32_t> ping_tid_ = 0, sleeper_tid_ = 0;
  std::thread ping_, pong_, sleeper_;
};

void HaveAChild() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
}

bool IsIn(uint64_t time_ns, const pb::Pause& pause) {
  return pause.from_ns() < time_ns && time_ns < pause.to_ns();
}

class PausedRecording : public ::testing::Test {
 protected:
  // One recording for all tests: it takes a while.
  static void SetUpTestSuite() {
    folder_ = new TempDir;
    const Load load;
    std::this_thread::sleep_for(50ms);  // asleep before it begins
    RecordingOptions options;
    options.directory = *folder_ / "session";
    options.stacks = StackChoice::kSampled;
    options.budget_share = kBudgetOfACpu / static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
    auto recording = Recording::Start(options);
    ASSERT_TRUE(recording.ok()) << recording.status();
    // Until it has paused so often, and has gone on for a while.
    const auto deadline = std::chrono::steady_clock::now() + 100s;
    absl::Duration paused_before;
    int steady = 0;
    while (std::chrono::steady_clock::now() < deadline && steady < 5) {
      std::this_thread::sleep_for(20ms);
      HaveAChild();
      const RecordingStatus status = (*recording)->Status();
      const bool goes_on = status.pauses >= kPauses && status.paused == paused_before;
      steady = goes_on ? steady + 1 : 0;
      paused_before = status.paused;
    }
    const auto ended = (*recording)->Stop(EndReason::kAsked);
    ASSERT_TRUE(ended.ok() && ended->error.ok()) << ended.status();
    ended_ = *ended;
    ping_tid_ = load.ping_tid();
    sleeper_tid_ = load.sleeper_tid();
    auto recorded = LoadSession(options.directory);
    ASSERT_TRUE(recorded.ok()) << recorded.status();
    recorded_ = *std::move(recorded);
  }
  static void TearDownTestSuite() { delete folder_; }
  void SetUp() override { ASSERT_GE(recorded_.session.pauses_size(), kPauses); }

  static const TaskRecord& TaskOf(const TraceEvent& event) {
    return recorded_.tasks[event.task.index];
  }

  static TempDir* folder_;
  static RecordingStatus ended_;
  static RecordedSession recorded_;
  static int32_t ping_tid_;
  static int32_t sleeper_tid_;
};
TempDir* PausedRecording::folder_ = nullptr;
RecordingStatus PausedRecording::ended_;
RecordedSession PausedRecording::recorded_;
int32_t PausedRecording::ping_tid_ = 0;
int32_t PausedRecording::sleeper_tid_ = 0;

TEST_F(PausedRecording, TellsItsPausesInOrder) {
  uint64_t before_ns = recorded_.session.start_time_ns();
  uint64_t paused_ns = 0;
  for (const pb::Pause& pause : recorded_.session.pauses()) {
    EXPECT_GT(pause.from_ns(), before_ns);
    EXPECT_GT(pause.to_ns(), pause.from_ns());
    EXPECT_LE(pause.to_ns(), recorded_.session.end_time_ns());
    paused_ns += pause.to_ns() - pause.from_ns();
    before_ns = pause.to_ns();
  }
  EXPECT_EQ(absl::Nanoseconds(static_cast<int64_t>(paused_ns)), ended_.paused);
  EXPECT_EQ(static_cast<uint64_t>(recorded_.session.pauses_size()), ended_.pauses);
  EXPECT_EQ(ended_.lost, 0u);
}

TEST_F(PausedRecording, PausesHoldBirthsAndDeathsAndNothingElse) {
  for (const pb::Pause& pause : recorded_.session.pauses()) {
    if (pause.to_ns() - pause.from_ns() < 200'000'000) continue;  // cut off by the end
    std::set<TaskChange> changes;
    for (const TraceEvent& event : recorded_.events) {
      if (!IsIn(event.time_ns, pause)) continue;
      EXPECT_EQ(event.kind, EventKind::kTask) << EventKindName(event.kind);
      if (event.kind == EventKind::kTask) changes.insert(TaskOf(event).change);
    }
    EXPECT_THAT(changes, ::testing::IsSupersetOf({TaskChange::kNew, TaskChange::kExit}));
  }
}

TEST_F(PausedRecording, EveryThreadIsToldAnewBehindAPause) {
  for (const pb::Pause& pause : recorded_.session.pauses()) {
    if (pause.to_ns() == recorded_.session.end_time_ns()) continue;
    std::set<int32_t> told;
    for (const TraceEvent& event : recorded_.events) {
      if (event.kind != EventKind::kTask || event.cpu != kNoCpu) continue;
      const bool behind =
          event.time_ns >= pause.to_ns() && event.time_ns < pause.to_ns() + 500'000'000;
      if (behind && TaskOf(event).switches) told.insert(TaskOf(event).tid);
    }
    EXPECT_TRUE(told.contains(ping_tid_));
    EXPECT_TRUE(told.contains(sleeper_tid_));
    EXPECT_TRUE(told.contains(getpid()));
  }
}

class PausedTimeline : public PausedRecording {
 protected:
  void SetUp() override {
    PausedRecording::SetUp();
    auto session = SessionReader::Open(*folder_ / "session");
    ASSERT_TRUE(session.ok());
    auto timeline = LoadTimeline(**session, {});
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    timeline_ = *std::move(timeline);
  }
  EntityId ThreadOf(int32_t tid) const {
    for (EntityId id = 0; id < timeline_.thread_count(); ++id)
      if (timeline_.entities()[id].tid == tid) return id;
    return kNobody;
  }
  std::string UnknownPieces(EntityId thread) const {
    std::string pieces;
    for (auto at = timeline_.SegmentsFrom(thread); !at.done(); at.Next())
      if (at.segment().kind == SegmentKind::kUnknown)
        absl::StrAppend(&pieces, " ", at.start_ns(), "–", at.end_ns());
    return pieces;
  }
  Timeline timeline_;
};

TEST_F(PausedTimeline, IsAsLongAsWhatWasRecorded) {
  const uint64_t length_ns = timeline_.end_ns() - timeline_.start_ns();
  EXPECT_NEAR(static_cast<double>(length_ns),
              absl::ToDoubleNanoseconds(ended_.elapsed - ended_.paused), 1e6);
}

TEST_F(PausedTimeline, WhoSleepsAllAlongWaitsOnce) {
  const EntityId sleeper = ThreadOf(sleeper_tid_);
  ASSERT_NE(sleeper, kNobody);
  auto at = timeline_.SegmentsFrom(sleeper);
  EXPECT_EQ(at.segment().kind, SegmentKind::kWait);
  EXPECT_EQ(at.end_ns(), timeline_.end_ns());
}

// The events of a thread that never stops do not contradict each other (unless the machine hides
// others). Next to nothing of its time is unknown: its first event in a window tells its state at
// the beginning.
TEST_F(PausedTimeline, WhoNeverStopsIsKnownAllTheTime) {
  const EntityId ping = ThreadOf(ping_tid_);
  ASSERT_NE(ping, kNobody);
  if (HiddenThreads(recorded_).empty()) {
    EXPECT_EQ(timeline_.contradictions(ping), 0u);
  }
  const Entity& entity = timeline_.entities()[ping];
  const uint64_t all_ns = entity.end_ns - entity.begin_ns;
  EXPECT_EQ(
      entity.run_ns + entity.runnable_ns + entity.wait_ns + entity.spin_ns + entity.unknown_ns,
      all_ns);
  EXPECT_LT(entity.unknown_ns, all_ns / 50) << "unknown:" << UnknownPieces(ping);
  EXPECT_EQ(all_ns, timeline_.end_ns() - timeline_.start_ns());
}

}  // namespace
}  // namespace gordian::testing
