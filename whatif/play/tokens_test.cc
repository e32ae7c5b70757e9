// SPDX-License-Identifier: Apache-2.0
#include "whatif/play/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr EntityId kWaker = 0, kWaiter = 1, kThird = 2;

// A thread that hands two things over to another one, and must not get ahead of it.
Score TwoHandOvers() {
  Score score;
  score.first_step = {0, 0, 0};
  score.pairs.resize(1);
  score.pairs[0].waker = kWaker;
  score.pairs[0].waiter = kWaiter;
  score.pairs[0].lead = score.pairs[0].queue = 0;
  score.pair_of_hand_over = {0, 0};
  score.relayed_disk = {kNoDisk, kNoDisk};
  score.channels = 1;
  return score;
}

bool Send(Tokens& tokens, uint32_t hand_over) {
  return tokens.Send(kWaker, hand_over, /*flight_ns=*/0, /*now_ns=*/0);
}

TEST(Tokens, WakerThatIsTooFarAheadIsReleasedWhenSomebodyWaits) {
  const Score score = TwoHandOvers();
  const Variation variation;
  Tokens tokens(score, variation);
  EXPECT_FALSE(Send(tokens, 0));
  EXPECT_FALSE(tokens.Await(kWaiter, 0));
  const auto released = tokens.TakeReleased();
  ASSERT_THAT(released, SizeIs(1));
  EXPECT_EQ(released[0].thread, kWaker);
  EXPECT_FALSE(released[0].step_done);
}

TEST(Tokens, WakerOfCallsThatAreNotMadeAnyMoreIsNeverTooFarAhead) {
  const Score score = TwoHandOvers();
  Variation variation;
  variation.asked_no_more = {1};
  Tokens tokens(score, variation);
  EXPECT_TRUE(Send(tokens, 0));
  EXPECT_TRUE(Send(tokens, 1));
}

TEST(Tokens, OnesThatAreSentAreThereWhenTheyArrive) {
  Score score = TwoHandOvers();
  score.pairs[0].lead = 1;
  const Variation variation;
  Tokens tokens(score, variation);
  EXPECT_TRUE(Send(tokens, 0));
  EXPECT_FALSE(tokens.Await(kWaiter, 0)) << "it is under way";
  EXPECT_THAT(tokens.TakeReleased(), IsEmpty());
  tokens.Arrive(0);
  const auto released = tokens.TakeReleased();
  ASSERT_THAT(released, SizeIs(1));
  EXPECT_EQ(released[0].thread, kWaiter);
  EXPECT_TRUE(released[0].step_done);
}

TEST(Tokens, OnesUnderWayAreNotAhead) {
  Score score = TwoHandOvers();
  score.pairs[0].lead = 1;
  const Variation variation;
  Tokens tokens(score, variation);
  EXPECT_TRUE(Send(tokens, 0));
  EXPECT_TRUE(Send(tokens, 1));
  tokens.Arrive(0);
  EXPECT_FALSE(Send(tokens, 1)) << "the other one has not even waited for the first";
}

TEST(Tokens, AsManyMayBeAheadAsTheWaiterTakesWhileOneIsUnderWay) {
  const Score score = TwoHandOvers();
  const Variation variation;
  Tokens tokens(score, variation);
  EXPECT_FALSE(tokens.Await(kWaiter, 0));  // one wait in the first 10 ns
  tokens.Arrive(0);
  EXPECT_FALSE(tokens.Send(kWaker, 1, /*flight_ns=*/9, /*now_ns=*/10));
  EXPECT_TRUE(tokens.Send(kWaker, 1, /*flight_ns=*/10, /*now_ns=*/10));
}

// Threads of a kind that share its work may do it in another order.
Score ThreeHandOvers() {
  Score score = TwoHandOvers();
  score.pairs[0].lead = 1;
  score.pair_of_hand_over = {0, 0, 0};
  score.relayed_disk.resize(3, kNoDisk);
  score.first_step = {0, 0, 0, 0};
  return score;
}

