// SPDX-License-Identifier: Apache-2.0
#include "serve/kept_answers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"

namespace gordian {
namespace {

TEST(KeptAnswers, MakesAThingOnceForManyAtOnce) {
  KeptAnswers kept;
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      const auto value = kept.Get<int>("a", [&] { return ++made; });
      EXPECT_TRUE(value.ok());
      EXPECT_EQ(**value, 1);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

TEST(KeptAnswers, TellsKeysAndTypesApart) {
  KeptAnswers kept;
  EXPECT_EQ(**kept.Get<int>("a", [] { return 1; }), 1);
  EXPECT_EQ(**kept.Get<int>("b", [] { return 2; }), 2);
  EXPECT_EQ(**kept.Get<std::string>("a", [] { return std::string("s"); }), "s");
}

TEST(KeptAnswers, KeepsNoErrors) {
  KeptAnswers kept;
  const auto failed =
      kept.Get<int>("a", [] { return absl::StatusOr<int>(absl::CancelledError("gone")); });
  EXPECT_TRUE(absl::IsCancelled(failed.status()));
  EXPECT_EQ(**kept.Get<int>("a", [] { return 5; }), 5);
}

TEST(KeptAnswers, DropsWhatWasUsedLongestAgoAndLeavesItToItsHolders) {
  KeptAnswers kept(2);
  const auto first = *kept.Get<int>("a", [] { return 1; });
  kept.Get<int>("b", [] { return 2; }).IgnoreError();
  kept.Get<int>("c", [] { return 3; }).IgnoreError();
  EXPECT_EQ(*first, 1);
  EXPECT_EQ(**kept.Get<int>("a", [] { return 9; }), 9);
  EXPECT_EQ(**kept.Get<int>("c", [] { return 9; }), 3);
}

}  // namespace
}  // namespace gordian
