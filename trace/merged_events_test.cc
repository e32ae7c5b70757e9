// SPDX-License-Identifier: Apache-2.0
// Streams come out merged by time, however their blocks lie.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;

// Blocks may reach into the time of the one before, as where a drain cuts a stream with small
// inversions.
RC_GTEST_PROP(MergedEvents, GiveAllEventsInOrderOfTime, ()) {
  const TemporaryDirectory directory;
  auto writer = SessionWriter::Create(directory / "s", {});
  RC_ASSERT(writer.ok());
  RC_ASSERT((*writer)->WriteSession({}).ok());
  std::vector<uint64_t> all_times_ns;
  const int cpus = *rc::gen::inRange(1, 5);
  for (int cpu = 0; cpu < cpus; ++cpu) {
    uint64_t begin_ns = *rc::gen::inRange<uint64_t>(0, 1000);
    uint64_t end_of_block_before_ns = 0;
    const int blocks = *rc::gen::inRange(0, 6);
    for (int i = 0; i < blocks; ++i) {
      std::vector<uint64_t> times_ns = {begin_ns};
      for (const uint64_t step_ns :
           *rc::gen::container<std::vector<uint64_t>>(rc::gen::inRange<uint64_t>(0, 100))) {
        times_ns.push_back(times_ns.back() + step_ns);
      }
      all_times_ns.insert(all_times_ns.end(), times_ns.begin(), times_ns.end());
      // Anywhere behind the block before this one, so that no more than two overlap.
      begin_ns =
          *rc::gen::inRange(std::max(begin_ns, end_of_block_before_ns), times_ns.back() + 50);
      end_of_block_before_ns = times_ns.back();
      EventBlock block = SwitchBlock(static_cast<uint16_t>(cpu), times_ns);
      RC_ASSERT((*writer)->AppendEvents(block).ok());
    }
  }
  std::sort(all_times_ns.begin(), all_times_ns.end());
  auto reader = SessionReader::Open(directory / "s");
  RC_ASSERT(reader.ok());
  RC_ASSERT(MergedTimes(**reader) == all_times_ns);
}

TEST(MergedEvents, AtEqualTimesTasksComeFirstThenCpusThenBlocks) {
  const TemporaryDirectory directory;
  auto writer = SessionWriter::Create(directory / "s", {});
  ASSERT_TRUE(writer.ok());
  EventBlock one = SwitchBlock(1, {50});
  EventBlock zero = SwitchBlock(0, {40, 50});
  EventBlock zero_again = SwitchBlock(0, {50, 60});
  zero_again.events.front().sched_switch.next_tid = 999;
  EventBlock tasks;
  tasks.AddTask(50, TaskRecord{.tid = 5});
  for (EventBlock* block : {&one, &zero, &zero_again}) {
    ASSERT_TRUE((*writer)->AppendEvents(*block).ok());
  }
  ASSERT_TRUE((*writer)->AppendTasks(tasks).ok());
  auto reader = SessionReader::Open(directory / "s");
  ASSERT_TRUE(reader.ok()) << reader.status();
  std::vector<std::string> order;
  MergedEvents events(**reader);
  while (events.Next()) {
    const TraceEvent& event = events.event();
    if (event.time_ns != 50) continue;
    const bool is_task = event.kind == EventKind::kTask;
    order.push_back(is_task ? "task" : absl::StrCat(event.cpu, ":", event.sched_switch.next_tid));
  }
  EXPECT_THAT(order, ElementsAre("task", "0:100", "0:999", "1:100"));
}

}  // namespace
}  // namespace gordian
