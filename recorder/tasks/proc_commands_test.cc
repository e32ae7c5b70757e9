// SPDX-License-Identifier: Apache-2.0
#include "recorder/tasks/proc_commands.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "words/command_line.h"

namespace gordian {
namespace {

using namespace std::string_view_literals;

constexpr uint64_t kLongNs = 60'000'000'000;

// A /proc with the test's contents.
class ProcCommandsTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/gordian-proc-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    paths_.proc = folder;
  }
  void TearDown() override { std::filesystem::remove_all(paths_.proc); }
  void AddProcess(int pid, std::string_view command_line, const std::string& directory) {
    const std::string folder = paths_.proc + "/" + std::to_string(pid);
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/cmdline") << command_line;
    if (!directory.empty()) std::filesystem::create_symlink(directory, folder + "/cwd");
  }
  TaskRecord Read(TaskRecord task) {
    std::vector<TaskRecord> tasks = {std::move(task)};
    EXPECT_EQ(ReadCommands(paths_, kLongNs, tasks), 0u);
    return tasks[0];
  }
  SystemPaths paths_;
};

TEST_F(ProcCommandsTest, AProcessHasItsCommandLineAndDirectory) {
  AddProcess(50,
             "server\0--port\0"
             "80\0"sv,
             "/srv/data");
  const TaskRecord server = Read({.tid = 50, .tgid = 50});
  EXPECT_EQ(server.command, "server --port 80");
  EXPECT_EQ(server.directory, "/srv/data");
}

TEST_F(ProcCommandsTest, ThreadsAndKernelThreadsHaveNone) {
  AddProcess(50, "server\0"sv, "/srv");
  AddProcess(51, "server\0"sv, "/srv");
  EXPECT_EQ(Read({.tid = 51, .tgid = 50}).command, "");
  EXPECT_EQ(Read({.kernel_thread = true, .tid = 50, .tgid = 50}).command, "");
}

TEST_F(ProcCommandsTest, SecretsAreMasked) {
  AddProcess(50, "client\0--password=abc\0"sv, "");
  EXPECT_EQ(Read({.tid = 50, .tgid = 50}).command, "client --password=***");
}

TEST_F(ProcCommandsTest, WhatIsLongIsCut) {
  AddProcess(50, std::string(5000, 'a'), "/" + std::string(1000, 'd') + "/end");
  const TaskRecord long_one = Read({.tid = 50, .tgid = 50});
  EXPECT_EQ(long_one.command.size(), kMaxCommandBytes);
  EXPECT_TRUE(long_one.command.ends_with("…"));
  EXPECT_LE(long_one.directory.size(), kMaxCommandBytes);
  EXPECT_TRUE(long_one.directory.ends_with("/end"));
}

TEST_F(ProcCommandsTest, AProcessThatEndedStaysWithout) {
  const TaskRecord gone = Read({.tid = 50, .tgid = 50});
  EXPECT_EQ(gone.command, "");
  EXPECT_EQ(gone.directory, "");
}

TEST_F(ProcCommandsTest, OnesThatTimeDoesNotAllowAreCounted) {
  AddProcess(50, "server\0"sv, "/srv");
  std::vector<TaskRecord> tasks = {{.tid = 50, .tgid = 50}, {.tid = 51, .tgid = 51}};
  EXPECT_EQ(ReadCommands(paths_, 0, tasks), 2u);
  EXPECT_EQ(tasks[0].command, "");
}

}  // namespace
}  // namespace gordian
