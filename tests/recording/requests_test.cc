// SPDX-License-Identifier: Apache-2.0
// The requests that are found in the recorded packets of a connection are those that were sent.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analysis/recorded_requests.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "recorder/sources/clock.h"
#include "tests/recording/played_puppet.h"

namespace gordian::testing {
namespace {

constexpr int kTries = 40;  // if the machine hides threads from BPF that run meanwhile
constexpr uint64_t kRounds = 300;
constexpr size_t kLatencyColumn = 4;
constexpr size_t kFirstPart = 10;

struct RecordedEcho {
  bool disturbed = true;
  pb::Requests requests;
  std::vector<std::string> rows;
  int32_t server_tid = 0;
};

void RecordEcho(RecordedEcho& echo) {
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
  echo.disturbed = Judge(*report, *std::move(session), until_ns).disturbed;
  echo.server_tid = report->actors(1).tid();
  RequestsQuestion question;
  question.ports = {static_cast<uint16_t>(report->numbers().at("server_port"))};
  question.csv = [&echo](std::string_view line) { echo.rows.emplace_back(line); };
  const auto requests = RequestsOfRecording({directory}, question, {});
  ASSERT_TRUE(requests.ok()) << requests.status();
  echo.requests = *requests;
}

TEST(RequestsOfARecording, AreThoseThatWereSent) {
  RecordedEcho echo;
  for (int attempt = 0; attempt < kTries && echo.disturbed; ++attempt) {
    echo = {};
    RecordEcho(echo);
    if (HasFatalFailure()) return;
  }
  ASSERT_FALSE(echo.disturbed) << "this machine hides threads too often";
  ASSERT_EQ(echo.requests.ports_size(), 1);
  EXPECT_EQ(echo.requests.ports(0).requests(), kRounds);
  ASSERT_EQ(echo.rows.size(), kRounds + 1);
  for (size_t row = 1; row < echo.rows.size(); ++row) {
    const std::vector<std::string> cells = absl::StrSplit(echo.rows[row], ',');
    EXPECT_TRUE(cells[7].ends_with(absl::StrCat("/", echo.server_tid))) << echo.rows[row];
    uint64_t latency_ns = 0;
    ASSERT_TRUE(absl::SimpleAtoi(cells[kLatencyColumn], &latency_ns));
    uint64_t parts_ns = 0;
    for (size_t i = kFirstPart; i < cells.size(); ++i) {
      uint64_t part_ns = 0;
      ASSERT_TRUE(absl::SimpleAtoi(cells[i], &part_ns)) << echo.rows[row];
      parts_ns += part_ns;
    }
    EXPECT_EQ(parts_ns, latency_ns);
    EXPECT_GT(latency_ns, 0u);
  }
}

}  // namespace
}  // namespace gordian::testing
