// SPDX-License-Identifier: Apache-2.0
#include "jobs/measured/phase_owners.h"

#include <algorithm>
#include <utility>

namespace gordian {
namespace {

struct Change {
  uint64_t time_ns = 0;
  PhaseId phase = 0;
  bool begins = false;
};

// Ends before beginnings at the same time; else the order of phases does not matter.
std::vector<Change> ChangesOf(const Job& job, std::span<const PhaseId> phases) {
  std::vector<Change> changes;
  changes.reserve(2 * phases.size());
  for (const PhaseId phase : phases) {
    if (job.phases[phase].start_ns >= job.phases[phase].end_ns) continue;
    changes.push_back({job.phases[phase].start_ns, phase, true});
    changes.push_back({job.phases[phase].end_ns, phase, false});
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::pair(a.time_ns, a.begins) < std::pair(b.time_ns, b.begins);
  });
  return changes;
}

void Append(OwnerSteps& steps, uint64_t from_ns, PhaseId owner) {
  const PhaseId last = steps.empty() ? kNoId : steps.back().owner;
  if (owner != last) steps.push_back({from_ns, owner});
}

}  // namespace

PhaseId OwnerAt(std::span<const OwnerStep> steps, uint64_t time_ns) {
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), time_ns,
                       [](uint64_t at_ns, const OwnerStep& step) { return at_ns < step.from_ns; });
  return after == steps.begin() ? kNoId : (after - 1)->owner;
}

OwnerSweep::OwnerSweep(const Job& job) : job_(job), activity_(job.phases.size()) {}

OwnerSteps OwnerSweep::Sweep(std::span<const PhaseId> phases) {
  OwnerSteps steps;
  const std::vector<Change> changes = ChangesOf(job_, phases);
  for (size_t i = 0; i < changes.size(); ++i) {
    changes[i].begins ? Begin(changes[i].phase) : End(changes[i].phase);
    const bool more_now = i + 1 < changes.size() && changes[i + 1].time_ns == changes[i].time_ns;
    if (!more_now) Append(steps, changes[i].time_ns, Innermost());
  }
  return steps;
}

void OwnerSweep::Begin(PhaseId phase) {
  bool was_active = activity_[phase].active();
  ++activity_[phase].open;
  for (; !was_active && job_.phases[phase].parent != kNoId; phase = job_.phases[phase].parent) {
    Activity& parent = activity_[job_.phases[phase].parent];
    was_active = parent.active();
    ++parent.active_children;
    parent.children_xor ^= phase;
  }
}

void OwnerSweep::End(PhaseId phase) {
  --activity_[phase].open;
  bool is_active = activity_[phase].active();
  for (; !is_active && job_.phases[phase].parent != kNoId; phase = job_.phases[phase].parent) {
    Activity& parent = activity_[job_.phases[phase].parent];
    --parent.active_children;
    parent.children_xor ^= phase;
    is_active = parent.active();
  }
}

PhaseId OwnerSweep::Innermost() const {
  if (activity_.empty() || !activity_[0].active()) return kNoId;
  PhaseId phase = 0;
  while (activity_[phase].active_children == 1) phase = activity_[phase].children_xor;
  return phase;
}

PhaseOwners::PhaseOwners(const Timeline& timeline, const Job& job, const std::string& node)
    : job_(job), met_(job.phases.size()) {
  PhasesOf of_tid;
  PhasesOf of_pid;
  depths_.reserve(job.phases.size());
  for (PhaseId id = 0; id < job.phases.size(); ++id) {
    const Phase& phase = job.phases[id];
    depths_.push_back(phase.parent == kNoId ? 0 : depths_[phase.parent] + 1);
    const bool node_told = !phase.node.empty() || !timeline.nodes().empty();
    if (!node.empty() && node_told && phase.node != node) continue;
    if (phase.tid != 0) {
      of_tid[phase.tid].push_back(id);
    } else if (phase.pid != 0) {
      of_pid[phase.pid].push_back(id);
    }
  }
  OwnerSweep sweep(job);
  for (const auto& [tid, phases] : of_tid) of_tid_[tid] = sweep.Sweep(phases);
  for (const auto& [pid, phases] : of_pid) of_pid_[pid] = sweep.Sweep(phases);

  joined_.resize(timeline.thread_count());
  of_thread_.resize(timeline.thread_count());
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    const Entity& thread = timeline.entities()[id];
    if (!timeline.nodes().empty() && timeline.nodes()[thread.node] != node) continue;
    const uint64_t begin_ns = timeline.pauses().ClockTime(thread.begin_ns);
    const uint64_t end_ns = timeline.pauses().ClockTime(thread.end_ns);
    MarkMet(of_tid, thread.tid, begin_ns, end_ns);
    MarkMet(of_pid, thread.tgid, begin_ns, end_ns);
    const auto by_tid = of_tid_.find(thread.tid);
    const auto by_pid = of_pid_.find(thread.tgid);
    if (by_tid == of_tid_.end() || by_pid == of_pid_.end()) {
      if (by_tid != of_tid_.end()) of_thread_[id] = by_tid->second;
      if (by_pid != of_pid_.end()) of_thread_[id] = by_pid->second;
      continue;
    }
    joined_[id] = Join(by_tid->second, by_pid->second);
    of_thread_[id] = joined_[id];
  }
}

void PhaseOwners::MarkMet(const PhasesOf& phases_of, int32_t number, uint64_t begin_ns,
                          uint64_t end_ns) {
  const auto found = phases_of.find(number);
  if (found == phases_of.end()) return;
  for (const PhaseId id : found->second) {
    const Phase& phase = job_.phases[id];
    if (phase.start_ns < end_ns && phase.end_ns > begin_ns) met_[id] = true;
  }
}

// The deeper one where the process's lies within the thread's; else the thread's.
PhaseId PhaseOwners::Inner(PhaseId of_thread, PhaseId of_process) const {
  if (of_thread == kNoId) return of_process;
  if (of_process == kNoId) return of_thread;
  PhaseId around = of_process;
  while (depths_[around] > depths_[of_thread]) around = job_.phases[around].parent;
  return around == of_thread ? of_process : of_thread;
}

OwnerSteps PhaseOwners::Join(std::span<const OwnerStep> of_thread,
                             std::span<const OwnerStep> of_process) const {
  OwnerSteps joined;
  PhaseId by_thread = kNoId;
  PhaseId by_process = kNoId;
  while (!of_thread.empty() || !of_process.empty()) {
    uint64_t now_ns = of_thread.empty() ? of_process.front().from_ns : of_thread.front().from_ns;
    if (!of_process.empty()) now_ns = std::min(now_ns, of_process.front().from_ns);
    if (!of_thread.empty() && of_thread.front().from_ns == now_ns) {
      by_thread = of_thread.front().owner;
      of_thread = of_thread.subspan(1);
    }
    if (!of_process.empty() && of_process.front().from_ns == now_ns) {
      by_process = of_process.front().owner;
      of_process = of_process.subspan(1);
    }
    Append(joined, now_ns, Inner(by_thread, by_process));
  }
  return joined;
}

}  // namespace gordian
