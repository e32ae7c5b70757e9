// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/session_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "recorder/sessions/fake_recording.h"
#include "recorder/sessions/test_directory.h"
#include "recorder/sessions/test_sizes.h"
#include "recorder/sources/clock.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = absl::StatusCode;
constexpr int64_t kNow = 1'795'255'200'000'000'000;  // 2026-11-21T10:00:00Z

class SessionManagerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    limits_.max_session_bytes = 100 * kMiB;
    limits_.max_total_bytes = 400 * kMiB;
    limits_.min_free_bytes = 50 * kMiB;
    limits_.max_sessions = 3;
    auto store = SessionStore::Open(directory_.path());
    ASSERT_TRUE(store.ok()) << store.status();
    manager_.emplace(
        *std::move(store), limits_,
        SessionEnvironment{
            .start_recording = [this](RecordingOptions options) { return fakes_.Start(options); },
            .free_bytes = [this] { return free_bytes_.load(); },
            .realtime_now_ns = [] { return kNow; },
            .memory_limit = [this] { return memory_limit_; },
            .measure_reference = [](const pb::ClockReference&) -> MeasureReference {
              return [] {
                MeasuredClock measured;
                measured.offset.set_monotonic_ns(1'000);
                measured.offset.set_offset_ns(5'000);
                measured.boot_id = "boot";
                return measured;
              };
            },
            .session_ended =
                [this](const pb::SessionStatus& session) {
                  const std::lock_guard lock(ended_mutex_);
                  ended_.push_back(session.name() + ": " + session.end_reason());
                }});
  }

  absl::StatusOr<pb::SessionStatus> Start(const std::string& name, uint64_t max_bytes = 0) {
    pb::StartRequest request;
    request.set_name(name);
    request.set_max_bytes(max_bytes);
    return manager_->Start(request);
  }

  pb::SessionStatus StatusOf(const std::string& name) {
    const auto statuses = manager_->Status(name);
    EXPECT_TRUE(statuses.ok()) << statuses.status();
    if (!statuses.ok() || statuses->size() != 1) return {};
    return statuses->front();
  }

  bool Exists(const std::string& name) {
    return std::filesystem::exists(directory_.path() + "/sessions/" + name);
  }

  TestDirectory directory_;
  SessionLimits limits_;
  FakeRecordings fakes_;
  std::atomic<uint64_t> free_bytes_ = 1000 * kMiB;
  std::optional<MemoryLimit> memory_limit_;
  std::mutex ended_mutex_;
  std::vector<std::string> ended_;
  std::optional<SessionManager> manager_;
};

void ExpectError(const absl::Status& status, Code code, const std::string& part) {
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(part));
}

TEST_F(SessionManagerTest, ASessionRecordsIntoItsOwnFolderUntilItIsStopped) {
  const auto started = Start("web");
  ASSERT_TRUE(started.ok()) << started.status();
  EXPECT_EQ(started->state(), "recording");
  EXPECT_EQ(started->backend(), "fake");
  EXPECT_EQ(started->directory(), directory_.path() + "/sessions/web");
  EXPECT_EQ(started->started_realtime_ns(), kNow);
  EXPECT_EQ(fakes_.options("web").directory, started->directory());

  fakes_.controls("web").Change([](RecordingStatus& status) {
    status.events = 7;
    status.lost = 2;
  });
  EXPECT_EQ(StatusOf("web").events(), 7u);
  EXPECT_EQ(StatusOf("web").lost(), 2u);
  EXPECT_TRUE(manager_->List().empty());

  const auto stopped = manager_->Stop("web");
  ASSERT_TRUE(stopped.ok()) << stopped.status();
  EXPECT_EQ(stopped->state(), "ended");
  EXPECT_EQ(stopped->end_reason(), "asked");
  EXPECT_EQ(stopped->events(), 7u);
  EXPECT_TRUE(manager_->Status("")->empty());
  ASSERT_EQ(manager_->List().size(), 1u);
  EXPECT_EQ(manager_->List()[0].state(), "complete");
  EXPECT_EQ(StatusOf("web").state(), "complete");
}

