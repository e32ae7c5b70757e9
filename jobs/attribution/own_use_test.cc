// SPDX-License-Identifier: Apache-2.0
// The rows of the attribution as a table add up to its totals.
#include "jobs/attribution/own_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "jobs/attribution/random_jobs.h"
#include "jobs/attribution/test_jobs.h"

namespace gordian {
namespace {

// By phase, in unit · seconds.
std::map<PhaseId, double> Totals(const Job& job, const Attribution& attribution,
                                 std::span<const MeasuredUse> measured, ResourceId resource) {
  std::map<PhaseId, double> totals;
  const double slice_s = static_cast<double>(attribution.slices.slice_ns) * 1e-9;
  ForEachOwnUse(job, attribution, measured, resource, [&](const OwnUse& row) {
    totals[row.phase] += row.use * static_cast<double>(row.slices.size()) * slice_s;
  });
  return totals;
}

bool IsNear(double a, double b) { return std::abs(a - b) <= 1e-6 * (1 + std::abs(a)); }

RC_GTEST_PROP(OwnUseProperty, OfEachPhaseAddsUpToItsTotal, ()) {
  const Job job = RandomJob({});
  const auto attribution = Attribute(job, {});
  RC_ASSERT(attribution.ok());
  for (ResourceId resource = 0; resource < job.resources.size(); ++resource) {
    std::map<PhaseId, double> totals = Totals(job, *attribution, {}, resource);
    for (PhaseId phase = 0; phase < job.phases.size(); ++phase)
      RC_ASSERT(IsNear(totals[phase], attribution->At(attribution->own_use, phase, resource)));
    RC_ASSERT(IsNear(totals[kNoId], attribution->resources[resource].unattributed_use));
  }
}

TEST(OwnUse, ThatIsMeasuredStandsBesideWhatIsEstimated) {
  JobBuilder builder;
  const PhaseTypeId root = builder.Type("Job");
  const PhaseTypeId task = builder.Type("Task", root, PhaseRepeat::kConcurrent);
  const ResourceId cpu = builder.Consumable("cpu", 4);
  builder.Add(root, kNoId, 0, 40);
  builder.Add(task, 0, 0, 40, "a");
  builder.Add(task, 0, 0, 40, "b");
  builder.Sample(cpu, 0, 40, 2);
  const Job job = builder.Build();
  MeasuredUse measured = {cpu, {{0, MsToNs(20)}}, {}};
  measured.pieces = {{1, 0, MsToNs(15), 1},
                     {1, MsToNs(5), MsToNs(10), 1},
                     {2, MsToNs(15), MsToNs(30), 1},
                     {kNoId, 0, MsToNs(10), 0.5}};
  const auto attribution = Attribute(job, {}, {&measured, 1});
  ASSERT_TRUE(attribution.ok()) << attribution.status();
  const std::map<PhaseId, double> totals = Totals(job, *attribution, {&measured, 1}, cpu);
  EXPECT_NEAR(totals.at(1), attribution->At(attribution->own_use, 1, cpu), kNear);
  EXPECT_NEAR(totals.at(2), attribution->At(attribution->own_use, 2, cpu), kNear);
  EXPECT_NEAR(totals.at(kNoId), attribution->resources[cpu].unattributed_use, kNear);

  std::vector<bool> measured_rows;
  ForEachOwnUse(job, *attribution, {&measured, 1}, cpu, [&](const OwnUse& row) {
    if (row.phase == 1) measured_rows.push_back(row.measured);
  });
  // Two timeslices of their own, and the two estimated ones, which are alike.
  EXPECT_THAT(measured_rows, ::testing::ElementsAre(true, true, false));
}

}  // namespace
}  // namespace gordian
