// SPDX-License-Identifier: Apache-2.0
// Files found, owners proved, words made events; and programs that try to speak for others.
#include "recorder/probes/probe_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "recorder/probes/probe_test_file.h"
#include "recorder/sources/clock.h"
#include "tests/support/session_contents.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ProbeTestFile;
using testing::TempDir;

constexpr uint64_t kSecond = 1'000'000'000;

// A process that holds a lock on a file, as a program with the probe library does, and lives until
// it is told to end.
class Holder {
 public:
  explicit Holder(const std::string& path) {
    EXPECT_EQ(pipe(ready_), 0);
    pid_ = fork();
    if (pid_ == 0) {
      const int fd = open(path.c_str(), O_RDWR);
      struct flock lock {};
      lock.l_type = F_WRLCK;
      const char held = fcntl(fd, F_SETLK, &lock) == 0 ? 1 : 0;
      (void)!write(ready_[1], &held, 1);
      for (;;) pause();
    }
    char held = 0;
    EXPECT_EQ(read(ready_[0], &held, 1), 1);
    EXPECT_EQ(held, 1);
  }
  ~Holder() { End(); }
  void End() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(ready_[0]);
    close(ready_[1]);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  int ready_[2];
  pid_t pid_ = 0;
};

class ProbeSourceTest : public ::testing::Test {
 protected:
  ProbeSourceTest() : start_ns_(MonotonicNowNs()), source_(Paths()) {
    See(getpid());
    source_.Begin(start_ns_);
  }

  // Of this machine's processes only those of the test: others may have probes, too, in mount
  // namespaces of their own.
  void See(pid_t pid) {
    fs::create_symlink("/proc/" + std::to_string(pid), processes_ / std::to_string(pid));
  }
  ProbePaths Paths() const {
    return {.system = {.proc = processes_.path()}, .shared_memory = shared_memory_.path()};
  }

  std::string PathOf(int32_t pid, const std::string& number = "1") {
    return shared_memory_ / ("gordian-probe." + std::to_string(pid) + "." + number);
  }
  // Of a process of its own, with its lock.
  struct Speaker {
    std::unique_ptr<ProbeTestFile> file;
    std::unique_ptr<Holder> holder;
    void Say(ProbeKind kind, uint64_t value = 0, const std::string& name = "",
             const std::string& key = "") {
      file->Say(file->Record(MonotonicNowNs(), holder->pid(), kind, value, name, key));
    }
  };
  Speaker NewSpeaker() {
    static int number = 0;
    const std::string path = PathOf(1 << 21, std::to_string(++number));  // the name proves nothing
    Speaker speaker{.file = std::make_unique<ProbeTestFile>(path, 1 << 21, MonotonicNowNs())};
    speaker.holder = std::make_unique<Holder>(path);
    See(speaker.holder->pid());
    return speaker;
  }

  // The words up to now, without times and names of threads.
  std::vector<std::string> Take() {
    source_.LastRound(MonotonicNowNs());
    EventBlock block;
    source_.TakeUntil(MonotonicNowNs(), block);
    std::vector<std::string> texts = testing::EventTexts(block);
    for (std::string& text : texts) text.erase(0, text.find(' ') + 1);
    return texts;
  }
  const TempDir processes_;
  const TempDir shared_memory_;
  const uint64_t start_ns_;
  ProbeSource source_;
};

TEST_F(ProbeSourceTest, MakesEventsOfWords) {
  Speaker speaker = NewSpeaker();
  const int32_t tid = speaker.holder->pid();
  speaker.Say(ProbeKind::kPhaseBegin, 0, "load", "part 1");
  speaker.Say(ProbeKind::kSpinBegin, 0x1234);
  speaker.Say(ProbeKind::kCount, 7, "rows");
  speaker.Say(ProbeKind::kFalseWakeup);
  const std::vector<std::string> texts = Take();
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_THAT(texts[0], HasSubstr("phase_begin tid=" + std::to_string(tid)));
  EXPECT_THAT(texts[0], HasSubstr("part 1"));
  EXPECT_THAT(texts[1], HasSubstr("value=0x1234"));
  EXPECT_THAT(texts[2], HasSubstr("rows"));
  EXPECT_EQ(source_.counts().events, 4u);
  EXPECT_EQ(source_.counts().lost, 0u);
}

