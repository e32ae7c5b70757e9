// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/cpu_quotas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "recorder/sources/fixture_tree.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr uint64_t kIntervalNs = 1'000'000'000;

class Quotas : public ::testing::Test {
 protected:
  void Mount(const std::string& lines) { tree_.Write("proc/self/mountinfo", lines); }
  std::string Version2() {
    return "30 1 0:26 / " + tree_.Path("v2") + " rw - cgroup2 cgroup2 rw\n";
  }
  std::string Version1() {
    return "31 1 0:27 / " + tree_.Path("v1") + " rw - cgroup cgroup rw,cpu,cpuacct\n" +
           "32 1 0:28 / " + tree_.Path("sets") + " rw - cgroup cgroup rw,cpuset\n";
  }
  void Group2(const std::string& path, const std::string& max, uint64_t throttled_us,
              const std::string& pids = "") {
    tree_.Write("v2/" + path + "/cpu.max", max + "\n");
    Throttle2(path, throttled_us);
    tree_.Write("v2/" + path + "/cgroup.procs", pids);
  }
  void Throttle2(const std::string& path, uint64_t throttled_us) {
    tree_.Write("v2/" + path + "/cpu.stat",
                "usage_usec 5\nnr_throttled 2\nthrottled_usec " + std::to_string(throttled_us));
  }
  pb::ResourceBlock SampleAt(CpuQuotas& quotas, uint64_t now_ns) {
    pb::ResourceBlock block;
    ResourceSink sink(now_ns, block);
    quotas.Sample(sink, missed_);
    return block;
  }

  FixtureTree tree_;
  uint64_t missed_ = 0;
};

TEST_F(Quotas, TellForHowLongTheyKeptThreadsFromTheCpus) {
  Mount(Version2());
  Group2("pod/app", "50000 100000", 1'000'000, "7\n9\n");
  CpuQuotas quotas(tree_.paths());
  EXPECT_THAT(SampleAt(quotas, kIntervalNs).samples(), IsEmpty());
  Throttle2("pod/app", 1'250'000);
  const pb::ResourceBlock block = SampleAt(quotas, 2 * kIntervalNs);
  ASSERT_EQ(block.resources_size(), 1);
  EXPECT_EQ(block.resources(0).kind(), pb::RESOURCE_CPU_THROTTLED);
  EXPECT_EQ(block.resources(0).name(), "/pod/app");
  EXPECT_EQ(block.resources(0).capacity(), 0.5e9);
  EXPECT_THAT(block.resources(0).pids(), ElementsAre(7, 9));
  ASSERT_EQ(block.samples_size(), 1);
  EXPECT_NEAR(block.samples(0).value(), 0.25e9, 1);
  EXPECT_EQ(missed_, 0u);
}

TEST_F(Quotas, ThatAreNoneAreNotSampled) {
  Mount(Version2());
  Group2("free", "max 100000", 0);
  Group2("odd", "many few", 0);
  Group2("endless", "1000 0", 0);
  CpuQuotas quotas(tree_.paths());
  SampleAt(quotas, kIntervalNs);
  EXPECT_THAT(SampleAt(quotas, 2 * kIntervalNs).resources(), IsEmpty());
}

TEST_F(Quotas, HoldForProcessesInGroupsBelow) {
  Mount(Version2());
  Group2("pod", "200000 100000", 0);
  Group2("pod/one", "max 100000", 0, "11\n");
  Group2("pod/two", "50000 100000", 0, "12\n");
  CpuQuotas quotas(tree_.paths());
  SampleAt(quotas, kIntervalNs);
  for (const char* path : {"pod", "pod/two"}) Throttle2(path, 5);
  const pb::ResourceBlock block = SampleAt(quotas, 2 * kIntervalNs);
  ASSERT_EQ(block.resources_size(), 2);
  EXPECT_THAT(block.resources(0).pids(), UnorderedElementsAre(11, 12));
  EXPECT_THAT(block.resources(1).pids(), ElementsAre(12));
}

TEST_F(Quotas, OfVersion1AreReadToo) {
  Mount(Version1());
  tree_.Write("v1/box/cpu.cfs_quota_us", "20000\n");
  tree_.Write("v1/box/cpu.cfs_period_us", "100000\n");
  tree_.Write("v1/box/cpu.stat", "nr_periods 1\nthrottled_time 0");
  tree_.Write("v1/free/cpu.cfs_quota_us", "-1\n");
  CpuQuotas quotas(tree_.paths());
  SampleAt(quotas, kIntervalNs);
  tree_.Write("v1/box/cpu.stat", "nr_periods 9\nthrottled_time 800000000");
  const pb::ResourceBlock block = SampleAt(quotas, 2 * kIntervalNs);
  ASSERT_EQ(block.samples_size(), 1);
  EXPECT_EQ(block.resources(0).capacity(), 0.2e9);
  EXPECT_NEAR(block.samples(0).value(), 0.8e9, 1);
}

TEST_F(Quotas, ThatComeAreFoundAndThoseThatGoAreNotMissed) {
  Mount(Version2());
  Group2("first", "1000 100000", 0);
  CpuQuotas quotas(tree_.paths());
  SampleAt(quotas, kIntervalNs);
  tree_.Remove("v2/first");
  Group2("second", "1000 100000", 0);
  SampleAt(quotas, 20 * kIntervalNs);
  const pb::ResourceBlock block = SampleAt(quotas, 21 * kIntervalNs);
  ASSERT_EQ(block.resources_size(), 1);
  EXPECT_EQ(block.resources(0).name(), "/second");
  EXPECT_EQ(missed_, 0u);
}

TEST_F(Quotas, WithoutAnyCgroupAreNone) {
  CpuQuotas quotas(tree_.paths());
  SampleAt(quotas, kIntervalNs);
  EXPECT_THAT(SampleAt(quotas, 2 * kIntervalNs).resources(), IsEmpty());
}

}  // namespace
}  // namespace gordian
