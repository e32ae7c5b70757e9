// SPDX-License-Identifier: Apache-2.0
// What samples of resources say about a finding is told here in one way: to which threads it
// applies, and where in the finding it stands.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/waits/waits.h"
#include "report/time_range.h"
#include "schema/report.pb.h"

namespace gordian {

inline std::vector<uint32_t> MembersOf(const pb::Finding& finding) {
  return {finding.members().begin(), finding.members().end()};
}
// And the vertex that waits in the finding's wait.
inline std::vector<uint32_t> MembersAndWaiterOf(const pb::Finding& finding) {
  std::vector<uint32_t> vertices = MembersOf(finding);
  if (finding.has_edge()) vertices.push_back(finding.edge().from());
  return vertices;
}

// Calls it with the id and the entity of each thread of these vertices.
template <typename Function>
void ForEachThreadOf(const std::vector<uint32_t>& vertices, const Waits& waits,
                     const std::vector<uint32_t>& vertex_of_entity, Function function) {
  for (EntityId id = 0; id < waits.entities().size(); ++id) {
    const Entity& entity = waits.entities()[id];
    if (entity.kind != EntityKind::kThread) continue;
    const uint32_t vertex = vertex_of_entity[waits.Representative(id)];
    if (std::find(vertices.begin(), vertices.end(), vertex) != vertices.end()) function(id, entity);
  }
}

// Calls it with each segment of the thread and its length within the range.
template <typename Function>
void ForEachSegmentOf(EntityId thread, const Waits& waits, const TimeRange& range,
                      Function function) {
  for (SegmentCursor at = waits.SegmentsFrom(thread, range.from_ns);
       !at.done() && at.start_ns() < range.to_ns; at.Next()) {
    const uint64_t from_ns = std::max(at.start_ns(), range.from_ns);
    const uint64_t to_ns = std::min(at.end_ns(), range.to_ns);
    if (from_ns < to_ns) function(at.segment(), static_cast<double>(to_ns - from_ns));
  }
}

// A verdict that is the title goes with it.
void SetTitle(std::string title, pb::Finding& finding, pb::Report& report);
// "X gets no CPU." with ": " and "its quota is used up": "X gets no CPU: its quota is used up." A
// title that has a colon goes on behind a semicolon. A verdict that is the title goes with it.
void AddToTitle(const std::string& before, const std::string& reason, pb::Finding& finding,
                pb::Report& report);
// Sentences with these words: what others of its kind need and this one does not.
void DropAdviceWith(const std::string& words, pb::Finding& finding);
void PutFirst(std::string sentence, google::protobuf::RepeatedPtrField<std::string>& sentences);

}  // namespace gordian
