#include "analyzer/replay/tokens.h"

#include <utility>

namespace gordian {

Tokens::Tokens(const Score& score, const Variation& variation)
    : score_(score),
      variation_(variation),
      pairs_(score.pairs.size()),
      channels_(score.channels),
      happened_(score.pair_of_hand_over.size()),
      asked_for_(score.pair_of_hand_over.size()),
      waiting_(score.pair_of_hand_over.size(), kNobody),
      to_be_asked_(score.pools.empty() ? 0 : score.pair_of_hand_over.size(), kNobody),
      awaited_(score.threads(), kNone) {}

DropKind Tokens::DropOf(uint32_t hand_over) const {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  if (!variation_.pair_drops.empty() && variation_.pair_drops[number] != DropKind::kKept)
    return variation_.pair_drops[number];
  const uint32_t disk = score_.relayed_disk[hand_over];
  const EntityId waiter = score_.pairs[number].waiter;
  if (disk == kNoDisk || !variation_.DropsDisk(waiter, disk, score_.disks.size()))
    return DropKind::kKept;
  return variation_.AsksNoMore(waiter, disk, score_.disks.size()) ? DropKind::kGone
                                                                  : DropKind::kAhead;
}

void Tokens::Begin(uint32_t hand_over) {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  const HandOverPair& recorded = score_.pairs[number];
  Pair& pair = pairs_[number];
  ++pair.begun;
  asked_for_[hand_over] = 1;
  if (!to_be_asked_.empty() && to_be_asked_[hand_over] != kNobody)
    released_.push_back({std::exchange(to_be_asked_[hand_over], kNobody), false});
  if (pair.blocked_waker != kNobody && pair.emitted + 1 <= pair.begun + recorded.lead)
    released_.push_back({std::exchange(pair.blocked_waker, kNobody), false});
}

void Tokens::SkipAwait(uint32_t hand_over) {
  Begin(hand_over);
  --channels_[score_.pairs[score_.pair_of_hand_over[hand_over]].channel].surplus;
}

bool Tokens::Await(EntityId thread, uint32_t hand_over) {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  const HandOverPair& recorded = score_.pairs[number];
  const DropKind drop = DropOf(hand_over);
  Pair& pair = pairs_[number];
  Begin(hand_over);
  if (drop == DropKind::kGone) return true;
  if (drop == DropKind::kAhead) {
    if (pair.begun <= pair.emitted + recorded.queue) return true;
    pair.blocked_waiter = thread;
    return false;
  }
  Channel& channel = channels_[recorded.channel];
  if (happened_[hand_over] != 0 || (variation_.order_free && channel.surplus > 0)) {
    --channel.surplus;
    return true;
  }
  awaited_[thread] = hand_over;
  waiting_[hand_over] = thread;
  if (variation_.order_free) channel.queue.push_back({thread, hand_over});
  return false;
}

bool Tokens::IsAskedFor(EntityId thread, uint32_t hand_over) {
  if (asked_for_[hand_over] == 0) to_be_asked_[hand_over] = thread;
  return asked_for_[hand_over] != 0;
}

void Tokens::Forget(EntityId thread) {
  if (awaited_[thread] != kNone) waiting_[awaited_[thread]] = kNobody;
  awaited_[thread] = kNone;
}

bool Tokens::HandOver(EntityId thread, uint32_t hand_over) {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  Pair& pair = pairs_[number];
  const bool gone = DropOf(hand_over) == DropKind::kGone;
  if (!gone && pair.emitted + 1 > pair.begun + score_.pairs[number].lead) {
    pair.blocked_waker = thread;
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
    if (pair.blocked_waiter != kNobody && pair.begun <= pair.emitted + recorded.queue)
      released_.push_back({std::exchange(pair.blocked_waiter, kNobody), true});
    return;
  }
  Channel& channel = channels_[recorded.channel];
  ++channel.surplus;
  if (const EntityId waiting = std::exchange(waiting_[hand_over], kNobody); waiting != kNobody) {
    awaited_[waiting] = kNone;
    --channel.surplus;
    released_.push_back({waiting, true});
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
    waiting_[first.hand_over] = kNobody;
    --channel.surplus;
    released_.push_back({first.thread, true});
  }
}

}  // namespace gordian
