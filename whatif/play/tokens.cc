// SPDX-License-Identifier: Apache-2.0
#include "whatif/play/tokens.h"

#include <algorithm>
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
      blocked_(score.threads()) {}

DropKind Tokens::DropOf(uint32_t hand_over) const {
  if (!variation_.not_met.empty() && variation_.not_met[hand_over] != 0) return DropKind::kGone;
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
  Pair& pair = pairs_[number];
  ++pair.begun;
  if (happened_[hand_over] != 0) --pair.ahead;
  asked_for_[hand_over] = 1;
  if (!to_be_asked_.empty()) ReleaseBlocked(to_be_asked_[hand_over], /*step_done=*/false);
  ReleaseWakers(pair);
}

// One that somebody waits for is never too far ahead, whatever was sent before it.
bool Tokens::MayBeSent(uint32_t hand_over) const {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  if (!variation_.asked_no_more.empty() && variation_.asked_no_more[number] != 0) return true;
  return asked_for_[hand_over] != 0 ||
         pairs_[number].ahead + 1 <= uint64_t{score_.pairs[number].lead} + pairs_[number].further +
                                         pairs_[number].under_way;
}

void Tokens::ReleaseWakers(Pair& pair) {
  std::erase_if(pair.wakers, [this](const Stopped& waker) {
    const bool may_go_on = MayBeSent(waker.hand_over);
    if (may_go_on) LetGo(waker.thread, /*step_done=*/false);
    return may_go_on;
  });
}

// Those that waited first, as long as more wait than may not go ahead.
void Tokens::ReleaseWaiters(uint32_t number) {
  Pair& pair = pairs_[number];
  const uint64_t in_time = uint64_t{pair.arrived} + score_.pairs[number].queue + pair.further;
  const uint64_t too_far = pair.begun - std::min<uint64_t>(pair.begun, in_time);
  while (pair.waiters.size() > too_far) {
    LetGo(pair.waiters.front().thread, /*step_done=*/true);
    pair.waiters.erase(pair.waiters.begin());
  }
}

uint64_t Tokens::LimitOf(EntityId thread) const {
  const HandOverPair& recorded = score_.pairs[blocked_[thread].pair];
  const Pair& pair = pairs_[blocked_[thread].pair];
  return uint64_t{pair.waiters.empty() ? recorded.lead : recorded.queue} + pair.further;
}

bool Tokens::LetOneFurther() {
  EntityId nearest = kNobody;
  for (EntityId thread = 0; thread < blocked_.size(); ++thread) {
    if (blocked_[thread].pair == kNone) continue;
    if (nearest == kNobody || LimitOf(thread) < LimitOf(nearest)) nearest = thread;
  }
  if (nearest == kNobody) return false;
  const uint32_t number = blocked_[nearest].pair;
  pairs_[number].further += static_cast<uint32_t>(LimitOf(nearest)) + 1;
  ReleaseWakers(pairs_[number]);
  ReleaseWaiters(number);
  return true;
}

void Tokens::LetGo(EntityId thread, bool step_done) {
  blocked_[thread] = {};
  released_.push_back({thread, step_done});
}

// Nothing, if no thread is blocked there.
void Tokens::ReleaseBlocked(EntityId& blocked, bool step_done) {
  if (blocked == kNobody) return;
  LetGo(std::exchange(blocked, kNobody), step_done);
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
    if (pair.begun <= uint64_t{pair.arrived} + recorded.queue + pair.further) return true;
    pair.waiters.push_back({thread, hand_over});
    blocked_[thread].pair = number;
    return false;
  }
  Channel& channel = channels_[recorded.channel];
  if (happened_[hand_over] != 0 || (variation_.order_free && channel.surplus > 0)) {
    --channel.surplus;
    return true;
  }
  blocked_[thread].awaited = hand_over;
  waiting_[hand_over] = thread;
  if (variation_.order_free) channel.queue.push_back({thread, hand_over});
  return false;
}

bool Tokens::IsAskedFor(EntityId thread, uint32_t hand_over) {
  if (asked_for_[hand_over] != 0) return true;
  to_be_asked_[hand_over] = thread;
  blocked_[thread].to_be_asked = hand_over;
  return false;
}

bool Tokens::IsWaitedFor(uint32_t hand_over) const {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  if (waiting_[hand_over] != kNobody || !pairs_[number].waiters.empty()) return true;
  return variation_.order_free && !channels_[score_.pairs[number].channel].queue.empty();
}

void Tokens::Forget(EntityId thread) {
  const Blocked at = std::exchange(blocked_[thread], {});
  if (at.awaited != kNone) waiting_[at.awaited] = kNobody;
  if (at.to_be_asked != kNone) to_be_asked_[at.to_be_asked] = kNobody;
  if (at.pair == kNone) return;
  for (std::vector<Stopped>* blocked : {&pairs_[at.pair].wakers, &pairs_[at.pair].waiters})
    std::erase_if(*blocked, [&](const Stopped& one) { return one.thread == thread; });
}

bool Tokens::Send(EntityId thread, uint32_t hand_over, uint64_t flight_ns, uint64_t now_ns) {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  Pair& pair = pairs_[number];
  const bool gone = DropOf(hand_over) == DropKind::kGone;
  if (flight_ns != 0) pair.under_way = pair.begun * flight_ns / std::max<uint64_t>(1, now_ns);
  if (gone || MayBeSent(hand_over)) return true;
  pair.wakers.push_back({thread, hand_over});
  blocked_[thread].pair = number;
  return false;
}

void Tokens::Arrive(uint32_t hand_over) {
  const uint32_t number = score_.pair_of_hand_over[hand_over];
  const HandOverPair& recorded = score_.pairs[number];
  Pair& pair = pairs_[number];
  ++pair.arrived;
  if (happened_[hand_over] == 0 && asked_for_[hand_over] == 0) ++pair.ahead;
  happened_[hand_over] = 1;
  if (DropOf(hand_over) != DropKind::kKept) {
    ReleaseWaiters(number);
    return;
  }
  Channel& channel = channels_[recorded.channel];
  ++channel.surplus;
  if (waiting_[hand_over] != kNobody) {
    --channel.surplus;
    ReleaseBlocked(waiting_[hand_over], /*step_done=*/true);
  }
  if (variation_.order_free) ServeQueue(channel);
}

void Tokens::ServeQueue(Channel& channel) {
  while (!channel.queue.empty()) {
    const Waiter first = channel.queue.front();
    const bool waits = blocked_[first.thread].awaited == first.hand_over;
    if (waits && channel.surplus <= 0) return;
    channel.queue.pop_front();
    if (!waits) continue;
    --channel.surplus;
    ReleaseBlocked(waiting_[first.hand_over], /*step_done=*/true);
  }
}

}  // namespace gordian
