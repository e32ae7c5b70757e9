// SPDX-License-Identifier: Apache-2.0
// Simulations against the theory of queues.
#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "whatif/requests/requests.h"
#include "whatif/requests/test_tokens.h"

namespace gordian {
namespace {

using testing::kUs;
using testing::TokenSystem;

constexpr size_t kRequests = 20'000;
constexpr uint64_t kAnswers = 60'000;

// Answers a second of `population` tokens that think, then are served in one of `servers` places:
// exact, by the balance of a birth and death process.
double RateOfRepairmen(uint32_t population, uint32_t servers, double think_ns, double service_ns) {
  double weight = 1;
  double sum = 0;
  double served = 0;
  for (uint32_t open = 0; open <= population; ++open) {
    const double busy = std::min(open, servers);
    sum += weight;
    served += weight * busy;
    weight *= (population - open) / think_ns * service_ns / std::min(open + 1, servers);
  }
  return served / sum / service_ns * 1e9;
}

// By exact mean value analysis: one queue per demand, and thinking.
double RateByMeanValues(uint32_t population, double think_ns,
                        const std::span<const double> demands) {
  std::vector<double> queued(demands.size());
  double rate = 0;
  for (uint32_t tokens = 1; tokens <= population; ++tokens) {
    double response_ns = 0;
    std::vector<double> at(demands.size());
    for (size_t i = 0; i < demands.size(); ++i) {
      at[i] = demands[i] * (1 + queued[i]);
      response_ns += at[i];
    }
    rate = tokens / (think_ns + response_ns);
    for (size_t i = 0; i < demands.size(); ++i) queued[i] = rate * at[i];
  }
  return rate * 1e9;
}

TEST(TokenQueues, SeatsInOrderOfArrivalAreMachineRepairmen) {
  for (const uint32_t seats : {1u, 2u, 4u}) {
    TokenSystem system(/*population=*/6);
    const uint32_t place = system.AddSeats(seats);
    for (size_t i = 0; i < kRequests; ++i)
      system.Think(system.Exponential(300 * kUs))
          .Take(place)
          .Pause(system.Exponential(100 * kUs))
          .Give(place)
          .Answer()
          .End();
    const double exact = RateOfRepairmen(6, seats, 300 * kUs, 100 * kUs);
    EXPECT_NEAR(PlayTokens(system.model, kAnswers).rate / exact, 1, 0.02) << seats << " seats";
  }
}

// Work of many turns shares the CPUs, which is insensitive: only its mean matters, here it is
// always the same.
TEST(TokenQueues, CpusThatAreSharedServeConstantWorkAsFastAsExponentialWork) {
  for (const uint32_t cpus : {1u, 2u, 3u}) {
    TokenSystem system(/*population=*/5, cpus);
    for (size_t i = 0; i < kRequests; ++i)
      system.Think(system.Exponential(80'000 * kUs)).Run(40'000 * kUs).Answer().End();
    const double exact = RateOfRepairmen(5, cpus, 80'000 * kUs, 40'000 * kUs);
    EXPECT_NEAR(PlayTokens(system.model, kAnswers).rate / exact, 1, 0.02) << cpus << " CPUs";
  }
}

// All begin at once. In order of arrival they wait for each other once, and never again; if they
// shared the CPU, they would end together, and so meet again each time.
TEST(TokenQueues, ShortRunsThatMeetOnceDoNotMeetForEver) {
  TokenSystem system(/*population=*/3, /*cpus=*/1);
  for (size_t i = 0; i < kRequests; ++i) system.Think(1000 * kUs).Run(100 * kUs).Answer().End();
  EXPECT_NEAR(PlayTokens(system.model, kAnswers).rate, 3e9 / (1100 * kUs), 1);
}

TEST(TokenQueues, CpuAndDiskAgreeWithMeanValueAnalysis) {
  for (const uint32_t population : {1u, 3u, 10u}) {
    TokenSystem system(population);
    for (size_t i = 0; i < kRequests; ++i)
      system.Think(system.Exponential(50 * kUs))
          .Run(system.Exponential(40 * kUs))
          .Disk(system.Exponential(60 * kUs))
          .Answer()
          .End();
    const double exact = RateByMeanValues(population, 50 * kUs, std::vector{40 * kUs, 60 * kUs});
    EXPECT_NEAR(PlayTokens(system.model, kAnswers).rate / exact, 1, 0.02) << population;
  }
}

TEST(TokenQueues, SleeperIsWokenButNotAThreadThatStaysBusy) {
  const auto rate_of = [](uint32_t population) {
    TokenSystem system(population, /*cpus=*/4);
    const uint32_t place = system.AddSeats(1);
    system.model.seats[place].wake_ns = 30 * kUs;
    system.model.seats[place].wake_run_ns = 10 * kUs;
    system.Think(0).Take(place).Run(20 * kUs).Give(place).Answer().End();
    return PlayTokens(system.model, 1000).rate;
  };
  EXPECT_NEAR(rate_of(1), 1e9 / (60 * kUs), 1);
  EXPECT_NEAR(rate_of(4), 1e9 / (20 * kUs), 500);
}

TEST(TokenQueues, WorkBehindTheAnswerKeepsTheThreadButNotTheClient) {
  TokenSystem system(/*population=*/1, /*cpus=*/2);
  const uint32_t place = system.AddSeats(1);
  system.Think(10 * kUs).Take(place).Run(20 * kUs).Answer().Run(30 * kUs).Give(place).End();
  const TokenRates rates = PlayTokens(system.model, 1000);
  EXPECT_NEAR(rates.rate, 1e9 / (50 * kUs), 30);  // the thread's own work is the limit
  EXPECT_NEAR(rates.response_ns, 40 * kUs, 100);
}

TEST(TokenQueues, TokensThatWaitForEachOthersSeatsAreStuck) {
  TokenSystem system(/*population=*/2);
  const uint32_t a = system.AddSeats(1);
  const uint32_t b = system.AddSeats(1);
  system.Think(0).Take(a).Pause(10).Take(b).Give(b).Give(a).Answer().End();
  EXPECT_FALSE(PlayTokens(system.model, 100).is_stuck);
  system.Think(0).Take(b).Pause(10).Take(a).Give(a).Give(b).Answer().End();
  EXPECT_TRUE(PlayTokens(system.model, 1000).is_stuck);
}

// Nobody has to be woken: then it does not matter who gets a lock next.
TEST(TokenQueues, LocksAreMachineRepairmenHandedOverOrNot) {
  for (const bool is_handed : {false, true}) {
    TokenSystem system(/*population=*/6);
    const uint32_t lock = system.AddLock(is_handed);
    for (size_t i = 0; i < kRequests; ++i)
      system.Think(system.Exponential(300 * kUs))
          .Take(lock)
          .Pause(system.Exponential(100 * kUs))
          .Give(lock)
          .Answer()
          .End();
    const double exact = RateOfRepairmen(6, 1, 300 * kUs, 100 * kUs);
    EXPECT_NEAR(PlayTokens(system.model, kAnswers).rate / exact, 1, 0.02) << is_handed;
  }
}

// Two tokens, always one behind the other. Handed over, the lock is held while its next holder
// wakes: a convoy. Else the first one is back before.
TEST(TokenQueues, LockThatIsHandedOverIsHeldByWhoWakes) {
  const auto rate_of = [](bool is_handed) {
    TokenSystem system(/*population=*/2, /*cpus=*/4);
    const uint32_t lock = system.AddLock(is_handed);
    system.model.seats[lock].wake_ns = 50 * kUs;
    system.Think(5 * kUs).Take(lock).Run(20 * kUs).Give(lock).Answer().End();
    return PlayTokens(system.model, 4000).rate;
  };
  EXPECT_NEAR(rate_of(true), 1e9 / (70 * kUs), 100);
  EXPECT_GT(rate_of(false), 1.5e9 / (70 * kUs));
  EXPECT_LE(rate_of(false), 1e9 / (20 * kUs));
}

// While one flush is under way all others gather for the next one: of four tokens one or three
// share, and each has one flush out of two.
TEST(TokenQueues, FlushServesAllWhoCameDuringTheOneBefore) {
  for (const uint32_t population : {1u, 2u, 4u, 9u}) {
    TokenSystem system(population);
    system.Think(0).Disk(100 * kUs).Answer().End();
    system.model.disks[0].is_grouped = true;
    const double flushes_each = population == 1 ? 1 : 2;
    EXPECT_NEAR(PlayTokens(system.model, 4000).rate, population / (flushes_each * 100 * kUs) * 1e9,
                200)
        << population;
  }
}

// All who stand in line go on where the first of them gives the lock back.
TEST(TokenQueues, HolderOfAGroupedLockWorksForAllInLine) {
  for (const uint32_t population : {2u, 5u}) {
    TokenSystem system(population);
    const uint32_t lock = system.AddLock();
    system.model.seats[lock].is_grouped = true;
    system.Think(0).Take(lock).Pause(100 * kUs).Give(lock).Answer().End();
    EXPECT_NEAR(PlayTokens(system.model, 4000).rate, population / (200 * kUs) * 1e9, 200)
        << population;
  }
}

TEST(TokenQueues, OperationsBehindATokenAreLimitedByTheDisk) {
  TokenSystem system(/*population=*/1);
  system.Think(10 * kUs).Disk(100 * kUs).Answer().End();
  system.model.steps[2].goes_on = true;
  system.model.disks[0].most_behind = 4;
  EXPECT_NEAR(PlayTokens(system.model, 4000).rate, 1e9 / (100 * kUs), 30);
  system.model.disks[0].slots = 4;
  EXPECT_NEAR(PlayTokens(system.model, 4000).rate, 4e9 / (100 * kUs), 1500);
  system.model.disks[0].slots = 100;
  system.model.disks[0].most_behind = 100;
  EXPECT_NEAR(PlayTokens(system.model, 4000).rate, 1e9 / (10 * kUs), 300);
}

RC_GTEST_PROP(TokenQueues, StayWithinAsymptoticBoundsAndKeepLittlesLaw, ()) {
  const uint32_t population = *rc::gen::inRange<uint32_t>(1, 20);
  const uint32_t cpus = *rc::gen::inRange<uint32_t>(1, 4);
  const uint32_t seats = *rc::gen::inRange<uint32_t>(1, 6);
  const double think_ns = *rc::gen::inRange(0, 200) * kUs;
  const double run_ns = *rc::gen::inRange(1, 100) * kUs;
  const double pause_ns = *rc::gen::inRange(0, 100) * kUs;
  const double disk_ns = *rc::gen::inRange(1, 100) * kUs;
  TokenSystem system(population, cpus);
  const uint32_t place = system.AddSeats(seats);
  double all_ns = 0;
  double held_ns = 0;
  for (size_t i = 0; i < 500; ++i) {
    const double factor = *rc::gen::just(0.5 + static_cast<double>(i % 100) / 100);
    system.Think(think_ns).Take(place).Run(run_ns * factor).Pause(pause_ns).Give(place);
    system.Disk(disk_ns * factor).Answer().End();
    all_ns += think_ns + run_ns * factor + pause_ns + disk_ns * factor;
    held_ns += run_ns * factor + pause_ns;
  }
  const TokenRates rates = PlayTokens(system.model, 4000);
  const double slack = 1.05;  // requests are taken at random
  RC_ASSERT(rates.rate <= slack * population * 500 / all_ns * 1e9);
  RC_ASSERT(rates.rate <= slack * cpus / run_ns * 1e9);
  RC_ASSERT(rates.rate <= slack * seats * 500 / held_ns * 1e9);
  RC_ASSERT(rates.rate <= slack / disk_ns * 1e9);
  // With everybody always behind all others.
  RC_ASSERT(rates.rate * slack >=
            population / (think_ns + population * (all_ns / 500 - think_ns)) * 1e9);
  RC_ASSERT(rates.LittleMiss() < 0.02);
}

}  // namespace
}  // namespace gordian
