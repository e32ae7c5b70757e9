// SPDX-License-Identifier: Apache-2.0
#include "query/queried_recording.h"

namespace gordian {

const RecordedPhases& QueriedRecording::phases() {
  if (phases_ == nullptr)
    phases_ = std::make_unique<const RecordedPhases>(ReadThreadPhases(analysis_.recording()));
  return *phases_;
}

const ExecutionGraph& QueriedRecording::graph() {
  if (graph_ == nullptr)
    graph_ = std::make_unique<const ExecutionGraph>(timeline(), phases().phases);
  return *graph_;
}

std::span<const std::unique_ptr<SessionReader>> QueriedRecording::sessions() {
  if (!sessions_.empty()) return sessions_;
  for (const std::string& directory : analysis_.recording().directories) {
    auto session = SessionReader::Open(directory);
    sessions_.push_back(session.ok() ? *std::move(session) : nullptr);
  }
  return sessions_;
}

EntityId QueriedRecording::FindThread(uint32_t node, int32_t tid, uint64_t time_ns) {
  const auto& entities = timeline().entities();
  if (lives_.empty()) {
    for (EntityId thread = 0; thread < timeline().thread_count(); ++thread)
      lives_[{entities[thread].node, entities[thread].tid}].push_back(thread);
  }
  const auto lives = lives_.find({node, tid});
  if (lives == lives_.end()) return kNobody;
  for (const EntityId thread : lives->second) {
    if (entities[thread].begin_ns <= time_ns && time_ns <= entities[thread].end_ns) return thread;
  }
  return kNobody;
}

}  // namespace gordian
