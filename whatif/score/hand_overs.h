// SPDX-License-Identifier: Apache-2.0
// Which waits hand on work, and which are mere meetings (docs/design-replay.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "whatif/score/score.h"

namespace gordian {

class HandOvers {
 public:
  // `pollers`: see BuildScore.
  HandOvers(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
            std::span<const uint32_t> pollers);

  // Whether waits of `waiter` for `waker` are for work that is handed on, or for its messages.
  bool HandsOn(EntityId waker, EntityId waiter) const;

  // A new hand-over of that pair; gives its number. `link` carries it, if it goes to another node.
  uint32_t Add(EntityId waker, EntityId waiter, EntityId link = kNobody);
  // That of a birth, whose order is never free.
  uint32_t AddBirth(EntityId creator, EntityId child);
  // Moves the hand-overs into the score, without the leads. Ends the use of this object.
  void MoveTo(Score& score);

 private:
  using Key = std::pair<uint32_t, uint32_t>;  // waker, waiter

  void Sum(const Timeline& timeline);
  void Decide(std::span<const uint32_t> pollers);
  uint32_t AddPair(EntityId waker, EntityId waiter, uint32_t channel);

  struct Channel {
    uint64_t wait_ns = 0;
    bool hands_on = false;
  };
  // Alike threads of several nodes take no hand-overs from each other: vertices with their nodes.
  using ChannelEnds = std::pair<uint64_t, uint64_t>;
  ChannelEnds EndsOf(EntityId waker, EntityId waiter) const;
  struct VertexTimes {
    uint64_t life_ns = 0;
    uint64_t sleep_ns = 0;
  };
  const Timeline& timeline_;
  std::span<const uint32_t> vertex_of_entity_;
  absl::flat_hash_map<Key, Channel> channels_;  // by vertices
  absl::flat_hash_map<ChannelEnds, uint32_t> channel_numbers_;
  absl::flat_hash_map<Key, uint32_t> pair_numbers_;
  absl::flat_hash_map<uint32_t, VertexTimes> vertices_;
  std::vector<HandOverPair> pairs_;
  std::vector<uint32_t> pair_of_hand_over_;
  uint32_t channel_count_ = 0;
};

}  // namespace gordian
