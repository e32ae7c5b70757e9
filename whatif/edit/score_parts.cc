// SPDX-License-Identifier: Apache-2.0
#include "whatif/edit/score_parts.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace gordian {

EntityId EditableScore::AddThread(EntityId beside, CpuClass cpu_class) {
  steps.emplace_back();
  rest.like.push_back(kNobody);
  rest.cpu_class.push_back(cpu_class);
  rest.node.push_back(rest.node[beside]);
  rest.kernel_thread.push_back(0);
  return static_cast<EntityId>(steps.size() - 1);
}

uint32_t EditableScore::AddHandOver(const HandOver& hand_over) {
  hand_overs.push_back(hand_over);
  relayed_disk.push_back(kNoDisk);
  return static_cast<uint32_t>(hand_overs.size() - 1);
}

EditableScore TakeApart(const Score& score) {
  EditableScore edited;
  edited.steps.reserve(score.threads());
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    const std::span<const Step> steps = score.StepsOf(thread);
    edited.steps.emplace_back(steps.begin(), steps.end());
  }
  edited.hand_overs.reserve(score.pair_of_hand_over.size());
  for (size_t i = 0; i < score.pair_of_hand_over.size(); ++i) {
    const HandOverPair& pair = score.pairs[score.pair_of_hand_over[i]];
    edited.hand_overs.push_back({.waker = pair.waker,
                                 .waiter = pair.waiter,
                                 .channel = pair.channel,
                                 .birth = pair.count == 0,
                                 .carried = pair.carried,
                                 .link = pair.link,
                                 .flight_ns = score.flight_ns.empty() ? 0 : score.flight_ns[i]});
  }
  edited.relayed_disk = score.relayed_disk;
  Score& rest = edited.rest;
  rest.channels = score.channels;
  rest.requests = score.requests;
  rest.disks = score.disks;
  rest.locks = score.locks;
  rest.marks = score.marks;
  rest.cpus = score.cpus;
  rest.node = score.node;
  rest.like = score.like;
  rest.seat = score.seat;
  rest.cpu_class = score.cpu_class;
  rest.kernel_thread = score.kernel_thread;
  rest.others_apart = score.others_apart;
  return edited;
}

Score PutTogether(EditableScore edited) {
  Score score = std::move(edited.rest);
  score.first_step.push_back(0);
  for (std::vector<Step>& steps : edited.steps) {
    score.steps.insert(score.steps.end(), steps.begin(), steps.end());
    score.first_step.push_back(score.steps.size());
    steps = {};
  }
  const bool any_flight =
      std::any_of(edited.hand_overs.begin(), edited.hand_overs.end(),
                  [](const EditableScore::HandOver& it) { return it.flight_ns > 0; });
  absl::flat_hash_map<std::tuple<uint32_t, EntityId, EntityId>, uint32_t> numbers;
  for (const EditableScore::HandOver& hand_over : edited.hand_overs) {
    const auto [number, is_new] =
        numbers.try_emplace(std::tuple(hand_over.channel, hand_over.waker, hand_over.waiter),
                            static_cast<uint32_t>(score.pairs.size()));
    if (is_new) score.pairs.push_back({hand_over.waker, hand_over.waiter, hand_over.channel});
    HandOverPair& pair = score.pairs[number->second];
    pair.carried = hand_over.carried;
    pair.link = hand_over.link;
    if (!hand_over.birth) ++pair.count;
    score.pair_of_hand_over.push_back(number->second);
    if (any_flight) score.flight_ns.push_back(hand_over.flight_ns);
  }
  SettleLeads(score);
  score.relayed_disk = std::move(edited.relayed_disk);
  return score;
}

}  // namespace gordian
