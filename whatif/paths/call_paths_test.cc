// SPDX-License-Identifier: Apache-2.0
#include "whatif/paths/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

constexpr int32_t kLogger = 11;
constexpr uint32_t kLoggerVertex = 0;

// A thread that syncs ten times: a wait for the disk, one for an interrupt on its way, and then
// an epoll_wait that has nothing to do with it. Each time two samples find it running in the sync,
// one in its own code and one in another sync.
class CallPathsOfATrace : public ::testing::Test {
 protected:
  CallPathsOfATrace() { Make(10, {}); }

  // Only some rounds are sampled as they run; `own_kernel` is where the kernel is in its own code.
  void Make(uint64_t sampled, const std::vector<std::string>& own_kernel) {
    trace_ = TraceBuilder();
    const std::vector<BuiltFrame> commit = {{.function = "fsync"}, {.function = "Commit"}};
    const uint32_t sync = trace_.AddStack({"io_schedule", "__x64_sys_fsync"}, commit);
    const uint32_t idle = trace_.AddStack({"ep_poll", "__x64_sys_epoll_wait"}, commit);
    const uint32_t in_sync = trace_.AddStack({"ext4_sync_file", "__x64_sys_fsync"}, commit);
    const uint32_t own = trace_.AddStack(own_kernel, {{.function = "Commit"}});
    const uint32_t other_sync = trace_.AddStack({"ext4_sync_file", "__x64_sys_fsync"},
                                                {{.function = "fsync"}, {.function = "Rotate"}});
    trace_.session().mutable_options()->set_sample_hz(99);
    trace_.Thread(kLogger, "logger");
    const uint32_t vda = trace_.Disk("vda");
    trace_.At(0).Cpu(0).Run(kLogger);
    for (uint64_t i = 0; i < 10; ++i) {
      const auto wait = [&](uint64_t at_ns, uint32_t stack) {
        trace_.At(i * 10_ms + at_ns).Block().AddStackSample(kLogger, StackMoment::kWait, stack);
        trace_.At(i * 10_ms + at_ns + 1_ms);
      };
      trace_.At(i * 10_ms + 1_ms);
      for (const uint32_t stack : {in_sync, in_sync, own, other_sync})
        if (i < sampled) trace_.AddStackSample(kLogger, StackMoment::kCpu, stack);
      wait(2_ms, sync);
      trace_.WakeFromBlock(kLogger, vda).Run(kLogger);
      wait(4_ms, i % 5 < 2 ? sync : idle);
      trace_.WakeFromHardirq(kLogger, 7).Run(kLogger);
    }
    const TempDir dir;
    EXPECT_TRUE(trace_.WriteSession(dir / "trace").ok());
    auto session = SessionReader::Open(dir / "trace");
    auto timeline = LoadTimeline(**session);
    EXPECT_TRUE(timeline.ok());
    const Waits waits(*timeline, {});
    std::vector<uint32_t> vertices;
    for (uint32_t id = 0; id < waits.entities().size(); ++id) {
      vertices.push_back(id);
      if (waits.entities()[id].kind == EntityKind::kDisk) vda_ = id;
      if (waits.entities()[id].kind == EntityKind::kIrq) irq_ = id;
    }
    stacks_ = StackSums(*timeline, waits, vertices, {.from_ns = 0, .to_ns = 3600_s, .threads = 1});
    code_ = Code(trace_.symbols());
  }

  // Of two samples one is in that function: its share as it is asked for.
  static double ShareWith(const std::string& function, const std::string& asked) {
    TraceBuilder trace;
    const uint32_t in_it = trace.AddStack({}, {{.function = function}});
    const uint32_t elsewhere = trace.AddStack({}, {{.function = "main"}});
    trace.session().mutable_options()->set_sample_hz(99);
    trace.Thread(kLogger, "logger").At(0).Cpu(0).Run(kLogger);
    trace.At(1_ms).AddStackSample(kLogger, StackMoment::kCpu, in_it);
    trace.At(2_ms).AddStackSample(kLogger, StackMoment::kCpu, elsewhere);
    trace.At(3_ms).Block();
    const TempDir dir;
    EXPECT_TRUE(trace.WriteSession(dir / "trace").ok());
    auto session = SessionReader::Open(dir / "trace");
    auto timeline = LoadTimeline(**session);
    EXPECT_TRUE(timeline.ok());
    const Waits waits(*timeline, {});
    std::vector<uint32_t> vertices(waits.entities().size());
    std::iota(vertices.begin(), vertices.end(), 0);
    const StackSums stacks(*timeline, waits, vertices,
                           {.from_ns = 0, .to_ns = 3600_s, .threads = 1});
    return RunShareOf(stacks, Code(trace.symbols()), kLoggerVertex, asked);
  }

