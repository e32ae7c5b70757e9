// SPDX-License-Identifier: Apache-2.0
#include "jobs/attribution/demand.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "jobs/attribution/columns.h"

namespace gordian {

PhaseRules::PhaseRules(const Job& job) : job_(job) {
  std::map<std::string, uint32_t> numbers = {{"", 0}};
  const auto number_of = [&numbers](const std::string& node) {
    return numbers.emplace(node, static_cast<uint32_t>(numbers.size())).first->second;
  };
  node_of_phase_.reserve(job.phases.size());
  is_composite_.resize(job.phases.size());
  for (const Phase& phase : job.phases) {
    const bool inherits = phase.node.empty() && phase.parent != kNoId;
    if (phase.parent != kNoId) is_composite_[phase.parent] = 1;
    node_of_phase_.push_back(inherits ? node_of_phase_[phase.parent] : number_of(phase.node));
  }
  node_of_resource_.reserve(job.resources.size());
  for (const Resource& resource : job.resources) {
    const bool shared = !job.model.resources[resource.type].per_node;
    node_of_resource_.push_back(shared ? 0 : number_of(resource.node));
  }
}

bool PhaseRules::Concerns(PhaseId phase, ResourceId resource) const {
  const uint32_t theirs = node_of_resource_[resource];
  const uint32_t ours = node_of_phase_[phase];
  if (theirs != 0 && ours != 0 && theirs != ours) return false;
  return job_.model.rule(job_.phases[phase].type, job_.resources[resource].type).kind !=
         RuleKind::kNone;
}

AttributionRule PhaseRules::Of(PhaseId phase, ResourceId resource, double capacity) const {
  const AttributionRule none = {RuleKind::kNone, 0};
  if (!Concerns(phase, resource)) return none;
  AttributionRule rule = job_.model.rule(job_.phases[phase].type, job_.resources[resource].type);
  if (rule.kind == RuleKind::kExact && !rule.in_unit) rule.amount *= capacity;
  if (rule.kind == RuleKind::kLeaves)
    rule.kind = is_composite_[phase] ? RuleKind::kNone : RuleKind::kVariable;
  return rule.amount > 0 ? rule : none;
}

// One list for all phases of a type below the same phase with intervals of its own: a garbage
// collector's thousand pauses are not copied for each of a thousand tasks.
BlockedTimes::BlockedTimes(const Job& job) : lists_(1), list_of_(job.phases.size(), 0) {
  const PhaseRules rules(job);
  std::vector<std::vector<uint32_t>> intervals_of(job.phases.size());
  for (uint32_t i = 0; i < job.blocked.size(); ++i) intervals_of[job.blocked[i].phase].push_back(i);
  std::vector<PhaseId> nearest_with_intervals(job.phases.size(), kNoId);
  std::map<std::pair<PhaseId, PhaseTypeId>, uint32_t> known;
  for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
    const PhaseId parent = job.phases[phase].parent;
    PhaseId& nearest = nearest_with_intervals[phase];
    nearest = intervals_of[phase].empty()
                  ? (parent == kNoId ? kNoId : nearest_with_intervals[parent])
                  : phase;
    if (nearest == kNoId) continue;
    const auto [at, is_new] = known.emplace(std::pair(nearest, job.phases[phase].type),
                                            static_cast<uint32_t>(lists_.size()));
    list_of_[phase] = at->second;
    if (!is_new) continue;
    std::map<ResourceId, Ranges> by_resource;
    for (PhaseId around = nearest; around != kNoId; around = job.phases[around].parent) {
      for (const uint32_t i : intervals_of[around]) {
        const BlockedInterval& it = job.blocked[i];
        const ResourceTypeId resource_type = job.resources[it.resource].type;
        const bool can_block =
            around == phase ||
            job.model.rule(job.phases[phase].type, resource_type).kind != RuleKind::kNone;
        if (can_block) by_resource[it.resource].push_back({it.start_ns, it.end_ns});
      }
    }
    List list;
    for (auto& [resource, ranges] : by_resource) {
      list.all.insert(list.all.end(), ranges.begin(), ranges.end());
      list.parts.push_back({resource, UnionOf(std::move(ranges))});
    }
    list.all = UnionOf(std::move(list.all));
    lists_.push_back(std::move(list));
  }
}

Timeslices TimeslicesOf(const Job& job, uint64_t slice_ns) {
  Timeslices slices;
  slices.slice_ns = slice_ns;
  if (job.phases.empty()) return slices;
  uint64_t end_ns = 0;
  slices.origin_ns = std::numeric_limits<uint64_t>::max();
  for (const Phase& phase : job.phases) {
    slices.origin_ns = std::min(slices.origin_ns, phase.start_ns);
    end_ns = std::max({end_ns, phase.start_ns, phase.end_ns});
  }
  const uint64_t span_ns = end_ns - slices.origin_ns;
  slices.count = span_ns / slice_ns + (span_ns % slice_ns != 0 ? 1 : 0);
  return slices;
}

