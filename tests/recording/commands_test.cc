// SPDX-License-Identifier: Apache-2.0
// Command lines and working directories of processes, on the real kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "tests/support/recorded_session.h"
#include "words/clean_text.h"
#include "words/command_line.h"

namespace gordian::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kTrue[] = "/bin/true";

// A process that execs `program` in `directory`.
pid_t Spawn(const std::string& program, std::vector<std::string> arguments,
            const std::string& directory) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  if (chdir(directory.c_str()) == 0) execv(program.c_str(), words.data());
  _exit(1);
}

class Commands : public ::testing::Test {
 protected:
  void Start(bool commands = true) {
    auto recording = Recording::Start({.directory = folder_.path() + "/session",
                                       .command = {"program", "--token", "abc"},
                                       .commands = commands});
    ASSERT_TRUE(recording.ok()) << recording.status();
    recording_ = *std::move(recording);
  }
  void Stop() {
    ASSERT_TRUE(recording_->Stop(EndReason::kAsked).ok());
    auto session = LoadSession(folder_.path() + "/session");
    ASSERT_TRUE(session.ok()) << session.status();
    recorded_ = *std::move(session);
  }
  pid_t Run(const std::string& program, const std::vector<std::string>& arguments,
            const std::string& directory = "/") {
    const pid_t pid = Spawn(program, arguments, directory);
    int status = -1;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
    return pid;
  }
  std::vector<TaskRecord> Told(pid_t pid, TaskChange change) const {
    std::vector<TaskRecord> told;
    for (const TaskRecord& task : recorded_.tasks)
      if (task.tid == pid && task.change == change) told.push_back(task);
    return told;
  }
  // Of the only exec of that process.
  TaskRecord Exec(pid_t pid) const {
    const std::vector<TaskRecord> execs = Told(pid, TaskChange::kExec);
    EXPECT_EQ(execs.size(), 1u);
    return execs.empty() ? TaskRecord{} : execs[0];
  }

  const TestDirectory folder_;
  std::unique_ptr<Recording> recording_;
  RecordedSession recorded_;
};

TEST_F(Commands, OfAnExecAreToldWithItsDirectory) {
  const std::string deep = folder_.path() + "/a/b c/d";
  std::filesystem::create_directories(deep);
  Start();
  const pid_t in_root = Run(kTrue, {"true", "-o", "main.o"});
  const pid_t in_folder = Run(kTrue, {"true"}, deep);
  Stop();
  EXPECT_EQ(Exec(in_root).command, "true -o main.o");
  EXPECT_EQ(Exec(in_root).directory, "/");
  EXPECT_EQ(Exec(in_folder).directory, std::filesystem::canonical(deep));
  EXPECT_TRUE(recorded_.session.options().commands());
}

TEST_F(Commands, OfEachExecOfAProcessAreTold) {
  Start();
  const pid_t pid = Run("/bin/sh", {"sh", "-c", "cd /usr && exec /bin/true last"});
  Stop();
  std::vector<std::string> told;
  for (const TaskRecord& exec : Told(pid, TaskChange::kExec))
    told.push_back(exec.comm + " in " + exec.directory + ": " + exec.command);
  EXPECT_THAT(told, ElementsAre("sh in /: sh -c cd /usr && exec /bin/true last",
                                "true in /usr: /bin/true last"));
}

TEST_F(Commands, OfAProcessThatLivesAlreadyAreTold) {
  const pid_t pid = Spawn("/bin/sleep", {"sleep", "1000"}, "/usr");
  // It has execed once it has another name than this test.
  const std::string comm = "/proc/" + std::to_string(pid) + "/exe";
  while (std::filesystem::read_symlink(comm) == std::filesystem::read_symlink("/proc/self/exe"))
    usleep(1000);
  Start();
  Stop();
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  const std::vector<TaskRecord> alive = Told(pid, TaskChange::kAlive);
  ASSERT_EQ(alive.size(), 1u);
  EXPECT_EQ(alive[0].command, "sleep 1000");
  EXPECT_EQ(alive[0].directory, "/usr");
}

TEST_F(Commands, SecretsAreNotRecorded) {
  Start();
  const pid_t pid = Run(kTrue, {"true", "--password", "Zecre7", "http://me:Zecre7@host/"});
  Stop();
  EXPECT_EQ(Exec(pid).command, "true --password *** http://me:***@host/");
  EXPECT_THAT(recorded_.session.command(), ElementsAre("program", "--token", "***"));
}

TEST_F(Commands, HostileArgumentsAreBoundedAndHarmless) {
  const std::string hostile = "\x1b[31m\n\xff\u202e";
  Start();
  const pid_t none = Run(kTrue, {});
  const pid_t control = Run(kTrue, {hostile, hostile});
  const pid_t huge = Run(kTrue, {"true", std::string(100'000, 'x')});
  std::vector<std::string> many(5000, "");
  many[0] = "true";
  const pid_t empty = Run(kTrue, many);
  Stop();
  EXPECT_THAT(Exec(none).command, IsEmpty());
  EXPECT_THAT(Exec(control).command, HasSubstr("\uFFFD[31m \uFFFD\uFFFD"));
  EXPECT_EQ(Exec(huge).command.size(), kMaxCommandBytes);
  EXPECT_TRUE(Exec(huge).command.ends_with("xxx…"));
  EXPECT_THAT(Exec(empty).command, HasSubstr("true"));
  for (const TaskRecord& task : recorded_.tasks) {
    EXPECT_LE(task.command.size(), kMaxCommandBytes);
    EXPECT_EQ(CleanText(task.command), task.command);
    EXPECT_LE(task.directory.size(), kMaxCommandBytes);
    EXPECT_EQ(CleanText(task.directory), task.directory);
  }
}

TEST_F(Commands, OfADeepDirectoryTheEndIsTold) {
  std::string deep = folder_.path();
  for (int i = 0; i < 60; ++i) deep += "/folder" + std::to_string(i);
  std::filesystem::create_directories(deep);
  Start();
  const pid_t pid = Run(kTrue, {"true"}, deep);
  Stop();
  EXPECT_TRUE(Exec(pid).directory.starts_with("…/"));
  EXPECT_TRUE(Exec(pid).directory.ends_with("/folder58/folder59"));
}

TEST_F(Commands, AreNotRecordedIfNotWanted) {
  Start(false);
  const pid_t pid = Run(kTrue, {"true", "-o", "main.o"});
  Stop();
  EXPECT_EQ(Exec(pid).comm, "true");
  for (const TaskRecord& task : recorded_.tasks) {
    EXPECT_EQ(task.command, "");
    EXPECT_EQ(task.directory, "");
  }
  EXPECT_FALSE(recorded_.session.options().commands());
  EXPECT_THAT(recorded_.session.command(), ElementsAre("program"));
}

}  // namespace
}  // namespace gordian::testing
