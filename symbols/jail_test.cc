// SPDX-License-Identifier: Apache-2.0
#include "symbols/jail.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr JailLimits kLimits = {.max_memory_bytes = 256 << 20,
                                .max_cpu_seconds = 100,
                                .max_wall_seconds = 200,
                                .max_reply_bytes = 64 << 20};

struct Outcome {
  bool whole = false;
  std::vector<std::string> messages;
};

Outcome RunInside(const std::function<void(const JailSend&)>& inside, JailLimits limits = kLimits,
                  std::span<const int> files = {}) {
  Outcome outcome;
  outcome.whole = RunInJail(limits, files, inside, [&outcome](std::string_view message) {
    outcome.messages.emplace_back(message);
    return true;
  });
  return outcome;
}

TEST(Jail, DeliversMessagesInOrder) {
  const std::string large(3 << 20, 'x');
  const Outcome outcome = RunInside([&large](const JailSend& send) {
    send("one");
    send(large);
    send("three");
  });
  EXPECT_TRUE(outcome.whole);
  EXPECT_THAT(outcome.messages, ElementsAre("one", large, "three"));
}

std::function<void(const JailSend&)> UseCpuFor(std::chrono::milliseconds time) {
  return [time](const JailSend& send) {
    const std::clock_t begin = std::clock();
    while (std::clock() - begin < time.count() * CLOCKS_PER_SEC / 1000) {
    }
    send("done");
  };
}

TEST(Jail, TellsTheChildsProcessorTime) {
  ReadingAccount account;
  JailLimits limits = kLimits;
  limits.account = &account;
  RunInside(UseCpuFor(std::chrono::milliseconds(50)), limits);
  EXPECT_GE(account.spent_ns(), 50'000'000);
}

TEST(Jail, KeepsToThePaceOfItsAccount) {
  ReadingPace pace(20'000'000);
  ReadingAccount account(pace);
  JailLimits limits = kLimits;
  limits.account = &account;
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = RunInside(UseCpuFor(std::chrono::milliseconds(60)), limits);
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(outcome.whole);
  EXPECT_GE(account.spent_ns(), 60'000'000);
  // On a busy machine it may overdraw a little: then it waits longer.
  EXPECT_GE(took, std::chrono::seconds(1));
}

TEST(Jail, DoesNotCountItsStopsAsWallTime) {
  ReadingPace pace(10'000'000);
  ReadingAccount account(pace);
  JailLimits limits = kLimits;
  limits.account = &account;
  limits.max_wall_seconds = 3;
  // Spent in the future, so the stop is longer than the limit.
  const auto later = std::chrono::steady_clock::now() + std::chrono::seconds(4);
  pace.Spend(10'000'000, std::chrono::nanoseconds(later.time_since_epoch()).count());
  EXPECT_TRUE(RunInside([](const JailSend& send) { send("done"); }, limits).whole);
}

TEST(Jail, IsNoLongerStoppedOnceItsAccountIsInAHurry) {
  ReadingPace pace(1);  // a nanosecond a second: without a hurry it would never end
  ReadingAccount account(pace);
  JailLimits limits = kLimits;
  limits.account = &account;
  std::thread hurry([&account] {
    while (account.spent_ns() == 0) std::this_thread::yield();
    account.Hurry();
  });
  EXPECT_TRUE(RunInside(UseCpuFor(std::chrono::milliseconds(20)), limits).whole);
  hurry.join();
}

// Whether it leaves the idle class is seen while it runs: it has no end of its own.
TEST(Jail, HasAShareOfBusyCpusAtOnceIfItsAccountIsInAHurry) {
  ReadingAccount account;
  account.Hurry();
  JailLimits limits = kLimits;
  limits.account = &account;
  const std::string children_path = absl::StrCat("/proc/self/task/", ::gettid(), "/children");
  bool was_idle_only = true;
  RunInJail(
      limits, {},
      [](const JailSend& send) {
        while (send("x")) {
        }
      },
      [&](std::string_view) {
        pid_t child = 0;
        std::ifstream(children_path) >> child;
        was_idle_only = ::sched_getscheduler(child) == SCHED_IDLE;
        return was_idle_only;
      });
  EXPECT_FALSE(was_idle_only);
}

// The only child of that process' first thread once it is stopped.
pid_t AwaitStoppedChild(pid_t parent) {
  const std::string children_path = absl::StrCat("/proc/", parent, "/task/", parent, "/children");
  for (;;) {
    pid_t child = 0;
    if (!(std::ifstream(children_path) >> child)) continue;
    std::string number, name, state;
    std::ifstream(absl::StrCat("/proc/", child, "/stat")) >> number >> name >> state;
    if (state == "T") return child;
  }
}

