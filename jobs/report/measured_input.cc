// SPDX-License-Identifier: Apache-2.0
#include "jobs/report/measured_input.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace gordian {
namespace {

// By name of a resource's type.
bool IsOf(std::string_view type, MeasuredKind kind) {
  switch (kind) {
    case MeasuredKind::kCpu:
      return type == "cpu";
    case MeasuredKind::kDiskRead:
      return type == "disk_read";
    case MeasuredKind::kDiskWrite:
      return type == "disk_write";
    case MeasuredKind::kSent:
      return type == "net_send";
    case MeasuredKind::kReceived:
      return type == "net_receive";
  }
  return false;
}

class MeasuredInputs {
 public:
  MeasuredInputs(const Job& job, const PhaseMeasurement& measurement, const std::string& node)
      : job_(job), measurement_(measurement), node_(node), known_(Known()) {}

  std::vector<MeasuredUse> Take() {
    std::vector<MeasuredUse> all;
    for (ResourceId id = 0; id < job_.resources.size(); ++id) {
      const MeasuredResource* measured = Find(id);
      if (measured == nullptr || known_.empty()) continue;
      MeasuredUse use{.resource = id, .known_ns = known_};
      AddRows(measured->own, measured->kind, use);
      AddRows(measured->helpers, measured->kind, use);
      for (uint32_t slice = 0; slice < measured->unattributed.size(); ++slice)
        AddPiece(kNoId, slice, measured->unattributed[slice], measured->kind, use);
      all.push_back(std::move(use));
    }
    return all;
  }

 private:
  // The times in which every phase that may have been on the recorded node was met there, and the
  // recording did not pause.
  Ranges Known() const {
    Ranges unknown;
    std::vector<char> has_children(job_.phases.size());
    for (const Phase& phase : job_.phases) {
      if (phase.parent != kNoId) has_children[phase.parent] = 1;
    }
    for (PhaseId id = 0; id < job_.phases.size(); ++id) {
      const Phase& phase = job_.phases[id];
      const bool elsewhere = !phase.node.empty() && !node_.empty() && phase.node != node_;
      if (has_children[id] != 0 || elsewhere || measurement_.measured[id]) continue;
      if (phase.start_ns < phase.end_ns) unknown.push_back({phase.start_ns, phase.end_ns});
    }
    // A slice that touches a pause is known in part: its rate is not.
    for (const auto& [from_ns, to_ns] : measurement_.pauses) {
      const uint64_t start_ns = std::max(from_ns, measurement_.start_ns);
      if (start_ns >= measurement_.end_ns || to_ns <= start_ns) continue;
      const uint64_t slice_ns = measurement_.slice_ns;
      const uint64_t first = (start_ns - measurement_.start_ns) / slice_ns;
      const uint64_t behind = (to_ns - measurement_.start_ns + slice_ns - 1) / slice_ns;
      unknown.push_back(
          {measurement_.start_ns + first * slice_ns, measurement_.start_ns + behind * slice_ns});
    }
    const Range all{measurement_.start_ns, measurement_.end_ns};
    return Subtract({&all, 1}, UnionOf(std::move(unknown)));
  }

  const MeasuredResource* Find(ResourceId id) const {
    const Resource& resource = job_.resources[id];
    if (!resource.node.empty() && !node_.empty() && resource.node != node_) return nullptr;
    const std::string& type = job_.model.resources[resource.type].name;
    const auto found =
        std::find_if(measurement_.resources.begin(), measurement_.resources.end(),
                     [&](const MeasuredResource& one) {
                       return IsOf(type, one.kind) &&
                              (one.kind == MeasuredKind::kCpu || one.name == resource.name);
                     });
    return found == measurement_.resources.end() ? nullptr : &*found;
  }

  void AddRows(const UseRows& rows, MeasuredKind kind, MeasuredUse& use) const {
    for (size_t i = 0; i < rows.size(); ++i)
      AddPiece(rows.phases[i], rows.slices[i], rows.amounts[i], kind, use);
  }

  void AddPiece(PhaseId phase, uint32_t slice, uint64_t amount, MeasuredKind kind,
                MeasuredUse& use) const {
    const uint64_t start_ns = measurement_.start_ns + slice * measurement_.slice_ns;
    const uint64_t end_ns = std::min(start_ns + measurement_.slice_ns, measurement_.end_ns);
    if (amount == 0 || end_ns <= start_ns) return;
    // CPU time over time is cores; bytes are told per second.
    const double per =
        static_cast<double>(end_ns - start_ns) / (kind == MeasuredKind::kCpu ? 1 : 1e9);
    use.pieces.push_back({phase, start_ns, end_ns, static_cast<double>(amount) / per});
  }

  const Job& job_;
  const PhaseMeasurement& measurement_;
  const std::string& node_;
  const Ranges known_;
};

}  // namespace

std::vector<MeasuredUse> MeasuredInput(const Job& job, const PhaseMeasurement& measurement,
                                       const std::string& node) {
  return MeasuredInputs(job, measurement, node).Take();
}

std::vector<MeasuredUse> MeasureJob(const Timeline& timeline, const Job& job, uint64_t slice_ns,
                                    int threads) {
  std::vector<MeasuredUse> measured;
  if (job.phases.empty()) return measured;
  std::vector<std::string> nodes = timeline.nodes();
  if (nodes.empty()) nodes = {timeline.session().host().hostname()};
  for (const std::string& node : nodes) {
    const PhaseMeasurement measurement = MeasureUse(timeline, job,
                                                    {.slice_ns = slice_ns,
                                                     .from_ns = job.phases[0].start_ns,
                                                     .to_ns = job.phases[0].end_ns,
                                                     .node = node,
                                                     .threads = threads});
    for (MeasuredUse& use : MeasuredInput(job, measurement, node)) {
      if (nodes.size() > 1 && job.resources[use.resource].node.empty()) continue;
      measured.push_back(std::move(use));
    }
  }
  return measured;
}

}  // namespace gordian
