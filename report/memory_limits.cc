// SPDX-License-Identifier: Apache-2.0
#include "report/memory_limits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/stacks/stacks.h"
#include "base/time_units.h"
#include "report/finding_threads.h"
#include "report/thresholds.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

bool IsMachine(const MemoryShortage& shortage) { return shortage.cgroup == "/"; }

bool IsUnder(const MemoryShortage& shortage, const Entity& thread) {
  return shortage.node == thread.node &&
         (IsMachine(shortage) || std::binary_search(shortage.pids.begin(), shortage.pids.end(),
                                                    static_cast<uint32_t>(thread.tgid)));
}

bool WaitsForADisk(const pb::Finding& finding, const pb::Report& report) {
  const auto is_disk = [&](uint32_t id) {
    return id < static_cast<uint32_t>(report.vertices_size()) &&
           report.vertices(static_cast<int>(id)).kind() == "disk";
  };
  return std::any_of(finding.members().begin(), finding.members().end(), is_disk) ||
         (finding.has_edge() && is_disk(finding.edge().to()));
}

// Share of the waits in the finding's edge.
double ShareOfMemory(const pb::Finding& finding, const pb::Report& report) {
  if (!finding.has_edge()) return 0;
  for (const pb::ReportEdge& edge : report.edges()) {
    if (edge.from() != finding.edge().from() || edge.to() != finding.edge().to()) continue;
    for (const pb::WaitReason& reason : edge.reasons()) {
      if (reason.reason() == kMemoryReason) return reason.share();
    }
  }
  return 0;
}

class ShortageTeller {
 public:
  ShortageTeller(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                 const TimeRange& range)
      : waits_(waits), vertex_of_entity_(vertex_of_entity), range_(range) {}

  const MemoryShortage* ReasonOf(const pb::Finding& finding, const pb::Report& report,
                                 std::span<const MemoryShortage> shortages) const {
    const bool is_for_memory = ShareOfMemory(finding, report) >= kMostOfAnEdge;
    const bool is_for_a_disk = WaitsForADisk(finding, report);
    const MemoryShortage* reason = nullptr;
    for (const MemoryShortage& shortage : shortages) {
      // Other programs may read again, too; of a group it is known that its own do.
      const double needed = IsMachine(shortage) ? kNearlyAll : kMostOfTheTime;
      const bool reads_again = shortage.read_again_bytes > 0 &&
                               shortage.read_again_bytes >= needed * shortage.disk_read_bytes;
      if (!is_for_memory && !(is_for_a_disk && reads_again)) continue;
      if (WaitingShareUnder(shortage, finding) < kMostOfTheTime) continue;
      if (reason == nullptr || IsNearer(shortage, *reason)) reason = &shortage;
    }
    return reason;
  }

 private:
  // The machine's memory is only the reason where no group's is; of groups the one that met its
  // limit more often.
  static bool IsNearer(const MemoryShortage& a, const MemoryShortage& b) {
    if (IsMachine(a) != IsMachine(b)) return IsMachine(b);
    return a.times > b.times;
  }

  double WaitingShareUnder(const MemoryShortage& shortage, const pb::Finding& finding) const {
    double all_ns = 0;
    double under_ns = 0;
    ForEachThreadOf(MembersAndWaiterOf(finding), waits_, vertex_of_entity_,
                    [&](EntityId id, const Entity& thread) {
                      ForEachSegmentOf(id, waits_, range_,
                                       [&](const ThreadSegment& segment, double length_ns) {
                                         if (segment.kind != SegmentKind::kWait) return;
                                         all_ns += length_ns;
                                         if (IsUnder(shortage, thread)) under_ns += length_ns;
                                       });
                    });
    return all_ns > 0 ? under_ns / all_ns : 0;
  }

  const Waits& waits_;
  const std::vector<uint32_t>& vertex_of_entity_;
  const TimeRange& range_;
};

std::string SizeOf(double bytes) { return FormatSize(static_cast<uint64_t>(bytes)); }

