// SPDX-License-Identifier: Apache-2.0
// The phase that a thread's use belongs to, at every moment: rule 1 of measured.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/timeline/timeline.h"
#include "jobs/job/job.h"

namespace gordian {

// From here until the next step. Before the first: no phase.
struct OwnerStep {
  uint64_t from_ns = 0;
  PhaseId owner = kNoId;
  bool operator==(const OwnerStep&) const = default;
};
using OwnerSteps = std::vector<OwnerStep>;

PhaseId OwnerAt(std::span<const OwnerStep> steps, uint64_t time_ns);

// Sweeps over the beginnings and ends of phases. Of each phase it is known how many of its children
// are active (open, or with something open in them) and the xor of their ids: if it is one, that is
// its id. So the innermost open phase, or the innermost one around several, is found by going down
// from the root while there is exactly one way. A beginning or end changes only phases up to the
// first that is active anyway; each question costs the depth of the tree.
class OwnerSweep {
 public:
  explicit OwnerSweep(const Job& job);
  // Of those phases alone.
  OwnerSteps Sweep(std::span<const PhaseId> phases);

 private:
  struct Activity {
    uint32_t open = 0;  // itself
    uint32_t active_children = 0;
    PhaseId children_xor = 0;
    bool active() const { return open + active_children > 0; }
  };
  void Begin(PhaseId phase);
  void End(PhaseId phase);
  PhaseId Innermost() const;

  const Job& job_;
  std::vector<Activity> activity_;  // by phase; all zero between two sweeps
};

class PhaseOwners {
 public:
  // Phases of other nodes are left out, unless `node` is empty. Of a recording of many nodes only
  // that one's threads have owners, and of its phases those that name it.
  PhaseOwners(const Timeline& timeline, const Job& job, const std::string& node);

  // Of a thread of the timeline.
  std::span<const OwnerStep> Of(EntityId thread) const { return of_thread_[thread]; }
  PhaseId At(EntityId thread, uint64_t time_ns) const { return OwnerAt(Of(thread), time_ns); }
  // By phase: bound to a thread or process that the timeline knows, at that time.
  const std::vector<bool>& met() const { return met_; }

 private:
  using PhasesOf = absl::flat_hash_map<int32_t, std::vector<PhaseId>>;  // by tid or pid
  void MarkMet(const PhasesOf& phases_of, int32_t number, uint64_t begin_ns, uint64_t end_ns);
  OwnerSteps Join(std::span<const OwnerStep> of_thread,
                  std::span<const OwnerStep> of_process) const;
  PhaseId Inner(PhaseId of_thread, PhaseId of_process) const;

  const Job& job_;
  std::vector<uint32_t> depths_;  // by phase
  absl::flat_hash_map<int32_t, OwnerSteps> of_tid_;
  absl::flat_hash_map<int32_t, OwnerSteps> of_pid_;
  std::vector<OwnerSteps> joined_;
  std::vector<std::span<const OwnerStep>> of_thread_;
  std::vector<bool> met_;
};

}  // namespace gordian
