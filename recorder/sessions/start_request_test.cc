// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/start_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kSecondNs = 1'000'000'000;

SessionLimits SmallLimits() {
  SessionLimits limits;
  limits.max_session_bytes = 1 << 30;
  limits.max_duration_ns = 3600 * kSecondNs;
  limits.max_kernel_ring_bytes_per_cpu = 1 << 20;
  return limits;
}

pb::StartRequest Request() {
  pb::StartRequest request;
  request.set_name("web");
  return request;
}

TEST(StartRequest, WhatIsNotAskedForIsSetToTheLimit) {
  const auto options = CheckedOptions(Request(), SmallLimits());
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->name, "web");
  EXPECT_EQ(options->max_bytes, 1u << 30);
  EXPECT_EQ(options->duration, absl::Hours(1));
  EXPECT_EQ(options->ring_bytes, 0u);
  EXPECT_EQ(options->kernel_ring_bytes_per_cpu, 1u << 20);
  EXPECT_EQ(options->attach, AttachChoice::kAuto);
  EXPECT_EQ(options->resource_interval, absl::Seconds(1));
}

TEST(StartRequest, LocalMessagesAreThoseOfKnownKinds) {
  pb::StartRequest request = Request();
  request.add_local_messages("pipes");
  const auto options = CheckedOptions(request, SmallLimits());
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_TRUE(options->local_messages.pipes);
  EXPECT_FALSE(options->local_messages.sockets);
  request.set_local_messages(0, "all");
  EXPECT_TRUE(CheckedOptions(request, SmallLimits())->local_messages.sockets);
  request.set_local_messages(0, "shared\nmemory");
  EXPECT_THAT(std::string(CheckedOptions(request, SmallLimits()).status().message()),
              HasSubstr("'shared\\nmemory' are no local messages"));
}

TEST(StartRequest, CallsToCountMustBeNamesAndNotTooMany) {
  pb::StartRequest request = Request();
  request.add_counted_calls("accept4");
  request.add_counted_calls("io_uring_enter");
  const auto options = CheckedOptions(request, SmallLimits());
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_THAT(options->counted_calls, ElementsAre("accept4", "io_uring_enter"));
  for (const std::string& bad :
       std::vector<std::string>{"", "a/../b", "Accept", std::string(65, 'a'), "a\n"}) {
    request.set_counted_calls(1, bad);
    const auto refused = CheckedOptions(request, SmallLimits());
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("no name of a system call"));
  }
  request.clear_counted_calls();
  for (int i = 0; i < 17; ++i) request.add_counted_calls("fsync");
  EXPECT_THAT(std::string(CheckedOptions(request, SmallLimits()).status().message()),
              HasSubstr("at most 16"));
}

TEST(StartRequest, CommandsAreRecordedUnlessToldOtherwise) {
  pb::StartRequest request = Request();
  EXPECT_TRUE(CheckedOptions(request, SmallLimits())->commands);
  request.set_no_commands(true);
  EXPECT_FALSE(CheckedOptions(request, SmallLimits())->commands);
}

TEST(StartRequest, ABudgetIsAShareOfAllCpus) {
  pb::StartRequest request = Request();
  EXPECT_EQ(CheckedOptions(request, SmallLimits())->budget_share, 0);
  request.set_budget_ppm(20'000);
  EXPECT_DOUBLE_EQ(CheckedOptions(request, SmallLimits())->budget_share, 0.02);
  request.set_budget_ppm(1'000'000);
  EXPECT_THAT(std::string(CheckedOptions(request, SmallLimits()).status().message()),
              HasSubstr("less than all of the CPUs' time"));
}

TEST(StartRequest, LessThanTheLimitIsGranted) {
  pb::StartRequest request = Request();
  request.set_max_bytes(64 << 20);
  request.set_duration_ns(10 * kSecondNs);
  request.set_resource_interval_ns(50'000'000);
  request.set_attach("kprobe");
  request.set_kernel_ring_bytes_per_cpu(1 << 16);
  request.set_irq_threshold_ns(1000);
  request.add_pids(7);
  request.add_comms("worker");
  request.add_cgroups("/a.slice");
  request.add_pods("shop/web");
  request.add_containers("db");
  request.add_units("nginx");
  request.set_only(true);
  const auto options = CheckedOptions(request, SmallLimits());
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->max_bytes, 64u << 20);
  EXPECT_EQ(options->duration, absl::Seconds(10));
  EXPECT_EQ(options->resource_interval, absl::Milliseconds(50));
  EXPECT_EQ(options->attach, AttachChoice::kKprobe);
  EXPECT_EQ(options->kernel_ring_bytes_per_cpu, 1u << 16);
  EXPECT_EQ(options->irq_threshold, absl::Microseconds(1));
  EXPECT_THAT(options->targets.pids, ElementsAre(7));
  EXPECT_THAT(options->targets.comms, ElementsAre("worker"));
  EXPECT_THAT(options->targets.cgroups, ElementsAre("/a.slice"));
  EXPECT_THAT(options->targets.named.pods, ElementsAre("shop/web"));
  EXPECT_THAT(options->targets.named.containers, ElementsAre("db"));
  EXPECT_THAT(options->targets.named.units, ElementsAre("nginx"));
  EXPECT_TRUE(options->targets.only);
}

