// SPDX-License-Identifier: Apache-2.0
#include "jobs/job/job.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

TEST(PathOfPhase, NamesEveryPhaseAboveItWithItsKey) {
  Job job;
  job.model.types = {
      {.name = "Job"}, {.name = "Superstep", .parent = 0}, {.name = "Compute", .parent = 1}};
  job.phases = {{.type = 0}, {.type = 1, .parent = 0, .key = "3"}, {.type = 2, .parent = 1}};
  EXPECT_EQ(PathOf(job, 2), "/Job/Superstep[3]/Compute");
  EXPECT_EQ(PathOf(job, 0), "/Job");
}

TEST(PathOfPhaseType, NamesEveryTypeAboveIt) {
  JobModel model;
  model.types = {{.name = "Job"}, {.name = "Superstep", .parent = 0}};
  EXPECT_EQ(PathOf(model, 1), "/Job/Superstep");
}

}  // namespace
}  // namespace gordian
