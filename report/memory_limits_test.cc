// SPDX-License-Identifier: Apache-2.0
#include "report/memory_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "analyzer/testing/scenario_timeline.h"
#include "base/time_units.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr double kMiB = 1 << 20;

MemoryShortage Shortage(const std::string& cgroup, std::vector<uint32_t> pids) {
  return {.cgroup = cgroup,
          .limit_bytes = 64 * kMiB,
          .times = 12,
          .read_again_bytes = 8 * kMiB,
          .disk_read_bytes = 9 * kMiB,
          .pids = std::move(pids)};
}

// A (thread and process 1) waits for the disk vda all the time, B (2) for A.
class MemoryLimits : public ::testing::Test {
 protected:
  const pb::Finding& By(const std::vector<MemoryShortage>& shortages) {
    const Waits waits(recorded_.timeline(), {});
    std::vector<uint32_t> vertex_of_entity(waits.entities().size());
    std::iota(vertex_of_entity.begin(), vertex_of_entity.end(), 0u);
    const Timeline& timeline = recorded_.timeline();
    TellMemoryLimits(waits, vertex_of_entity, {timeline.start_ns(), timeline.end_ns()}, shortages,
                     report_);
    return report_.findings(0);
  }
  void SetUp() override {
    for (const Entity& entity : recorded_.timeline().entities()) {
      pb::ReportVertex& vertex = *report_.add_vertices();
      vertex.set_name(entity.name);
      vertex.set_kind(entity.kind == EntityKind::kDisk ? "disk" : "thread");
    }
    pb::Finding& finding = *report_.add_findings();
    finding.set_title("A waits for vda.");
    finding.add_members(recorded_.Id("vda"));
    finding.add_advice("Ask it less often.");
    finding.mutable_edge()->set_from(recorded_.Id("A"));
    finding.mutable_edge()->set_to(recorded_.Id("vda"));
    report_.set_verdict(finding.title());
  }

  ScenarioTimeline recorded_{
      "end 1000\nthread 1 A S\nthread 2 B S\ndisk 8 vda\n"
      "900 0 wake 1 by disk 8\n900 0 switch 0 1\n950 0 wake 2 by 1\n"};
  pb::Report report_;
};

TEST_F(MemoryLimits, AreLimitsThatMakeTheProgramReadAgainWhatWasDropped) {
  const pb::Finding& finding = By({Shortage("/pod", {1})});
  EXPECT_EQ(finding.title(), "A waits for vda: the cgroup /pod is at its memory limit of 64 MiB.");
  EXPECT_EQ(report_.verdict(), finding.title());
  EXPECT_EQ(finding.why(0),
            "The cgroup /pod met its limit of 64 MiB 12 times in this recording. 8 MiB were read "
            "again that had been dropped or swapped out before.");
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("Raise that limit"), "Ask it less often."));
  EXPECT_EQ(finding.memory_limit().cgroup(), "/pod");
  EXPECT_EQ(finding.memory_limit().times(), 12);
}

TEST_F(MemoryLimits, IsTheMachinesMemoryWhereNoGroupIsAtItsLimit) {
  EXPECT_THAT(By({Shortage("/", {})}).title(),
              "A waits for vda: the machine is short of memory (64 MiB).");
}

TEST_F(MemoryLimits, IsTheGroupsLimitBeforeTheMachines) {
  EXPECT_EQ(By({Shortage("/", {}), Shortage("/pod", {1})}).memory_limit().cgroup(), "/pod");
}

TEST_F(MemoryLimits, AreNoLimitsOfOtherProcesses) {
  EXPECT_FALSE(By({Shortage("/pod", {2})}).has_memory_limit());
}

TEST_F(MemoryLimits, IsNoLimitWhereMostIsReadForTheFirstTime) {
  MemoryShortage shortage = Shortage("/pod", {1});
  shortage.disk_read_bytes = 100 * kMiB;
  EXPECT_FALSE(By({shortage}).has_memory_limit());
}

TEST_F(MemoryLimits, IsNoLimitWhereTheWaitIsForNoDisk) {
  pb::Finding& finding = *report_.mutable_findings(0);
  finding.clear_members();
  finding.add_members(recorded_.Id("B"));
  finding.mutable_edge()->set_to(recorded_.Id("B"));
  EXPECT_FALSE(By({Shortage("/pod", {1, 2})}).has_memory_limit());
}

TEST_F(MemoryLimits, AreLimitsWhereTheKernelLooksForMemoryInTheWait) {
  pb::Finding& finding = *report_.mutable_findings(0);
  finding.clear_members();
  finding.add_members(recorded_.Id("B"));
  finding.mutable_edge()->set_to(recorded_.Id("B"));
  pb::ReportEdge& edge = *report_.add_edges();
  edge.set_from(finding.edge().from());
  edge.set_to(finding.edge().to());
  pb::WaitReason& reason = *edge.add_reasons();
  reason.set_reason("memory");
  reason.set_share(0.9);
  EXPECT_TRUE(By({Shortage("/pod", {1, 2})}).has_memory_limit());
}

TEST(Shortages, AreAddedUpOverTheSamples) {
  pb::ResourceBlock block;
  const auto add = [&](pb::ResourceKind kind, const std::string& name, double value) {
    pb::Resource& resource = *block.add_resources();
    resource.set_kind(kind);
    resource.set_name(name);
    if (kind == pb::RESOURCE_CGROUP_MEMORY) resource.set_capacity(64 * kMiB);
    if (kind == pb::RESOURCE_CGROUP_AT_LIMIT) resource.add_pids(9);
    pb::ResourceSample& sample = *block.add_samples();
    sample.set_resource(static_cast<uint32_t>(block.resources_size() - 1));
    sample.set_end_time_ns(4 * kNsPerSecond);
    sample.set_interval_ns(2 * kNsPerSecond);
    sample.set_value(value);
  };
  add(pb::RESOURCE_CGROUP_MEMORY, "/pod", 60 * kMiB);
  add(pb::RESOURCE_CGROUP_AT_LIMIT, "/pod", 3);
  add(pb::RESOURCE_CGROUP_READ_AGAIN, "/pod", kMiB);
  add(pb::RESOURCE_CGROUP_MEMORY, "/roomy", 1);
  add(pb::RESOURCE_CGROUP_AT_LIMIT, "/roomy", 0);
  add(pb::RESOURCE_DISK_READ, "vda", 5 * kMiB);
  const std::vector<pb::ResourceBlock> blocks = {block, block};
  const auto readings = ReadingsOf(blocks);
  const auto shortages = ShortagesOf(readings.all, 3, {0, 5 * kNsPerSecond});
  ASSERT_EQ(shortages.size(), 1u);
  EXPECT_EQ(shortages[0].node, 3u);
  EXPECT_EQ(shortages[0].cgroup, "/pod");
  EXPECT_DOUBLE_EQ(shortages[0].limit_bytes, 64 * kMiB);
  EXPECT_DOUBLE_EQ(shortages[0].times, 12);
  EXPECT_DOUBLE_EQ(shortages[0].read_again_bytes, 4 * kMiB);
  EXPECT_DOUBLE_EQ(shortages[0].disk_read_bytes, 20 * kMiB);
  EXPECT_THAT(shortages[0].pids, ElementsAre(9));
  EXPECT_THAT(ShortagesOf(readings.all, 3, {0, kNsPerSecond}), IsEmpty());
}

}  // namespace
}  // namespace gordian
