// SPDX-License-Identifier: Apache-2.0
#include "analyzer/waits/short_lived.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analyzer/waits/thresholds.h"
#include "analyzer/waits/union_of_threads.h"
#include "base/parallel.h"

namespace gordian {

bool ShortLivedThreads::IsShortLived(EntityId thread) const {
  const Entity& entity = timeline_.entities()[thread];
  return timeline_.creator(thread) != kNobody && timeline_.ended(thread) &&
         static_cast<double>(entity.end_ns - entity.begin_ns) <=
             kShortLife * static_cast<double>(timeline_.end_ns() - timeline_.start_ns());
}

bool ShortLivedThreads::FollowEachOther(const Group& group) const {
  std::vector<uint64_t> births;
  std::vector<uint64_t> deaths;
  for (const EntityId member : group.members) {
    births.push_back(timeline_.entities()[member].begin_ns);
    deaths.push_back(timeline_.entities()[member].end_ns);
  }
  std::sort(births.begin(), births.end());
  std::sort(deaths.begin(), deaths.end());
  size_t most_alive = 0;
  size_t dead = 0;
  for (size_t born = 0; born < births.size(); ++born) {
    while (deaths[dead] <= births[born] && dead < born) ++dead;
    most_alive = std::max(most_alive, born + 1 - dead);
  }
  return static_cast<double>(group.members.size()) >=
         kFollowEachOther * static_cast<double>(most_alive);
}

std::vector<ShortLivedThreads::Group> ShortLivedThreads::FindGroups() const {
  // Creator, process, and for first threads of processes their name.
  std::map<std::tuple<EntityId, int32_t, std::string>, Group> groups;
  for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
    if (!IsShortLived(thread)) continue;
    const Entity& entity = timeline_.entities()[thread];
    const bool first_of_process = entity.tid == entity.tgid;
    Group& group = groups[{timeline_.creator(thread), first_of_process ? 0 : entity.tgid,
                           first_of_process ? entity.name : std::string()}];
    group.creator = timeline_.creator(thread);
    group.members.push_back(thread);
  }
  std::vector<Group> found;
  for (auto& [key, group] : groups) {
    if (group.members.size() >= kFewestShortLived && FollowEachOther(group)) {
      found.push_back(std::move(group));
    }
  }
  return found;
}

Entity ShortLivedThreads::Describe(const Group& group) const {
  const Entity& first = timeline_.entities()[group.members.front()];
  Entity entity;
  entity.kind = EntityKind::kVirtual;
  entity.name = first.name;
  entity.tgid = first.tgid;
  entity.process_name = first.process_name;
  entity.cgroup_id = first.cgroup_id;
  entity.container = first.container;
  entity.parent_tid = timeline_.entities()[group.creator].tid;
  entity.kernel_thread = first.kernel_thread;
  entity.begin_ns = timeline_.start_ns();
  entity.end_ns = timeline_.end_ns();
  for (const EntityId member : group.members) {
    const Entity& thread = timeline_.entities()[member];
    if (thread.tgid != first.tgid) entity.tgid = 0;
    entity.target |= thread.target;
    entity.recorder |= thread.recorder;
  }
  return entity;
}

std::vector<ThreadSegment> ShortLivedThreads::Unite(const Group& group) const {
  UnionOfThreads united(timeline_.start_ns(), group.creator);
  for (const EntityId member : group.members) {
    united.Add(timeline_.SegmentsFrom(member), timeline_.entities()[member].end_ns);
  }
  return united.Segments();
}

void ShortLivedThreads::SumUp(const std::vector<ThreadSegment>& segments, Entity& entity) {
  std::array<uint64_t*, 5> times{};
  times[static_cast<size_t>(SegmentKind::kUnknown)] = &entity.unknown_ns;
  times[static_cast<size_t>(SegmentKind::kRun)] = &entity.run_ns;
  times[static_cast<size_t>(SegmentKind::kRunnable)] = &entity.runnable_ns;
  times[static_cast<size_t>(SegmentKind::kWait)] = &entity.wait_ns;
  times[static_cast<size_t>(SegmentKind::kSpin)] = &entity.spin_ns;
  for (size_t i = 0; i < segments.size(); ++i) {
    const uint64_t end_ns = i + 1 < segments.size() ? segments[i + 1].start_ns : entity.end_ns;
    *times[static_cast<size_t>(segments[i].kind)] += end_ns - segments[i].start_ns;
  }
}

void ShortLivedThreads::Merge(int threads) {
  const std::vector<Group> groups = FindGroups();
  waits_.virtual_threads_.resize(groups.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto id = static_cast<EntityId>(waits_.entities_.size());
    waits_.entities_.push_back(Describe(groups[i]));
    waits_.merged_into_.push_back(kNobody);
    for (const EntityId member : groups[i].members) {
      waits_.merged_into_[member] = id;
      waits_.entities_[member].merged_into = id;
    }
  }
  ParallelFor(ThreadCount(threads), groups.size(), [&](size_t i, int) {
    Waits::VirtualThread& virtual_thread = waits_.virtual_threads_[i];
    virtual_thread.segments = Unite(groups[i]);
    virtual_thread.piece = virtual_thread.segments;
    SumUp(virtual_thread.segments, waits_.entities_[waits_.first_virtual_ + i]);
  });
}

}  // namespace gordian