TEST_F(ProbeSourceTest, AsksWhoItFindsAndMarksForWhoComes) {
  Speaker speaker = NewSpeaker();
  source_.Round(MonotonicNowNs());
  EXPECT_GT(speaker.file->record_until_ns(), MonotonicNowNs());
  const std::string mark = shared_memory_ / "gordian-recording";
  EXPECT_EQ(fs::file_size(mark), 8u);
  source_.End(MonotonicNowNs());
  EXPECT_FALSE(fs::exists(mark));
}

// Whoever began first, ended first, or asked for the latest time.
TEST_F(ProbeSourceTest, MarksAndFilesStayUntilTheLastRecorderEnds) {
  const std::string mark = shared_memory_ / "gordian-recording";
  Speaker speaker = NewSpeaker();
  ProbeSource second(Paths());
  second.Begin(start_ns_ + 1);  // says a later time than the first
  Take();
  speaker.holder->End();
  Take();
  second.LastRound(MonotonicNowNs());
  second.End(MonotonicNowNs());
  EXPECT_TRUE(fs::exists(mark)) << "processes that begin now must record for the first";
  EXPECT_TRUE(fs::exists(speaker.file->path())) << "the first may not have found it yet";

  ProbeSource third(Paths());
  third.Begin(start_ns_ + 4);
  source_.End(MonotonicNowNs());
  EXPECT_TRUE(fs::exists(mark)) << "the third still needs it";
  third.End(MonotonicNowNs());
  EXPECT_FALSE(fs::exists(mark));
}

TEST_F(ProbeSourceTest, ReadsASilentFileLessOftenButNeverForgetsIt) {
  Speaker speaker = NewSpeaker();
  uint64_t now_ns = start_ns_;
  for (int round = 0; round < 100; ++round) source_.Round(now_ns += 20'000'000);
  speaker.Say(ProbeKind::kFalseWakeup);
  for (int round = 0; round < 3; ++round) source_.Round(now_ns += 20'000'000);
  EventBlock block;
  source_.TakeUntil(now_ns, block);
  EXPECT_EQ(block.events.size(), 1u);
}

TEST_F(ProbeSourceTest, CountsTheTimesItCameTooLateToAsk) {
  source_.Round(start_ns_ + kSecond);
  EXPECT_EQ(source_.counts().gaps, 0u);
  source_.Round(start_ns_ + 4 * kSecond);
  EXPECT_EQ(source_.counts().gaps, 1u);
}

TEST_F(ProbeSourceTest, ReplacesAMarkThatIsNotARecorders) {
  source_.End(MonotonicNowNs());
  const TempDir elsewhere;
  fs::create_symlink(elsewhere / "victim", shared_memory_ / "gordian-recording");
  source_.Round(MonotonicNowNs() + kSecond);
  EXPECT_FALSE(fs::exists(elsewhere / "victim"));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(shared_memory_ / "gordian-recording")));
}

TEST_F(ProbeSourceTest, RefusesWhatIsNoRegularFileWithoutOpeningIt) {
  fs::create_symlink("/etc/passwd", PathOf(1));
  ASSERT_EQ(mkfifo(PathOf(2).c_str(), 0600), 0);
  fs::create_directory(PathOf(3));
  Take();
  Take();
  EXPECT_EQ(source_.counts().files_refused, 3u);  // once each
  EXPECT_EQ(source_.files(), 0u);
}

TEST_F(ProbeSourceTest, NobodySpeaksForAProcessThatIsNotTheirs) {
  // Names a living process, which has nothing to do with it: no lock, no mapping.
  const Holder victim(ProbeTestFile(PathOf(7, "other"), 7, start_ns_).path());
  See(victim.pid());
  ProbeTestFile file(PathOf(victim.pid()), victim.pid(), MonotonicNowNs());
  file.Say(file.Record(MonotonicNowNs(), victim.pid(), ProbeKind::kFalseWakeup));
  EXPECT_THAT(Take(), IsEmpty());
  source_.Round(MonotonicNowNs() + 10 * kSecond);
  EXPECT_EQ(source_.counts().files_refused, 1u);
  EXPECT_FALSE(fs::exists(file.path()));
}

TEST_F(ProbeSourceTest, NobodySpeaksForThreadsOfOthers) {
  Speaker speaker = NewSpeaker();
  speaker.file->Say(speaker.file->Record(MonotonicNowNs(), getpid(), ProbeKind::kFalseWakeup));
  speaker.file->Say(speaker.file->Record(MonotonicNowNs(), 1, ProbeKind::kFalseWakeup));
  EXPECT_THAT(Take(), IsEmpty());
  EXPECT_EQ(source_.counts().threads_unknown, 2u);
}

