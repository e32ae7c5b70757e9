// SPDX-License-Identifier: Apache-2.0
// Wakes from softirqs that belong to no device, on the real kernel: RCU ends waits in its own.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "recorder/sessions/test_directory.h"
#include "tests/recording/played_puppet.h"

namespace gordian::testing {
namespace {

constexpr uint16_t kRcuSoftirq = 9;

class Softirqs : public ::testing::TestWithParam<StackChoice> {
 protected:
  void SetUp() override {
    auto recording =
        Recording::Start({.directory = folder_.path() + "/session", .stacks = GetParam()});
    ASSERT_TRUE(recording.ok()) << recording.status();
    auto report = PlayPuppet({"grace-periods", "--rounds", "60"});
    ASSERT_TRUE(report.ok()) << report.status();
    report_ = *std::move(report);
    ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
    auto session = LoadSession(folder_.path() + "/session");
    ASSERT_TRUE(session.ok()) << session.status();
    recorded_ = *std::move(session);
    for (const TaskRecord& task : recorded_.tasks) names_[task.tid] = task.comm;
  }
  bool IsRcuThread(int32_t tid) const {
    const auto name = names_.find(tid);
    return name != names_.end() && name->second.starts_with("rcu");
  }
  static bool IsFromRcuSoftirq(const WakeEvent& wake) {
    return wake.context == WakeContext::kSoftirq && wake.vector == kRcuSoftirq;
  }

  const TestDirectory folder_;
  puppets::pb::Report report_;
  RecordedSession recorded_;
  std::map<int32_t, std::string> names_;
};

TEST_P(Softirqs, AWaitForRcuIsEndedByRcuAndByNoOther) {
  const puppets::pb::Actor& asker = report_.actors(0);
  int wakes = 0;
  for (const WakeEvent& wake : WakesOf(recorded_, asker)) {
    ++wakes;
    EXPECT_TRUE(IsFromRcuSoftirq(wake) || IsRcuThread(wake.waker_tid))
        << "by " << names_[wake.waker_tid] << " in context " << static_cast<int>(wake.context)
        << " vector " << wake.vector;
  }
  EXPECT_GE(wakes, 30);
}

TEST_P(Softirqs, ThatOfRcuIsNotTheInterruptedThread) {
  const puppets::pb::Actor& asker = report_.actors(0);
  int wakes = 0;
  for (const TraceEvent& event : recorded_.events) {
    if (event.kind != EventKind::kWake || !IsFromRcuSoftirq(event.wake)) continue;
    if (event.time_ns < asker.begin_ns() || event.time_ns > asker.end_ns()) continue;
    ++wakes;
    EXPECT_FALSE(event.wake.waker_is_cause);
    EXPECT_EQ(event.wake.device_kind, DeviceKind::kNone);
  }
  EXPECT_GT(wakes, 0) << "RCU ends its grace periods in a softirq";
}

INSTANTIATE_TEST_SUITE_P(Backends, Softirqs,
                         ::testing::Values(StackChoice::kOff, StackChoice::kAll));

}  // namespace
}  // namespace gordian::testing
