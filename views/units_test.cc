// SPDX-License-Identifier: Apache-2.0
#include "views/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/test_recording.h"

namespace gordian {
namespace {

using testing::TraceBuilder;
using testing::operator""_ms;
using ::testing::ElementsAre;

Units UnitsOf(const QueryRecording& recording) {
  return FindUnits(recording.analysis().timeline(),
                   recording.analysis().merged_graph().vertex_of_entity);
}

void MakeTwoProcesses(TraceBuilder& trace) {
  trace.Thread(10, "idle").Thread(20, "server").Thread(21, "worker", 20);
  trace.Disk("vda");
  trace.At(1_ms).Cpu(0).Run(20);
  trace.At(3_ms).Wake(21);
  trace.At(4_ms).Block(kStateInterruptible, 21);
  trace.At(9_ms).Block(kStateInterruptible);
}

TEST(Units, NumberProcessesByHowBusyTheyAre) {
  TraceBuilder trace;
  MakeTwoProcesses(trace);
  const QueryRecording recording(trace);
  const Units units = UnitsOf(recording);
  ASSERT_GE(units.processes.size(), 2u);
  EXPECT_EQ(units.processes[0].name, "server");
  EXPECT_EQ(units.processes[0].pid, 20);
  EXPECT_EQ(units.processes[0].container, -1);
  for (EntityId id = 0; id < units.process_of.size(); ++id) {
    const Entity& thread = recording.analysis().timeline().entities()[id];
    EXPECT_EQ(units.processes[units.process_of[id]].pid, thread.tgid);
  }
}

TEST(Units, GiveEachThreadToOneUnitOfEachLevel) {
  TraceBuilder trace;
  MakeTwoProcesses(trace);
  const QueryRecording recording(trace);
  const Units units = UnitsOf(recording);
  for (const UnitLevel level : {UnitLevel::kThread, UnitLevel::kProcess, UnitLevel::kNode}) {
    const ThreadsOfUnits threads(units, level);
    size_t count = 0;
    for (size_t unit = 0; unit < units.CountOf(level); ++unit) {
      for (const EntityId thread : threads.Of(unit)) {
        EXPECT_EQ(units.UnitOf(thread, level), static_cast<int64_t>(unit));
        ++count;
      }
    }
    EXPECT_EQ(count, units.process_of.size());
    EXPECT_TRUE(threads.Of(units.CountOf(level)).empty());
  }
}

TEST(Units, PutNodesIntoTheRacksThatAreTold) {
  TraceBuilder trace;
  MakeTwoProcesses(trace);
  trace.session().mutable_host()->set_hostname("web");
  const QueryRecording recording(trace);
  const Timeline& timeline = recording.analysis().timeline();
  EXPECT_EQ(FindUnits(timeline, {}).racks.front().name, "all nodes");
  EXPECT_EQ(FindUnits(timeline, {}, {{"web", "r1"}}).racks.front().name, "r1");
  EXPECT_EQ(FindUnits(timeline, {}, {{"db", "r1"}}).racks.front().name, "other nodes");
}

TEST(Units, HaveCleanNames) {
  TraceBuilder trace;
  trace.Thread(10, "\x1b[31mred\n");
  trace.At(1_ms).Cpu(0).Run(10);
  trace.At(2_ms).Block(kStateInterruptible);
  const QueryRecording recording(trace);
  EXPECT_EQ(UnitsOf(recording).processes[0].name.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace gordian
