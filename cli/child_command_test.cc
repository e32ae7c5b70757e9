// SPDX-License-Identifier: Apache-2.0
#include "cli/child_command.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace gordian {
namespace {

sigset_t OwnMask() {
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  return mask;
}

int WaitFor(ChildCommand& child) {
  while (!child.Poll()) usleep(1000);
  return *child.Poll();
}

TEST(ChildCommand, DoesNothingBeforeItIsLetGo) {
  const std::string file = testing::TempDir() + "/child_command_test_file";
  unlink(file.c_str());
  {
    auto child = ChildCommand::Prepare({"touch", file}, OwnMask());
    ASSERT_TRUE(child.ok());
    EXPECT_FALSE(child->Poll());
    EXPECT_NE(access(file.c_str(), F_OK), 0);
  }
  EXPECT_NE(access(file.c_str(), F_OK), 0)
      << "a child that was never let go must not run its program";
  auto child = ChildCommand::Prepare({"touch", file}, OwnMask());
  ASSERT_TRUE(child.ok());
  ASSERT_TRUE(child->Go().ok());
  EXPECT_EQ(WaitFor(*child), 0);
  EXPECT_EQ(access(file.c_str(), F_OK), 0);
  unlink(file.c_str());
}

TEST(ChildCommand, AProgramThatCannotBeRunIsAnErrorThatNamesIt) {
  auto child = ChildCommand::Prepare({"/nowhere/program"}, OwnMask());
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child->Go().message(), "cannot run /nowhere/program: No such file or directory");
}

TEST(ChildCommand, TellsHowItEnded) {
  auto failing = ChildCommand::Prepare({"sh", "-c", "exit 3"}, OwnMask());
  ASSERT_TRUE(failing.ok() && failing->Go().ok());
  EXPECT_EQ(DescribeFailure(WaitFor(*failing)), "exited with 3");
  auto killed = ChildCommand::Prepare({"sh", "-c", "kill -SEGV $$"}, OwnMask());
  ASSERT_TRUE(killed.ok() && killed->Go().ok());
  EXPECT_EQ(DescribeFailure(WaitFor(*killed)), "was killed by SIGSEGV");
  auto fine = ChildCommand::Prepare({"true"}, OwnMask());
  ASSERT_TRUE(fine.ok() && fine->Go().ok());
  EXPECT_EQ(DescribeFailure(WaitFor(*fine)), "");
}

TEST(ChildCommand, EndingItEndsAProgramThatStillRuns) {
  auto child = ChildCommand::Prepare({"sleep", "1000"}, OwnMask());
  ASSERT_TRUE(child.ok() && child->Go().ok());
  child->End();
  ASSERT_TRUE(child->Poll());
  EXPECT_EQ(DescribeFailure(*child->Poll()), "was killed by SIGTERM");
}

TEST(ChildCommand, RunsWithTheMaskItIsGiven) {
  sigset_t blocked = OwnMask();
  sigaddset(&blocked, SIGUSR1);
  const sigset_t before = OwnMask();
  sigprocmask(SIG_SETMASK, &blocked, nullptr);
  auto child = ChildCommand::Prepare({"sh", "-c", "kill -USR1 $$; exit 3"}, before);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(child.ok() && child->Go().ok());
  EXPECT_EQ(DescribeFailure(WaitFor(*child)), "was killed by SIGUSR1");
}

}  // namespace
}  // namespace gordian