TEST(Tokens, OneThatSomebodyWaitsForIsNeverTooFarAhead) {
  const Score score = ThreeHandOvers();
  const Variation variation;
  Tokens tokens(score, variation);
  EXPECT_TRUE(Send(tokens, 1));
  tokens.Arrive(1);
  EXPECT_FALSE(tokens.Await(kWaiter, 0));
  EXPECT_FALSE(Send(tokens, 2)) << "the second one is ahead already";
  EXPECT_TRUE(tokens.Send(kThird, 0, 0, 0));
  tokens.Arrive(0);
  ASSERT_THAT(tokens.TakeReleased(), SizeIs(1));
  EXPECT_TRUE(tokens.Await(kWaiter, 1));
  EXPECT_THAT(tokens.TakeReleased(), SizeIs(1)) << "now the third one may go ahead";
}

TEST(Tokens, SeveralThreadsMayBeTooFarAheadOfOne) {
  Score score = ThreeHandOvers();
  score.pairs[0].lead = 0;
  const Variation variation;
  Tokens tokens(score, variation);
  EXPECT_FALSE(Send(tokens, 0));
  EXPECT_FALSE(tokens.Send(kThird, 1, 0, 0));
  EXPECT_FALSE(tokens.Await(kWaiter, 0));
  const auto first = tokens.TakeReleased();
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0].thread, kWaker);
  tokens.Arrive(0);
  EXPECT_FALSE(tokens.Await(kWaiter, 1));
  const auto second = tokens.TakeReleased();
  ASSERT_THAT(second, SizeIs(2));
  EXPECT_EQ(second[0].thread, kWaiter);
  EXPECT_EQ(second[1].thread, kThird);
}

TEST(Tokens, WhoIsTooFarAheadGoesFurtherIfAllStandStill) {
  const Score score = TwoHandOvers();
  const Variation keeps_up = {.pair_drops = {DropKind::kAhead}};
  for (const Variation& variation : {Variation(), keeps_up}) {
    Tokens tokens(score, variation);
    const bool waits = !variation.pair_drops.empty();
    EXPECT_FALSE(waits ? tokens.Await(kWaiter, 0) : Send(tokens, 0));
    EXPECT_TRUE(tokens.LetOneFurther());
    const auto released = tokens.TakeReleased();
    ASSERT_THAT(released, SizeIs(1));
    EXPECT_EQ(released[0].thread, waits ? kWaiter : kWaker);
    EXPECT_FALSE(tokens.LetOneFurther()) << "it stops no thread any more";
    EXPECT_TRUE(waits || Send(tokens, 0));
  }
}

TEST(Tokens, WakerThatWentOnByForceIsNotReleasedOnceMore) {
  const Score score = TwoHandOvers();
  const Variation variation;
  Tokens tokens(score, variation);
  EXPECT_FALSE(Send(tokens, 0));
  tokens.Forget(kWaker);
  tokens.ForceHandOver(0);
  EXPECT_TRUE(tokens.Await(kWaiter, 0)) << "it has happened";
  EXPECT_FALSE(tokens.Await(kWaiter, 1));
  EXPECT_THAT(tokens.TakeReleased(), IsEmpty());
}

TEST(Tokens, WaiterThatWentOnByForceIsNotReleasedOnceMore) {
  const Score score = TwoHandOvers();
  const Variation keeps_up = {.pair_drops = {DropKind::kAhead}};
  for (const Variation& variation : {Variation(), keeps_up}) {
    Tokens tokens(score, variation);
    EXPECT_FALSE(tokens.Await(kWaiter, 0));
    tokens.Forget(kWaiter);
    EXPECT_TRUE(Send(tokens, 0));
    tokens.Arrive(0);
    EXPECT_THAT(tokens.TakeReleased(), IsEmpty());
  }
}

}  // namespace
}  // namespace gordian
