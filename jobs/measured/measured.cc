// SPDX-License-Identifier: Apache-2.0
#include "jobs/measured/measured.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/parallel.h"
#include "jobs/measured/phase_owners.h"
#include "jobs/measured/thread_walk.h"
#include "jobs/measured/use_table.h"

namespace gordian {
namespace {

// Of a recording of many nodes only one is measured at a time.
bool IsMeasured(const Timeline& timeline, uint32_t node, const std::string& measured) {
  return timeline.nodes().empty() || timeline.nodes()[node] == measured;
}

// All that was issued or sent on a node, by thread, and the devices it went to.
class Issues {
 public:
  Issues(const Timeline& timeline, const std::string& node) : timeline_(timeline) {
    absl::flat_hash_set<uint32_t> disks_elsewhere;
    for (const Entity& entity : timeline.entities()) {
      if (entity.kind == EntityKind::kDisk && !IsMeasured(timeline, entity.node, node))
        disks_elsewhere.insert(entity.device);
    }
    resources_.push_back({.kind = MeasuredKind::kCpu, .name = "cpu"});
    for (const BlockRecord& record : timeline.block_records()) {
      if (record.complete || disks_elsewhere.contains(record.device)) continue;
      const bool read = record.operation == BlockOperation::kRead;
      Add(read ? MeasuredKind::kDiskRead : MeasuredKind::kDiskWrite, record.device, record.thread,
          timeline.pauses().ClockTime(record.time_ns), record.bytes);
    }
    for (uint32_t number = 0; number < timeline.packet_rows().size(); ++number) {
      if (!IsMeasured(timeline, number, node)) continue;
      for (const PacketRecord& record : timeline.packet_rows()[number]) {
        const MeasuredKind kind = record.sent ? MeasuredKind::kSent : MeasuredKind::kReceived;
        Add(kind, record.interface, record.sent ? record.thread : kNobody,
            timeline.pauses().ClockTime(record.time_ns), record.bytes);
      }
    }
  }

  std::vector<MeasuredResource> TakeResources() { return std::move(resources_); }
  size_t resource_count() const { return resources_.size(); }
  std::span<const IssuedBytes> Of(EntityId thread) const {
    const auto found = of_thread_.find(thread);
    return found == of_thread_.end() ? std::span<const IssuedBytes>() : found->second;
  }
  std::span<const IssuedBytes> OfNobody() const { return of_nobody_; }

 private:
  void Add(MeasuredKind kind, uint32_t device, EntityId thread, uint64_t time_ns, uint64_t bytes) {
    const IssuedBytes issue = {time_ns, bytes, TableOf(kind, device)};
    (thread < timeline_.thread_count() ? of_thread_[thread] : of_nobody_).push_back(issue);
  }

  uint32_t TableOf(MeasuredKind kind, uint32_t device) {
    const auto [found, is_new] =
        tables_.try_emplace({kind, device}, static_cast<uint32_t>(resources_.size()));
    if (is_new) {
      const bool disk = kind == MeasuredKind::kDiskRead || kind == MeasuredKind::kDiskWrite;
      const EntityKind entity = disk ? EntityKind::kDisk : EntityKind::kNic;
      const EntityId id = timeline_.FindDevice(entity, device);
      resources_.push_back({.kind = kind,
                            .device = id,
                            .name = id == kNobody ? absl::StrCat("device ", device)
                                                  : timeline_.entities()[id].name});
    }
    return found->second;
  }

  const Timeline& timeline_;
  std::vector<MeasuredResource> resources_;
  absl::flat_hash_map<std::pair<MeasuredKind, uint32_t>, uint32_t> tables_;
  absl::flat_hash_map<EntityId, std::vector<IssuedBytes>> of_thread_;  // in order of time
  std::vector<IssuedBytes> of_nobody_;
};

// See PhaseMeasurement::measured.
std::vector<bool> WhatIsMeasured(const Job& job, const PhaseMeasurement& use,
                                 const std::vector<bool>& met) {
  std::vector<bool> measured(job.phases.size());
  std::vector<bool> has_children(job.phases.size());
  std::vector<bool> lacks_child(job.phases.size());
  for (size_t id = job.phases.size(); id-- > 0;) {
    const Phase& phase = job.phases[id];
    const bool bound = phase.tid != 0 || phase.pid != 0;
    const bool within = phase.start_ns >= use.start_ns && phase.end_ns <= use.end_ns;
    measured[id] = within && (bound ? met[id] : has_children[id] && !lacks_child[id]);
    if (phase.parent == kNoId) continue;
    has_children[phase.parent] = true;
    if (!measured[id]) lacks_child[phase.parent] = true;
  }
  return measured;
}

}  // namespace

PhaseMeasurement MeasureUse(const Timeline& timeline, const Job& job,
                            const MeasureOptions& options) {
  PhaseMeasurement use{.slice_ns = std::max<uint64_t>(options.slice_ns, 1)};
  const uint64_t recorded_until_ns = timeline.pauses().ClockTimeOfEnd(timeline.end_ns());
  use.start_ns = std::clamp(options.from_ns, timeline.start_ns(), recorded_until_ns);
  use.end_ns = std::clamp(options.to_ns, use.start_ns, recorded_until_ns);
  use.pauses = timeline.pauses().Stretches();
  use.slices = static_cast<uint32_t>((use.end_ns - use.start_ns + use.slice_ns - 1) / use.slice_ns);

  const PhaseOwners owners(timeline, job, options.node);
  Issues issues(timeline, options.node);
  const UseTables empty = {std::vector<UseTable>(issues.resource_count(),
                                                 UseTable(use.start_ns, use.end_ns, use.slice_ns)),
                           std::vector<uint64_t>(job.phases.size())};
  const int threads = ThreadCount(options.threads);
  std::vector<UseTables> results(threads, empty);
  ParallelFor(threads, timeline.thread_count(), [&](size_t thread, int worker) {
    const auto id = static_cast<EntityId>(thread);
    if (!IsMeasured(timeline, timeline.entities()[id].node, options.node)) return;
    ThreadWalk walk(timeline, job, owners, use.start_ns, use.end_ns, results[worker]);
    walk.Walk(id, issues.Of(id));
  });
  for (const IssuedBytes& issue : issues.OfNobody()) {
    results[0].tables[issue.table].AddAt(UseKind::kOwn, kNoId, issue.time_ns, issue.bytes);
  }

  use.unknown_ns.resize(job.phases.size());
  for (UseTables& result : results) {
    for (size_t phase = 0; phase < job.phases.size(); ++phase) {
      use.unknown_ns[phase] += result.unknown_ns[phase];
    }
    if (&result == &results[0]) continue;
    for (size_t table = 0; table < result.tables.size(); ++table) {
      results[0].tables[table].Take(result.tables[table]);
    }
  }
  use.resources = issues.TakeResources();
  for (size_t table = 0; table < use.resources.size(); ++table) {
    results[0].tables[table].Finish(job, use.resources[table]);
  }
  use.measured = WhatIsMeasured(job, use, owners.met());
  return use;
}

}  // namespace gordian
