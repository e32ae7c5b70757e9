// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/stacks/stacks.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "trace/session_reader.h"

namespace gordian::testing {
namespace {

// A waits for B for 2 ms in Wait, and is seen running twice at different lines of Work.
TEST(CodeProfiles, AreOfWaysIntoWaitsAndOfFunctionsThatRun) {
  TraceBuilder t;
  t.session().mutable_options()->set_sample_hz(1000);
  t.Thread(1, "A").Thread(2, "B").Cpu(0).Run(1).Cpu(1).Run(2).Cpu(0);
  const uint32_t wait = t.AddStack({"futex_wait"}, {{.function = "Wait"}});
  const uint32_t one = t.AddStack({}, {{.function = "Work", .file = "w.cc", .line = 1}});
  const uint32_t two = t.AddStack({}, {{.function = "Work", .file = "w.cc", .line = 2}});
  t.At(1_ms).AddStackSample(1, StackMoment::kCpu, one);
  t.At(2_ms).AddStackSample(1, StackMoment::kCpu, two);
  t.At(3_ms).Block().At(3_ms + 100).AddStackSample(1, StackMoment::kWait, wait);
  t.At(5_ms).Cpu(1).Wake(1).At(5_ms + 100).AddStackSample(2, StackMoment::kWake, wait);
  t.At(6_ms).Cpu(0).Run(1).At(7_ms).Block().Cpu(1).Block();
  const TempDir dir;
  ASSERT_TRUE(t.WriteSession(dir / "trace").ok());
  auto session = SessionReader::Open(dir / "trace");
  auto timeline = LoadTimeline(**session);
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  const Waits waits(*timeline, {});
  std::vector<uint32_t> entities;
  for (uint32_t id = 0; id < waits.entities().size(); ++id) entities.push_back(id);
  const StackSums sums(*timeline, waits, entities, {.to_ns = 3600_s});

  const auto profiles = CodeProfiles(sums, Code(t.symbols()), entities.size());
  ASSERT_EQ(profiles.size(), entities.size());
  const CodeProfile& a = profiles[0];
  EXPECT_EQ(a.samples, 3u);
  EXPECT_DOUBLE_EQ(a.named, 1);
  ASSERT_EQ(a.shares.size(), 2u);
  EXPECT_DOUBLE_EQ(a.shares[0].share, 0.5);
  EXPECT_DOUBLE_EQ(a.shares[1].share, 0.5);
  EXPECT_EQ(profiles[1].samples, 0u);  // a wake of another thread says nothing of its own time

  const auto unnamed = CodeProfiles(sums, Code(), entities.size());
  EXPECT_DOUBLE_EQ(unnamed[0].named, 0);
}

// All threads of a Java program wait in the same functions of the virtual machine: only the code
// that called them tells them apart, and its names are not known.
TEST(CodeProfiles, ShowNoCodeOfTheProgramsOwnWhereThatWasMadeAtRunTime) {
  TraceBuilder t;
  t.session().mutable_options()->set_sample_hz(1000);
  t.Thread(1, "A").Cpu(0).Run(1);
  const BuiltFrame park{.function = "Park", .module = "/usr/lib/libvm.so.1"};
  const uint32_t made = t.AddStack({}, {park, {.function = "", .module = "[anonymous]"}});
  const uint32_t compiled = t.AddStack({}, {park, {.function = "main"}});
  t.At(1_ms).AddStackSample(1, StackMoment::kCpu, made);
  t.At(2_ms).AddStackSample(1, StackMoment::kCpu, made);
  t.At(3_ms).AddStackSample(1, StackMoment::kCpu, made);
  t.At(4_ms).AddStackSample(1, StackMoment::kCpu, compiled);
  t.At(5_ms).Block();
  const TempDir dir;
  ASSERT_TRUE(t.WriteSession(dir / "trace").ok());
  auto session = SessionReader::Open(dir / "trace");
  auto timeline = LoadTimeline(**session);
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  const Waits waits(*timeline, {});
  const std::vector<uint32_t> entities = {0};
  const StackSums sums(*timeline, waits, entities, {.to_ns = 3600_s});
  EXPECT_DOUBLE_EQ(CodeProfiles(sums, Code(t.symbols()), 1)[0].named, 0.25);
}

}  // namespace
}  // namespace gordian::testing
