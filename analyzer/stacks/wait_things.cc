// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stacks/wait_things.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/container/flat_hash_set.h"

namespace gordian {

WaitThings::WaitThings(const Timeline& timeline, const StackSums& sums, uint64_t from_ns,
                       uint64_t to_ns) {
  AddObjects(timeline, sums);
  AddEdges(sums);
  CountThreads(timeline, from_ns, to_ns);
}

// In order of the sums, so that numbers of things do not depend on a hash table's order.
void WaitThings::AddObjects(const Timeline& timeline, const StackSums& sums) {
  absl::flat_hash_map<std::string, size_t> index_of_identity;
  for (const StackSum& sum : sums.all()) {
    if (sum.object_id == 0 || objects_.contains(sum.object_id)) continue;
    const auto known = timeline.wait_objects().find(sum.object_id);
    if (known == timeline.wait_objects().end()) continue;
    Object& object = objects_[sum.object_id];
    object.record = known->second;
    object.thing = kNoThing;
    if (!CanBeShared(object.record.kind)) continue;
    const auto [place, is_new] =
        index_of_identity.try_emplace(IdentityOf(object.record), things_.size());
    if (is_new) things_.emplace_back();
    object.thing = place->second;
  }
}

void WaitThings::AddEdges(const StackSums& sums) {
  std::vector<std::map<std::pair<uint32_t, uint32_t>, double>> time_ns(things_.size());
  for (const StackSum& sum : sums.all()) {
    if (sum.side != StackSide::kWaiter) continue;
    const auto object = objects_.find(sum.object_id);
    if (object == objects_.end() || object->second.thing == kNoThing) continue;
    time_ns[object->second.thing][{sum.from, sum.to}] += sum.estimate_ns;
  }
  for (size_t i = 0; i < things_.size(); ++i) {
    std::vector<std::pair<std::pair<uint32_t, uint32_t>, double>> edges(time_ns[i].begin(),
                                                                        time_ns[i].end());
    std::stable_sort(edges.begin(), edges.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [edge, edge_ns] : edges) things_[i].edges.push_back(edge);
  }
}

void WaitThings::CountThreads(const Timeline& timeline, uint64_t from_ns, uint64_t to_ns) {
  absl::flat_hash_set<std::pair<size_t, EntityId>> seen;
  for (const StackSample& sample : timeline.stack_samples()) {
    if (sample.object_id == 0 || sample.thread == kNobody) continue;
    const uint64_t time_ns = timeline.start_ns() + sample.since_start_ns;
    if (time_ns < from_ns || time_ns >= to_ns) continue;
    const auto object = objects_.find(sample.object_id);
    if (object == objects_.end() || object->second.thing == kNoThing) continue;
    if (seen.emplace(object->second.thing, sample.thread).second)
      ++things_[object->second.thing].threads;
  }
}

const WaitObjectRecord* WaitThings::Find(uint32_t object_id) const {
  const auto object = objects_.find(object_id);
  return object == objects_.end() ? nullptr : &object->second.record;
}

const WaitThing* WaitThings::ThingOf(uint32_t object_id) const {
  const auto object = objects_.find(object_id);
  if (object == objects_.end() || object->second.thing == kNoThing) return nullptr;
  return &things_[object->second.thing];
}

}  // namespace gordian