TEST_F(ProbeSourceTest, NobodySpeaksOfTheFutureOrOfLongAgo) {
  Speaker speaker = NewSpeaker();
  Take();
  const int32_t tid = speaker.holder->pid();
  const auto say = [&](uint64_t time_ns) {
    speaker.file->Say(speaker.file->Record(time_ns, tid, ProbeKind::kFalseWakeup));
  };
  say(MonotonicNowNs() + 3600 * kSecond);
  say(UINT64_MAX);
  EXPECT_THAT(Take(), IsEmpty());
  EXPECT_EQ(source_.counts().out_of_time, 2u);
  EventBlock block;
  source_.TakeUntil(MonotonicNowNs() + 5 * kSecond, block);
  say(start_ns_ + 1);
  EXPECT_THAT(Take(), IsEmpty());
  EXPECT_EQ(source_.counts().out_of_time, 3u);
}

TEST_F(ProbeSourceTest, NoWordComesFromBeforeAPromise) {
  EventBlock block;
  const uint64_t taken_ns = MonotonicNowNs();
  source_.TakeUntil(taken_ns, block);
  const uint64_t promised_ns = source_.PromiseUntil(taken_ns - 1000);
  EXPECT_EQ(promised_ns, taken_ns - 1000) << "nobody speaks";
  EXPECT_EQ(source_.PromiseUntil(0), promised_ns) << "it is never taken back";
  Speaker speaker = NewSpeaker();
  Take();
  EXPECT_EQ(source_.PromiseUntil(promised_ns + 500), promised_ns) << "words may be a second late";
  speaker.file->Say(
      speaker.file->Record(promised_ns - 1, speaker.holder->pid(), ProbeKind::kFalseWakeup));
  EXPECT_THAT(Take(), IsEmpty());
  EXPECT_EQ(source_.counts().out_of_time, 1u);
}

TEST_F(ProbeSourceTest, WhatWasSaidBeforeTheRecordingIsNotItsOwn) {
  Speaker speaker = NewSpeaker();
  speaker.file->Say(
      speaker.file->Record(start_ns_ - 1, speaker.holder->pid(), ProbeKind::kFalseWakeup));
  EXPECT_THAT(Take(), IsEmpty());
  EXPECT_EQ(source_.counts().out_of_time, 0u);
}

TEST_F(ProbeSourceTest, LocksOfDifferentProcessesStayApart) {
  Speaker one = NewSpeaker();
  Speaker other = NewSpeaker();
  one.Say(ProbeKind::kSpinBegin, 0xabc);
  Take();
  one.Say(ProbeKind::kSpinRelease, 0xabc);
  other.Say(ProbeKind::kSpinRelease, 0xabc);
  const std::vector<std::string> texts = Take();
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_THAT(texts[0], HasSubstr("value=0xabc"));
  EXPECT_THAT(texts[1], HasSubstr("value=0x1000000000abc"));
}

TEST_F(ProbeSourceTest, ABrokenProgramSpoilsOnlyItsOwnWords) {
  Speaker good = NewSpeaker();
  Speaker cut = NewSpeaker();
  Speaker liar = NewSpeaker();
  Take();
  cut.file->SetBytes(GORDIAN_PROBE_HEADER_BYTES);
  liar.file->SetRing(0, {.begun = UINT64_MAX, .ended = UINT64_MAX});
  liar.file->SetRing(1, {.begun = 16, .ended = 16});  // of which nothing was written
  good.Say(ProbeKind::kFalseWakeup);
  EXPECT_THAT(Take(),
              ElementsAre(HasSubstr("false_wakeup tid=" + std::to_string(good.holder->pid()))));
  EXPECT_EQ(source_.counts().records_invalid, 17u);
  EXPECT_EQ(source_.counts().lost, 0u);
  Take();
  EXPECT_EQ(source_.counts().files_refused, 1u);
  good.Say(ProbeKind::kFalseWakeup);
  EXPECT_EQ(Take().size(), 1u);
}

