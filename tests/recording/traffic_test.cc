// What the recorder sees of a connection over the loopback adds up to what was said on it.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/traffic/traffic.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "recorder/sources/clock.h"
#include "tests/recording/played_puppet.h"

namespace gordian::testing {
namespace {

constexpr int kTries = 40;  // where the machine hides threads from BPF that run meanwhile
constexpr uint64_t kRounds = 300;

struct Recorded {
  bool disturbed = false;
  uint64_t message_bytes = 0;
  Traffic traffic;
};

void RecordEcho(Recorded& recorded) {
  const TestDirectory folder;
  const std::string directory = folder.path() + "/session";
  auto recording = Recording::Start({.directory = directory});
  ASSERT_TRUE(recording.ok()) << recording.status();
  const auto report = PlayPuppet({"tcp-echo", "--rounds", absl::StrCat(kRounds)});
  ASSERT_TRUE(report.ok()) << report.status();
  const uint64_t until_ns = MonotonicNowNs();
  ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
  auto session = LoadSession(directory);
  ASSERT_TRUE(session.ok()) << session.status();
  recorded.disturbed = Judge(*report, *std::move(session), until_ns).disturbed;
  recorded.message_bytes = report->numbers().at("message_bytes");
  const auto traffic = MeasureTraffic({.nodes = {{.directory = directory}}});
  ASSERT_TRUE(traffic.ok()) << traffic.status();
  recorded.traffic = *traffic;
}

bool IsPuppet(const TrafficParty& party) { return party.name.starts_with("puppet/"); }

TEST(TrafficOfARecording, IsWhatWasSaidToTheByte) {
  Recorded recorded{.disturbed = true};
  for (int attempt = 0; attempt < kTries && recorded.disturbed; ++attempt) {
    RecordEcho(recorded);
    if (HasFatalFailure()) return;
  }
  ASSERT_FALSE(recorded.disturbed) << "this machine hides threads too often";
  TrafficAmount puppet;
  for (const TrafficPair& pair : recorded.traffic.pairs) {
    if (!IsPuppet(recorded.traffic.parties[pair.from])) continue;
    EXPECT_EQ(pair.from, pair.to) << recorded.traffic.parties[pair.to].name;
    puppet += pair.amount;
  }
  EXPECT_EQ(puppet.payload_bytes, 2 * kRounds * recorded.message_bytes);
  EXPECT_EQ(puppet.messages, 2 * kRounds);
  EXPECT_EQ(puppet.repeated_bytes, 0u);
  EXPECT_EQ(puppet.unseen_bytes, 0u);
  EXPECT_EQ(puppet.packets - puppet.empty_packets, 2 * kRounds);
}

}  // namespace
}  // namespace gordian::testing
