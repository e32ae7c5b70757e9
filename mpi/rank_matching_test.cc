// SPDX-License-Identifier: Apache-2.0
// Packets that ranks matched, a few flows at a time, are those that one process matches.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "mpi/test_ranks.h"
#include "nodes/test_cluster.h"

namespace gordian::testing {
namespace {

// Of columns: room for the wakes of few flows, and none for what is noted of all.
constexpr uint64_t kLittleBytes = 64 << 10;

class RankMatching : public AskedRanks {
 protected:
  void ExpectTheSameInLittleMemory() const {
    const auto alone = Analysis::Run(recording_);
    ASSERT_TRUE(alone.ok()) << alone.status();
    for (const uint64_t bytes : {MemoryOptions().bytes, kLittleBytes}) {
      std::string page;
      const TestRanksOutcome outcome = Ask(
          {.ranks = 2, .seed = 3, .unit_bytes = bytes},
          [&](const RankWork& work) -> absl::Status {
            auto recording = work.settle();
            if (!recording.ok()) return recording.status();
            const auto analysis = AnalysisOf(work, *std::move(recording), RequestOf().analysis);
            if (!analysis.ok()) return analysis.status();
            page = analysis->Page().SerializeAsString();
            return absl::OkStatus();
          },
          {}, "work of " + std::to_string(bytes));
      ASSERT_TRUE(outcome.status.ok()) << outcome.status;
      EXPECT_EQ(page, alone->Page().SerializeAsString()) << bytes;
    }
  }
};

TEST_F(RankMatching, IsThatOfOneProcess) {
  GenerateCluster(/*seed=*/27);
  ExpectTheSameInLittleMemory();
}

TEST_F(RankMatching, IsThatOfOneProcessWithPausesAndLosses) {
  GenerateSimulated(/*seed=*/4);
  ExpectTheSameInLittleMemory();
}

// They are matched in order, so those that woke nobody count, too.
TEST_F(RankMatching, IsThatOfOneProcessForDatagrams) {
  constexpr uint8_t kUdp = 17;
  constexpr uint64_t kEveryNs = 1'000'000;
  constexpr int kDatagrams = 600;
  TestCluster cluster;
  cluster.Node("web");
  cluster.Node("db", {.skew_ns = 3'000'000, .error_ns = 500, .bound_ns = 1'000});
  for (uint16_t i = 0; i < 3; ++i) {
    cluster.Flow(kWeb + i, kDb, kUdp);
    cluster.At("web", 0, i).Thread(10 + i, "front").Run(10 + i);
    cluster.At("db", 0, i).Thread(20 + i, "back");
  }
  for (int n = 0; n < kDatagrams; ++n) {
    const auto i = static_cast<uint16_t>(n % 3);
    const auto from = static_cast<uint16_t>(kWeb + i);
    const auto bytes = static_cast<uint32_t>(100 + 10 * (n % 7));
    const uint64_t at_ns = kEveryNs * static_cast<uint64_t>(n + 1);
    cluster.At("web", at_ns, i);
    cluster.Send("web", from, kDb, 0, bytes, 10 + i);
    if (n % 11 == 0) continue;  // lost
    cluster.At("db", at_ns + kEveryNs / 4, i);
    if (n % 5 == 0) {
      cluster.Receive("db", from, kDb, 0, bytes);
      continue;
    }
    cluster.Deliver("db", from, kDb, 0, bytes, 20 + i);
    cluster.At("db", at_ns + kEveryNs / 3, i).Run(20 + i);
    cluster.At("db", at_ns + kEveryNs / 2, i).Block();
  }
  cluster.Measure(kEveryNs * (kDatagrams + 2));
  recording_ = dir_ / "datagrams";
  cluster.Write(recording_);
  ExpectTheSameInLittleMemory();
}

}  // namespace
}  // namespace gordian::testing
