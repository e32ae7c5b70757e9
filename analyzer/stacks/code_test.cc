// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/stacks/inner_frames.h"
#include "analyzer/stacks/stacks.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Names(const CodePath& path, const Code& code) {
  std::vector<std::string> names;
  for (const uint32_t index : path) names.push_back(FrameNameAndLine(code.frame(index)));
  return names;
}

TEST(Code, CutsOffWhatOnlyTellsHowTheSampleWasTaken) {
  TraceBuilder t;
  const uint32_t wait =
      t.AddStack({"bpf_prog_7c1f_raw_wait_stack", "bpf_trace_run4", "__traceiter_sched_switch",
                  "__schedule", "schedule", "futex_wait_queue", "do_futex"},
                 {{.function = "pthread_cond_wait"}});
  const uint32_t wake = t.AddStack(
      {"bpf_trace_run1", "__traceiter_sched_waking", "try_to_wake_up", "wake_up_q", "futex_wake"});
  const Code code(t.symbols());
  EXPECT_THAT(Names(code.PathOf(wait, StackSide::kWaiter), code),
              ElementsAre("futex_wait_queue", "do_futex", "pthread_cond_wait"));
  EXPECT_THAT(Names(code.PathOf(wake, StackSide::kWaker), code), ElementsAre("futex_wake"));
  // The code that runs there has no part in taking samples.
  EXPECT_THAT(Names(code.PathOf(wake, StackSide::kRunning), code),
              ElementsAre("try_to_wake_up", "wake_up_q", "futex_wake"));
}

TEST(Code, CutsFramesInBetweenToo) {
  TraceBuilder t;
  const uint32_t stack = t.AddStack({"bpf_trace_run1", "some_glue", "__schedule", "pipe_read"});
  const Code code(t.symbols());
  EXPECT_THAT(Names(code.PathOf(stack, StackSide::kWaiter), code), ElementsAre("pipe_read"));
}

TEST(Code, NeverCutsAllOfAStackNorAnyUserFrame) {
  TraceBuilder t;
  const uint32_t all = t.AddStack({"__schedule", "schedule"});
  const uint32_t user = t.AddStack({"__schedule"}, {{.function = "schedule"}});
  const Code code(t.symbols());
  EXPECT_THAT(Names(code.PathOf(all, StackSide::kWaiter), code),
              ElementsAre("__schedule", "schedule"));
  EXPECT_THAT(Names(code.PathOf(user, StackSide::kWaiter), code), ElementsAre("schedule"));
}

TEST(Code, WithoutNamesTellsModuleAndOffset) {
  TraceBuilder t;
  const uint32_t stack = t.AddStack({}, {{.function = "", .module = "/opt/a b/server"},
                                         {.function = "", .module = ""},
                                         {.function = "std::vector<int>::at(unsigned long)",
                                          .file = "/src/include/vector.h",
                                          .line = 7}});
  const Code code(t.symbols());
  EXPECT_THAT(Names(code.PathOf(stack, StackSide::kWaiter), code),
              ElementsAre("server+0x1000", "[unknown]", "std::vector<...>::at (vector.h:7)"));
}

TEST(Code, AStackWithoutDefinitionIsUnknown) {
  const Code code;
  EXPECT_FALSE(code.IsDefined(17));
  EXPECT_THAT(Names(code.PathOf(17, StackSide::kWaiter), code), ElementsAre("[unknown]"));
}

TEST(Code, StacksThatAreOneToTheReaderAreMerged) {
  TraceBuilder t;
  const uint32_t one = t.AddStack({"__schedule", "pipe_read"}, {{.function = "Read"}});
  const uint32_t two = t.AddStack({"schedule", "pipe_read"}, {{.function = "Read"}});
  const uint32_t other = t.AddStack({"schedule", "pipe_write"}, {{.function = "Write"}});
  const Code code(t.symbols());
  const StackSum sums[] = {{.stack_id = one, .samples = 1, .estimate_ns = 10},
                           {.stack_id = other, .samples = 2, .estimate_ns = 15},
                           {.stack_id = two, .samples = 3, .estimate_ns = 15}};
  const std::vector<PathShare> paths = MergePaths(sums, code);
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[0].samples, 4u);
  EXPECT_DOUBLE_EQ(paths[0].share, 0.625);
  EXPECT_THAT(Names(paths[0].path, code), ElementsAre("pipe_read", "Read"));
  EXPECT_DOUBLE_EQ(paths[1].share, 0.375);
}

}  // namespace
}  // namespace gordian::testing