TEST_F(SessionManagerTest, SeveralSessionsRunAtOnceUpToTheLimit) {
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(Start(name).ok());
  EXPECT_EQ(manager_->Status("")->size(), 3u);
  ExpectError(Start("d").status(), Code::kResourceExhausted, "3 sessions run");
  EXPECT_FALSE(Exists("d"));
  ASSERT_TRUE(manager_->Stop("b").ok());
  EXPECT_TRUE(Start("d").ok());
  EXPECT_EQ(fakes_.controls("a").stops(), 0);
}

TEST_F(SessionManagerTest, ASessionWhoseMemoryWouldNotFitIsRefused) {
  memory_limit_ = MemoryLimit{.limit_bytes = 2 * kMiB, .left_bytes = kMiB};
  ExpectError(Start("web").status(), Code::kResourceExhausted, "raise MemoryMax=");
  EXPECT_FALSE(Exists("web"));
  memory_limit_->left_bytes = 1ull << 50;
  EXPECT_TRUE(Start("web").ok());
}

TEST_F(SessionManagerTest, SmallerRingsThanAskedForAreTakenIfMemoryIsShort) {
  memory_limit_ = MemoryLimit{.limit_bytes = 1024 * kMiB, .left_bytes = 1024 * kMiB};
  pb::StartRequest request;
  request.set_name("large");
  request.set_stacks("all");
  std::vector<std::string> cut;
  const auto cpus = static_cast<uint64_t>(sysconf(_SC_NPROCESSORS_ONLN));
  memory_limit_->left_bytes = (16 + 64 + 32 + 3 * cpus) * kMiB;
  ASSERT_TRUE(manager_->Start(request, &cut).ok());
  EXPECT_THAT(cut, ElementsAre(HasSubstr("kernel ring of each CPU is cut from 8 MiB to 2 MiB")));
  EXPECT_EQ(fakes_.options("large").kernel_ring_bytes_per_cpu, 2 * kMiB);
  request.set_name("required");
  request.set_require(true);
  ExpectError(manager_->Start(request).status(), Code::kResourceExhausted, "raise MemoryMax=");
}