uint64_t Timeslices::NearestBorder(uint64_t time_ns) const {
  if (time_ns <= origin_ns) return 0;
  const uint64_t since_ns = time_ns - origin_ns;
  const uint64_t past_ns = since_ns % slice_ns;
  const uint64_t up = past_ns >= slice_ns - past_ns ? 1 : 0;
  return std::min(since_ns / slice_ns + up, count);
}

Range Timeslices::Touching(Range time_ns) const {
  if (time_ns.end <= std::max(origin_ns, time_ns.begin)) return {};
  const uint64_t begin_ns = time_ns.begin > origin_ns ? time_ns.begin - origin_ns : 0;
  const uint64_t end_ns = time_ns.end - origin_ns;
  const uint64_t end = end_ns / slice_ns + (end_ns % slice_ns != 0 ? 1 : 0);
  return {std::min(begin_ns / slice_ns, count), std::min(end, count)};
}

Range Timeslices::Within(Range time_ns) const {
  if (time_ns.end <= std::max(origin_ns, time_ns.begin)) return {};
  const uint64_t begin_ns = time_ns.begin > origin_ns ? time_ns.begin - origin_ns : 0;
  const uint64_t begin = begin_ns / slice_ns + (begin_ns % slice_ns != 0 ? 1 : 0);
  const Range within = {std::min(begin, count),
                        std::min((time_ns.end - origin_ns) / slice_ns, count)};
  return within.size() > 0 ? within : Range{};
}

// From the children up: as parents stand before children, the phases within a phase are done when
// it is reached.
std::vector<Ranges> ActiveSlices(const Job& job, const Timeslices& slices,
                                 const BlockedTimes& blocked) {
  std::vector<Ranges> active(job.phases.size());
  std::vector<Ranges> within(job.phases.size());
  for (size_t i = job.phases.size(); i-- > 0;) {
    const Phase& phase = job.phases[i];
    Ranges own = UnionOf({slices.Of(phase.start_ns, phase.end_ns)});
    Ranges inside = UnionOf(std::move(within[i]));
    within[i] = {};
    active[i] = Subtract(own, inside);
    if (!active[i].empty() && !blocked.AllOf(i).empty()) {
      const Ranges& all = blocked.AllOf(i);
      Ranges stops;
      for (const Range& time_ns : FirstEndingAfter(all, phase.start_ns)) {
        if (time_ns.begin >= phase.end_ns) break;
        stops.push_back(slices.Of(time_ns.begin, time_ns.end));
      }
      active[i] = Subtract(active[i], UnionOf(std::move(stops)));
    }
    if (phase.parent == kNoId) continue;
    Ranges& around = within[phase.parent];
    around.insert(around.end(), own.begin(), own.end());
    around.insert(around.end(), inside.begin(), inside.end());
  }
  return active;
}

// Phases with the same amount are counted, not added up: after equal additions and subtractions a
// sum may keep a rest, which would be a demand of no phase.
void SumDemand(const Job& job, const PhaseRules& rules, const std::vector<Ranges>& active,
               ResourceId resource, ResourceColumns& columns) {
  std::map<std::pair<RuleKind, double>, std::vector<PhaseId>> same_amount;
  for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
    if (active[phase].empty()) continue;
    const AttributionRule rule = rules.Of(phase, resource, columns.capacity);
    if (rule.kind != RuleKind::kNone) same_amount[{rule.kind, rule.amount}].push_back(phase);
  }
  std::vector<int32_t> counts(columns.use.size() + 1, 0);
  for (const auto& [rule, phases] : same_amount) {
    Range touched = {counts.size(), 0};
    for (const PhaseId phase : phases) {
      for (const Range& range : active[phase]) {
        ++counts[range.begin];
        --counts[range.end];
      }
      touched.begin = std::min(touched.begin, active[phase].front().begin);
      touched.end = std::max(touched.end, active[phase].back().end);
    }
    int32_t running = 0;
    for (uint64_t slice = touched.begin; slice < touched.end; ++slice)
      counts[slice] = running += counts[slice];
    std::vector<double>& demand =
        rule.first == RuleKind::kExact ? columns.exact_demand : columns.variable_demand;
    AddScaled(std::span(counts).subspan(touched.begin, touched.size()), rule.second,
              std::span(demand).subspan(touched.begin, touched.size()));
    std::fill(counts.begin() + touched.begin, counts.begin() + touched.end + 1, 0);
  }
}

}  // namespace gordian
