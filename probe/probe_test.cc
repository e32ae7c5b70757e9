// SPDX-License-Identifier: Apache-2.0
// The writing side by itself: every word is in the file, exactly once, or counted as dropped, for
// any behaviour of the process.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gordian_probe.hpp"

namespace gordian {
namespace {

namespace writer = probe_writer;

constexpr uint64_t kLong = 2'500'000'000;

// Plays the recorder: asks this process to go on for a while.
void RecordNow() {
  __atomic_store_n(&writer::gordian_probe_state.file->record_until_ns,
                   writer::gordian_probe_now_ns() + kLong, __ATOMIC_RELAXED);
}
void StopRecording() {
  __atomic_store_n(&writer::gordian_probe_state.file->record_until_ns, 0, __ATOMIC_RELAXED);
}

struct Totals {
  uint64_t written = 0;
  uint64_t dropped = 0;  // without a ring
  uint64_t dropped_in_handlers = 0;
  int owned = 0;
  uint64_t all() const { return written + dropped + dropped_in_handlers; }
};

Totals TotalsOf(gordian_probe_header* file) {
  Totals totals;
  totals.dropped = __atomic_load_n(&file->dropped, __ATOMIC_ACQUIRE);
  for (int i = 0; i < GORDIAN_PROBE_RINGS; ++i) {
    auto& ring = writer::gordian_probe_rings(file)[i];
    totals.written += __atomic_load_n(&ring.ended, __ATOMIC_ACQUIRE);
    totals.dropped_in_handlers += __atomic_load_n(&ring.dropped, __ATOMIC_ACQUIRE);
    totals.owned += __atomic_load_n(&ring.owner, __ATOMIC_ACQUIRE) != 0;
  }
  return totals;
}
Totals Now() { return TotalsOf(writer::gordian_probe_state.file); }

class ProbeTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(writer::gordian_probe_state.file, nullptr) << "/dev/shm cannot be used here";
    RecordNow();
    before_ = Now();
  }
  void TearDown() override { StopRecording(); }
  uint64_t Said() const { return Now().all() - before_.all(); }
  Totals before_;
};

void RemoveFilesOf(pid_t pid) {
  const std::string prefix = "gordian-probe." + std::to_string(pid) + ".";
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().filename().string().rfind(prefix, 0) == 0) unlink(entry.path().c_str());
  }
}

// Forks; the child runs `body` and ends by _exit with its result.
int StatusOfChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  RemoveFilesOf(child);
  return status;
}

TEST_F(ProbeTest, IsSilentWhileNobodyRecords) {
  StopRecording();
  count("rows", 1);
  EXPECT_EQ(Said(), 0u);
}

TEST_F(ProbeTest, TakesADeadlineThatHasPassedBack) {
  auto* file = writer::gordian_probe_state.file;
  file->record_until_ns = 1;
  count("rows", 1);
  EXPECT_EQ(Said(), 0u);
  EXPECT_EQ(file->record_until_ns, 0u);
}

TEST_F(ProbeTest, BelievesNoDeadlineThatNobodyCanMean) {
  auto* file = writer::gordian_probe_state.file;
  file->record_until_ns = UINT64_MAX;
  count("rows", 1);
  EXPECT_EQ(Said(), 0u);
  EXPECT_EQ(file->record_until_ns, 0u);
}

TEST_F(ProbeTest, WritesWhatWasSaid) {
  const std::string long_text(200, 'x');
  phase_begin("compaction", "table 42");
  auto& self = writer::gordian_probe_thread;
  const auto& record = self.records[(self.next - 1) % GORDIAN_PROBE_RECORDS];
  EXPECT_EQ(record.kind, 7);
  EXPECT_EQ(record.tid, static_cast<int32_t>(syscall(SYS_gettid)));
  EXPECT_EQ(std::string(record.text, record.name_bytes), "compaction");
  EXPECT_EQ(std::string(record.text + record.name_bytes, record.key_bytes), "table 42");
  EXPECT_LE(record.time_ns, writer::gordian_probe_now_ns());
  phase_begin(long_text.c_str(), long_text.c_str());
  const auto& cut = self.records[(self.next - 1) % GORDIAN_PROBE_RECORDS];
  EXPECT_EQ(cut.name_bytes, 48);
  EXPECT_EQ(cut.key_bytes, 56);
}

