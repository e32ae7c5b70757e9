#include "analyzer/devices/disk_requests.h"

#include <algorithm>
#include <iterator>

#include "absl/container/flat_hash_map.h"

namespace gordian {
namespace {

// Joins what overlaps or touches.
std::vector<Stretch> Join(std::vector<Stretch> stretches) {
  std::sort(stretches.begin(), stretches.end(),
            [](const Stretch& a, const Stretch& b) { return a.from_ns < b.from_ns; });
  size_t kept = 0;
  for (const Stretch& stretch : stretches) {
    if (stretch.from_ns >= stretch.to_ns) continue;
    if (kept > 0 && stretch.from_ns <= stretches[kept - 1].to_ns) {
      stretches[kept - 1].to_ns = std::max(stretches[kept - 1].to_ns, stretch.to_ns);
    } else {
      stretches[kept++] = stretch;
    }
  }
  stretches.resize(kept);
  return stretches;
}

// Requests of one sector that are in flight: mostly zero or one.
using OpenRequests = absl::flat_hash_map<uint64_t, std::vector<uint64_t>>;

// Takes out the request that this completion ends, if its issue was seen: the one whose issue it
// tells, else the newest of its sector. (Of requests in flight at once any order gives the same
// busy time, and the newest is right where an older one's completion was not seen.) Gives its issue
// time.
bool TakeIssue(const BlockRecord& completion, OpenRequests& open, uint64_t& issue_ns) {
  const auto found = open.find(completion.sector);
  if (found == open.end()) return false;
  std::vector<uint64_t>& issues = found->second;
  auto issue = std::prev(issues.end());
  if (completion.service_ns != 0) {
    issue = std::find(issues.begin(), issues.end(), completion.time_ns - completion.service_ns);
    if (issue == issues.end()) return false;
  }
  issue_ns = *issue;
  issues.erase(issue);
  if (issues.empty()) open.erase(found);
  return true;
}

}  // namespace

DiskTimes BusyTimes(std::span<const BlockRecord> records, const Pauses& pauses, uint64_t start_ns,
                    uint64_t end_ns) {
  std::vector<Stretch> in_flight;
  std::vector<uint64_t> completions;
  OpenRequests open;
  uint64_t last_completed_issue_ns = 0;
  for (const BlockRecord& record : records) {
    if (!record.complete) {
      open[record.sector].push_back(record.time_ns);
      continue;
    }
    completions.push_back(record.time_ns);
    uint64_t issue_ns = start_ns;
    if (!TakeIssue(record, open, issue_ns) && record.service_ns != 0) {
      issue_ns = std::max(start_ns, record.time_ns - std::min(record.service_ns, record.time_ns));
    }
    last_completed_issue_ns = std::max(last_completed_issue_ns, issue_ns);
    in_flight.push_back({issue_ns, record.time_ns});
  }
  DiskTimes times;
  for (const auto& [sector, issues] : open) {
    for (const uint64_t issue_ns : issues) {
      uint64_t done_ns = pauses.NextPause(issue_ns, end_ns);
      if (done_ns == end_ns && issue_ns < last_completed_issue_ns) {
        ++times.requests_without_end;
        // A completion exists: that of the request issued later.
        done_ns = *std::lower_bound(completions.begin(), completions.end(), issue_ns);
      }
      in_flight.push_back({issue_ns, done_ns});
    }
  }
  times.busy = Join(std::move(in_flight));
  return times;
}

}  // namespace gordian
