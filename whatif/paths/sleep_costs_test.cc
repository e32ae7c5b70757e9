// SPDX-License-Identifier: Apache-2.0
#include "whatif/paths/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analyzer/graph/wait_for_graph.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

constexpr int32_t kServer = 11;
constexpr uint32_t kServerVertex = 0;

// A server that waits for descriptors, does something, writes an answer, and sleeps to write a log
// (which wakes no thread). Of eight samples of its runs one finds it going to sleep in epoll_wait,
// one coming back from it, one waking in a write, one elsewhere in a write; one is put off the CPU;
// three are in its own code.
class SleepCostsOfATrace : public ::testing::Test {
 protected:
  SleepCostsOfATrace() {
    trace_.session().mutable_options()->set_sample_hz(99);
    trace_.Thread(kServer, "server");
    const uint32_t vda = trace_.Disk("vda");
    const uint32_t waits = Stack({"schedule", "ep_poll", "do_epoll_wait", "__x64_sys_epoll_wait"});
    const uint32_t syncs = Stack({"io_schedule", "ext4_sync_file", "__x64_sys_fsync"});
    trace_.At(0).Cpu(0).Run(kServer);
    for (uint64_t i = 0; i < 10; ++i) {
      trace_.At(i * 10_ms + 1_ms);
      for (const uint32_t stack :
           {waits, Stack({"ep_send_events", "do_epoll_wait", "__x64_sys_epoll_wait"}),
            // The call's own function is not to be seen.
            Stack({"sock_def_readable", "tcp_rcv_established", "do_writev", "do_syscall_64"}),
            Stack({"tcp_sendmsg", "do_writev", "do_syscall_64"}),
            Stack({"schedule", "exit_to_user_mode_loop", "do_syscall_64"}), Stack({}), Stack({}),
            Stack({})})
        trace_.AddStackSample(kServer, StackMoment::kCpu, stack);
      trace_.At(i * 10_ms + 2_ms).Block().AddStackSample(kServer, StackMoment::kWait, waits);
      trace_.At(i * 10_ms + 6_ms).WakeFromHardirq(kServer, 7).Run(kServer);
      trace_.At(i * 10_ms + 7_ms).Block().AddStackSample(kServer, StackMoment::kWait, syncs);
      trace_.At(i * 10_ms + 8_ms).WakeFromBlock(kServer, vda).Run(kServer);
    }
    const TempDir dir;
    EXPECT_TRUE(trace_.WriteSession(dir / "trace").ok());
    auto session = SessionReader::Open(dir / "trace");
    auto timeline = LoadTimeline(**session);
    EXPECT_TRUE(timeline.ok());
    const Waits all_waits(*timeline, {});
    std::vector<uint32_t> vertices;
    for (uint32_t id = 0; id < all_waits.entities().size(); ++id) {
      vertices.push_back(id);
      if (all_waits.entities()[id].kind == EntityKind::kDisk) vda_ = id;
      if (all_waits.entities()[id].kind == EntityKind::kIrq) irq_ = id;
    }
    stacks_ =
        StackSums(*timeline, all_waits, vertices, {.from_ns = 0, .to_ns = 3600_s, .threads = 1});
    code_ = Code(trace_.symbols());
  }

  uint32_t Stack(const std::vector<std::string>& kernel) {
    return trace_.AddStack(kernel, {{.function = "Serve"}});
  }

  TraceBuilder trace_;
  uint32_t vda_ = 0, irq_ = 0;
  StackSums stacks_;
  Code code_;
};

TEST_F(SleepCostsOfATrace, AreTheSchedulersPartAndTheCallsAround) {
  const std::vector<SleepCost> costs = SleepCosts(stacks_, code_);
  ASSERT_EQ(costs.size(), 2);
  EXPECT_EQ(costs[0].vertex, kServerVertex);
  EXPECT_FALSE(costs[0].of_waking);
  EXPECT_NEAR(costs[0].switch_share, 1.0 / 8, 1e-6);
  EXPECT_NEAR(costs[0].call_share, 2.0 / 8, 1e-6);
  EXPECT_TRUE(costs[1].of_waking);
  EXPECT_NEAR(costs[1].switch_share, 1.0 / 8, 1e-6);
  EXPECT_NEAR(costs[1].call_share, 2.0 / 8, 1e-6);
}

TEST_F(SleepCostsOfATrace, LoopsAreThoseThatWaitForDescriptors) {
  const std::vector<LoopShare> loops = LoopShares(stacks_, code_);
  const auto share_of = [&](uint32_t to) {
    const auto found =
        std::find_if(loops.begin(), loops.end(), [to](const LoopShare& it) { return it.to == to; });
    return found == loops.end() ? std::nan("") : found->share;
  };
  EXPECT_EQ(share_of(irq_), 1);
  EXPECT_EQ(share_of(vda_), 0);
}

}  // namespace
}  // namespace gordian::testing
