// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/used_up_quota.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "whatif/ask/ask.h"
#include "whatif/ask/thresholds.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// A shorter run, calls that are gone, or one for many of them.
bool TakesCpuTimeAway(const pb::WhatIfChange& change) {
  const std::string& kind = change.kind();
  return kind == "run" || kind == "function" || kind == "skip" || kind == "batch";
}

bool IsOfQuota(const pb::WhatIfChange& change) { return change.kind() == "quota"; }

// The CPU time that the quota allows over what is used of it. Quotas are used up period by period:
// who works in bursts is held back in some and uses less in others. Others in the cgroup use it,
// too, so the bound is no lower than the true one.
double MostUnderQuota(const pb::Report& report) {
  const pb::Finding& finding = report.findings(0);
  double run_s = 0;
  for (const uint32_t id : finding.members()) {
    for (const pb::ReportVertex& vertex : report.vertices())
      if (vertex.id() == id) run_s += vertex.run_s();
  }
  const double used_cpus = run_s / std::max(report.recording().seconds(), 1e-9);
  return used_cpus <= 0 ? 1 : std::max(1.0, finding.cpu_quota().cpus() / used_cpus);
}

// Share of the time for which a finding's most held back threads are ready. Its other threads wait
// that much for a CPU anyway; without this the CPU time of whoever waits for them would count as if
// the quota gave it.
constexpr double kHeldBackByQuota = 0.1;

// Of a finding's members those that are held back. Who waits for them may be a member, too, but
// hardly is ready without a CPU.
std::set<uint32_t> HeldBack(const pb::Report& report, const pb::Finding& finding) {
  const auto ready_s = [&](uint32_t id) {
    for (const pb::ReportVertex& vertex : report.vertices())
      if (vertex.id() == id) return vertex.runnable_s();
    return 0.0;
  };
  double most_s = 0;
  for (const uint32_t id : finding.members()) most_s = std::max(most_s, ready_s(id));
  std::set<uint32_t> held_back;
  for (const uint32_t id : finding.members())
    if (ready_s(id) >= kHeldBackByQuota * most_s) held_back.insert(id);
  return held_back;
}

std::vector<uint32_t> OfTheirProcesses(const AnalyzedRecording& recording,
                                       const std::set<uint32_t>& vertices) {
  const auto process_of = [&](EntityId thread) {
    const Entity& entity = recording.timeline.entities()[thread];
    return std::pair(entity.node, entity.tgid);
  };
  std::set<std::pair<uint32_t, int32_t>> processes;
  for (EntityId thread = 0; thread < recording.timeline.thread_count(); ++thread)
    if (vertices.contains(recording.vertex_of_entity[thread])) processes.insert(process_of(thread));
  std::set<uint32_t> all = vertices;
  for (EntityId thread = 0; thread < recording.timeline.thread_count(); ++thread)
    if (processes.contains(process_of(thread))) all.insert(recording.vertex_of_entity[thread]);
  return {all.begin(), all.end()};
}

}  // namespace

std::vector<QuotaGroup> QuotaGroupsOf(const AnalyzedRecording& recording,
                                      std::span<const QuotaChange> changes) {
  // Of all findings about one: findings may have a part of its threads each.
  std::map<std::string, std::set<uint32_t>> cgroups;
  for (const pb::Finding& finding : recording.report.findings())
    if (finding.has_cpu_quota())
      cgroups[finding.cpu_quota().cgroup()].merge(HeldBack(recording.report, finding));
  std::vector<QuotaGroup> groups;
  groups.reserve(cgroups.size());
  for (const auto& [name, vertices] : cgroups) {
    QuotaGroup& group = groups.emplace_back();
    group.vertices = OfTheirProcesses(recording, vertices);
    for (const QuotaChange& change : changes)
      if (change.cgroup == name) group.times = change.times;
  }
  return groups;
}

bool LimitedByQuota(const pb::Report& report) {
  return !report.findings().empty() && report.findings(0).has_cpu_quota();
}

void TellUsedUpQuota(const pb::Report& report, pb::WhatIf& answer) {
  if (!LimitedByQuota(report)) return;
  if (std::any_of(answer.changes().begin(), answer.changes().end(), IsOfQuota)) return;
  const pb::CpuQuota& quota = report.findings(0).cpu_quota();
  const std::string used_up = absl::StrFormat("the cgroup %s may use %.3g CPUs, and uses them up",
                                              CleanText(quota.cgroup()), quota.cpus());
  if (std::any_of(answer.changes().begin(), answer.changes().end(), TakesCpuTimeAway)) {
    answer.add_doubts(absl::StrCat(
        used_up, ": how long it holds its threads back follows the CPU time of their work"));
    return;
  }
  const double most = MostUnderQuota(report);
  if (most >= kNoGain) {
    answer.set_low(std::min(answer.low(), most));
    answer.set_expected(std::min(answer.expected(), most));
    answer.set_high(std::min(answer.high(), most));
    answer.add_doubts(
        absl::StrFormat("the cgroup %s may use %.3g CPUs: that bounds the gain to %.2g times",
                        CleanText(quota.cgroup()), quota.cpus(), most));
    return;
  }
  answer.set_low(1);
  answer.set_expected(1);
  answer.set_high(1);
  answer.set_used_up_quota(used_up);
}

}  // namespace gordian
