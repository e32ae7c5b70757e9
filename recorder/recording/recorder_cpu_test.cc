// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/recorder_cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace gordian {
namespace {

class Shared : public testing::Test {
 protected:
  uint64_t total_ns_ = 5'000;  // before anybody recorded
  const std::shared_ptr<RecorderCpu> cpu_ = RecorderCpu::Make([this] { return total_ns_; });
};

TEST_F(Shared, OneRecordingPaysForAllThatTheProcessDoes) {
  const auto share = cpu_->Join();
  total_ns_ += 100;  // 60 of them its own threads'
  EXPECT_EQ(share->Take(60), 100u);
  total_ns_ += 7;
  EXPECT_EQ(share->Take(0), 7u);
}

TEST_F(Shared, EachOfSeveralPaysForItsOwnThreadsAndAPartOfTheRest) {
  const auto dear = cpu_->Join();
  const auto cheap = cpu_->Join();
  total_ns_ += 1'000 + 20 + 100;
  // Until the second tells, its 20 seem to be of the rest.
  const uint64_t first_ns = dear->Take(1'000);
  EXPECT_EQ(first_ns, 1'060u);
  EXPECT_EQ(first_ns + cheap->Take(20), 1'140u);
  total_ns_ += 100;
  EXPECT_EQ(dear->Take(0) + cheap->Take(0), 80u) << "what was paid too early is made good";
}

TEST_F(Shared, WhatWasTakenWhileNobodyRecordedIsNobodys) {
  { const auto share = cpu_->Join(); }
  total_ns_ += 1'000;
  const auto share = cpu_->Join();
  total_ns_ += 3;
  EXPECT_EQ(share->Take(0), 3u);
}

TEST_F(Shared, ANewcomerDoesNotPayForWhatWasTakenBefore) {
  const auto first = cpu_->Join();
  total_ns_ += 1'000;
  const auto second = cpu_->Join();
  EXPECT_EQ(second->Take(0), 0u);
  EXPECT_EQ(first->Take(0), 1'000u);
}

TEST_F(Shared, AllTogetherPayForEverythingWhoeverTellsWhen) {
  std::mt19937 random(1);
  std::vector<std::unique_ptr<RecorderCpu::Share>> shares;
  for (int i = 0; i < 4; ++i) shares.push_back(cpu_->Join());
  std::vector<uint64_t> untold_ns(shares.size());
  const uint64_t before_ns = total_ns_;
  uint64_t paid_ns = 0;
  uint64_t untold_most_ns = 0;
  for (int i = 0; i < 10'000; ++i) {
    const size_t who = random() % shares.size();
    const uint64_t own_ns = random() % 1'000;
    untold_ns[who] += own_ns;
    total_ns_ += own_ns + random() % 100;
    untold_most_ns =
        std::max(untold_most_ns, std::accumulate(untold_ns.begin(), untold_ns.end(), uint64_t{0}));
    if (random() % 3 != 0) continue;
    paid_ns += shares[who]->Take(untold_ns[who]);
    untold_ns[who] = 0;
  }
  for (size_t i = 0; i < shares.size(); ++i) paid_ns += shares[i]->Take(untold_ns[i]);
  for (const auto& share : shares) paid_ns += share->Take(0);
  const uint64_t all_ns = total_ns_ - before_ns;
  EXPECT_GE(paid_ns + shares.size(), all_ns);  // but for rounding
  EXPECT_LE(paid_ns, all_ns + untold_most_ns);
}

TEST(CpuTime, OfTheProcessHoldsThatOfItsThread) {
  const uint64_t process_ns = ProcessCpuNs(true);
  EXPECT_GT(process_ns, 0u);
  EXPECT_GE(process_ns, ProcessCpuNs(false) / 2);
  const uint64_t thread_ns = ThreadCpuNs();
  EXPECT_LE(thread_ns, ProcessCpuNs(false));
}

}  // namespace
}  // namespace gordian
