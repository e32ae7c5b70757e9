// SPDX-License-Identifier: Apache-2.0
#include "report/busy_interrupts.h"

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
using ::testing::Pair;

InterruptLoad Load(uint32_t cpu, double share, const std::string& vector = "softirq net_rx") {
  return {.cpu = cpu, .share = share, .vectors = {{vector, share}}};
}

// A (1) runs on CPU 1 all the time, or is ready to.
pb::Report ToldWithLoads(const std::vector<InterruptLoad>& loads, const std::string& kind = "sink",
                         const std::string& more = "") {
  const ScenarioTimeline recorded(
      "end 1000\nthread 1 A R\nthread 2 B R\nnic 2 eth0\n0 1 switch 0 1\n100 1 switch 1 2 P\n"
      "500 1 switch 2 1 P\n" +
      more);
  pb::Report report;
  for (const Entity& entity : recorded.timeline().entities())
    report.add_vertices()->set_name(entity.name);
  pb::Finding& finding = *report.add_findings();
  finding.set_kind(kind);
  finding.set_title("A is the limit.");
  finding.add_members(recorded.Id("A"));
  finding.add_advice("Make it cheaper.");
  report.set_verdict(finding.title());
  const Waits waits(recorded.timeline(), {});
  std::vector<uint32_t> vertex_of_entity(waits.entities().size());
  std::iota(vertex_of_entity.begin(), vertex_of_entity.end(), 0u);
  TellInterrupts(waits, vertex_of_entity,
                 {recorded.timeline().start_ns(), recorded.timeline().end_ns()}, loads, report);
  return report;
}

TEST(Interrupts, ThatTakeMostOfTheCpuAreTold) {
  const pb::Report report = ToldWithLoads({Load(1, 0.7)});
  const pb::Finding& finding = report.findings(0);
  EXPECT_EQ(finding.title(),
            "A is the limit: CPU 1 spends 70 % of its time in network interrupts.");
  EXPECT_EQ(report.verdict(), finding.title());
  EXPECT_THAT(finding.why(0), HasSubstr("most of it in softirq net_rx"));
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("RSS"), "Make it cheaper."));
  EXPECT_EQ(finding.interrupts().cpu(), 1u);
  EXPECT_DOUBLE_EQ(finding.interrupts().share(), 0.7);
}

TEST(Interrupts, ThatTakeLessAreTheLastAdvice) {
  const pb::Report report = ToldWithLoads({Load(1, 0.3, "hardirq irq24")});
  EXPECT_EQ(report.findings(0).title(), "A is the limit.");
  EXPECT_THAT(report.findings(0).why(), ElementsAre(HasSubstr("30 %")));
  EXPECT_THAT(report.findings(0).advice(),
              ElementsAre("Make it cheaper.", HasSubstr("smp_affinity")));
}

TEST(Interrupts, AreAReasonOfStarvationToo) {
  EXPECT_TRUE(ToldWithLoads({Load(1, 0.7)}, "starvation").findings(0).has_interrupts());
}

TEST(Interrupts, OfOtherCpusOrOfFewOrOfOtherFindingsAreNoReason) {
  EXPECT_FALSE(ToldWithLoads({Load(0, 0.7)}).findings(0).has_interrupts());
  EXPECT_FALSE(ToldWithLoads({Load(1, 0.1)}).findings(0).has_interrupts());
  EXPECT_FALSE(ToldWithLoads({Load(1, 0.7)}, "knot").findings(0).has_interrupts());
  InterruptLoad elsewhere = Load(1, 0.7);
  elsewhere.node = 1;
  EXPECT_FALSE(ToldWithLoads({elsewhere}).findings(0).has_interrupts());
}

// A packet to a neighbour on the machine is received in its sender's own time.
TEST(Interrupts, OfTheThreadsOwnPacketsAreNoReason) {
  const std::string sends = "600 1 send 1 2 100\n";
  EXPECT_FALSE(ToldWithLoads({Load(1, 0.7)}, "sink", sends).findings(0).has_interrupts());
  EXPECT_TRUE(
      ToldWithLoads({Load(1, 0.7, "softirq rcu")}, "sink", sends).findings(0).has_interrupts());
}

TEST(Interrupts, AreAddedUpByCpu) {
  pb::ResourceBlock block;
  const auto add = [&](pb::ResourceKind kind, const std::string& name, uint64_t end_s,
                       double value) {
    pb::Resource& resource = *block.add_resources();
    resource.set_kind(kind);
    resource.set_name(name);
    pb::ResourceSample& sample = *block.add_samples();
    sample.set_resource(static_cast<uint32_t>(block.resources_size() - 1));
    sample.set_end_time_ns(end_s * kNsPerSecond);
    sample.set_interval_ns(kNsPerSecond);
    sample.set_value(value);
  };
  add(pb::RESOURCE_SOFTIRQ, "cpu3/net_rx", 1, 0.6e9);
  add(pb::RESOURCE_SOFTIRQ, "cpu3/net_rx", 2, 0.4e9);
  add(pb::RESOURCE_HARDIRQ, "cpu3/irq24", 1, 0.2e9);  // it did not run in the other second
  add(pb::RESOURCE_SOFTIRQ, "cpu4294967296/rcu", 1, 1e9);
  add(pb::RESOURCE_SOFTIRQ, "odd", 1, 1e9);
  const ResourceReadings readings = ReadingsOf({&block, 1});
  const auto loads = InterruptLoadsOf(readings.all, 2, {0, 10 * kNsPerSecond});
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(loads[0].node, 2u);
  EXPECT_EQ(loads[0].cpu, 3u);
  EXPECT_DOUBLE_EQ(loads[0].share, 0.6);
  EXPECT_THAT(loads[0].vectors, ElementsAre(Pair("hardirq irq24", ::testing::DoubleEq(0.1)),
                                            Pair("softirq net_rx", ::testing::DoubleEq(0.5))));
  EXPECT_THAT(InterruptLoadsOf({}, 0, {0, 1}), IsEmpty());
}

}  // namespace
}  // namespace gordian