TEST(Jail, DoesNotOutliveAKilledParentAlsoIfItIsStoppedAtOnce) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // so that this process hears of its end
  for (int round = 0; round < 20; ++round) {
    const pid_t parent = ::fork();
    if (parent == 0) {
      ReadingPace pace(1);
      pace.Spend(1'000'000'000, INT64_MAX / 2);  // never again
      ReadingAccount account(pace);
      JailLimits limits = kLimits;
      limits.account = &account;
      // Comes to no end by itself: on a busy machine it would be gone before the first stop.
      RunInside(
          [](const JailSend&) {
            for (;;) ::sched_yield();
          },
          limits);
      ::_exit(0);
    }
    const pid_t child = AwaitStoppedChild(parent);
    ::kill(parent, SIGKILL);
    ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(Jail, KeepsWhatWasSaidBeforeACrash) {
  const std::function<void()> crashes[] = {
      [] { std::abort(); },
      [] { __builtin_trap(); },
      [] {
        auto* page = static_cast<volatile char*>(
            ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        *page = 0;
      },
      [] { ::_exit(0); },
  };
  for (const std::function<void()>& crash : crashes) {
    const Outcome outcome = RunInside([&crash](const JailSend& send) {
      send("before");
      crash();
    });
    EXPECT_FALSE(outcome.whole);
    EXPECT_THAT(outcome.messages, ElementsAre("before"));
  }
}

TEST(Jail, ReportsAnEndWithoutAWord) {
  const Outcome outcome = RunInside([](const JailSend&) { ::_exit(0); });
  EXPECT_FALSE(outcome.whole);
  EXPECT_THAT(outcome.messages, IsEmpty());
}

TEST(Jail, EndsWhatUsesTooMuchProcessorTime) {
  JailLimits limits = kLimits;
  limits.max_cpu_seconds = 1;
  const Outcome outcome = RunInside(
      [](const JailSend& send) {
        send("before");
        for (volatile bool forever = true; forever;) {
        }
      },
      limits);
  EXPECT_FALSE(outcome.whole);
  EXPECT_THAT(outcome.messages, ElementsAre("before"));
}

TEST(Jail, EndsWhatShallStop) {
  JailLimits limits = kLimits;
  std::atomic<bool> stop = false;
  limits.stop = &stop;
  std::vector<std::string> messages;
  const bool whole = RunInJail(
      limits, {},
      [](const JailSend& send) {
        send("begun");
        for (;;) ::sched_yield();
      },
      [&](std::string_view message) {
        messages.emplace_back(message);
        stop = true;
        return true;
      });
  EXPECT_FALSE(whole);
  EXPECT_THAT(messages, ElementsAre("begun"));
}

TEST(Jail, EndsWhatNeverComesToAnEnd) {
  JailLimits limits = kLimits;
  limits.max_wall_seconds = 1;
  int never[2];
  ASSERT_EQ(::pipe2(never, O_CLOEXEC), 0);
  const Outcome outcome = RunInside(
      [&never](const JailSend&) {
        char byte = 0;
        while (::read(never[0], &byte, 1) != 1) {
        }
      },
      limits, never);
  ::close(never[0]);
  ::close(never[1]);
  EXPECT_FALSE(outcome.whole);
}

TEST(Jail, BoundsMemory) {
  const Outcome outcome = RunInside([](const JailSend& send) {
    const auto get = [](size_t bytes) {
      return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    };
    send(get(100 << 20) == MAP_FAILED ? "refused" : "granted");
    send(get(300 << 20) == MAP_FAILED ? "refused" : "granted");
  });
  EXPECT_TRUE(outcome.whole);
  EXPECT_THAT(outcome.messages, ElementsAre("granted", "refused"));
}

TEST(Jail, BoundsWhatIsSaid) {
  JailLimits limits = kLimits;
  limits.max_reply_bytes = 10000;
  const Outcome outcome = RunInside(
      [](const JailSend& send) {
        while (send(std::string(1000, 'x'))) {
        }
      },
      limits);
  EXPECT_FALSE(outcome.whole);
  EXPECT_LE(outcome.messages.size(), 10u);
}

TEST(Jail, EndsWhenNobodyWantsTheMessage) {
  int taken = 0;
  EXPECT_FALSE(RunInJail(
      kLimits, {},
      [](const JailSend& send) {
        while (send("again")) {
        }
      },
      [&taken](std::string_view) { return ++taken < 3; }));
  EXPECT_EQ(taken, 3);
}

TEST(Jail, AllowsNeitherFilesNorSocketsNorSignals) {
  const pid_t parent = ::getpid();
  const Outcome outcome = RunInside([parent](const JailSend& send) {
    const auto say = [&send](bool done) { send(done ? "done" : "refused"); };
    say(::open("/dev/null", O_RDONLY) >= 0);
    say(::open("/tmp", O_RDWR | O_TMPFILE, 0600) >= 0);
    say(::socket(AF_INET, SOCK_STREAM, 0) >= 0);
    say(::kill(parent, 0) == 0);
    say(::unlink("/nonexistent/file") == 0 || errno != EPERM);
    say(::fork() >= 0);
    say(::fcntl(0, F_SETOWN, parent) == 0);
    say(::execl("/bin/true", "true", nullptr) == 0 || errno != EPERM);
  });
  EXPECT_TRUE(outcome.whole);
  EXPECT_THAT(outcome.messages, SizeIs(8));
  EXPECT_THAT(outcome.messages, Each("refused"));
}

TEST(Jail, KeepsOpenOnlyTheFilesItIsGiven) {
  const int given = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  const int other = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  const int files[] = {given};
  const Outcome outcome = RunInside(
      [given, other](const JailSend& send) {
        char byte = 0;
        send(::pread(given, &byte, 1, 0) == 1 ? "open" : "closed");
        send(::pread(other, &byte, 1, 0) == 1 ? "open" : "closed");
      },
      kLimits, files);
  ::close(given);
  ::close(other);
  EXPECT_THAT(outcome.messages, ElementsAre("open", "closed"));
}

}  // namespace
}  // namespace gordian
