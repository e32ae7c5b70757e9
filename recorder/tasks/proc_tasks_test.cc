// SPDX-License-Identifier: Apache-2.0
#include "recorder/tasks/proc_tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "recorder/sources/process.h"

namespace gordian {
namespace {

// A /proc with the test's contents. Ticks are 10 ms, as everywhere on Linux.
class ProcTasksTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/gordian-proc-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    paths_.proc = folder;
  }
  void TearDown() override { std::filesystem::remove_all(paths_.proc); }
  void AddThread(int pid, int tid, const std::string& comm, char state, int parent,
                 uint64_t start_ticks) {
    std::filesystem::create_directories(paths_.proc + "/" + std::to_string(pid) + "/task/" +
                                        std::to_string(tid));
    std::filesystem::create_directories(paths_.proc + "/" + std::to_string(tid));
    std::ofstream(paths_.proc + "/" + std::to_string(tid) + "/stat")
        << tid << " (" << comm << ") " << state << " " << parent
        << " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 " << start_ticks << " 0 0";
  }
  SystemPaths paths_;
};

TEST_F(ProcTasksTest, TellsOnlyWhoIsNotKnownAndBeganBefore) {
  AddThread(1, 1, "init", 'S', 0, 5);
  AddThread(50, 50, "server", 'S', 1, 100);
  AddThread(50, 51, "worker (1)", 'D', 1, 110);
  AddThread(60, 60, "later", 'R', 1, 200);
  const std::vector<TaskRecord> tasks = ReadTasksNotIn(paths_, {50}, 200 * 10'000'000ull);
  ASSERT_EQ(tasks.size(), 2u);
  const TaskRecord& init = tasks[0].tid == 1 ? tasks[0] : tasks[1];
  const TaskRecord& worker = tasks[0].tid == 1 ? tasks[1] : tasks[0];
  EXPECT_EQ(init.comm, "init");
  EXPECT_EQ(worker.tid, 51);
  EXPECT_EQ(worker.tgid, 50);
  EXPECT_EQ(worker.comm, "worker (1)");
  EXPECT_EQ(worker.state, kStateUninterruptible);
  EXPECT_EQ(worker.start_time_ns, 0u);
  EXPECT_EQ(worker.change, TaskChange::kAlive);
}

// /proc tells the beginning of a clock tick. A fork that the hook saw a moment after it was
// attached may be in that tick.
TEST_F(ProcTasksTest, AThreadThatBeganInTheSameTickIsLeftToTheForkHook) {
  AddThread(50, 50, "server", 'S', 1, 199);
  const uint64_t tick_ns = ClockTickNs();
  EXPECT_EQ(ReadTasksNotIn(paths_, {}, 200 * tick_ns).size(), 1u);
  EXPECT_THAT(ReadTasksNotIn(paths_, {}, 199 * tick_ns + tick_ns / 2), testing::IsEmpty());
}

TEST_F(ProcTasksTest, KernelThreadsAreToldAsSuch) {
  AddThread(2, 2, "kthreadd", 'S', 0, 0);
  AddThread(7, 7, "ksoftirqd/0", 'S', 2, 1);
  for (const TaskRecord& task : ReadTasksNotIn(paths_, {}, 1'000'000'000))
    EXPECT_TRUE(task.kernel_thread) << task.comm;
}

TEST_F(ProcTasksTest, AThreadThatEndsMeanwhileIsLeftOut) {
  AddThread(50, 50, "server", 'S', 1, 100);
  std::filesystem::remove(paths_.proc + "/50/stat");
  EXPECT_THAT(ReadTasksNotIn(paths_, {}, ~0ull), testing::IsEmpty());
}

TEST_F(ProcTasksTest, AMissingProcIsAnEmptyOne) {
  paths_.proc += "/not/there";
  EXPECT_THAT(ReadTasksNotIn(paths_, {}, ~0ull), testing::IsEmpty());
}

}  // namespace
}  // namespace gordian
