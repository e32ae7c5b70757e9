// SPDX-License-Identifier: Apache-2.0
// A recorder that cannot keep up counts its losses, to the record.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "tests/recording/played_puppet.h"
#include "tests/support/recorded_session.h"
#include "trace/counters.h"

namespace gordian::testing {
namespace {

TEST(Overload, ProducedIsRecordedPlusLostExactly) {
  const TestDirectory folder;
  absl::StatusOr<std::unique_ptr<Recording>> recording = Recording::Start(
      {.directory = folder.path() + "/session", .kernel_ring_bytes_per_cpu = 4096});
  ASSERT_TRUE(recording.ok()) << recording.status();
  // Rings of some hundred records overflow within one round of the drain; if they do not, the storm
  // goes on.
  for (int storm = 0; storm < 100 && (*recording)->Status().lost == 0; ++storm) {
    ASSERT_TRUE(PlayPuppet({"fork-storm", "--rounds", "1000"}).ok());
  }
  ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
  const absl::StatusOr<RecordedSession> recorded = LoadSession(folder.path() + "/session");
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  EXPECT_TRUE(recorded->session.complete());

  uint64_t all_lost = 0;
  uint64_t all_produced = 0;
  for (int number = 1; number < kEventKinds; ++number) {
    const auto kind = static_cast<EventKind>(number);
    const std::string name = EventKindName(kind);
    const std::string produced_name = absl::StrCat("records_produced_", name);
    const std::string lost_name = absl::StrCat("records_lost_", name);
    if (FindCounter(produced_name) == nullptr) continue;  // not one of the kernel side's kinds
    const uint64_t produced = CounterValue(recorded->session, produced_name);
    const uint64_t lost = CounterValue(recorded->session, lost_name);
    EXPECT_EQ(recorded->CountFromCpus(kind) + lost, produced) << name;
    // Older readers would refuse a loss of that kind: the session's counter alone tells of it.
    const uint64_t told = kind == EventKind::kWork ? 0 : lost;
    EXPECT_EQ(recorded->CountLost(kind), told) << name;
    all_produced += produced;
    all_lost += lost;
  }
  EXPECT_GT(all_lost, 0u);
  EXPECT_GT(all_produced, all_lost);
}

}  // namespace
}  // namespace gordian::testing