TEST_F(SessionManagerTest, WhatIsBeyondTheOwnersLimitsIsCutAndTold) {
  pb::StartRequest request;
  request.set_name("web");
  request.set_max_bytes(200 * kMiB);
  request.set_budget_ppm(500'000);
  std::vector<std::string> cut;
  const auto started = manager_->Start(request, &cut);
  ASSERT_TRUE(started.ok()) << started.status();
  EXPECT_THAT(cut, ElementsAre(HasSubstr("--max-size 200 MiB is cut to 100 MiB"),
                               HasSubstr("--budget 50 % is cut to 2 %")));
  EXPECT_EQ(started->max_bytes(), 100 * kMiB);
  EXPECT_EQ(started->budget_ppm(), 20'000u);
  request.set_name("db");
  request.set_require(true);
  ExpectError(manager_->Start(request).status(), Code::kOutOfRange,
              "--max-size 200 MiB is beyond this node's max-size of 100 MiB");
}

TEST_F(SessionManagerTest, AllSessionsTogetherKeepToTheOwnersShareOfTheCpus) {
  ASSERT_TRUE(Start("one").ok());
  EXPECT_DOUBLE_EQ(fakes_.controls("one").budget_share(), 0.02) << "without any wish";
  pb::StartRequest modest;
  modest.set_name("modest");
  modest.set_budget_ppm(5'000);
  modest.set_ring_bytes(10 * kMiB);
  ASSERT_TRUE(manager_->Start(modest).ok());
  EXPECT_DOUBLE_EQ(fakes_.controls("modest").budget_share(), 0.005);
  EXPECT_DOUBLE_EQ(fakes_.controls("one").budget_share(), 0.015);
  ASSERT_TRUE(Start("third").ok());
  EXPECT_DOUBLE_EQ(fakes_.options("third").budget_share, 0.0075) << "from its first moment on";
  EXPECT_DOUBLE_EQ(fakes_.controls("one").budget_share(), 0.0075);
  EXPECT_EQ(StatusOf("one").budget_ppm(), 7'500u);
  ASSERT_TRUE(manager_->Stop("third").ok());
  EXPECT_DOUBLE_EQ(fakes_.controls("one").budget_share(), 0.015) << "it is given back";
}

TEST_F(SessionManagerTest, EveryEndIsToldOnce) {
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(Start(name).ok());
  ASSERT_TRUE(manager_->Stop("a").ok());
  fakes_.controls("b").Change([](RecordingStatus& status) {
    status.ended = true;
    status.end_reason = EndReason::kDuration;
  });
  manager_->Supervise();
  EXPECT_EQ(ended_, (std::vector<std::string>{"a: asked", "b: duration"}));
  manager_->StopAll();
  EXPECT_EQ(ended_.back(), "c: daemon stopped");
  EXPECT_EQ(ended_.size(), 3u);
}

TEST_F(SessionManagerTest, NothingIsOverwritten) {
  ASSERT_TRUE(Start("web").ok());
  ExpectError(Start("web").status(), Code::kAlreadyExists, "running already");
  ASSERT_TRUE(manager_->Stop("web").ok());
  ExpectError(Start("web").status(), Code::kAlreadyExists, "there is a session 'web'");
  std::filesystem::create_directory(directory_.path() + "/sessions/foreign");
  ExpectError(Start("foreign").status(), Code::kAlreadyExists, "there is a session 'foreign'");
}

TEST_F(SessionManagerTest, NamesThatLeaveTheFolderAreRefusedEverywhere) {
  ASSERT_TRUE(Start("web").ok());
  for (const std::string name : {"../web", "a/b", ".."}) {
    ExpectError(Start(name).status(), Code::kInvalidArgument, "bad session name");
    ExpectError(manager_->Stop(name).status(), Code::kInvalidArgument, "bad session name");
    ExpectError(manager_->Status(name).status(), Code::kInvalidArgument, "bad session name");
    ExpectError(manager_->Snapshot(name, "").status(), Code::kInvalidArgument, "bad session name");
    ExpectError(manager_->Snapshot("web", name).status(), Code::kInvalidArgument,
                "bad session name");
  }
}

TEST_F(SessionManagerTest, AnUnknownSessionIsSaidToBeUnknown) {
  ExpectError(manager_->Stop("nobody").status(), Code::kNotFound, "no session 'nobody'");
  ExpectError(manager_->Status("nobody").status(), Code::kNotFound, "no session 'nobody'");
  ExpectError(manager_->Snapshot("nobody", "").status(), Code::kNotFound, "no session 'nobody'");
}

TEST_F(SessionManagerTest, StoppingTwiceIsAnErrorThatSaysWhereTheSessionIs) {
  ASSERT_TRUE(Start("web").ok());
  ASSERT_TRUE(manager_->Stop("web").ok());
  ExpectError(manager_->Stop("web").status(), Code::kFailedPrecondition, "has ended already");
  EXPECT_EQ(fakes_.controls("web").stops(), 1);
}

TEST_F(SessionManagerTest, AFailedStartLeavesNothingBehind) {
  ExpectError(Start("refused").status(), Code::kFailedPrecondition, "no BTF here");
  EXPECT_FALSE(Exists("refused"));
  EXPECT_TRUE(manager_->Status("")->empty());
  EXPECT_EQ(manager_->running(), 0u);
}

TEST_F(SessionManagerTest, ASessionThatEndedByItselfIsCompletedAndShownUntilItIsStopped) {
  ASSERT_TRUE(Start("web").ok());
  fakes_.controls("web").Change([](RecordingStatus& status) {
    status.ended = true;
    status.end_reason = EndReason::kDuration;
  });
  EXPECT_EQ(StatusOf("web").state(), "recording") << "the watchdog has not looked yet";
  manager_->Supervise();
  EXPECT_EQ(fakes_.controls("web").stops(), 1);
  EXPECT_EQ(StatusOf("web").state(), "ended");
  EXPECT_EQ(StatusOf("web").end_reason(), "duration");
  EXPECT_EQ(manager_->running(), 0u);
  EXPECT_EQ(manager_->List().size(), 1u);

  const auto stopped = manager_->Stop("web");
  ASSERT_TRUE(stopped.ok()) << stopped.status();
  EXPECT_EQ(stopped->end_reason(), "duration");
  EXPECT_EQ(fakes_.controls("web").stops(), 1);
  EXPECT_TRUE(manager_->Status("")->empty());
}

TEST_F(SessionManagerTest, AnEndedSessionGivesItsPlaceAndItsReserveBack) {
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(Start(name).ok());
  fakes_.controls("a").Change([](RecordingStatus& status) { status.ended = true; });
  EXPECT_FALSE(Start("d").ok());
  manager_->Supervise();
  EXPECT_TRUE(Start("d").ok());
}

TEST_F(SessionManagerTest, TheErrorThatEndedASessionIsShown) {
  ASSERT_TRUE(Start("web").ok());
  fakes_.controls("web").Change([](RecordingStatus& status) {
    status.ended = true;
    status.end_reason = EndReason::kDiskFull;
    status.error = absl::ResourceExhaustedError("no space left");
  });
  manager_->Supervise();
  EXPECT_EQ(StatusOf("web").error(), "no space left");
  EXPECT_EQ(StatusOf("web").end_reason(), "disk full");
}

TEST_F(SessionManagerTest, EndingAtTheSizeAskedForIsNoFailure) {
  ASSERT_TRUE(Start("web", 20 * kMiB).ok());
  fakes_.controls("web").Change([](RecordingStatus& status) {
    status.ended = true;
    status.end_reason = EndReason::kSizeLimit;
    status.error = absl::ResourceExhaustedError("the size limit is reached");
  });
  manager_->Supervise();
  EXPECT_EQ(StatusOf("web").end_reason(), "size limit");
  EXPECT_EQ(StatusOf("web").error(), "");
}

TEST_F(SessionManagerTest, AllSessionsEndWhenTheDiskRunsShort) {
  ASSERT_TRUE(Start("a").ok());
  ASSERT_TRUE(Start("b").ok());
  manager_->Supervise();
  EXPECT_EQ(manager_->running(), 2u);
  free_bytes_ = 49 * kMiB;
  manager_->Supervise();
  EXPECT_EQ(manager_->running(), 0u);
  EXPECT_EQ(StatusOf("a").end_reason(), "disk full");
  EXPECT_THAT(StatusOf("a").error(), HasSubstr("only 49 MiB are free"));
  ExpectError(Start("c").status(), Code::kResourceExhausted, "only 49 MiB are free");
}

TEST_F(SessionManagerTest, TheWatchdogEndsWhatDoesNotEndItself) {
  ASSERT_TRUE(Start("large", 64 * kMiB).ok());
  ASSERT_TRUE(Start("long").ok());
  fakes_.controls("large").Change([](auto& status) { status.bytes_on_disk = 80 * kMiB; });
  fakes_.controls("long").Change(
      [this](auto& status) { status.elapsed = absl::Nanoseconds(limits_.max_duration_ns); });
  manager_->Supervise();
  EXPECT_EQ(manager_->running(), 2u) << "within the grace";
  fakes_.controls("large").Change([](auto& status) { status.bytes_on_disk = 80 * kMiB + 1; });
  fakes_.controls("long").Change([](auto& status) { status.elapsed += absl::Seconds(6); });
  manager_->Supervise();
  EXPECT_EQ(StatusOf("large").end_reason(), "size limit");
  EXPECT_EQ(StatusOf("long").end_reason(), "duration");
}

TEST_F(SessionManagerTest, RunningSessionsCountAtAllTheyMayBecome) {
  limits_.max_sessions = 10;
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(Start(name).ok());
  ASSERT_TRUE(manager_->Stop("c").ok());
  ASSERT_TRUE(Start("d").ok());
  // 400 MiB in all, 300 reserved; what "c" left behind is a few bytes.
  ASSERT_TRUE(manager_->Stop("d").ok());
  std::ofstream(directory_.path() + "/sessions/d/cpu-000.trace");
  std::filesystem::resize_file(directory_.path() + "/sessions/d/cpu-000.trace", 150 * kMiB);
  ExpectError(Start("e", 60 * kMiB).status(), Code::kResourceExhausted, "remove finished sessions");
  const auto content_with_less = Start("f");
  ASSERT_TRUE(content_with_less.ok()) << content_with_less.status();
  EXPECT_LT(content_with_less->max_bytes(), 26 * kMiB) << "half of the 50 MiB that are left";
  EXPECT_GT(content_with_less->max_bytes(), 24 * kMiB);
}

TEST_F(SessionManagerTest, ASnapshotIsASessionOfItsOwn) {
  ASSERT_TRUE(Start("web").ok());
  const auto named = manager_->Snapshot("web", "cut");
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_EQ(named->directory(), directory_.path() + "/sessions/cut");
  EXPECT_GT(named->bytes_on_disk(), 0u);
  const auto unnamed = manager_->Snapshot("web", "");
  ASSERT_TRUE(unnamed.ok()) << unnamed.status();
  EXPECT_TRUE(Exists("web-20261121T100000Z"));
  EXPECT_EQ(StatusOf("web").state(), "recording");
  EXPECT_EQ(StatusOf("cut").snapshot_of(), "web");
  EXPECT_EQ(manager_->List().size(), 2u);
}

TEST_F(SessionManagerTest, SnapshotsNeverTakeAnothersName) {
  ASSERT_TRUE(Start("web").ok());
  ASSERT_TRUE(Start("db").ok());
  ASSERT_TRUE(manager_->Snapshot("web", "cut").ok());
  ExpectError(manager_->Snapshot("web", "cut").status(), Code::kAlreadyExists, "'cut'");
  ExpectError(manager_->Snapshot("web", "db").status(), Code::kAlreadyExists, "'db'");
  ExpectError(manager_->Snapshot("web", "web").status(), Code::kAlreadyExists, "'web'");
  ASSERT_TRUE(manager_->Snapshot("web", "").ok());
  ExpectError(manager_->Snapshot("web", "").status(), Code::kAlreadyExists, "web-20261121T100000Z");
}

TEST_F(SessionManagerTest, AFailedSnapshotLeavesNothingAndTheSessionGoesOn) {
  ASSERT_TRUE(Start("web").ok());
  fakes_.controls("web").FailSnapshots();
  ExpectError(manager_->Snapshot("web", "cut").status(), Code::kDataLoss, "half a snapshot");
  EXPECT_FALSE(Exists("cut"));
  EXPECT_EQ(StatusOf("web").state(), "recording");
}

TEST_F(SessionManagerTest, ASnapshotHasToFit) {
  ASSERT_TRUE(Start("web").ok());
  fakes_.controls("web").Change([](auto& status) { status.bytes_on_disk = 90 * kMiB; });
  free_bytes_ = 139 * kMiB;
  ExpectError(manager_->Snapshot("web", "cut").status(), Code::kResourceExhausted, "alone");
  free_bytes_ = 140 * kMiB;
  EXPECT_TRUE(manager_->Snapshot("web", "cut").ok());
  ASSERT_TRUE(Start("b").ok());
  ASSERT_TRUE(Start("c").ok());
  fakes_.controls("web").Change([](auto& status) { status.bytes_on_disk = 101 * kMiB; });
  free_bytes_ = 1000 * kMiB;
  ExpectError(manager_->Snapshot("web", "late").status(), Code::kResourceExhausted,
              "a snapshot takes 101 MiB");
}

TEST_F(SessionManagerTest, AnEndedSessionHasNoSnapshots) {
  ASSERT_TRUE(Start("web").ok());
  fakes_.controls("web").Change([](auto& status) { status.ended = true; });
  manager_->Supervise();
  ExpectError(manager_->Snapshot("web", "cut").status(), Code::kFailedPrecondition, "has ended");
}

TEST_F(SessionManagerTest, StopAllEndsEverySessionAndTakesNoNewOnes) {
  ASSERT_TRUE(Start("a").ok());
  ASSERT_TRUE(Start("b").ok());
  manager_->StopAll();
  EXPECT_EQ(fakes_.controls("a").stops(), 1);
  EXPECT_EQ(fakes_.controls("b").stops(), 1);
  ExpectError(Start("c").status(), Code::kUnavailable, "stopping");
  EXPECT_EQ(manager_->List().size(), 2u);
}

TEST_F(SessionManagerTest, StopAllWaitsForASessionThatIsJustStarting) {
  std::promise<void> starting;
  std::promise<void> go_on;
  fakes_.before_start = [&](const RecordingOptions&) {
    starting.set_value();
    go_on.get_future().wait();
  };
  std::thread start([&] { EXPECT_TRUE(Start("slow").ok()); });
  starting.get_future().wait();
  EXPECT_EQ(StatusOf("slow").state(), "starting");
  ExpectError(manager_->Stop("slow").status(), Code::kFailedPrecondition, "still being started");
  ExpectError(Start("slow").status(), Code::kAlreadyExists, "running already");
  std::thread stop([&] { manager_->StopAll(); });
  go_on.set_value();
  start.join();
  stop.join();
  EXPECT_EQ(fakes_.controls("slow").stops(), 1);
}

TEST_F(SessionManagerTest, ManyClientsAtOnceEndEachSessionOnce) {
  constexpr int kRounds = 50;
  std::vector<std::thread> clients;
  for (int client = 0; client < 3; ++client) {
    clients.emplace_back([&, client] {
      for (int round = 0; round < kRounds; ++round) {
        const std::string name = "s" + std::to_string(client) + "-" + std::to_string(round);
        ASSERT_TRUE(Start(name, 16 * kMiB).ok());
        EXPECT_TRUE(manager_->Snapshot(name, name + "-cut").ok());
        EXPECT_TRUE(manager_->Stop(name).ok());
        EXPECT_EQ(fakes_.controls(name).stops(), 1);
      }
    });
  }
  std::thread watchdog([&] {
    for (int round = 0; round < kRounds; ++round) {
      manager_->Supervise();
      EXPECT_TRUE(manager_->Status("").ok());
      manager_->List();
    }
  });
  for (std::thread& client : clients) client.join();
  watchdog.join();
  EXPECT_EQ(manager_->running(), 0u);
  EXPECT_EQ(manager_->List().size(), 2u * 3 * kRounds);
}

TEST_F(SessionManagerTest, AnArmedSessionRecordsFromItsInstantOn) {
  pb::StartRequest request;
  request.set_name("web");
  const auto armed = manager_->Arm(request);
  ASSERT_TRUE(armed.ok()) << armed.status();
  EXPECT_EQ(armed->state(), "armed");
  manager_->Supervise();
  EXPECT_EQ(StatusOf("web").state(), "armed");

  const uint64_t soon_ns = MonotonicNowNs() + 1'000'000'000;
  const auto begun = manager_->Begin("web", soon_ns);
  ASSERT_TRUE(begun.ok()) << begun.status();
  EXPECT_EQ(begun->late_ns(), 0u);
  EXPECT_EQ(fakes_.controls("web").begun_at_ns(), soon_ns);
  EXPECT_EQ(StatusOf("web").state(), "recording");
  EXPECT_EQ(manager_->Begin("web", soon_ns).status().code(), Code::kFailedPrecondition);
}

TEST_F(SessionManagerTest, BeginTellsHowLateItIsAndRefusesTheFarFuture) {
  pb::StartRequest request;
  request.set_name("web");
  ASSERT_TRUE(manager_->Arm(request).ok());
  EXPECT_EQ(manager_->Begin("web", MonotonicNowNs() + 3'600'000'000'000).status().code(),
            Code::kInvalidArgument);
  const auto begun = manager_->Begin("web", 1);
  ASSERT_TRUE(begun.ok()) << begun.status();
  EXPECT_GT(begun->late_ns(), 0u);
  EXPECT_EQ(manager_->Begin("nobody", 1).status().code(), Code::kNotFound);
}

TEST_F(SessionManagerTest, NothingStaysOfAnArmedSessionThatIsStopped) {
  pb::StartRequest request;
  request.set_name("web");
  ASSERT_TRUE(manager_->Arm(request).ok());
  EXPECT_TRUE(Exists("web"));
  EXPECT_TRUE(manager_->Stop("web").ok());
  EXPECT_FALSE(Exists("web"));
  EXPECT_TRUE(manager_->Arm(request).ok()) << "its name is free again";
}

TEST_F(SessionManagerTest, FilesOfFinishedSessionsOnlyAreGivenOut) {
  ASSERT_TRUE(Start("web").ok());
  EXPECT_EQ(manager_->Files("web").status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(manager_->OpenFile("web", "session.pb").status().code(), Code::kFailedPrecondition);
  ASSERT_TRUE(manager_->Stop("web").ok());
  std::filesystem::create_symlink("/etc/passwd", directory_.path() + "/sessions/web/link");
  const auto files = manager_->Files("web");
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->files_size(), 1);
  EXPECT_EQ(files->files(0).name(), "session.pb");
  EXPECT_GT(files->files(0).size_bytes(), 0u);
  EXPECT_TRUE(manager_->OpenFile("web", "session.pb").ok());
  for (const char* file : {"../web/session.pb", "/etc/passwd", "link", ".", "..", "", "none"}) {
    EXPECT_FALSE(manager_->OpenFile("web", file).ok()) << file;
  }
  EXPECT_FALSE(manager_->Files("../sessions/web").ok());
}

TEST_F(SessionManagerTest, FinishedSessionsCanBeRemovedAndRunningOnesCannot) {
  ASSERT_TRUE(Start("web").ok());
  EXPECT_EQ(manager_->Remove("web").status().code(), Code::kFailedPrecondition);
  EXPECT_TRUE(Exists("web"));
  ASSERT_TRUE(manager_->Stop("web").ok());
  const auto freed = manager_->Remove("web");
  ASSERT_TRUE(freed.ok()) << freed.status();
  EXPECT_GT(*freed, 0u);
  EXPECT_FALSE(Exists("web"));
  EXPECT_EQ(manager_->Remove("web").status().code(), Code::kNotFound);
  EXPECT_EQ(manager_->Remove("../web").status().code(), Code::kInvalidArgument);
  EXPECT_TRUE(Start("web").ok());
}

TEST_F(SessionManagerTest, TheReferencesClockIsMeasuredWhileASessionRuns) {
  pb::StartRequest request;
  request.set_name("web");
  request.set_node("node2");
  request.mutable_clock_reference()->set_name("node1");
  request.mutable_clock_reference()->set_address("node1:7470");
  ASSERT_TRUE(manager_->Start(request).ok());
  ASSERT_TRUE(manager_->Stop("web").ok());
  const pb::NodeClock clock = fakes_.controls("web").node_clock();
  EXPECT_EQ(clock.node(), "node2");
  EXPECT_EQ(clock.reference(), "node1");
  ASSERT_GE(clock.offsets_size(), 1) << "measured at the end, at the latest";
  EXPECT_EQ(clock.offsets(0).offset_ns(), 5'000);
}

TEST_F(SessionManagerTest, TheReferenceItselfSaysSo) {
  pb::StartRequest request;
  request.set_name("web");
  request.set_node("node1");
  request.mutable_clock_reference()->set_name("node1");
  const auto started = manager_->Start(request);
  ASSERT_TRUE(started.ok()) << started.status();
  EXPECT_EQ(started->clock_reference(), "node1");
  EXPECT_FALSE(started->has_clock_offset_ns());
  EXPECT_EQ(fakes_.controls("web").node_clock().reference(), "node1");
}

}  // namespace
}  // namespace gordian
