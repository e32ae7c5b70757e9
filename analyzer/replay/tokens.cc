#include "analyzer/replay/tokens.h"

namespace gordian {

Tokens::Tokens(const Score& score, const Variation& variation)
    : score_(score),
      order_free_(variation.order_free),
      drops_(variation.pair_drops),
      pairs_(score.pairs.size()),
      channels_(score.channels),
      happened_(score.pair_of_hand_over.size()),
      awaited_(score.threads(), kNone) {}

bool Tokens::Await(EntityId thread, uint32_t hand_over) {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  const HandOverPair& recorded = score_.pairs[number];
  const DropKind drop = drops_.empty() ? DropKind::kKept : drops_[number];
  Pair& pair = pairs_[number];
  ++pair.begun;
  if (pair.waker_blocked && pair.emitted + 1 <= pair.begun + recorded.lead) {
    pair.waker_blocked = false;
    released_.push_back({recorded.waker, false});
  }
  if (drop == DropKind::kGone) return true;
  if (drop == DropKind::kAhead) {
    pair.waiter_blocked = pair.begun > pair.emitted + recorded.lead;
    return !pair.waiter_blocked;
  }
  Channel& channel = channels_[recorded.channel];
  if (happened_[hand_over] != 0 || (order_free_ && channel.surplus > 0)) {
    --channel.surplus;
    return true;
  }
  awaited_[thread] = hand_over;
  if (order_free_) channel.queue.push_back({thread, hand_over});
  return false;
}

bool Tokens::HandOver(EntityId /*thread*/, uint32_t hand_over) {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  Pair& pair = pairs_[number];
  const bool gone = !drops_.empty() && drops_[number] == DropKind::kGone;
  if (!gone && pair.emitted + 1 > pair.begun + score_.pairs[number].lead) {
    pair.waker_blocked = true;
    return false;
  }
  Emit(hand_over);
  return true;
}

void Tokens::Emit(uint32_t hand_over) {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  const HandOverPair& recorded = score_.pairs[number];
  Pair& pair = pairs_[number];
  ++pair.emitted;
  happened_[hand_over] = 1;
  if (!drops_.empty() && drops_[number] != DropKind::kKept) {
    if (pair.waiter_blocked && pair.begun <= pair.emitted + recorded.lead) {
      pair.waiter_blocked = false;
      released_.push_back({recorded.waiter, true});
    }
    return;
  }
  Channel& channel = channels_[recorded.channel];
  ++channel.surplus;
  if (awaited_[recorded.waiter] == hand_over) {
    awaited_[recorded.waiter] = kNone;
    --channel.surplus;
    released_.push_back({recorded.waiter, true});
  }
  if (order_free_) ServeQueue(channel);
}

void Tokens::ServeQueue(Channel& channel) {
  while (!channel.queue.empty()) {
    const Waiter first = channel.queue.front();
    const bool waits = awaited_[first.thread] == first.hand_over;
    if (waits && channel.surplus <= 0) return;
    channel.queue.pop_front();
    if (!waits) continue;
    awaited_[first.thread] = kNone;
    --channel.surplus;
    released_.push_back({first.thread, true});
  }
}

}  // namespace gordian
