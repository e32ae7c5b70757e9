// SPDX-License-Identifier: Apache-2.0
// The recorded packets of a connection over the loopback add up to the bytes sent on it.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "recorder/sources/clock.h"
#include "tests/recording/played_puppet.h"
#include "traffic/traffic.h"

namespace gordian::testing {
namespace {

constexpr int kTries = 40;  // if the machine hides threads from BPF that run meanwhile
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

// Says so many bytes on a connection within this process.
class Talk {
 public:
  Talk() {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(listener, generic, size), 0);
    EXPECT_EQ(listen(listener, 1), 0);
    EXPECT_EQ(getsockname(listener, generic, &size), 0);
    from_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(from_, generic, size), 0);
    to_ = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    close(listener);
  }
  ~Talk() {
    close(from_);
    close(to_);
  }
  void Say(size_t bytes) const {
    std::string text(bytes, 'x');
    EXPECT_EQ(send(from_, text.data(), bytes, 0), static_cast<ssize_t>(bytes));
    EXPECT_EQ(recv(to_, text.data(), bytes, MSG_WAITALL), static_cast<ssize_t>(bytes));
  }

 private:
  int from_ = -1, to_ = -1;
};

TEST(TrafficOfARecording, AFlowThatWasSeenBeforeTheBeginningIsKnown) {
  const TestDirectory folder;
  const std::string directory = folder.path() + "/session";
  auto recording = Recording::Start({.directory = directory, .armed = true});
  ASSERT_TRUE(recording.ok()) << recording.status();
  const Talk talk;
  talk.Say(100);
  ASSERT_TRUE((*recording)->Begin(MonotonicNowNs()).ok());
  // It begins on a thread of its own.
  const auto said = [&] {
    talk.Say(10);
    const auto traffic = MeasureTraffic({.nodes = {{.directory = directory}}});
    return traffic.ok() && !traffic->total.empty();
  };
  while (!said()) std::this_thread::yield();
  ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
  const auto traffic = MeasureTraffic({.nodes = {{.directory = directory}}});
  ASSERT_TRUE(traffic.ok()) << traffic.status();
  EXPECT_GT(traffic->total.payload_bytes, 0u);
  EXPECT_EQ(traffic->total.unknown_size_bytes, 0u);
}

}  // namespace
}  // namespace gordian::testing
