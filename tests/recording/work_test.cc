// SPDX-License-Identifier: Apache-2.0
// What kernel workers do, on the real kernel: a terminal's input is handed on by a worker.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <set>
#include <string>

#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "trace/counters.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

// Writes to a terminal and reads behind it, for a while: the kernel moves each byte by a work.
// Gives how many.
void UseTerminal(std::chrono::milliseconds how_long, uint64_t& rounds) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  const int program = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(program, 0);
  termios raw{};
  ASSERT_EQ(tcgetattr(program, &raw), 0);
  cfmakeraw(&raw);
  ASSERT_EQ(tcsetattr(program, TCSANOW, &raw), 0);
  const auto end = std::chrono::steady_clock::now() + how_long;
  for (rounds = 0; std::chrono::steady_clock::now() < end; ++rounds) {
    char byte = 'x';
    ASSERT_EQ(write(terminal, &byte, 1), 1);
    ASSERT_EQ(read(program, &byte, 1), 1);
  }
  close(program);
  close(terminal);
}

TEST(Work, OfAKernelWorkerIsToldByItsFunction) {
  const TestDirectory folder;
  auto recording = Recording::Start({.directory = folder.path() + "/session"});
  ASSERT_TRUE(recording.ok()) << recording.status();
  // A stretch of work of one kind is told after 100 ms.
  uint64_t rounds = 0;
  UseTerminal(std::chrono::milliseconds(500), rounds);
  ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());

  auto session = SessionReader::Open(folder.path() + "/session");
  ASSERT_TRUE(session.ok()) << session.status();
  std::map<std::string, uint64_t> runs;
  std::set<int32_t> kernel_threads;
  std::set<int32_t> workers;
  uint64_t told = 0;
  MergedEvents events(**session);
  while (events.Next()) {
    const TraceEvent& event = events.event();
    if (event.kind == EventKind::kTask) {
      const TaskRecord& task = events.block().tasks[event.task.index];
      if (task.kernel_thread) kernel_threads.insert(task.tid);
    }
    if (event.kind != EventKind::kWork) continue;
    ++told;
    const std::string& name = events.block().names[event.work.name];
    runs[name] += event.work.runs;
    EXPECT_GT(event.work.duration_ns, 0u);
    workers.insert(event.work.tid);
  }
  // The last stretches are not told. Other terminals may be in use, too.
  std::string names;
  for (const auto& [name, count] : runs) names += name + " ";
  EXPECT_GT(runs["flush_to_ldisc"], rounds / 4) << "of " << rounds << "; there were " << names;
  for (const int32_t worker : workers) EXPECT_TRUE(kernel_threads.contains(worker)) << worker;
  EXPECT_EQ(told + CounterValue((*session)->session(), "records_lost_work"),
            CounterValue((*session)->session(), "records_produced_work"));
}

}  // namespace
}  // namespace gordian
