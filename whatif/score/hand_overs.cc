// SPDX-License-Identifier: Apache-2.0
#include "whatif/score/hand_overs.h"

#include <algorithm>
#include <utility>

#include "whatif/score/flights.h"
#include "whatif/score/thresholds.h"

namespace gordian {
namespace {

constexpr uint32_t kAnyLead = 1u << 31;

}  // namespace

HandOvers::HandOvers(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                     std::span<const uint32_t> pollers)
    : timeline_(timeline), vertex_of_entity_(vertex_of_entity) {
  Sum(timeline);
  Decide(pollers);
}

void HandOvers::Sum(const Timeline& timeline) {
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const uint32_t vertex = vertex_of_entity_[thread];
    VertexTimes& times = vertices_[vertex];
    times.life_ns += timeline.entities()[thread].end_ns - timeline.entities()[thread].begin_ns;
    FlightsOf flights(timeline, thread);
    for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (at.segment().kind != SegmentKind::kWait || at.segment().waker == kNobody) continue;
      const uint64_t wait_ns = at.end_ns() - at.start_ns();
      if (at.segment().cause == WaitCause::kTimer) times.sleep_ns += wait_ns;
      EntityId waker = at.segment().waker;
      if (at.segment().cause == WaitCause::kLink) {
        const MessageFlight* const flight = flights.ReceivedAt(at.end_ns());
        if (flight != nullptr) waker = flight->sender;
      }
      if (waker < timeline.thread_count())
        channels_[{vertex_of_entity_[waker], vertex}].wait_ns += wait_ns;
    }
  }
}

void HandOvers::Decide(std::span<const uint32_t> pollers) {
  const auto sleeps = [&](uint32_t vertex) {
    const VertexTimes& times = vertices_[vertex];
    return static_cast<double>(times.sleep_ns) >
               kLivesByClock * static_cast<double>(times.life_ns) &&
           std::find(pollers.begin(), pollers.end(), vertex) == pollers.end();
  };
  for (auto& [key, channel] : channels_) {
    const double share = static_cast<double>(channel.wait_ns) /
                         std::max(1.0, static_cast<double>(vertices_[key.second].life_ns));
    const bool by_the_clock = sleeps(key.first) || sleeps(key.second);
    channel.hands_on = share >= (by_the_clock ? kPollerHandsOnWork : kHandsOnWork);
  }
}

bool HandOvers::HandsOn(EntityId waker, EntityId waiter) const {
  const auto found = channels_.find(Key{vertex_of_entity_[waker], vertex_of_entity_[waiter]});
  return found != channels_.end() && found->second.hands_on;
}

uint32_t HandOvers::AddPair(EntityId waker, EntityId waiter, uint32_t channel) {
  pairs_.push_back({.waker = waker, .waiter = waiter, .channel = channel});
  return static_cast<uint32_t>(pairs_.size() - 1);
}

HandOvers::ChannelEnds HandOvers::EndsOf(EntityId waker, EntityId waiter) const {
  const auto end = [this](EntityId thread) {
    return uint64_t{timeline_.entities()[thread].node} << 32 | vertex_of_entity_[thread];
  };
  return {end(waker), end(waiter)};
}

uint32_t HandOvers::Add(EntityId waker, EntityId waiter, EntityId link) {
  const auto [pair, is_new] = pair_numbers_.try_emplace(Key{waker, waiter}, 0);
  if (is_new) {
    // Numbered as they come: the table has no order of its own.
    const auto [channel, is_new_too] =
        channel_numbers_.try_emplace(EndsOf(waker, waiter), channel_count_);
    if (is_new_too) ++channel_count_;
    pair->second = AddPair(waker, waiter, channel->second);
  }
  if (link != kNobody) pairs_[pair->second].link = link;
  ++pairs_[pair->second].count;
  pair_of_hand_over_.push_back(pair->second);
  return static_cast<uint32_t>(pair_of_hand_over_.size() - 1);
}

uint32_t HandOvers::AddBirth(EntityId creator, EntityId child) {
  pair_of_hand_over_.push_back(AddPair(creator, child, channel_count_++));
  return static_cast<uint32_t>(pair_of_hand_over_.size() - 1);
}

void HandOvers::MoveTo(Score& score) {
  score.pairs = std::move(pairs_);
  score.pair_of_hand_over = std::move(pair_of_hand_over_);
  score.channels = channel_count_;
}

void SettleLeads(Score& score) {
  for (HandOverPair& pair : score.pairs) {
    pair.lead = std::max(1u, pair.count / kHandOversPerLead);
    // Disk operations come in bursts, many for each piece of work.
    if (!pair.carried) pair.lead = std::min(pair.lead, kMostLead);
    // A kernel thread serves every request, and makes no thread wait to ask.
    if (score.kernel_thread[pair.waiter] != 0) pair.lead = kAnyLead;
    pair.queue = std::clamp(pair.count / kHandOversPerQueue, 1u, kLongestQueue);
  }
}

}  // namespace gordian
