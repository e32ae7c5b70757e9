// SPDX-License-Identifier: Apache-2.0
// How often whole recordings, made up with times that vary, pass and fail a gate. Seeded, so that
// the numbers are the same every time.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "analysis/gate_measurements.h"
#include "tests/support/temp_dir.h"
#include "tests/support/varying_trace.h"

namespace gordian {
namespace {

constexpr size_t kRuns = 12;

GateRequest UsualGate() {
  GateRequest request;
  for (const char* text :
       {"throughput<-5%", "throughput(wakes A)<-5%", "wait(B->vda)>+10%", "new-limit"})
    request.conditions.push_back(*ParseCondition(text));
  return request;
}

class GateOnRecordings : public ::testing::Test {
 protected:
  std::vector<MeasuredRecording> Runs(uint64_t sync_ns, uint32_t first_seed) const {
    std::vector<MeasuredRecording> runs;
    for (uint32_t seed = first_seed; seed < first_seed + kRuns; ++seed) {
      const std::string directory = dir_ / std::to_string(seed);
      EXPECT_TRUE(testing::VaryingTrace({.sync_ns = sync_ns, .seed = seed, .requests = 200})
                      .WriteSession(directory)
                      .ok());
      const auto analysis = Analysis::Run(directory);
      EXPECT_TRUE(analysis.ok()) << analysis.status();
      if (!analysis.ok()) continue;
      auto measured = MeasureRecording(directory, *analysis, {}, UsualGate(), /*with_parts=*/true);
      EXPECT_TRUE(measured.ok()) << measured.status();
      if (measured.ok()) runs.push_back(*std::move(measured));
    }
    return runs;
  }

  // How many gates fail, with so many recordings on each side.
  static size_t Failures(std::span<const MeasuredRecording> before,
                         std::span<const MeasuredRecording> after, size_t recordings) {
    size_t failures = 0;
    for (size_t i = 0; i + recordings <= kRuns; i += recordings) {
      const auto gate =
          JudgeGate(UsualGate(), before.subspan(i, recordings), after.subspan(i, recordings));
      EXPECT_TRUE(gate.ok()) << gate.status();
      if (gate.ok() && gate->fails()) ++failures;
    }
    return failures;
  }

  const testing::TempDir dir_;
};

TEST_F(GateOnRecordings, NoChangeNeverFailsAndARealOneAlwaysDoes) {
  const auto before = Runs(5'000'000, 1), same = Runs(5'000'000, 101), slow = Runs(7'000'000, 201);
  ASSERT_EQ(before.size() + same.size() + slow.size(), 3 * kRuns);
  EXPECT_EQ(Failures(before, same, 1), 0u);
  EXPECT_EQ(Failures(before, same, 3), 0u);
  EXPECT_EQ(Failures(before, slow, 1), kRuns);
  EXPECT_EQ(Failures(before, slow, 3), kRuns / 3);
}

}  // namespace
}  // namespace gordian
