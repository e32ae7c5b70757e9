#include "analyzer/replay/tokens.h"

namespace gordian {

Tokens::Tokens(const Score& score, const Variation& variation)
    : score_(score),
      variation_(variation),
      pairs_(score.pairs.size()),
      channels_(score.channels),
      happened_(score.pair_of_hand_over.size()),
      awaited_(score.threads(), kNone) {}

DropKind Tokens::DropOf(uint32_t hand_over) const {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  if (!variation_.pair_drops.empty() && variation_.pair_drops[number] != DropKind::kKept)
    return variation_.pair_drops[number];
  const uint32_t disk = score_.relayed_disk[hand_over];
  return disk != kNoDisk &&
                 variation_.DropsDisk(score_.pairs[number].waiter, disk, score_.disks.size())
             ? DropKind::kAhead
             : DropKind::kKept;
}

bool Tokens::Await(EntityId thread, uint32_t hand_over) {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  const HandOverPair& recorded = score_.pairs[number];
  const DropKind drop = DropOf(hand_over);
  Pair& pair = pairs_[number];
  ++pair.begun;
  if (pair.waker_blocked && pair.emitted + 1 <= pair.begun + recorded.lead) {
    pair.waker_blocked = false;
    released_.push_back({recorded.waker, false});
  }
  if (drop == DropKind::kGone) return true;
  if (drop == DropKind::kAhead) {
    pair.waiter_blocked = pair.begun > pair.emitted + recorded.queue;
    return !pair.waiter_blocked;
  }
  Channel& channel = channels_[recorded.channel];
  if (happened_[hand_over] != 0 || (variation_.order_free && channel.surplus > 0)) {
    --channel.surplus;
    return true;
  }
  awaited_[thread] = hand_over;
  if (variation_.order_free) channel.queue.push_back({thread, hand_over});
  return false;
}

bool Tokens::HandOver(EntityId /*thread*/, uint32_t hand_over) {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  Pair& pair = pairs_[number];
  const bool gone = DropOf(hand_over) == DropKind::kGone;
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
  if (DropOf(hand_over) != DropKind::kKept) {
    if (pair.waiter_blocked && pair.begun <= pair.emitted + recorded.queue) {
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
  if (variation_.order_free) ServeQueue(channel);
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
