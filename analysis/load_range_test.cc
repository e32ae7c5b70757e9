// SPDX-License-Identifier: Apache-2.0
// Recordings that begin before their load, or end behind it.
#include "analysis/load_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/analysis.h"
#include "analysis/measured_work.h"
#include "base/time_units.h"
#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::kDiskSleep;
using testing::kSleep;
using testing::TempDir;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

constexpr uint64_t kRounds = 600;
constexpr uint64_t kRoundNs = 363'000;
constexpr uint64_t kLoadBeginsNs = 200'000'000;
constexpr uint64_t kLoadNs = kRounds * kRoundNs;

struct PlayedLoad {
  uint64_t rounds = kRounds;
  uint64_t round_ns = kRoundNs;
};

// A client asks a server, which waits for its disk for 200 µs of the 363 µs from one question to
// the next. Before that, and behind it, a clock ticks and nobody asks.
absl::StatusOr<Analysis> Analyzed(const TempDir& dir, AnalysisOptions options = {},
                                  const PlayedLoad& load = {}) {
  constexpr int32_t kServer = 10, kClient = 20, kClock = 30;
  TestTalk talk;
  talk.trace().session().mutable_host()->set_cpus(3);
  const uint32_t disk = talk.trace().Disk("vda");
  talk.trace().Thread(kServer, "server").Thread(kClient, "client").Thread(kClock, "clock");
  talk.At(0, 0).Run(kServer);
  talk.At(1_us, 0).Block(kSleep);
  talk.At(2_us, 1).Run(kClient);
  talk.At(3_us, 1).Block(kSleep);
  const auto tick = [&talk](uint64_t from_ns, uint64_t to_ns) {
    for (uint64_t at_ns = from_ns; at_ns < to_ns; at_ns += 10_ms) {
      talk.At(at_ns, 2).WakeFromTimer(kClock).Run(kClock);
      talk.At(at_ns + 10_us, 2).Block(kSleep);
    }
  };
  tick(1_ms, kLoadBeginsNs - 1_ms);
  talk.At(kLoadBeginsNs - 10_us, 1).WakeFromTimer(kClient).Run(kClient);
  for (uint64_t round = 0; round < load.rounds; ++round) {
    const uint64_t begin_ns = kLoadBeginsNs + round * load.round_ns;
    talk.At(begin_ns, 1);
    talk.Ask(50001, 100, kClient);
    talk.At(begin_ns, 1).Wake(kServer);
    talk.At(begin_ns + 1_us, 1).Block(kSleep);
    talk.At(begin_ns + 20_us, 0).Run(kServer);
    talk.At(begin_ns + 100_us, 0).Block(kDiskSleep);
    talk.At(begin_ns + 300_us, 0).WakeFromBlock(kServer, disk);
    talk.At(begin_ns + 301_us, 0).Run(kServer);
    talk.At(begin_ns + 341_us, 0);
    talk.Answer(50001, kServer, 100, testing::kServerPort, /*local=*/true);
    talk.At(begin_ns + 341_us, 0).Wake(kClient);
    talk.At(begin_ns + 342_us, 0).Block(kSleep);
    talk.At(begin_ns + 343_us, 1).Run(kClient);
  }
  const uint64_t end_ns = kLoadBeginsNs + load.rounds * load.round_ns;
  talk.At(end_ns, 1).Block(kSleep);
  tick(end_ns + 1_ms, 800_ms);
  if (const absl::Status written = talk.trace().WriteSession(dir.path()); !written.ok())
    return written;
  options.threads = 1;
  return Analysis::Run(dir.path(), options);
}

const WhatIfRequest kFasterDisk = {.changes = {{"scale", "vda=0"}}};

TEST(LoadRange, IsWhatAQuestionIsAbout) {
  const TempDir dir, dir_of_range;
  const auto whole = Analyzed(dir);
  const auto range = Analyzed(
      dir_of_range,
      {.range = {.from_ns = kLoadBeginsNs, .to_ns = kLoadBeginsNs + kLoadNs - 22'000 + 1}});
  ASSERT_TRUE(whole.ok() && range.ok()) << whole.status() << range.status();
  auto answer = whole->Ask(kFasterDisk);
  const auto expected = range->Ask(kFasterDisk);
  ASSERT_TRUE(answer.ok() && expected.ok()) << answer.status() << expected.status();
  EXPECT_NEAR(expected->expected(), 363.0 / 162, 0.1);
  EXPECT_DOUBLE_EQ(answer->expected(), expected->expected());
  EXPECT_DOUBLE_EQ(answer->load().rate(), expected->load().rate());
  EXPECT_THAT(answer->doubts(),
              Contains(HasSubstr("requests came only from 0.20 s to 0.42 s of the recording")));
}

TEST(LoadRange, IsWhatAVerificationMeasures) {
  const TempDir dir;
  const auto analysis = Analyzed(dir);
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  EXPECT_NEAR(MeasureRequests(*analysis).rate.value, 1e9 / kRoundNs, 5);
}

TEST(LoadRange, IsAllOfTheTimeIfRequestsCameThroughout) {
  const TempDir dir;
  const auto analysis = Analyzed(
      dir, {.range = {.from_ns = kLoadBeginsNs - 1'000'000, .to_ns = kLoadBeginsNs + kLoadNs}});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  const auto answer = analysis->Ask(kFasterDisk);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(answer->doubts(), ::testing::Not(Contains(HasSubstr("requests came only"))));
}

TEST(LoadRange, IsWhatTheReportIsOf) {
  const TempDir dir;
  const auto analysis = Analyzed(dir, {.questions = true});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  EXPECT_NEAR(analysis->report().recording().seconds(), SecondsOf(kLoadNs), 1e-3);
  EXPECT_THAT(analysis->report().counters(),
              Contains(::testing::Property(&pb::ReportCounter::name, "requests_in_a_part")));
  const auto answer = analysis->Ask(kFasterDisk);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_NEAR(answer->expected(), 363.0 / 162, 0.1);
  EXPECT_THAT(answer->doubts(), Contains(HasSubstr("requests came only")));
}

TEST(LoadRange, IsTheRangeThatWasAskedFor) {
  const TempDir dir;
  const auto analysis =
      Analyzed(dir, {.range = {.from_ns = 0, .to_ns = 5'000'000'000}, .questions = true});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  EXPECT_NEAR(analysis->report().recording().seconds(), 0.8, 0.02);
}

// Somebody looked whether the server is well: 50 times, or for little of the time.
TEST(LoadRange, IsAllOfTheTimeIfTheRequestsAreNoLoad) {
  for (const PlayedLoad& looks :
       {PlayedLoad{.rounds = 50}, {.rounds = 200, .round_ns = 2'000'000}}) {
    const TempDir dir;
    const auto analysis = Analyzed(dir, {.questions = true}, looks);
    ASSERT_TRUE(analysis.ok()) << analysis.status();
    EXPECT_NEAR(analysis->report().recording().seconds(), 0.8, 0.02);
  }
}

// Who asks now and then has more to do than that.
TEST(LoadRange, IsAllOfTheTimeOfWhoOnlyAsks) {
  const TempDir dir;
  const auto analysis = Analyzed(dir, {.target = {.comms = {"client"}}, .questions = true});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  EXPECT_NEAR(analysis->report().recording().seconds(), 0.8, 0.02);
}

}  // namespace
}  // namespace gordian