TEST_F(ProbeSourceTest, ReadsTheLastWordsOfWhoWasKilledAndRemovesItsFile) {
  Speaker speaker = NewSpeaker();
  Take();
  // The kernel's events of it reach the source; here, before it ends.
  EventBlock told;
  told.AddTask(start_ns_, {.change = TaskChange::kAlive,
                           .tid = speaker.holder->pid(),
                           .tgid = speaker.holder->pid(),
                           .namespaced_tid = speaker.holder->pid()});
  source_.Learn(told.events[0], told);
  const int32_t tid = speaker.holder->pid();
  speaker.file->Say(speaker.file->Record(MonotonicNowNs(), tid, ProbeKind::kFalseWakeup));
  speaker.holder->End();
  EXPECT_EQ(Take().size(), 1u);
  EXPECT_TRUE(fs::exists(speaker.file->path()));  // other recorders may be about to find it
  source_.Round(MonotonicNowNs() + 2 * kSecond);
  EXPECT_FALSE(fs::exists(speaker.file->path()));
  EXPECT_EQ(source_.files(), 0u);
}

// No look found it while it lived: the kernel's events tell that it existed, and its parent tells
// the user.
TEST_F(ProbeSourceTest, HearsWhoEndedBeforeItWasFound) {
  const int32_t pid = 1 << 21;
  ProbeTestFile file(PathOf(pid), pid, MonotonicNowNs());
  file.Say(file.Record(MonotonicNowNs(), pid, ProbeKind::kFalseWakeup));
  EXPECT_THAT(Take(), IsEmpty());
  EventBlock told;
  const TaskRecord task = {
      .tid = pid, .tgid = pid, .parent_tid = getpid(), .namespaced_tid = pid, .start_time_ns = 5};
  for (const TaskChange change : {TaskChange::kExit, TaskChange::kNew}) {  // CPUs tell out of order
    TaskRecord changed = task;
    changed.change = change;
    told.AddTask(MonotonicNowNs(), changed);
    source_.Learn(told.events.back(), told);
  }
  EXPECT_EQ(Take().size(), 1u);
}

TEST_F(ProbeSourceTest, TellsOfLossWhenAndHowMuch) {
  Speaker speaker = NewSpeaker();
  Take();
  for (int i = 0; i < 20; ++i) speaker.Say(ProbeKind::kFalseWakeup);
  const std::vector<std::string> texts = Take();
  EXPECT_EQ(std::count_if(texts.begin(), texts.end(),
                          [](const auto& text) { return text.find(" loss ") != text.npos; }),
            1);
  EXPECT_THAT(texts.back(), HasSubstr("count=4"));
  EXPECT_EQ(source_.counts().lost, 4u);
}

TEST_F(ProbeSourceTest, ALoudUserLeavesRoomForOthers) {
  std::vector<std::unique_ptr<ProbeTestFile>> files;
  for (int i = 0; i < 300; ++i) {
    files.push_back(std::make_unique<ProbeTestFile>(PathOf(i + 1), i + 1, start_ns_, 1, 1));
  }
  // Without the files of this machine's other namespaces.
  const TempDir no_processes;
  ProbeSource source(
      {.system = {.proc = no_processes.path()}, .shared_memory = shared_memory_.path()});
  source.Begin(start_ns_);
  EXPECT_EQ(source.files(), 256u);
  EXPECT_EQ(source.counts().files_not_taken, 44u);
}

TEST(SharedMemoryDevice, IsThatOfATmpfsOnlyWhereTheWayToItAnswers) {
  const std::string root = "1 0 8:1 / / rw - ext4 /dev/vda1 rw\n";
  const std::string shared = "3 1 0:42 / /dev/shm rw,relatime shared:5 - tmpfs tmpfs rw\n";
  EXPECT_EQ(SharedMemoryDevice(root + shared), makedev(0, 42));
  EXPECT_EQ(SharedMemoryDevice(root), 0u);
  EXPECT_EQ(SharedMemoryDevice(root + shared + "4 3 0:50 / /dev/shm rw - fuse.x x rw\n"), 0u);
  EXPECT_EQ(SharedMemoryDevice("1 0 0:9 / / rw - fuse.x x rw\n" + shared), 0u);
  EXPECT_EQ(SharedMemoryDevice(root + "2 1 0:8 / /dev rw - nfs4 x rw\n" + shared), 0u);
  EXPECT_EQ(SharedMemoryDevice("nonsense\n\n - \n1 2 3 / /dev/shm - tmpfs\n"), 0u);
}

}  // namespace
}  // namespace gordian
