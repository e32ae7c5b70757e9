// SPDX-License-Identifier: Apache-2.0
// Makes virtual threads of short-lived ones (see waits.h).
#pragma once

#include <vector>

#include "analyzer/waits/waits.h"

namespace gordian {

class ShortLivedThreads {
 public:
  explicit ShortLivedThreads(Waits& waits) : waits_(waits), timeline_(waits.timeline_) {}
  void Merge(int threads);

 private:
  struct Group {
    EntityId creator = kNobody;
    std::vector<EntityId> members;
  };
  std::vector<Group> FindGroups() const;
  bool IsShortLived(EntityId thread) const;
  bool FollowEachOther(const Group& group) const;
  Entity Describe(const Group& group) const;
  std::vector<ThreadSegment> Unite(const Group& group) const;
  static void SumUp(const std::vector<ThreadSegment>& segments, Entity& entity);

  Waits& waits_;
  const Timeline& timeline_;
};

}  // namespace gordian
