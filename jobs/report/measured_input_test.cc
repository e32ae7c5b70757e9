// SPDX-License-Identifier: Apache-2.0
#include "jobs/report/measured_input.h"

#include <gtest/gtest.h>

#include "jobs/attribution/test_jobs.h"
#include "jobs/report/job_report.h"

namespace gordian {
namespace {

constexpr uint64_t kSliceNs = 10'000'000;

// A job of 40 ms on one node: phase 1 in the first half, phase 2 in the second.
Job TwoHalves() {
  JobBuilder job;
  job.Type("Job");
  job.Type("Half", 0, PhaseRepeat::kSequential);
  job.Consumable("cpu", 2);
  job.Consumable("disk_write", 0);
  job.Add(0, kNoId, 0, 40);
  job.Add(1, 0, 0, 20, "0");
  job.Add(1, 0, 20, 40, "1");
  return job.Build();
}

PhaseMeasurement Measured(std::vector<bool> measured) {
  PhaseMeasurement measurement;
  measurement.end_ns = 40'000'000;
  measurement.slice_ns = kSliceNs;
  measurement.slices = 4;
  measurement.measured = std::move(measured);
  MeasuredResource cpu{.kind = MeasuredKind::kCpu, .name = "cpu"};
  cpu.own = {.phases = {1, 2}, .slices = {0, 3}, .amounts = {15'000'000, 5'000'000}};
  cpu.helpers = {.phases = {1}, .slices = {1}, .amounts = {10'000'000}};
  cpu.unattributed = {2'000'000, 0, 0, 0};
  measurement.resources.push_back(cpu);
  MeasuredResource disk{.kind = MeasuredKind::kDiskWrite, .name = "disk_write"};
  disk.own = {.phases = {2}, .slices = {2}, .amounts = {1000}};
  measurement.resources.push_back(disk);
  return measurement;
}

TEST(MeasuredInput, IsWhatTheAttributionTells) {
  const Job job = TwoHalves();
  const auto analysis = AnalyzeJob(job, MeasuredInput(job, Measured({true, true, true}), ""), {});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  const Attribution& attribution = analysis->attribution;
  EXPECT_NEAR(attribution.At(attribution.use, 1, 0), 0.025, 1e-9);  // core-seconds, with helpers
  EXPECT_NEAR(attribution.At(attribution.use, 2, 0), 0.005, 1e-9);
  EXPECT_NEAR(attribution.resources[0].unattributed_use, 0.002, 1e-9);
  EXPECT_NEAR(attribution.At(attribution.measured_use, 1, 0), 0.025, 1e-9);
  EXPECT_NEAR(attribution.At(attribution.use, 2, 1), 1000, 1e-6);  // bytes
}

TEST(MeasuredInput, IsNotKnownWhileAPhaseRunsThatTheRecordingDidNotMeet) {
  const Job job = TwoHalves();
  const auto measured = MeasuredInput(job, Measured({false, true, false}), "");
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_EQ(measured[0].known_ns, Ranges({{0, 20'000'000}}));
  EXPECT_TRUE(MeasuredInput(job, Measured({false, false, false}), "").empty());
}

TEST(MeasuredInput, IsNotKnownInSlicesThatTouchAPause) {
  const Job job = TwoHalves();
  PhaseMeasurement measurement = Measured({true, true, true});
  measurement.pauses = {{15'000'000, 25'000'000}, {60'000'000, 70'000'000}};
  const auto measured = MeasuredInput(job, measurement, "");
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_EQ(measured[0].known_ns, Ranges({{0, 10'000'000}, {30'000'000, 40'000'000}}));
}

TEST(MeasuredInput, LeavesOtherNodesAlone) {
  Job job = TwoHalves();
  job.resources[0].node = "elsewhere";
  job.phases[2].node = "elsewhere";
  const auto measured = MeasuredInput(job, Measured({true, true, false}), "here");
  ASSERT_EQ(measured.size(), 1u);
  EXPECT_EQ(measured[0].resource, 1u);
  EXPECT_EQ(SizeOf(measured[0].known_ns), 40'000'000u);
}

}  // namespace
}  // namespace gordian
