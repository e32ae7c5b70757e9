// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/cut_to_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kHourNs = 3'600'000'000'000;

SessionLimits OwnersLimits() {
  SessionLimits limits;
  limits.max_session_bytes = 1 << 30;
  limits.max_duration_ns = kHourNs;
  limits.max_kernel_ring_bytes_per_cpu = 3 << 19;  // no power of two
  limits.max_cpu_ppm = 30'000;
  limits.max_stacks = StackChoice::kSampled;
  limits.max_sample_hz = 50;
  return limits;
}

TEST(CutToLimits, WhatIsBeyondALimitIsCutAndTold) {
  struct Case {
    std::function<void(pb::StartRequest&)> ask;
    std::function<bool(const pb::StartRequest&)> is_cut;
    std::string told;
  };
  const std::vector<Case> cases = {
      {[](auto& r) { r.set_max_bytes(UINT64_MAX); },
       [](const auto& r) { return r.max_bytes() == 1 << 30; },
       "is cut to 1 GiB, this node's max-size"},
      {[](auto& r) { r.set_ring_bytes(2ull << 30); },
       [](const auto& r) { return r.ring_bytes() == 1 << 30; }, "--ring 2 GiB is cut to 1 GiB"},
      {[](auto& r) { r.set_duration_ns(2 * kHourNs); },
       [](const auto& r) { return r.duration_ns() == kHourNs; }, "--duration 2 h is cut to 1 h"},
      {[](auto& r) { r.set_kernel_ring_bytes_per_cpu(4 << 20); },
       [](const auto& r) { return r.kernel_ring_bytes_per_cpu() == 1 << 20; },
       "--kernel-ring 4 MiB is cut to 1 MiB"},
      {[](auto& r) { r.set_stacks("all"); }, [](const auto& r) { return r.stacks() == "sampled"; },
       "--stacks all is cut to sampled"},
      {[](auto& r) {
         r.set_stacks("sampled");
         r.set_sample_hz(99);
       },
       [](const auto& r) { return r.sample_hz() == 50; }, "--sample-hz 99 is cut to 50"},
      {[](auto& r) { r.set_budget_ppm(100'000); },
       [](const auto& r) { return r.budget_ppm() == 30'000; },
       "--budget 10 % is cut to 3 %, this node's max-cpu"},
      {[](auto& r) { r.set_budget_ppm(0); }, [](const auto& r) { return r.budget_ppm() == 30'000; },
       "--budget none is cut to 3 %"},
  };
  for (const Case& wish : cases) {
    pb::StartRequest request;
    wish.ask(request);
    std::vector<std::string> cut;
    ASSERT_TRUE(CutToLimits(OwnersLimits(), request, cut).ok());
    EXPECT_TRUE(wish.is_cut(request)) << wish.told;
    EXPECT_THAT(cut, ElementsAre(HasSubstr(wish.told)));

    pb::StartRequest required;
    wish.ask(required);
    required.set_require(true);
    const absl::Status refused = CutToLimits(OwnersLimits(), required, cut);
    EXPECT_TRUE(absl::IsOutOfRange(refused));
    EXPECT_THAT(std::string(refused.message()), HasSubstr("is beyond this node's max-"));
  }
}

TEST(CutToLimits, WhatIsWithinIsLeftAlone) {
  pb::StartRequest request;
  request.set_max_bytes(1 << 30);
  request.set_duration_ns(kHourNs);
  request.set_stacks("sampled");
  request.set_sample_hz(50);
  request.set_budget_ppm(10'000);
  request.set_require(true);
  const pb::StartRequest asked = request;
  std::vector<std::string> cut;
  EXPECT_TRUE(CutToLimits(OwnersLimits(), request, cut).ok());
  EXPECT_THAT(cut, IsEmpty());
  EXPECT_EQ(request.SerializeAsString(), asked.SerializeAsString());
}

TEST(CutToLimits, WithoutAWishASessionGetsTheOwnersBudget) {
  pb::StartRequest request;
  request.set_sample_hz(99);  // means nothing without stacks
  request.set_require(true);
  std::vector<std::string> cut;
  EXPECT_TRUE(CutToLimits(OwnersLimits(), request, cut).ok());
  EXPECT_THAT(cut, IsEmpty());
  EXPECT_EQ(request.budget_ppm(), 30'000u);

  SessionLimits none = OwnersLimits();
  none.max_cpu_ppm = kAllCpusPpm;
  pb::StartRequest free;
  EXPECT_TRUE(CutToLimits(none, free, cut).ok());
  EXPECT_EQ(free.budget_ppm(), 0u);
}

}  // namespace
}  // namespace gordian
