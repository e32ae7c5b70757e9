// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "recorder/sources/fixture_tree.h"

namespace gordian {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

void AddProcess(const FixtureTree& tree, int32_t pid, int32_t parent, const std::string& comm,
                uint64_t start_ticks = 5) {
  std::string stat = std::to_string(pid) + " (" + comm + ") S " + std::to_string(parent);
  for (int field = 5; field <= 21; ++field) stat += " " + std::to_string(field);
  tree.Write("proc/" + std::to_string(pid) + "/stat",
             stat + " " + std::to_string(start_ticks) + " 23 24\n");
}

TEST(Process, NamesMayHoldWhatLooksLikeTheRestOfTheLine) {
  FixtureTree tree;
  AddProcess(tree, 10, 1, "a) R 7 (b\nc ", 4711);
  const absl::StatusOr<ProcessStat> stat = ReadProcessStat(tree.paths(), 10);
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(stat->comm, "a) R 7 (b\nc ");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent_pid, 1);
  EXPECT_EQ(stat->start_time_ticks, 4711u);
  EXPECT_EQ(StartTimeNs(*stat), 4711u * (1'000'000'000 / sysconf(_SC_CLK_TCK)));
}

TEST(Process, WhoIsNotThereOrNotReadableIsNotFound) {
  FixtureTree tree;
  for (const char* text :
       {"", "10", "10 (", "10 (x", "10 (x) S", "10 (x) S one 2 3", "11 (x) S 1 5 6 7", ")10(",
        "10 (x) SS 1 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22"}) {
    tree.Write("proc/10/stat", text);
    EXPECT_FALSE(ProcessExists(tree.paths(), 10)) << text;
  }
  EXPECT_EQ(ReadProcessStat(tree.paths(), 12).status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(ProcessExists(tree.paths(), 0));
  EXPECT_FALSE(ProcessExists(tree.paths(), -1));
}

TEST(Process, DescendantsAreTheWholeTreeParentsFirst) {
  FixtureTree tree;
  AddProcess(tree, 1, 0, "init");
  AddProcess(tree, 2, 1, "service");
  AddProcess(tree, 30, 2, "worker");
  AddProcess(tree, 20, 30, "grandchild");
  AddProcess(tree, 4, 1, "other");
  tree.MakeFolder("proc/irq");
  EXPECT_THAT(ReadDescendants(tree.paths(), 2), ElementsAre(30, 20));
  EXPECT_THAT(ReadDescendants(tree.paths(), 1), UnorderedElementsAre(2, 30, 20, 4));
  EXPECT_THAT(ReadDescendants(tree.paths(), 4), IsEmpty());
}

TEST(Process, ParentsInACircleEnd) {
  FixtureTree tree;
  AddProcess(tree, 5, 6, "a");
  AddProcess(tree, 6, 5, "b");
  AddProcess(tree, 7, 7, "c");
  EXPECT_THAT(ReadDescendants(tree.paths(), 5), ElementsAre(6));
  EXPECT_THAT(ReadDescendants(tree.paths(), 7), IsEmpty());
}

TEST(Process, ACommandLineIsCutAtItsLimit) {
  FixtureTree tree;
  tree.Write("proc/10/cmdline", std::string("sh\0-c\0\0exit", 11));
  EXPECT_THAT(ReadCommandLine(tree.paths(), 10), ElementsAre("sh", "-c", "", "exit"));
  EXPECT_THAT(ReadCommandLine(tree.paths(), 10, 5), ElementsAre("sh", "-c"));
  EXPECT_THAT(ReadCommandLine(tree.paths(), 11), IsEmpty());
}

TEST(Process, OnThisMachineAChildIsFoundUntilItIsReaped) {
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    close(gate[1]);
    _exit(read(gate[0], &byte, 1) == 0 ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  close(gate[0]);
  const SystemPaths paths;
  const absl::StatusOr<ProcessStat> stat = ReadProcessStat(paths, child);
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(stat->parent_pid, getpid());
  EXPECT_EQ(stat->comm, ReadProcessStat(paths, getpid())->comm);
  EXPECT_THAT(ReadDescendants(paths, getpid()), Contains(child));
  EXPECT_THAT(ReadCommandLine(paths, child), ::testing::Not(IsEmpty()));
  close(gate[1]);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(ProcessExists(paths, child));
}

}  // namespace
}  // namespace gordian
