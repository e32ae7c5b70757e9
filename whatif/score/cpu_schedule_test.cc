// SPDX-License-Identifier: Apache-2.0
#include "whatif/score/cpu_schedule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/stacks/test_trace.h"
#include "tests/support/time_literals.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

constexpr int32_t kOther = 11, kOwn = 12, kWaits = 13;

// On two CPUs another program runs on the first from 0 to 4 ms and again from 6 ms on; its own has
// the second from 2 ms on.
class ACpuSchedule : public ::testing::Test {
 protected:
  ACpuSchedule() {
    t_.session().mutable_host()->set_cpus(2);
    t_.Thread(kOther, "other").Thread(kOwn, "own").Thread(kWaits, "waits");
    t_.At(0).Cpu(0).Run(kOther);
    t_.At(2_ms).Cpu(1).Run(kOwn);
    t_.At(4_ms).Cpu(0).Run(kWaits);
    t_.At(6_ms).Run(kOther);
    t_.At(10_ms).Block().Cpu(1).Block();
  }

  CpuSchedule::Readiness Between(uint32_t cpu, uint64_t from_ns, uint64_t to_ns) {
    const Loaded loaded(t_);
    std::vector<uint8_t> is_other(loaded.timeline().thread_count());
    is_other.at(loaded.Id("other")) = 1;
    const uint64_t start_ns = loaded.timeline().start_ns();
    return CpuSchedule(loaded.timeline(), is_other)
        .Between(/*node=*/0, cpu, start_ns + from_ns, start_ns + to_ns);
  }

  TraceBuilder t_;
};

TEST_F(ACpuSchedule, ReadyTimeWithACpuIdleIsNoQueue) {
  EXPECT_EQ(Between(0, 1_ms, 2_ms).unneeded_ns, 1_ms);
  EXPECT_EQ(Between(0, 1_ms, 2_ms).others_ns, 0);
}

TEST_F(ACpuSchedule, OthersKeptTheCpuOnlyWhileNoneWasIdle) {
  const CpuSchedule::Readiness lost = Between(0, 1_ms, 4_ms);
  EXPECT_EQ(lost.unneeded_ns, 1_ms);
  EXPECT_EQ(lost.others_ns, 2_ms);
}

TEST_F(ACpuSchedule, BehindItsOwnProgramItIsAQueue) {
  const CpuSchedule::Readiness lost = Between(1, 4_ms, 8_ms);
  EXPECT_EQ(lost.unneeded_ns, 0);
  EXPECT_EQ(lost.others_ns, 0);
}

// Times in order and out of order, on and beside the borders of stretches.
TEST_F(ACpuSchedule, WalkTellsTheSameAsSingleQuestions) {
  const Loaded loaded(t_);
  std::vector<uint8_t> is_other(loaded.timeline().thread_count());
  is_other.at(loaded.Id("other")) = 1;
  const uint64_t start_ns = loaded.timeline().start_ns();
  const CpuSchedule schedule(loaded.timeline(), is_other);
  for (uint64_t stride = 1; stride < 16; ++stride) {
    CpuSchedule::Walk walk(schedule, /*node=*/0);
    for (uint64_t i = 0; i < 200; ++i) {
      const uint64_t from_ns = start_ns + i * stride * 100'000 % 10'000'000;
      const uint64_t to_ns = from_ns + i % 7 * 500'000;
      const auto cpu = static_cast<uint32_t>(i % 3);
      const CpuSchedule::Readiness single = schedule.Between(/*node=*/0, cpu, from_ns, to_ns);
      const CpuSchedule::Readiness walked = walk.Between(cpu, from_ns, to_ns);
      EXPECT_EQ(walked.unneeded_ns, single.unneeded_ns) << stride << " " << i;
      EXPECT_EQ(walked.others_ns, single.others_ns) << stride << " " << i;
    }
  }
}

TEST_F(ACpuSchedule, CpuNobodyRanOnTellsNothing) { EXPECT_EQ(Between(7, 2_ms, 3_ms).others_ns, 0); }

}  // namespace
}  // namespace gordian::testing