  TraceBuilder trace_;
  uint32_t vda_ = 0, irq_ = 0;
  StackSums stacks_;
  Code code_;
};

TEST_F(CallPathsOfATrace, TakeInWhatRunsAndWaitsInTheSameCall) {
  const std::vector<RemovedEdge> removed = {{kLoggerVertex, vda_}};
  const std::vector<Path> paths = CallPaths(stacks_, code_, removed, {});
  ASSERT_EQ(paths.size(), 1);
  EXPECT_EQ(paths[0].vertex, kLoggerVertex);
  EXPECT_NEAR(paths[0].run_share, 0.5, 1e-9);
  ASSERT_EQ(paths[0].waits.size(), 2);
  for (const Path::Waits& waits : paths[0].waits)
    EXPECT_NEAR(waits.share, waits.to == irq_ ? 0.4 : 1, 1e-9);
}

TEST_F(CallPathsOfATrace, SayNothingOfWhoHasNoSamples) {
  const std::vector<RemovedEdge> removed = {{irq_, vda_}};
  EXPECT_TRUE(CallPaths(stacks_, code_, removed, {}).empty());
}

TEST_F(CallPathsOfATrace, FewSamplesOnlyTellWhatMayBe) {
  Make(2, {});
  const std::vector<RemovedEdge> removed = {{kLoggerVertex, vda_}};
  const std::vector<Path> paths = CallPaths(stacks_, code_, removed, {});
  ASSERT_EQ(paths.size(), 1);
  EXPECT_EQ(paths[0].run_share, 0);
  // Four of eight: by Wilson's interval up to 0.78.
  EXPECT_NEAR(paths[0].most_share, 0.784, 0.01);
}

TEST_F(CallPathsOfATrace, WritesBeforeSyncsMayBeOnTheWay) {
  Make(10, {"ext4_file_write_iter", "__x64_sys_pwrite64"});
  const std::vector<RemovedEdge> removed = {{kLoggerVertex, vda_}};
  const std::vector<Path> paths = CallPaths(stacks_, code_, removed, {});
  ASSERT_EQ(paths.size(), 1);
  EXPECT_NEAR(paths[0].run_share, 0.5, 1e-9);
  EXPECT_GT(paths[0].most_share, 0.75);
}

TEST_F(CallPathsOfATrace, ShareOfAFunctionCountsItsCalleesToo) {
  EXPECT_NEAR(RunShareOf(stacks_, code_, kLoggerVertex, "Commit"), 0.75, 1e-9);
  EXPECT_NEAR(RunShareOf(stacks_, code_, kLoggerVertex, "ext4_sync_file"), 0.75, 1e-9);
  EXPECT_EQ(RunShareOf(stacks_, code_, kLoggerVertex, "main"), 0);
}

TEST_F(CallPathsOfATrace, FunctionsAreCalledWithoutTheirPackageToo) {
  EXPECT_NEAR(ShareWith("net/http.(*conn).serve", "http.(*conn).serve"), 0.5, 1e-9);
  EXPECT_NEAR(ShareWith("net/http.(*conn).serve", "serve"), 0.5, 1e-9);
  EXPECT_EQ(ShareWith("net/http.(*conn).serve", "erve"), 0);
}

// What compilers make of a function has its name and more. (Stacks of Go end where it goes on with
// another stack: there the function itself is in none of them.)
TEST_F(CallPathsOfATrace, ShareOfAFunctionCountsItsPieces) {
  EXPECT_NEAR(ShareWith("gc.mark.func2.1", "gc.mark"), 0.5, 1e-9);
  EXPECT_NEAR(ShareWith("parse.part.0.cold", "parse"), 0.5, 1e-9);
  EXPECT_NEAR(ShareWith("Log::parse.isra.0", "parse"), 0.5, 1e-9);
  EXPECT_NEAR(ShareWith("gc.mark.func2", "gc.mark.func2"), 0.5, 1e-9);
  EXPECT_EQ(ShareWith("gc.mark.func2", "gc.mark.func3"), 0);
  EXPECT_EQ(ShareWith("gc.marker", "gc.mark"), 0);
  EXPECT_EQ(ShareWith("gc.mark", "gc"), 0);
}

}  // namespace
}  // namespace gordian::testing
