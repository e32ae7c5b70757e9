// SPDX-License-Identifier: Apache-2.0
#include "live/rules/command_run.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/eventfd.h>

#include <chrono>
#include <string>

#include "base/file_descriptor.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

// A shell is asked for, as a rule may.
CommandRun Shell(const std::string& script) {
  return {.words = {"sh", "-c", script}, .limit = 1min, .is_silent = true};
}

TEST(RunToItsEnd, GivesItsInputEnvironmentAndWordsAsTheyAre) {
  const testing::TempDir directory;
  const std::string path = directory / "got";
  CommandRun run = Shell("{ cat; printf '%s|%s|' \"$GORDIAN_RULE\" \"$1\"; } > " + path);
  run.words.insert(run.words.end(), {"sh", "$(touch x); `y`"});
  run.environment = {"GORDIAN_RULE=a b\"c"};
  run.input = "{\"frame\": 1}\n";
  EXPECT_TRUE(RunToItsEnd(run, -1).ok());
  EXPECT_EQ(testing::ReadFile(path), "{\"frame\": 1}\na b\"c|$(touch x); `y`|");
}

TEST(RunToItsEnd, AnInputThatIsNotReadHoldsNothingUp) {
  CommandRun run = Shell("exit 0");
  run.input = std::string(1 << 20, 'x');
  EXPECT_TRUE(RunToItsEnd(run, -1).ok());
}

TEST(RunToItsEnd, TellsHowItEnded) {
  EXPECT_THAT(std::string(RunToItsEnd(Shell("exit 3"), -1).message()), HasSubstr("exited with 3"));
  EXPECT_THAT(std::string(RunToItsEnd(Shell("kill -SEGV $$"), -1).message()),
              HasSubstr("killed by SIGSEGV"));
  EXPECT_TRUE(absl::IsNotFound(RunToItsEnd({.words = {"/no/such/program"}, .limit = 1min}, -1)));
  EXPECT_FALSE(RunToItsEnd({.words = {"/etc/passwd"}, .limit = 1min}, -1).ok());
}

TEST(RunToItsEnd, EndsItAndItsChildrenAtTheLimit) {
  CommandRun run = Shell("sleep 1000 & sleep 1000");
  run.limit = 50ms;
  EXPECT_TRUE(absl::IsDeadlineExceeded(RunToItsEnd(run, -1)));
}

TEST(RunToItsEnd, KillsWhatDoesNotHeed) {
  CommandRun run = Shell("trap '' TERM; while :; do sleep 1; done");
  run.limit = 200ms;
  EXPECT_TRUE(absl::IsDeadlineExceeded(RunToItsEnd(run, -1)));
}

TEST(RunToItsEnd, EndsItWhenItShallStop) {
  const FileDescriptor stop(eventfd(1, EFD_CLOEXEC));
  EXPECT_TRUE(absl::IsCancelled(RunToItsEnd(Shell("sleep 1000"), stop.number())));
}

TEST(RunToItsEnd, GivesNeitherDescriptorsNorBlockedSignals) {
  const FileDescriptor ours(open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const testing::TempDir directory;
  const std::string path = directory / "got";
  const absl::Status ran = RunToItsEnd(Shell("[ ! -e /proc/$$/fd/" + std::to_string(ours.number()) +
                                             " ] && exec grep SigBlk /proc/self/status > " + path),
                                       -1);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_TRUE(ran.ok()) << ran;
  EXPECT_THAT(testing::ReadFile(path), HasSubstr("0000000000000000"));
}

}  // namespace
}  // namespace gordian
