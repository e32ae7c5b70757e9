// SPDX-License-Identifier: Apache-2.0
#include "jobs/tree/phase_collector.h"

#include <algorithm>
#include <utility>

#include "jobs/tree/phase_tree.h"

namespace gordian {

PhaseCollector::PhaseCollector(const PhaseModel& model, Tally& tally)
    : tally_(tally), types_(model, tally), resources_(types_, tally) {}

void PhaseCollector::Saw(uint64_t time_ns) {
  found_.last_time_ns = std::max(found_.last_time_ns, time_ns);
}

FoundPhase PhaseCollector::Make(const PhaseMark& mark, uint64_t start_ns, uint64_t end_ns) {
  FoundPhase phase{.start_ns = start_ns,
                   .end_ns = end_ns,
                   .type = mark.type,
                   .keys = static_cast<uint32_t>(found_.keys.size()),
                   .node = mark.node.empty() ? default_node_ : NodeNumber(mark.node),
                   .pid = mark.pid,
                   .tid = mark.tid};
  const size_t parts = types_.depth(mark.type) + 1;
  for (size_t part = 0; part < parts; ++part) {
    found_.keys.push_back(part < mark.keys.size() ? found_.texts.Number(mark.keys[part]) : 0);
  }
  Saw(start_ns);
  if (end_ns != kNoEnd) Saw(end_ns);
  return phase;
}

uint32_t PhaseCollector::Keep(FoundPhase phase) {
  if (found_.phases.size() >= kMaxPhases) {
    tally_.Count("phases_over_limit");
    found_.keys.resize(phase.keys);
    return kNoId;
  }
  found_.phases.push_back(phase);
  return static_cast<uint32_t>(found_.phases.size() - 1);
}

// The mark's keys and place, told apart from those of every other phase that may be open.
PhaseCollector::Identity PhaseCollector::IdentityOf(const PhaseMark& mark) {
  TextNumbers& texts = found_.texts;
  Identity identity = {mark.type, NodeNumber(mark.node), static_cast<uint32_t>(mark.pid),
                       static_cast<uint32_t>(mark.tid)};
  const size_t parts = types_.depth(mark.type) + 1;
  for (size_t part = 0; part < parts; ++part)
    identity.push_back(part < mark.keys.size() ? texts.Number(mark.keys[part]) : 0);
  return identity;
}

uint32_t PhaseCollector::Begin(const PhaseMark& mark, uint64_t time_ns) {
  const auto [open, is_new] = open_.try_emplace(IdentityOf(mark), kNoId);
  if (!is_new) {
    tally_.Count("phase_begins_repeated");
    FoundPhase& before = found_.phases[open->second];
    if (before.start_ns == time_ns) return open->second;  // said twice
    before.end_ns = std::max(before.start_ns, time_ns);
    before.end_assumed = true;
  }
  const uint32_t phase = Keep(Make(mark, time_ns, kNoEnd));
  if (phase == kNoId) {
    open_.erase(open);
  } else {
    open->second = phase;
  }
  return phase;
}

uint32_t PhaseCollector::End(const PhaseMark& mark, uint64_t time_ns) {
  Saw(time_ns);
  const auto open = open_.find(IdentityOf(mark));
  if (open == open_.end()) {
    tally_.Count("phase_ends_without_begin");
    return kNoId;
  }
  const uint32_t phase = open->second;
  open_.erase(open);
  SetEnd(phase, time_ns);
  return phase;
}

bool PhaseCollector::IsOpen(const PhaseMark& mark) { return open_.contains(IdentityOf(mark)); }

uint32_t PhaseCollector::Add(const PhaseMark& mark, uint64_t start_ns, uint64_t end_ns) {
  if (end_ns < start_ns) {
    tally_.Count("phase_times_backwards");
    return kNoId;
  }
  return Keep(Make(mark, start_ns, end_ns));
}

uint32_t PhaseCollector::BeginWithin(uint32_t parent, const PhaseMark& mark, uint64_t time_ns) {
  FoundPhase phase = Make(mark, time_ns, kNoEnd);
  phase.parent = parent;
  phase.parent_told = true;
  return Keep(phase);
}

uint32_t PhaseCollector::AddWithin(uint32_t parent, const PhaseMark& mark, uint64_t start_ns,
                                   uint64_t end_ns) {
  const uint32_t phase = Add(mark, start_ns, end_ns);
  if (phase == kNoId) return kNoId;
  found_.phases[phase].parent = parent;
  found_.phases[phase].parent_told = true;
  return phase;
}

uint32_t PhaseCollector::BeginAlone(const PhaseMark& mark, uint64_t time_ns) {
  return Keep(Make(mark, time_ns, kNoEnd));
}

void PhaseCollector::SetEnd(uint32_t phase, uint64_t time_ns) {
  FoundPhase& ended = found_.phases[phase];
  Saw(time_ns);
  if (time_ns < ended.start_ns) {
    tally_.Count("phase_times_backwards");
    ended.end_assumed = true;
  }
  ended.end_ns = std::max(ended.start_ns, time_ns);
}

void PhaseCollector::SetAfter(uint32_t phase, std::vector<uint32_t> others) {
  if (!others.empty()) found_.after[phase] = std::move(others);
}

void PhaseCollector::SetPlace(uint32_t phase, std::string_view node, int32_t pid) {
  FoundPhase& placed = found_.phases[phase];
  if (!node.empty()) placed.node = NodeNumber(node);
  if (pid != 0) placed.pid = pid;
}

ResourceId PhaseCollector::BlockingResource(std::string_view name, uint32_t node) {
  const ResourceTypeId type =
      types_.ResourceOrNew({.name = std::string(name), .kind = ResourceKind::kBlocking});
  if (type == kNoId || types_.resource(type).kind != ResourceKind::kBlocking) return kNoId;
  return resources_.Instance(type, name, found_.texts.Text(node));
}

bool PhaseCollector::KeepBlocked(const FoundBlocked& blocked) {
  if (blocked.resource == kNoId) {
    tally_.Count("blocked_resource_unknown");
    return false;
  }
  if (found_.blocked.size() >= kMaxBlocked) {
    tally_.Count("phases_over_limit");
    return false;
  }
  found_.blocked.push_back(blocked);
  return true;
}

void PhaseCollector::Blocked(const PhaseMark& mark, std::string_view resource, uint64_t start_ns,
                             uint64_t end_ns) {
  if (end_ns < start_ns) return tally_.Count("phase_times_backwards");
  FoundBlocked blocked{.where = Make(mark, start_ns, end_ns)};
  blocked.resource = BlockingResource(resource, blocked.where.node);
  KeepBlocked(blocked);
}

void PhaseCollector::BlockedPhase(uint32_t phase, std::string_view resource, uint64_t start_ns,
                                  uint64_t end_ns) {
  FoundBlocked blocked{.where = found_.phases[phase], .phase = phase};
  blocked.where.start_ns = start_ns;
  blocked.where.end_ns = end_ns;
  blocked.resource = BlockingResource(resource, blocked.where.node);
  KeepBlocked(blocked);
}

void PhaseCollector::BlockedBegin(const PhaseMark& mark, std::string_view resource,
                                  uint64_t time_ns) {
  Identity identity = IdentityOf(mark);
  identity.push_back(found_.texts.Number(resource));
  const auto [open, is_new] = open_blocked_.try_emplace(identity, 0);
  if (!is_new) return tally_.Count("phase_begins_repeated");  // blocked since the first
  FoundBlocked blocked{.where = Make(mark, time_ns, kNoEnd)};
  blocked.resource = BlockingResource(resource, blocked.where.node);
  if (KeepBlocked(blocked)) {
    open->second = static_cast<uint32_t>(found_.blocked.size() - 1);
  } else {
    open_blocked_.erase(open);
  }
}

void PhaseCollector::BlockedEnd(const PhaseMark& mark, std::string_view resource,
                                uint64_t time_ns) {
  Saw(time_ns);
  Identity identity = IdentityOf(mark);
  identity.push_back(found_.texts.Number(resource));
  const auto open = open_blocked_.find(identity);
  if (open == open_blocked_.end()) return tally_.Count("phase_ends_without_begin");
  FoundPhase& where = found_.blocked[open->second].where;
  open_blocked_.erase(open);
  if (time_ns < where.start_ns) tally_.Count("phase_times_backwards");
  where.end_ns = std::max(where.start_ns, time_ns);
}

Job PhaseCollector::Finish() {
  tally_.Count("blocked_ends_assumed", open_blocked_.size());
  Job job;
  job.model = types_.ToModel();
  MakePhaseTree(types_, found_, tally_, job);
  resources_.Finish(job);
  SettleObserved(types_, tally_, job);
  open_.clear();
  open_blocked_.clear();
  found_ = FoundPhases();
  return job;
}

}  // namespace gordian
