// SPDX-License-Identifier: Apache-2.0
#include "jobs/learning/weight_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/attribution/test_jobs.h"

namespace gordian {
namespace {

using ::testing::DoubleNear;

constexpr double kLengthNs = 1e7;

class FittedSamples : public ::testing::Test {
 protected:
  FittedSamples() : job_(Build()), activity_(job_, 10'000'000), fit_(activity_) {}

  Job Build() {
    job_type_ = builder_.Type("Job");
    thread_ = builder_.Type("Thread", job_type_);
    other_ = builder_.Type("Other", job_type_);
    const PhaseId root = builder_.Add(job_type_, kNoId, 0, 100);
    builder_.Add(thread_, root, 0, 90);
    return builder_.Build();
  }
  void Add(const SampleActivity& activity, double use, double capacity) {
    fit_.Add({&activity, use, kLengthNs, capacity, {}});
  }

  JobBuilder builder_;
  PhaseTypeId job_type_ = 0, thread_ = 0, other_ = 0;
  Job job_;
  Activity activity_;
  WeightFit fit_;
};

// Taken at their word, samples of two full CPUs would say that eight threads want a quarter each.
TEST_F(FittedSamples, OfAFullResourceTellALeastDemandOnly) {
  for (int i = 0; i < 200; ++i) {
    for (const double threads : {1.0, 2.0, 4.0, 8.0})
      Add({{thread_, threads}}, std::min(2.0, 0.98 * threads), 2);
  }
  EXPECT_THAT(fit_.Fit().of.at(thread_).in_unit, DoubleNear(0.98, 0.02));
}

TEST_F(FittedSamples, OfAnUnknownCapacityAreTakenAtTheirWord) {
  for (int i = 0; i < 200; ++i) Add({{thread_, 8}}, 2, 0);
  EXPECT_THAT(fit_.Fit().of.at(thread_).in_unit, DoubleNear(0.25, 0.01));
}

TEST_F(FittedSamples, AreNoEvidenceForAKindThatIsHardlyThere) {
  for (int i = 0; i < 100; ++i) Add({{thread_, 1}}, i % 2 == 0 ? 2 : 0.2, 0);
  Add({{thread_, 1}, {other_, 0.01}}, 1, 0);
  const FittedWeights fitted = fit_.Fit();
  EXPECT_TRUE(fitted.of.at(thread_).has_evidence);
  EXPECT_FALSE(fitted.of.at(other_).has_evidence);
  EXPECT_THAT(fitted.of.at(other_).in_unit, DoubleNear(fitted.level, 0.1 * fitted.level));
}

TEST_F(FittedSamples, TellKindsApartByWhatRecordsKnowOfEach) {
  const SampleActivity both = {{thread_, 1}, {other_, 1}};  // always together
  const std::vector<std::pair<PhaseTypeId, double>> known = {{thread_, 0.9}, {other_, 0.1}};
  for (int i = 0; i < 100; ++i) fit_.Add({&both, 1, kLengthNs, 0, known});
  const FittedWeights fitted = fit_.Fit();
  EXPECT_THAT(fitted.of.at(thread_).in_unit, DoubleNear(0.9, 0.01));
  EXPECT_THAT(fitted.of.at(other_).in_unit, DoubleNear(0.1, 0.01));
}

}  // namespace
}  // namespace gordian
