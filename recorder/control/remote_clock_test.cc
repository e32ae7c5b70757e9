// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/remote_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "recorder/certificates/test_certificates.h"
#include "recorder/clocks/node_clock_table.h"
#include "recorder/control/network_server.h"
#include "recorder/sessions/fake_recording.h"
#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

constexpr uint64_t kBetweenMeasurementsNs = 2'000'000'000;

// A node's clock and its reference's. Both go on as this machine's does, and by a leap when a test
// lets time pass; the reference's is elsewhere and runs at another pace.
class TwoClocks {
 public:
  TwoClocks(int64_t offset_ns, int64_t drift_ppb)
      : begin_ns_(MonotonicNowNs()), offset_ns_(offset_ns), drift_ppb_(drift_ppb) {}

  uint64_t NodeNs() const { return MonotonicNowNs() + passed_ns_; }
  pb::ClockPair Reference() const {
    const uint64_t node_ns = NodeNs();
    pb::ClockPair pair;
    pair.set_monotonic_ns(node_ns + static_cast<uint64_t>(TrueOffsetNs(node_ns)));
    return pair;
  }
  int64_t TrueOffsetNs(uint64_t node_ns) const {
    const auto since_us = static_cast<int64_t>((node_ns - begin_ns_) / 1000);
    return offset_ns_ + since_us * drift_ppb_ / 1'000'000;
  }
  void Pass(uint64_t span_ns) { passed_ns_ += span_ns; }

 private:
  const uint64_t begin_ns_;
  const int64_t offset_ns_;
  const int64_t drift_ppb_;
  std::atomic<uint64_t> passed_ns_ = 0;
};

// The real server and the real exchange over TLS.
class RemoteClockTest : public ::testing::TestWithParam<std::pair<int64_t, int64_t>> {
 protected:
  void SetUp() override {
    auto store = SessionStore::Open(directory_.path() + "/state");
    ASSERT_TRUE(store.ok()) << store.status();
    sessions_.emplace(*std::move(store), SessionLimits{},
                      SessionEnvironment{.start_recording =
                                             [this](const RecordingOptions& options) {
                                               return fakes_.Start(options);
                                             },
                                         .realtime_now_ns = [] { return int64_t{0}; }});
    auto audit = AuditLog::Open(directory_.path() + "/audit.log");
    ASSERT_TRUE(audit.ok()) << audit.status();
    audit_ = *std::move(audit);
    auto listener = TcpListener::Open({.host = "127.0.0.1", .port = 0});
    ASSERT_TRUE(listener.ok()) << listener.status();
    const NetworkAddress address = listener->address();
    std::vector<TcpListener> listeners;
    listeners.push_back(*std::move(listener));
    const TestAuthority authority(directory_.path());
    auto server =
        NetworkServer::Start(std::move(listeners), *sessions_, *audit_,
                             {.identity = Contents(authority.Issue(HolderKind::kNode, "reference")),
                              .read_clocks = [this] { return clocks_.Reference(); }});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    channel_ = MutualTlsChannel(address, Contents(authority.Issue(HolderKind::kNode, "node")));
  }
  absl::StatusOr<MeasuredClock> Measure() {
    return MeasureClockOver(channel_, 8, std::chrono::minutes(1),
                            [this] { return clocks_.NodeNs(); });
  }
  // How far `measured` is from the truth at `node_ns`.
  uint64_t WrongNs(const pb::ClockOffset& measured, uint64_t node_ns) const {
    return static_cast<uint64_t>(std::llabs(measured.offset_ns() - clocks_.TrueOffsetNs(node_ns)));
  }

  TestDirectory directory_;
  TwoClocks clocks_ = {GetParam().first, GetParam().second};
  FakeRecordings fakes_;
  std::optional<SessionManager> sessions_;
  std::unique_ptr<AuditLog> audit_;
  std::unique_ptr<NetworkServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_P(RemoteClockTest, TheTruthIsWithinTheBoundAtEveryTimeOfADriftingSession) {
  NodeClockTable table("node", "reference");
  for (int i = 0; i < 100; ++i) {
    const auto measured = Measure();
    ASSERT_TRUE(measured.ok()) << measured.status();
    table.Add(*measured);
    const pb::ClockOffset& newest = *table.clock().offsets().rbegin();
    EXPECT_LE(WrongNs(newest, newest.monotonic_ns()), newest.bound_ns() + 1);
    clocks_.Pass(kBetweenMeasurementsNs);
    const uint64_t later_ns = clocks_.NodeNs();
    EXPECT_LE(WrongNs(newest, later_ns), BoundAt(newest, later_ns));
  }
  EXPECT_EQ(table.clock().contradictions(), 0u);
  const int64_t drifted_ns = table.clock().offsets().rbegin()->offset_ns() - GetParam().first;
  // 198 s of 100 ppm are 19.8 ms, far beyond the error of any exchange on loopback.
  if (GetParam().second != 0) {
    EXPECT_EQ(drifted_ns > 0, GetParam().second > 0);
    EXPECT_GT(std::llabs(drifted_ns), 10'000'000);
  }
}

INSTANTIATE_TEST_SUITE_P(Clocks, RemoteClockTest,
                         ::testing::Values(std::pair(5'000'000'000, 100'000),
                                           std::pair(5'000'000'000, -100'000),
                                           std::pair(-5'000'000'000, 100'000),
                                           std::pair(-5'000'000'000, -100'000), std::pair(0, 0)));

}  // namespace
}  // namespace gordian
