// SPDX-License-Identifier: Apache-2.0
#include "whatif/score/disk_requests.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "whatif/score/thresholds.h"

namespace gordian {

ScoreRequests::ScoreRequests(const Timeline& timeline)
    : disk_of_entity_(timeline.entities().size(), kNoDisk) {
  TakeRecords(timeline);
  CountSlots();
}

uint32_t ScoreRequests::DiskOf(EntityId entity) {
  if (disk_of_entity_[entity] == kNoDisk) {
    disk_of_entity_[entity] = static_cast<uint32_t>(disks_.size());
    disks_.push_back({.entity = entity});
    completions_.emplace_back();
  }
  return disk_of_entity_[entity];
}

// A completion ends the newest open request of its sector (or the one whose issue time it tells).
void ScoreRequests::TakeRecords(const Timeline& timeline) {
  struct Open {
    uint64_t time_ns;
    uint32_t request;
    EntityId thread;
  };
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, std::vector<Open>> open;
  for (const BlockRecord& record : timeline.block_records()) {
    const EntityId entity = timeline.FindDevice(EntityKind::kDisk, record.device);
    if (entity == kNobody) continue;
    const uint32_t disk = DiskOf(entity);
    std::vector<Open>& same = open[{disk, record.sector}];
    if (!record.complete) {
      const auto request = static_cast<uint32_t>(requests_.size());
      requests_.push_back({.disk = disk,
                           .stores = record.operation == BlockOperation::kWrite ||
                                     record.operation == BlockOperation::kFlush});
      ++disks_[disk].requests;
      same.push_back({record.time_ns, request, record.thread});
      if (record.thread < timeline.thread_count())
        issues_.push_back({record.time_ns, record.thread, request});
      continue;
    }
    auto found = same.rbegin();
    if (record.service_ns != 0) {
      found = std::find_if(same.rbegin(), same.rend(), [&](const Open& request) {
        return request.time_ns == record.time_ns - record.service_ns;
      });
    }
    if (found == same.rend()) continue;
    requests_[found->request].service_ns = record.time_ns - found->time_ns;
    completions_[disk].push_back({record.time_ns, found->request, found->thread});
    same.erase(std::next(found).base());
  }
}

void ScoreRequests::CountSlots() {
  for (size_t disk = 0; disk < disks_.size(); ++disk) {
    // Ends are in order already.
    std::vector<uint64_t> starts;
    starts.reserve(completions_[disk].size());
    for (const Completion& completion : completions_[disk])
      starts.push_back(completion.time_ns - requests_[completion.request].service_ns);
    std::sort(starts.begin(), starts.end());
    std::vector<uint64_t> time_with(1);  // [n]: nanoseconds with n in flight
    uint64_t busy_ns = 0, last_ns = 0;
    size_t begun = 0, ended = 0;
    while (ended < starts.size()) {
      const uint64_t end_ns = completions_[disk][ended].time_ns;
      const bool begins = begun < starts.size() && starts[begun] < end_ns;
      const uint64_t now_ns = begins ? starts[begun] : end_ns;
      if (begun > ended) {
        if (time_with.size() <= begun - ended) time_with.resize(begun - ended + 1);
        time_with[begun - ended] += now_ns - last_ns;
        busy_ns += now_ns - last_ns;
      }
      last_ns = now_ns;
      if (begins) {
        ++begun;
      } else {
        ++ended;
        begun = std::max(begun, ended);
      }
    }
    auto slots = static_cast<uint32_t>(time_with.size() - 1);
    for (uint64_t above_ns = 0; slots > 1; --slots) {
      above_ns += time_with[slots];
      if (static_cast<double>(above_ns) > kBurst * static_cast<double>(busy_ns)) break;
    }
    disks_[disk].slots = std::max(1u, slots);
  }
}

std::optional<uint32_t> ScoreRequests::EndOfWait(EntityId entity, EntityId waiter,
                                                 uint64_t start_ns, uint64_t end_ns) const {
  const uint32_t disk = disk_of_entity_[entity];
  if (disk == kNoDisk) return std::nullopt;
  const std::vector<Completion>& completions = completions_[disk];
  auto at = std::upper_bound(
      completions.begin(), completions.end(), end_ns,
      [](uint64_t time_ns, const Completion& completion) { return time_ns < completion.time_ns; });
  std::optional<uint32_t> last;
  for (int i = 0; i < kCompletionsLookedAt && at != completions.begin(); ++i) {
    --at;
    if (at->time_ns <= start_ns) break;
    if (at->thread == waiter) return at->request;
    if (!last) last = at->request;
  }
  return last;
}

uint32_t ScoreRequests::AddUnseen(EntityId entity, uint64_t service_ns) {
  const uint32_t disk = DiskOf(entity);
  requests_.push_back({.service_ns = service_ns, .disk = disk, .unseen = true});
  ++disks_[disk].requests;
  return static_cast<uint32_t>(requests_.size() - 1);
}

void ScoreRequests::MoveTo(Score& score) {
  score.disks = std::move(disks_);
  score.requests = std::move(requests_);
}

}  // namespace gordian
