// SPDX-License-Identifier: Apache-2.0
// Puppets whose critical path is known, recorded on this kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "analysis/recording.h"
#include "analysis/recording_participation.h"
#include "base/time_units.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

constexpr double kRounds = 1000;

struct Life {
  uint64_t begin_ns = 0;  // since the recording's start
  uint64_t end_ns = 0;
};

class PuppetOnItsPath : public ::testing::Test {
 protected:
  void Record(const std::string& puppet) {
    const ProgramResult recorded = RunProgram({GORDIAN_PROGRAM, "record", "-o", trace_, "--",
                                               PUPPET_PROGRAM, puppet, "--rounds", "1000"});
    ASSERT_EQ(recorded.exit_code, 0) << recorded.errors;
  }

  Life LifeOf(const std::string& thread) const {
    const auto timeline = ReadTimeline(trace_, {});
    if (!timeline.ok()) return {};
    for (const Entity& entity : (*timeline)->entities()) {
      if (entity.name != thread) continue;
      return {entity.begin_ns - (*timeline)->start_ns(), entity.end_ns - (*timeline)->start_ns()};
    }
    return {};
  }

  // Rows by vertex and by link, of one window or of many.
  void Ask(const ClockRange& between, uint64_t window_ns) {
    ParticipationRequest request{.window_ns = window_ns,
                                 .from_ns = between.from_ns,
                                 .to_ns = between.to_ns,
                                 .by = {ParticipationBy::kVertex, ParticipationBy::kLink}};
    auto asked = ParticipationOfRecording(trace_, request, {.graph = {.no_merge = true}}, true);
    ASSERT_TRUE(asked.ok()) << asked.status();
    answer_ = *std::move(asked);
  }
  std::map<std::string, double> SharesOf(int window) const {
    std::map<std::string, double> shares;
    for (const pb::ParticipationRow& row : answer_.answers[0].windows(window).rows())
      shares[row.name()] += row.cp();
    return shares;
  }
  double CrossingsOf(const std::string& link) const {
    for (const pb::ParticipationRow& row : answer_.answers[1].windows(0).rows()) {
      if (row.name() == link) return row.crossings();
    }
    return 0;
  }

  // Two threads of which only one can go on at a time: the path is on one or the other, and goes
  // over at each turn.
  void ExpectTurns(const std::string& one, const std::string& other) {
    const Life life = LifeOf(other);
    ASSERT_LT(life.begin_ns, life.end_ns);
    Ask({life.begin_ns, life.end_ns}, 0);
    const std::map<std::string, double> shares = SharesOf(0);
    ASSERT_EQ(shares.count(one) + shares.count(other), 2u);
    EXPECT_GT(shares.at(one) + shares.at(other), 0.9);
    // A wake may come before its sleeper sleeps: then there is no wait.
    EXPECT_GT(CrossingsOf(one + " → " + other), kRounds / 2);
    EXPECT_GT(CrossingsOf(other + " → " + one), kRounds / 2);
    EXPECT_NEAR(CrossingsOf(one + " → " + other), CrossingsOf(other + " → " + one), 2);
  }

  const TempDir dir_;
  const std::string trace_ = dir_ / "trace";
  RecordingParticipation answer_;
};

TEST_F(PuppetOnItsPath, PingAndPongTakeTurnsOnThePath) {
  Record("futex-ping-pong");
  ExpectTurns("ping", "pong");
}

TEST_F(PuppetOnItsPath, TheHolderOfALockIsOnThePath) {
  Record("mutex");
  ExpectTurns("first", "second");
}

TEST_F(PuppetOnItsPath, EachWindowsSharesAddUpToOne) {
  Record("futex-ping-pong");
  Ask({0, UINT64_MAX}, kNsPerMs);
  ASSERT_GT(answer_.answers[0].windows_size(), 1);
  for (int window = 0; window < answer_.answers[0].windows_size(); ++window) {
    double sum = 0;
    for (const auto& [name, share] : SharesOf(window)) sum += share;
    const bool has_path = answer_.answers[0].windows(window).paths() > 0;
    EXPECT_NEAR(sum, has_path ? 1 : 0, 1e-9) << "window " << window;
  }
  for (const pb::ParticipationCounter& counter : answer_.answers[0].counters())
    EXPECT_NE(counter.name(), "windows_inexact");
}

}  // namespace
}  // namespace gordian::testing
