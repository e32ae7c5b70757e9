// SPDX-License-Identifier: Apache-2.0
// The disks of a score: requests, how long each took, and how many a disk works on at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "whatif/score/score.h"

namespace gordian {

class ScoreRequests {
 public:
  explicit ScoreRequests(const Timeline& timeline);

  struct Issue {
    uint64_t time_ns = 0;
    EntityId thread = kNobody;
    uint32_t request = 0;
  };
  // By threads, in order of time.
  const std::vector<Issue>& issues() const { return issues_; }

  // The request whose completion ended a wait of `waiter` for that disk: the last that was complete
  // by the wait's end, if possible one of the waiter's own. Nothing if no request was complete
  // meanwhile.
  std::optional<uint32_t> EndOfWait(EntityId disk, EntityId waiter, uint64_t start_ns,
                                    uint64_t end_ns) const;
  // A request that no record tells of. Nothing if that entity is no disk with a number.
  uint32_t AddUnseen(EntityId disk, uint64_t service_ns);

  // Moves the disks and requests into the score. Ends the use of this object.
  void MoveTo(Score& score);

 private:
  struct Completion {
    uint64_t time_ns = 0;
    uint32_t request = 0;
    EntityId thread = kNobody;
  };
  uint32_t DiskOf(EntityId entity);
  void TakeRecords(const Timeline& timeline);
  void CountSlots();

  std::vector<uint32_t> disk_of_entity_;  // kNoDisk: none yet
  std::vector<ScoreDisk> disks_;
  std::vector<DiskRequest> requests_;
  std::vector<Issue> issues_;
  std::vector<std::vector<Completion>> completions_;  // by disk
};

}  // namespace gordian
