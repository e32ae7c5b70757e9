// SPDX-License-Identifier: Apache-2.0
#include "recorder/tasks/identity_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace gordian {
namespace {

class IdentityTableTest : public testing::Test {
 protected:
  void Learn(TaskChange change, int32_t tid, uint64_t start_time_ns, const std::string& comm) {
    EventBlock block;
    block.AddTask(
        1, TaskRecord{.change = change, .tid = tid, .start_time_ns = start_time_ns, .comm = comm});
    table_.Learn(block.events[0], block);
  }
  std::map<int32_t, std::string> Alive() {
    EventBlock block;
    table_.Describe(99, {}, block);
    std::map<int32_t, std::string> alive;
    for (const TaskRecord& task : block.tasks) {
      EXPECT_EQ(task.change, TaskChange::kAlive);
      alive[task.tid] = task.comm;
    }
    for (const TraceEvent& event : block.events) EXPECT_EQ(event.time_ns, 99u);
    return alive;
  }
  IdentityTable table_;
};

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST_F(IdentityTableTest, KnowsWhoIsAliveByTheLatestName) {
  Learn(TaskChange::kAlive, 10, 1, "init");
  Learn(TaskChange::kNew, 20, 5, "bash");
  Learn(TaskChange::kExec, 20, 5, "make");
  Learn(TaskChange::kNew, 30, 6, "cc1");
  Learn(TaskChange::kExit, 30, 6, "cc1");
  EXPECT_THAT(Alive(), ElementsAre(Pair(10, "init"), Pair(20, "make")));
}

TEST_F(IdentityTableTest, AReusedTidIsTheNewThreadEvenIfTheOldOnesEndIsHeardLater) {
  Learn(TaskChange::kNew, 20, 5, "old");
  Learn(TaskChange::kNew, 20, 9, "new");
  Learn(TaskChange::kExit, 20, 5, "old");
  EXPECT_THAT(Alive(), ElementsAre(Pair(20, "new")));
  Learn(TaskChange::kExit, 20, 9, "new");
  EXPECT_THAT(Alive(), IsEmpty());
}

TEST_F(IdentityTableTest, TheEndOfAnUnknownThreadIsNoThread) {
  Learn(TaskChange::kExit, 20, 5, "short");
  EXPECT_EQ(table_.threads(), 0u);
}

TEST_F(IdentityTableTest, AProcessKeepsItsCommandUntilItExecs) {
  const auto learn = [this](const TaskRecord& task) {
    EventBlock block;
    block.AddTask(1, task);
    table_.Learn(block.events[0], block);
  };
  const auto command_of = [this](int32_t tid) {
    EventBlock block;
    table_.Describe(99, {}, block);
    for (const TaskRecord& task : block.tasks)
      if (task.tid == tid) return task.command + " in " + task.directory;
    return std::string("not there");
  };
  learn({.change = TaskChange::kAlive,
         .tid = 10,
         .tgid = 10,
         .start_time_ns = 1,
         .command = "make -j8",
         .directory = "/src"});
  learn({.change = TaskChange::kAlive, .tid = 11, .tgid = 10, .start_time_ns = 2});
  learn({.change = TaskChange::kNew, .tid = 20, .tgid = 20, .parent_tid = 11, .start_time_ns = 5});
  EXPECT_EQ(command_of(20), "make -j8 in /src") << "until it execs";
  EXPECT_EQ(command_of(11), " in ") << "only the first thread of a process has it";
  learn({.change = TaskChange::kExec,
         .tid = 20,
         .tgid = 20,
         .start_time_ns = 5,
         .command = "cc a.c",
         .directory = "/src/a"});
  learn({.change = TaskChange::kRename, .tid = 20, .tgid = 20, .start_time_ns = 5, .comm = "x"});
  learn({.change = TaskChange::kAlive, .tid = 20, .tgid = 20, .start_time_ns = 5});  // a pause
  EXPECT_EQ(command_of(20), "cc a.c in /src/a");
  learn({.change = TaskChange::kExec, .tid = 20, .tgid = 20, .start_time_ns = 5});
  EXPECT_EQ(command_of(20), " in ") << "an exec whose command could not be read";
  learn({.change = TaskChange::kNew, .tid = 20, .tgid = 20, .parent_tid = 10, .start_time_ns = 9});
  EXPECT_EQ(command_of(20), "make -j8 in /src") << "another life of that tid";
}

TEST_F(IdentityTableTest, TellsOnlyStatesOfNowAndOfTheSameLife) {
  for (const int32_t tid : {10, 20, 30, 40}) {
    EventBlock block;
    block.AddTask(1, {.tid = tid, .state = 1, .switches = 3, .start_time_ns = 5, .comm = "t"});
    table_.Learn(block.events[0], block);
  }
  EventBlock block;
  table_.Describe(50,
                  {{10, {.time_ns = 61, .start_time_ns = 5, .state = 2}},
                   {20, {.time_ns = 60, .start_time_ns = 5, .state = 1}},
                   {30, {.time_ns = 62, .start_time_ns = 9, .state = 1}},
                   {40, {.time_ns = 64, .start_time_ns = 5, .state = 0}},
                   {50, {.time_ns = 63, .start_time_ns = 5, .state = 1}}},
                  block);
  ASSERT_EQ(block.events.size(), 4u);
  for (size_t i : {0, 1}) {
    EXPECT_EQ(block.events[i].time_ns, 50u);
    EXPECT_EQ(block.tasks[i].state, 0u) << "it was told long ago";
  }
  for (const TaskRecord& task : block.tasks) EXPECT_EQ(task.switches, std::nullopt);
  EXPECT_EQ(block.events[2].time_ns, 60u);
  EXPECT_EQ(block.tasks[2].tid, 20);
  EXPECT_EQ(block.events[3].time_ns, 61u);
  EXPECT_EQ(block.tasks[3].state, 2u);
}

TEST_F(IdentityTableTest, FlowsAreKeptToABound) {
  for (uint32_t id = 1; id <= 70000; ++id) {
    EventBlock block;
    block.AddFlow(1, FlowRecord{.flow_id = id});
    table_.Learn(block.events[0], block);
  }
  EventBlock block;
  table_.Describe(1, {}, block);
  EXPECT_EQ(block.flows.size(), 65536u);
  EXPECT_EQ(table_.flows_forgotten(), 70000u - 65536u);
}

}  // namespace
}  // namespace gordian