TEST(StartRequest, ARingIsItsOwnLimit) {
  pb::StartRequest request = Request();
  request.set_ring_bytes(1 << 30);
  auto options = CheckedOptions(request, SmallLimits());
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->ring_bytes, 1u << 30);
  EXPECT_EQ(options->max_bytes, 0u);
  EXPECT_EQ(ReservedBytes(*options), 1u << 30);

  request.set_ring_bytes(64 << 20);
  request.set_max_bytes(64 << 20);
  options = CheckedOptions(request, SmallLimits());
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(ReservedBytes(*options), 64u << 20);
}

TEST(StartRequest, MoreThanTheLimitAndNonsenseAreRefusedWithTheReason) {
  struct Case {
    std::function<void(pb::StartRequest&)> change;
    absl::StatusCode code;
    std::string reason;
  };
  using Code = absl::StatusCode;
  const std::vector<Case> cases = {
      {[](auto& r) { r.set_name("../x"); }, Code::kInvalidArgument, "bad session name"},
      {[](auto& r) { r.set_attach("magic"); }, Code::kInvalidArgument, "'magic'"},
      {[](auto& r) { r.set_max_bytes((1ull << 30) + 1); }, Code::kOutOfRange, "allows 1 GiB"},
      {[](auto& r) { r.set_ring_bytes(UINT64_MAX); }, Code::kOutOfRange, "smaller --ring"},
      {[](auto& r) { r.set_ring_bytes((1ull << 30) + 1); }, Code::kOutOfRange, "smaller --ring"},
      {[](auto& r) {
         r.set_ring_bytes(65 << 20);
         r.set_max_bytes(64 << 20);
       },
       Code::kOutOfRange, "smaller --ring"},
      {[](auto& r) { r.set_duration_ns(3601 * kSecondNs); }, Code::kOutOfRange, "allows 1 h"},
      {[](auto& r) { r.set_duration_ns(UINT64_MAX); }, Code::kOutOfRange, "allows 1 h"},
      {[](auto& r) { r.set_resource_interval_ns(1); }, Code::kOutOfRange, "50ms"},
      {[](auto& r) { r.set_irq_threshold_ns(UINT64_MAX); }, Code::kOutOfRange, "threshold"},
      {[](auto& r) { r.set_kernel_ring_bytes_per_cpu(5000); }, Code::kInvalidArgument,
       "power of two"},
      {[](auto& r) { r.set_kernel_ring_bytes_per_cpu(2 << 20); }, Code::kOutOfRange,
       "allows 1 MiB"},
      {[](auto& r) { r.add_pids(-1); }, Code::kInvalidArgument, "-1 is no process id"},
      {[](auto& r) { r.set_only(true); }, Code::kInvalidArgument, "--only needs a target"},
  };
  for (const Case& bad : cases) {
    pb::StartRequest request = Request();
    bad.change(request);
    const auto options = CheckedOptions(request, SmallLimits());
    EXPECT_EQ(options.status().code(), bad.code) << bad.reason;
    EXPECT_THAT(std::string(options.status().message()), HasSubstr(bad.reason));
  }
}

}  // namespace
}  // namespace gordian
