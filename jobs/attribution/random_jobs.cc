// SPDX-License-Identifier: Apache-2.0
#include "jobs/attribution/random_jobs.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "jobs/attribution/test_jobs.h"

namespace gordian {
namespace {

int Draw(int low, int high) { return *rc::gen::inRange(low, high + 1); }

JobModel RandomModel() {
  JobModel model;
  model.types.push_back({"Job", kNoId, PhaseRepeat::kOnce, PhasePlace::kAnywhere, {}});
  const int types = Draw(1, 5);
  for (int i = 1; i <= types; ++i) {
    PhaseType type;
    type.name = "T" + std::to_string(i);
    type.parent = Draw(0, std::min(i - 1, 2));
    type.repeat = static_cast<PhaseRepeat>(Draw(0, 2));
    type.place = static_cast<PhasePlace>(Draw(0, 3));
    for (int before = 1; before < i; ++before) {
      if (model.types[before].parent == type.parent && Draw(0, 2) == 0)
        type.after.push_back(before);
    }
    model.types.push_back(type);
  }
  const int resources = Draw(1, 3);
  for (int i = 0; i < resources; ++i) {
    const bool blocking = i > 0 && Draw(0, 1) == 0;
    model.resources.push_back({"r" + std::to_string(i),
                               blocking ? ResourceKind::kBlocking : ResourceKind::kConsumable,
                               Draw(0, 1) == 0, 0, ""});
  }
  for (size_t i = 0; i < model.types.size() * model.resources.size(); ++i)
    model.rules.push_back({static_cast<RuleKind>(Draw(0, 3)), Draw(0, 12) / 8.0});
  return model;
}

void AddPhases(const RandomJobOptions& options, Job& job) {
  const int length_ms = Draw(1, 30) * 10;
  Phase root;
  root.end_ns = MsToNs(length_ms);
  job.phases.push_back(root);
  const int phases = Draw(0, 14);
  for (int i = 0; i < phases; ++i) {
    // One whose parent's type happened already.
    std::vector<std::pair<PhaseTypeId, PhaseId>> places;
    for (PhaseTypeId type = 1; type < job.model.types.size(); ++type) {
      for (PhaseId parent = 0; parent < job.phases.size(); ++parent) {
        if (job.phases[parent].type == job.model.types[type].parent)
          places.emplace_back(type, parent);
      }
    }
    const auto [type, parent] = places[Draw(0, static_cast<int>(places.size()) - 1)];
    Phase phase;
    phase.type = type;
    phase.parent = parent;
    phase.key = std::to_string(i);
    const int grid_ms = options.odd ? 1 : 10;
    phase.start_ns = MsToNs(Draw(0, length_ms / grid_ms) * grid_ms);
    phase.end_ns = MsToNs(Draw(0, length_ms / grid_ms) * grid_ms);
    if (!options.odd) {
      const Phase& around = job.phases[parent];
      if (phase.end_ns < phase.start_ns) std::swap(phase.start_ns, phase.end_ns);
      phase.start_ns = std::clamp(phase.start_ns, around.start_ns, around.end_ns);
      phase.end_ns = std::clamp(phase.end_ns, around.start_ns, around.end_ns);
    }
    phase.node = std::vector<std::string>{"", "a", "b"}[Draw(0, 2)];
    phase.pid = Draw(0, 1);
    phase.tid = Draw(0, 2);
    job.phases.push_back(phase);
  }
}

void AddSamples(const RandomJobOptions& options, Job& job) {
  const double length_ms = static_cast<double>(job.phases[0].end_ns) / 1e6;
  for (ResourceTypeId type = 0; type < job.model.resources.size(); ++type) {
    const bool blocking = job.model.resources[type].kind == ResourceKind::kBlocking;
    const double capacity = options.odd && Draw(0, 5) == 0 ? 0 : 100;
    job.resources.push_back(
        {type, "r", std::vector<std::string>{"", "a"}[Draw(0, 1)], blocking ? 0 : capacity});
    std::vector<ResourceSample>& samples = job.samples.emplace_back();
    if (blocking) {
      const int intervals = Draw(0, 3);
      for (int i = 0; i < intervals; ++i) {
        const PhaseId phase = Draw(0, static_cast<int>(job.phases.size()) - 1);
        const int start_ms = Draw(0, static_cast<int>(length_ms));
        job.blocked.push_back({phase, type, MsToNs(start_ms), MsToNs(start_ms + Draw(0, 60))});
      }
      continue;
    }
    double at_ms = options.odd ? Draw(0, 30) : 0;
    while (at_ms < length_ms + (options.odd ? 30 : 0)) {
      const double end_ms = at_ms + (options.odd ? Draw(1, 70) : 10 * Draw(1, 8));
      if (!options.odd && end_ms > length_ms) break;
      samples.push_back({MsToNs(at_ms), MsToNs(end_ms), static_cast<double>(Draw(0, 110))});
      at_ms = end_ms + (options.odd && Draw(0, 3) == 0 ? Draw(1, 40) : 0);
    }
  }
}

}  // namespace

Job RandomJob(const RandomJobOptions& options) {
  Job job;
  job.model = RandomModel();
  AddPhases(options, job);
  AddSamples(options, job);
  return job;
}

Reordered Reorder(const Job& job) {
  Reordered other;
  other.job = job;
  other.job.phases.clear();
  other.new_id.assign(job.phases.size(), kNoId);
  // By depth, the last one first.
  std::vector<PhaseId> level = {0};
  while (!level.empty()) {
    std::vector<PhaseId> next;
    for (const PhaseId phase : level) {
      other.new_id[phase] = static_cast<PhaseId>(other.job.phases.size());
      Phase it = job.phases[phase];
      if (it.parent != kNoId) it.parent = other.new_id[it.parent];
      other.job.phases.push_back(it);
      for (size_t child = job.phases.size(); child-- > 0;) {
        if (job.phases[child].parent == phase) next.push_back(static_cast<PhaseId>(child));
      }
    }
    level = std::move(next);
  }
  for (BlockedInterval& blocked : other.job.blocked) blocked.phase = other.new_id[blocked.phase];
  std::reverse(other.job.blocked.begin(), other.job.blocked.end());
  return other;
}

}  // namespace gordian
