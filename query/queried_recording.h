// SPDX-License-Identifier: Apache-2.0
// A recording as queries ask it: its analysis, and what slices and paths need on top. That is made
// when a query first asks for it, and kept for all later ones.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/analysis.h"
#include "analysis/recorded_phases.h"
#include "causes/causes.h"
#include "trace/session_reader.h"

namespace gordian {

// For one thread at a time.
class QueriedRecording {
 public:
  explicit QueriedRecording(const Analysis& analysis) : analysis_(analysis) {}

  const Analysis& analysis() const { return analysis_; }
  const Timeline& timeline() const { return analysis_.timeline(); }
  // Reads the recording's files once more.
  const RecordedPhases& phases();
  const ExecutionGraph& graph();
  // By node; null where the files cannot be read any more, empty if there never were any.
  std::span<const std::unique_ptr<SessionReader>> sessions();
  // kNobody if nobody of that number lived then, in the timeline's time.
  EntityId FindThread(uint32_t node, int32_t tid, uint64_t time_ns);

 private:
  const Analysis& analysis_;
  std::unique_ptr<const RecordedPhases> phases_;
  std::unique_ptr<const ExecutionGraph> graph_;
  std::vector<std::unique_ptr<SessionReader>> sessions_;
  // By node and number, in order of birth.
  absl::flat_hash_map<std::pair<uint32_t, int32_t>, std::vector<EntityId>> lives_;
};

}  // namespace gordian