TEST_F(ProbeTest, CountsExactlyWith64ThreadsAtFullSpeed) {
  constexpr int kThreads = 64;
  constexpr int kWords = 20'000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([] {
      for (int word = 0; word < kWords; ++word) {
        if (word % 1000 == 0) RecordNow();
        count("word", word);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Said(), uint64_t{kThreads} * kWords);
  EXPECT_EQ(Now().dropped, before_.dropped);
}

TEST_F(ProbeTest, ThreadsWithoutARingDropAndCount) {
  constexpr int kThreads = GORDIAN_PROBE_RINGS + 30;
  constexpr int kWords = 10;
  probe_prepare();  // this thread has a ring as well
  std::atomic<int> spoken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&spoken] {
      for (int word = 0; word < kWords; ++word) count("word", word);
      ++spoken;
      while (spoken.load() < kThreads) std::this_thread::yield();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Said(), uint64_t{kThreads} * kWords);
  EXPECT_EQ(Now().dropped - before_.dropped, 31u * kWords);
  EXPECT_EQ(Now().owned, 1);
}

TEST_F(ProbeTest, RingsOfEndedThreadsAreUsedAgain) {
  for (int i = 0; i < 1000; ++i) {
    std::thread([] { count("word", 1); }).join();
    if (i % 100 == 0) RecordNow();
  }
  EXPECT_EQ(Said(), 1000u);
  EXPECT_EQ(Now().dropped, before_.dropped);
}

// A destructor of other thread-specific data that speaks each time, and asks to be called again:
// glibc does so four times.
pthread_key_t speaking_key;
void SpeakAtTheEnd(void* told) {
  count("last word", 1);
  pthread_setspecific(speaking_key, told);
}

TEST_F(ProbeTest, LeavesNoRingBehindWhoeverSpeaksWhileAThreadEnds) {
  ASSERT_EQ(pthread_key_create(&speaking_key, SpeakAtTheEnd), 0);
  const int owned = Now().owned;
  for (int i = 0; i < 200; ++i) {
    std::thread([] {
      pthread_setspecific(speaking_key, &speaking_key);
      count("word", 1);
    }).join();
  }
  EXPECT_EQ(Said(), 200u * (1 + PTHREAD_DESTRUCTOR_ITERATIONS));
  EXPECT_EQ(Now().owned, owned);
  pthread_key_delete(speaking_key);
}

std::atomic<uint64_t> handled{0};
void SpeakInHandler(int) {
  const int saved_errno = errno;
  count("handler", 1);
  handled.fetch_add(1);
  errno = saved_errno;
}

