// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/stacks/modules.h"
#include "analyzer/stacks/stacks.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

const char kLibc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6";

std::string StoryFrom(const std::vector<std::string>& kernel, const std::vector<BuiltFrame>& user,
                      StackSide side = StackSide::kWaiter) {
  TraceBuilder t;
  const uint32_t stack = t.AddStack(kernel, user);
  const Code code(t.symbols());
  return StoryOf(code.PathOf(stack, side), code);
}

TEST(CodeStory, TellsTheCallAndTheProgramsFunctions) {
  EXPECT_EQ(StoryFrom({"schedule", "jbd2_log_wait_commit", "do_fsync", "__x64_sys_fsync"},
                      {{.function = "fsync", .module = kLibc},
                       {.function = "FileLog::Commit(int)", .file = "/src/log.cc", .line = 88},
                       {.function = "Serve<Plain>(Request&)", .file = "server.cc", .line = 41},
                       {.function = "main"},
                       {.function = "Fifth"},
                       {.function = "__libc_start_main", .module = kLibc}}),
            "fsync ← FileLog::Commit (log.cc:88) ← Serve<...> (server.cc:41) ← main");
}

TEST(CodeStory, PassesWhatLibrariesDoAmongThemselves) {
  EXPECT_EQ(
      StoryFrom({"schedule", "futex_wait", "__x64_sys_futex"},
                {{.function = "__futex_abstimed_wait_common", .module = kLibc},
                 {.function = "pthread_cond_wait", .module = kLibc},
                 {.function = "std::condition_variable::wait", .module = "/usr/lib/libstdc++.so.6"},
                 {.function = "Queue::Pop"},
                 {.function = "std::thread::_State_impl<int>::_M_run()"},
                 {.function = "start_thread", .module = kLibc},
                 {.function = "clone3", .module = kLibc}}),
      "std::condition_variable::wait ← Queue::Pop");
}

TEST(CodeStory, WithoutALibrarysNameTellsTheSystemCall) {
  EXPECT_EQ(StoryFrom({"schedule", "pipe_read", "ksys_read", "__x64_sys_read"},
                      {{.function = "", .module = kLibc}, {.function = "Fetch"}}),
            "read ← Fetch");
}

TEST(CodeStory, WithoutAnyNameTellsThePlace) {
  EXPECT_EQ(StoryFrom({"schedule", "pipe_read", "__x64_sys_read"},
                      {{.function = "", .module = "/opt/server"}}),
            "read ← server+0x1000");
  EXPECT_EQ(StoryFrom({}, {{.function = "", .module = "/opt/server"}}), "server+0x1000");
  EXPECT_EQ(StoryOf({0}, Code()), "");
}

TEST(CodeStory, OfAKernelThreadTellsTheKernelsFunctions) {
  EXPECT_EQ(StoryFrom({"__schedule", "schedule", "jbd2_journal_commit_transaction", "kjournald2",
                       "kthread", "ret_from_fork"},
                      {}),
            "jbd2_journal_commit_transaction ← kjournald2");
}

TEST(CodeStory, OfRunningCodeBeginsWhereItRan) {
  EXPECT_EQ(
      StoryFrom({}, {{.function = "Hash", .file = "hash.cc", .line = 3}, {.function = "main"}},
                StackSide::kRunning),
      "Hash (hash.cc:3) ← main");
}

TEST(CodeStory, OfManyPlacesWithoutNamesTheirLibraryIsLeft) {
  TraceBuilder t;
  const uint32_t one = t.AddStack({}, {{.function = "", .module = "/usr/lib/libcrypto.so.3"}});
  const uint32_t other =
      t.AddStack({"clear_page"}, {{.function = "", .module = "/usr/lib/libcrypto.so.3"},
                                  {.function = "serve", .module = "/usr/bin/server"}});
  const uint32_t kernels = t.AddStack({"do_exit"}, {});
  const Code code(t.symbols());
  const StackSum sums[] = {{.stack_id = one, .samples = 1, .estimate_ns = 3},
                           {.stack_id = other, .samples = 2, .estimate_ns = 4},
                           {.stack_id = kernels, .samples = 5, .estimate_ns = 3}};
  const std::vector<Story> modules = ModulesOf(MergePaths(sums, code), code);
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0].text, "libcrypto.so.3");
  EXPECT_EQ(modules[0].samples, 3u);
  EXPECT_NEAR(modules[0].share, 0.7, 1e-9);
  EXPECT_EQ(modules[1].text, "[kernel]");
}

TEST(CodeStory, TheHeaviestStoryGathersAllItsStacks) {
  TraceBuilder t;
  const uint32_t one = t.AddStack({"futex_wait"}, {{.function = "Lock"}});
  const uint32_t other = t.AddStack({"pipe_read"}, {{.function = "Fetch"}});
  const uint32_t two = t.AddStack({"futex_wait_queue"}, {{.function = "Lock"}});
  const Code code(t.symbols());
  const StackSum sums[] = {{.stack_id = one, .samples = 1, .estimate_ns = 3},
                           {.stack_id = other, .samples = 5, .estimate_ns = 4},
                           {.stack_id = two, .samples = 2, .estimate_ns = 3}};
  const std::vector<Story> stories = StoriesOf(MergePaths(sums, code), code);
  ASSERT_EQ(stories.size(), 2u);
  EXPECT_EQ(stories[0].text, "Lock");
  EXPECT_DOUBLE_EQ(stories[0].share, 0.6);
  EXPECT_EQ(stories[0].samples, 3u);
}

}  // namespace
}  // namespace gordian::testing