void TellShortage(const MemoryShortage& shortage, pb::Finding& finding, pb::Report& report) {
  pb::MemoryLimit& told = *finding.mutable_memory_limit();
  told.set_cgroup(shortage.cgroup);
  told.set_limit_bytes(shortage.limit_bytes);
  told.set_times(shortage.times);
  told.set_read_again_bytes(shortage.read_again_bytes);
  const std::string cgroup = CleanText(shortage.cgroup);
  const std::string limit = SizeOf(shortage.limit_bytes);
  AddToTitle(": ",
             IsMachine(shortage)
                 ? absl::StrCat("the machine is short of memory (", limit, ")")
                 : absl::StrCat("the cgroup ", cgroup, " is at its memory limit of ", limit),
             finding, report);
  const std::string who = IsMachine(shortage)
                              ? "The machine had to look for free memory"
                              : absl::StrCat("The cgroup ", cgroup, " met its limit of ", limit);
  std::string again;
  if (shortage.read_again_bytes > 0) {
    again = absl::StrCat(" ", SizeOf(shortage.read_again_bytes),
                         " were read again that had been dropped or swapped out before.");
  }
  PutFirst(absl::StrCat(who, " ",
                        FormatCount(static_cast<uint64_t>(std::llround(shortage.times)), "time"),
                        " in this recording.", again),
           *finding.mutable_why());
  PutFirst(IsMachine(shortage)
               ? "Give the machine more memory, or let programs use less: smaller caches and heaps."
               : "Raise that limit (memory.max, memory.high; of a container its memory limit), or "
                 "let the program use less: smaller caches and heaps.",
           *finding.mutable_advice());
}

}  // namespace

std::vector<MemoryShortage> ShortagesOf(std::span<const ResourceReading> readings, uint32_t node,
                                        const TimeRange& range) {
  std::map<std::string, MemoryShortage> shortages;
  double disk_read_bytes = 0;
  for (const ResourceReading& reading : readings) {
    if (reading.end_ns <= range.from_ns || reading.end_ns > range.to_ns) continue;
    const double seconds = static_cast<double>(reading.end_ns - reading.start_ns) / kNsPerSecond;
    if (reading.kind->kind == pb::RESOURCE_DISK_READ) disk_read_bytes += reading.value * seconds;
    if (reading.kind->kind == pb::RESOURCE_MEMORY) shortages["/"].limit_bytes = reading.capacity;
    const bool tells = reading.kind->kind == pb::RESOURCE_CGROUP_MEMORY ||
                       reading.kind->kind == pb::RESOURCE_CGROUP_AT_LIMIT ||
                       reading.kind->kind == pb::RESOURCE_CGROUP_READ_AGAIN;
    if (!tells) continue;
    MemoryShortage& shortage = shortages[std::string(reading.name)];
    if (reading.kind->kind == pb::RESOURCE_CGROUP_MEMORY) {
      shortage.limit_bytes = reading.capacity;
    } else if (reading.kind->kind == pb::RESOURCE_CGROUP_READ_AGAIN) {
      shortage.read_again_bytes += reading.value * seconds;
    } else {
      shortage.times += reading.value * seconds;
      const auto& pids = reading.resource->pids();
      if (shortage.pids.size() < static_cast<size_t>(pids.size()))
        shortage.pids.assign(pids.begin(), pids.end());
    }
  }
  std::vector<MemoryShortage> all;
  for (auto& [cgroup, shortage] : shortages) {
    if (shortage.times < 1) continue;
    shortage.node = node;
    shortage.cgroup = cgroup;
    shortage.disk_read_bytes = disk_read_bytes;
    std::sort(shortage.pids.begin(), shortage.pids.end());
    all.push_back(std::move(shortage));
  }
  return all;
}

void TellMemoryLimits(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                      const TimeRange& range, std::span<const MemoryShortage> shortages,
                      pb::Report& report) {
  if (shortages.empty()) return;
  const ShortageTeller teller(waits, vertex_of_entity, range);
  for (pb::Finding& finding : *report.mutable_findings()) {
    const MemoryShortage* reason = teller.ReasonOf(finding, report, shortages);
    if (reason != nullptr) TellShortage(*reason, finding, report);
  }
}

}  // namespace gordian
