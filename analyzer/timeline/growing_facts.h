// SPDX-License-Identifier: Apache-2.0
// As RecordingFacts, of a recording that goes on: what was told until a window's end, in order of
// time. Ids are in order of appearance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/timeline/common_facts.h"
#include "analyzer/timeline/decoded_block.h"
#include "analyzer/timeline/flow_table.h"
#include "analyzer/timeline/growing_programs.h"
#include "analyzer/timeline/lives.h"
#include "analyzer/timeline/lock_holders.h"
#include "analyzer/timeline/lossy_stretches.h"
#include "analyzer/timeline/settled_histories.h"
#include "analyzer/timeline/thread_history.h"
#include "analyzer/timeline/timed_records.h"
#include "analyzer/timeline/window.h"
#include "analyzer/timeline/worker_names.h"

namespace gordian {

class GrowingFacts {
 public:
  // `pauses` grows, and lives as long as this.
  explicit GrowingFacts(const Pauses& pauses);

  void Begin(uint64_t start_ns, ToldStates told);
  // Nothing is taken any more: what was taken counts from the next window on, as nothing can
  // contradict it.
  void End(uint64_t end_ns) {
    context_.end_ns = end_ns;
    all_is_told_ = true;
  }

  // What a decoded block tells; it counts only when windows reach it.
  void Take(DecodedBlock& block);
  void TakeLoss(uint16_t cpu, uint64_t from_ns, uint64_t to_ns);
  // All that is told until the window's end now counts; `histories` get the threads that it brings.
  // From then on it is settled.
  void Advance(const Window& window, uint64_t to_ns, const pb::Session& session,
               std::span<const pb::Target> targets, SettledHistories& histories);

  const HistoryContext& context() const { return context_; }
  const Lives& lives() const { return lives_; }
  std::vector<Entity>& entities() { return entities_; }
  const std::vector<Entity>& entities() const { return entities_; }
  // As ThreadFacts tell, of the programs of the thread's process.
  std::span<const Program> programs(EntityId thread) const;
  const FlowTable& flows() const { return flows_; }
  uint64_t events() const { return events_; }
  uint64_t lost() const { return lost_; }
  uint64_t told_late() const { return told_late_ + lives_.told_late(); }

 private:
  void AddSources(const pb::Session& session, SettledHistories& histories);
  void AddThreads(SettledHistories& histories);
  void TakeTask(const TimedTask& entry, SettledHistories& histories);
  EntityId ProcessOf(EntityId thread) const;
  void TakeProgram(const TimedTask& entry, EntityId thread);
  void NameThreads(const pb::Session& session, std::span<const pb::Target> targets);
  void KeepHolders(uint64_t to_ns);

  TimedRecords<TimedTask> tasks_;
  TimedRecords<WorkRecord> works_;
  CommonFacts common_;
  std::vector<EntityId> told_;  // threads of which this window told more
  LossyStretches lossy_stretches_;
  const Pauses& pauses_;
  Lives lives_;
  LockHolders lock_holders_{{}};
  GrowingPrograms programs_;
  WorkerNames worker_names_;
  FlowTable flows_;
  uint64_t events_ = 0;
  uint64_t lost_ = 0;
  std::vector<Entity> entities_;
  HistoryContext context_;
  bool all_is_told_ = false;
  uint64_t settled_until_ns_ = 0;
  uint64_t told_late_ = 0;
};

}  // namespace gordian
