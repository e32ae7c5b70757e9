// SPDX-License-Identifier: Apache-2.0
#include "report/cpu_quotas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "analyzer/testing/scenario.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kSecondNs = 1'000'000'000;

// S (thread and process 1) and a hog (2) share a CPU; S is ready for half of the 400 µs.
pb::Report Told(const std::vector<CpuQuota>& quotas, const std::string& kind = "starvation") {
  const TemporaryDirectory directory;
  WriteScenario(ParseScenario("end 400000\nthread 1 S R\nthread 2 hog R\n"
                              "0 0 switch 0 2\n200000 0 switch 2 1 P\n---\n"),
                directory / "session", 1000);
  auto session = SessionReader::Open(directory / "session");
  auto timeline = LoadTimeline(**session);
  pb::Report report;
  for (const char* name : {"S", "hog"}) report.add_vertices()->set_name(name);
  pb::Finding& finding = *report.add_findings();
  finding.set_kind(kind);
  finding.set_title("S gets no CPU.");
  finding.add_members(0);
  finding.add_advice("Give it more CPUs.");
  report.set_verdict(finding.title());
  std::vector<uint32_t> vertex_of_entity(timeline->entities().size());
  std::iota(vertex_of_entity.begin(), vertex_of_entity.end(), 0u);
  const Waits waits(*timeline, {});
  TellCpuQuotas(waits, vertex_of_entity, {timeline->start_ns(), timeline->end_ns()}, quotas,
                report);
  return report;
}

CpuQuota Quota(const std::string& cgroup, double throttled_ns, std::vector<uint32_t> pids) {
  return {.cgroup = cgroup, .cpus = 0.5, .throttled_ns = throttled_ns, .pids = std::move(pids)};
}

TEST(CpuQuotas, AreTheReasonWhereTheyKeepTheThreadsFromTheCpus) {
  const pb::Report report = Told({Quota("/pod", 150'000, {1})});
  const pb::Finding& finding = report.findings(0);
  EXPECT_EQ(finding.cpu_quota().cgroup(), "/pod");
  EXPECT_EQ(finding.title(),
            "S gets no CPU: the CPU quota of its cgroup (/pod: 0.5 CPUs) is used up.");
  EXPECT_EQ(report.verdict(), finding.title());
  EXPECT_THAT(finding.why(0), HasSubstr("may use 0.5 CPUs"));
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("Raise that quota")));
  ASSERT_EQ(finding.natural_fixes_size(), 1);
  EXPECT_EQ(finding.natural_fixes(0).change(), "quota");
  EXPECT_EQ(finding.natural_fixes(0).who(), 0u);
  EXPECT_EQ(finding.natural_fixes(0).amount(), 1);
}

TEST(CpuQuotas, OfOtherProcessesAreNoReason) {
  EXPECT_FALSE(Told({Quota("/pod", 150'000, {2})}).findings(0).has_cpu_quota());
  EXPECT_FALSE(Told({Quota("/pod", 150'000, {})}).findings(0).has_cpu_quota());
}

TEST(CpuQuotas, ThatHardlyHeldAnybodyBackAreNoReason) {
  EXPECT_FALSE(Told({Quota("/pod", 10'000, {1})}).findings(0).has_cpu_quota());
}

TEST(CpuQuotas, OfOtherNodesAreNoReason) {
  CpuQuota quota = Quota("/pod", 150'000, {1});
  quota.node = 1;
  EXPECT_FALSE(Told({quota}).findings(0).has_cpu_quota());
}

TEST(CpuQuotas, BearOnStarvationOnly) {
  EXPECT_FALSE(Told({Quota("/pod", 150'000, {1})}, "knot").findings(0).has_cpu_quota());
}

TEST(CpuQuotas, OfTwoTheOneThatHeldBackMoreIsNamed) {
  const pb::Report report =
      Told({Quota("/pod", 90'000, {1, 2}), Quota("/pod/inner", 150'000, {1})});
  EXPECT_EQ(report.findings(0).cpu_quota().cgroup(), "/pod/inner");
}

TEST(CpuQuotas, AreAddedUpOverTheSamples) {
  pb::ResourceBlock block;
  pb::Resource& resource = *block.add_resources();
  resource.set_kind(pb::RESOURCE_CPU_THROTTLED);
  resource.set_name("/pod");
  resource.set_capacity(2e9);
  for (const uint32_t pid : {9, 7}) resource.add_pids(pid);
  block.add_resources()->set_kind(pb::RESOURCE_CPU);
  const auto add = [&](uint32_t index, double value) {
    pb::ResourceSample& sample = *block.add_samples();
    sample.set_resource(index);
    sample.set_end_time_ns(kSecondNs);
    sample.set_interval_ns(kSecondNs / 2);
    sample.set_value(value);
  };
  add(0, 0.5e9);
  add(0, 0);
  add(1, 1e9);
  const std::vector<pb::ResourceBlock> blocks = {block, block};
  const std::vector<CpuQuota> quotas = QuotasOf(ReadingsOf(blocks).all, 3);
  ASSERT_EQ(quotas.size(), 1U);
  EXPECT_EQ(quotas[0].node, 3U);
  EXPECT_EQ(quotas[0].cpus, 2);
  EXPECT_NEAR(quotas[0].throttled_ns, 0.5e9, 1);
  EXPECT_THAT(quotas[0].pids, ElementsAre(7, 9));
  EXPECT_THAT(QuotasOf({}, 0), IsEmpty());
}

}  // namespace
}  // namespace gordian
