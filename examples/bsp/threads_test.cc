// SPDX-License-Identifier: Apache-2.0
// The places where threads meet: queue, inbox, rendezvous, safepoint. Worth a run with the preset
// tsan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "examples/bsp/bounded_queue.h"
#include "examples/bsp/messages.h"
#include "examples/bsp/rendezvous.h"
#include "examples/bsp/safepoint.h"

namespace bsp {
namespace {

TEST(BoundedQueue, GivesItemsInOrderAndEndsWhenClosed) {
  BoundedQueue<int> queue(2);
  std::vector<int> taken;
  std::thread consumer([&] {
    while (const std::optional<int> item = queue.Take()) taken.push_back(*item);
  });
  for (int item = 0; item < 1000; ++item) queue.Put(item);
  queue.Close();
  consumer.join();
  ASSERT_EQ(taken.size(), 1000u);
  for (int item = 0; item < 1000; ++item) EXPECT_EQ(taken[item], item);
}

TEST(BoundedQueue, RefusesWhatDoesNotFitAndLeavesItWithTheCaller) {
  BoundedQueue<std::vector<int>> queue(1);
  std::vector<int> first = {1};
  std::vector<int> second = {2};
  EXPECT_TRUE(queue.TryPut(first));
  EXPECT_FALSE(queue.TryPut(second));
  EXPECT_EQ(second, std::vector<int>{2});
  EXPECT_EQ(queue.Take(), std::vector<int>{1});
  EXPECT_TRUE(queue.TryPut(second));
}

TEST(Inbox, TakeUntilEndsForAllWhoShareIt) {
  constexpr uint64_t kBatches = 500;
  Inbox inbox;
  std::atomic<uint64_t> taken = 0;
  std::vector<std::thread> takers;
  takers.reserve(3);
  for (int taker = 0; taker < 3; ++taker) {
    takers.emplace_back([&] {
      while (inbox.TakeUntil(kBatches).has_value()) ++taken;
    });
  }
  for (uint64_t batch = 0; batch < kBatches; ++batch) inbox.Put({{1, 1.0}});
  for (std::thread& taker : takers) taker.join();
  EXPECT_EQ(taken, kBatches);
}

TEST(Inbox, WhatIsHeldBackComesWhenItIsReleased) {
  Inbox inbox;
  inbox.HoldBack();
  inbox.Put({{1, 1.0}});
  EXPECT_EQ(inbox.Pending(), 0u);
  EXPECT_FALSE(inbox.TryTake().has_value());
  inbox.Release();
  EXPECT_EQ(inbox.Pending(), 1u);
  EXPECT_TRUE(inbox.TryTake().has_value());
  EXPECT_FALSE(inbox.TryTake().has_value());
}

TEST(Network, DeliversEverythingThatWasSent) {
  Network network(2, 1);
  for (Vertex vertex = 0; vertex < 100; ++vertex) {
    Batch batch = {{vertex, 1.0}};
    if (!network.TrySend(1, batch)) network.Send(1, std::move(batch));
  }
  EXPECT_EQ(network.SentTo(0), 0u);
  EXPECT_EQ(network.SentTo(1), 100u);
  for (Vertex vertex = 0; vertex < 100; ++vertex) {
    EXPECT_EQ(network.InboxOf(1).TakeUntil(100)->front().vertex, vertex);
  }
  EXPECT_FALSE(network.InboxOf(1).TakeUntil(100).has_value());
}

TEST(Rendezvous, NobodyIsAheadOrBehindByARound) {
  constexpr uint32_t kFollowers = 3;
  constexpr uint32_t kRounds = 200;
  Rendezvous barrier(kFollowers);
  std::vector<uint32_t> at(kFollowers);  // unguarded: the barrier orders it
  std::vector<std::thread> threads;
  for (uint32_t follower = 0; follower < kFollowers; ++follower) {
    threads.emplace_back([&, follower] {
      for (uint32_t round = 0; round < kRounds; ++round) {
        at[follower] = barrier.WaitForStart(round);
        barrier.Arrive();
      }
    });
  }
  for (uint32_t round = 0; round < kRounds; ++round) {
    barrier.Start(round + 1);
    barrier.WaitForAll();
    EXPECT_THAT(at, ::testing::Each(round + 1));
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Safepoint, NobodyIsInsideWhileItIsClosed) {
  constexpr int kCollections = 200;
  Safepoint safepoint;
  std::atomic<bool> ending = false;
  uint64_t shared = 0;  // unguarded: either all threads are inside and only read, or none is
  std::vector<std::thread> threads;
  threads.reserve(3);
  std::atomic<uint64_t> seen = 0;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&] {
      safepoint.Enter();
      while (!ending) {
        seen.fetch_add(shared);
        if (!safepoint.IsClosed()) continue;
        safepoint.Leave();
        safepoint.Enter();
      }
      safepoint.Leave();
    });
  }
  for (int collection = 0; collection < kCollections; ++collection) {
    safepoint.Close();
    EXPECT_FALSE(safepoint.TryEnter());
    ++shared;
    safepoint.Open();
  }
  ending = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared, uint64_t{kCollections});
}

}  // namespace
}  // namespace bsp