TEST_F(ProbeTest, ASignalHandlerInTheMiddleOfAWordIsDroppedAndCounted) {
  handled = 0;
  struct sigaction action {};
  action.sa_handler = SpeakInHandler;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often = {{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  uint64_t words = 0;
  while (handled.load() < 2000) {
    count("word", 1);
    if (++words % 1000 == 0) RecordNow();
  }
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  EXPECT_EQ(Said(), words + handled.load());
  writer::gordian_probe_thread.busy = 1;  // deterministically
  count("handler", 1);
  writer::gordian_probe_thread.busy = 0;
  EXPECT_GE(Now().dropped_in_handlers, before_.dropped_in_handlers + 1);
}

TEST_F(ProbeTest, AForkedChildHasAFileOfItsOwn) {
  count("parent", 1);
  const uint64_t parents = Now().all();
  const int status = StatusOfChild([] {
    count("child", 1);  // makes the file; is not recorded unless a recorder's mark says so
    if (writer::gordian_probe_state.file == nullptr) return 1;
    if (writer::gordian_probe_state.file->pid != getpid()) return 2;
    RecordNow();
    const uint64_t before = Now().written;
    count("child", 1);
    std::thread([] { count("child", 2); }).join();
    StopRecording();
    writer::gordian_probe_end_process();
    return Now().written == before + 2 ? 0 : 3;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Now().all(), parents);
  count("parent", 2);
  EXPECT_EQ(Now().all(), parents + 1);
}

TEST_F(ProbeTest, AChildOfVforkMaySpeakAndExec) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer makes a fork of vfork";
#endif
  const pid_t child = vfork();
  if (child == 0) {
    count("child", 1);
    execl("/bin/true", "true", nullptr);
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  count("parent", 1);
  EXPECT_EQ(Said(), 2u);
}

// A filter, not seccomp's strict mode: that one forbids reading the clock, too.
bool KillForEverySystemCallButExit() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog filter = {.len = 4, .filter = program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST_F(ProbeTest, SpeaksInASandboxThatKillsForEverySystemCall) {
#ifdef GORDIAN_SANITIZED
  GTEST_SKIP() << "AddressSanitizer makes system calls of its own";
#endif
  const int status = StatusOfChild([] {
    count("child", 0);
    if (writer::gordian_probe_state.file == nullptr) return 1;
    RecordNow();
    probe_prepare();
    const uint64_t before = Now().written;
    if (!KillForEverySystemCallButExit()) return 3;
    for (int i = 0; i < 5; ++i) count("child", i);
    return Now().written == before + 5 ? 0 : 2;
  });
  EXPECT_EQ(status, 0);
}

// Runs with /dev/shm as `mount_options` make it: the program must go on as if nothing were.
int StatusWithSharedMemory(const char* mount_options, unsigned long flags) {
  return StatusOfChild([=] {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return 77;
    if (mount("tmpfs", "/dev/shm", "tmpfs", flags, mount_options) != 0) return 77;
    count("child", 1);  // the file is to be made here
    std::thread([] { count("child", 2); }).join();
    return 0;
  });
}

TEST_F(ProbeTest, GoesOnWhereSharedMemoryIsReadOnlyFullOrOfNoUse) {
  const int status = StatusWithSharedMemory("size=1m", MS_RDONLY);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no right to mount";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(StatusWithSharedMemory("size=4k", 0), 0);      // no room for the header
  EXPECT_EQ(StatusWithSharedMemory("nr_inodes=1", 0), 0);  // no file can be made
}

TEST_F(ProbeTest, WhoFindsNoMemoryForItsRingDropsAndCounts) {
  const int status = StatusOfChild([] {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return 77;
    if (mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1500k") != 0) return 77;
    count("child", 0);
    if (writer::gordian_probe_state.file == nullptr) return 1;
    RecordNow();
    count("child", 1);  // a ring takes 1 MiB
    std::thread([] {
      count("child", 2);
      count("child", 3);
    }).join();
    const Totals totals = Now();
    return totals.written == 1 && totals.dropped == 2 && totals.owned == 1 ? 0 : 2;
  });
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no right to mount";
  EXPECT_EQ(status, 0);
}

TEST_F(ProbeTest, DoesNotRunIntoALimitOnFileSizes) {
  const int status = StatusOfChild([] {
    const rlimit limit = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    count("child", 1);
    return writer::gordian_probe_state.file == nullptr ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

std::string PathOfThisProcess() {
  char path[96];
  writer::gordian_probe_path(writer::gordian_probe_state.created_ns, path, sizeof path);
  return path;
}

// A recorder that runs on this machine marks, keeps and removes files as well.
bool SomebodyRecords() {
  return writer::gordian_probe_read_mark() >= writer::gordian_probe_now_ns();
}

TEST_F(ProbeTest, ItsFileGoesWithItUnlessARecorderMayStillReadIt) {
  if (SomebodyRecords()) GTEST_SKIP() << "somebody records on this machine";
  for (const bool recorded : {false, true}) {
    int told[2];
    ASSERT_EQ(pipe(told), 0);
    const pid_t child = fork();
    if (child == 0) {
      count("child", 1);
      const std::string path = PathOfThisProcess();
      (void)!write(told[1], path.c_str(), path.size() + 1);
      if (recorded) RecordNow();
      writer::gordian_probe_end_process();
      _exit(0);
    }
    char path[128] = "";
    EXPECT_GT(read(told[0], path, sizeof path), 0);
    waitpid(child, nullptr, 0);
    EXPECT_EQ(access(path, F_OK) == 0, recorded) << path;
    unlink(path);
    close(told[0]);
    close(told[1]);
  }
}

TEST_F(ProbeTest, ANewProcessRemovesWhatAKilledOneLeft) {
  if (SomebodyRecords()) GTEST_SKIP() << "somebody records on this machine";
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t killed = fork();
  if (killed == 0) {
    count("child", 1);
    StopRecording();
    const std::string path = PathOfThisProcess();
    (void)!write(told[1], path.c_str(), path.size() + 1);
    raise(SIGKILL);
  }
  char path[128] = "";
  EXPECT_GT(read(told[0], path, sizeof path), 0);
  waitpid(killed, nullptr, 0);
  ASSERT_EQ(access(path, F_OK), 0);
  EXPECT_EQ(StatusOfChild([] {
              count("child", 1);
              StopRecording();
              writer::gordian_probe_end_process();
              return 0;
            }),
            0);
  EXPECT_NE(access(path, F_OK), 0);
  close(told[0]);
  close(told[1]);
}

}  // namespace
}  // namespace gordian
