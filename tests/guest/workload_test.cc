// SPDX-License-Identifier: Apache-2.0
// The workload's promises, kept on this machine: they judge the guests' recordings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "tests/guest/workload_report.h"

namespace gordian {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;

struct Output {
  std::string text;
  int status = -1;  // as wait() gives it
};

Output RunWorkload(const std::string& arguments) {
  Output output;
  FILE* pipe = popen((std::string(WORKLOAD_PROGRAM " ") + arguments).c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> part;
  size_t length;
  while ((length = fread(part.data(), 1, part.size(), pipe)) > 0)
    output.text.append(part.data(), length);
  output.status = pclose(pipe);
  return output;
}

auto Thread(const std::string& role, const std::string& woken_by, const std::string& context,
            uint64_t operations) {
  return AllOf(Field("role", &WorkloadThread::role, role),
               Field("woken_by", &WorkloadThread::woken_by, woken_by),
               Field("context", &WorkloadThread::context, context),
               Field("operations", &WorkloadThread::operations, operations));
}

TEST(Workload, TellsWhoEndsWhoseWaitsAndBlocksOncePerTurn) {
  const std::string file = testing::TempDir() + "/workload_test_file";
  const Output output = RunWorkload("--pings 50 --sleeps 3 --syncs 4 --echoes 30 --file " + file);
  ASSERT_EQ(output.status, 0);
  const absl::StatusOr<WorkloadReport> report = ParseWorkloadReport(output.text);
  ASSERT_TRUE(report.ok()) << report.status() << "\n" << output.text;
  EXPECT_THAT(
      report->threads,
      ElementsAre(Thread("ping", "pong", "thread", 50), Thread("pong", "ping", "thread", 50),
                  Thread("far_ping", "far_pong", "thread", 50),
                  Thread("far_pong", "far_ping", "thread", 50), Thread("sleeper", "", "timer", 3),
                  Thread("syncer", "", "disk", 4), Thread("client", "server", "net", 30),
                  Thread("server", "client", "net", 30)));
  for (const WorkloadThread& thread : report->threads) {
    if (thread.in_turns) {
      EXPECT_EQ(thread.blocks, thread.operations) << thread.role;
    }
  }
  // Root may take turns under SCHED_FIFO: then the promise above was not empty.
  if (geteuid() == 0) {
    EXPECT_TRUE(report->threads[0].in_turns);
  }
}

TEST(Workload, RefusesWhatItDoesNotKnow) {
  for (const std::string arguments : {"--pings", "--pings x", "--pings -1", "--unknown 1"}) {
    EXPECT_EQ(WEXITSTATUS(RunWorkload(arguments + " 2>/dev/null").status), 2) << arguments;
  }
}

}  // namespace
}  // namespace gordian
