// SPDX-License-Identifier: Apache-2.0
#include "analyzer/devices/disk_requests.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/devices/thresholds.h"

namespace gordian {
namespace {

struct OpenRequest {
  uint64_t issue_ns = 0;
  EntityId thread = kNobody;
};
// By sector; mostly none or one of each.
using OpenRequests = absl::flat_hash_map<uint64_t, std::vector<OpenRequest>>;

// Takes out the request that this completion ends, if its issue was seen: the one whose issue it
// tells, else the newest of its sector. (Of requests in flight at once any order gives the same
// busy time, and the newest is right where an older one's completion was not seen.) Gives its issue
// time.
bool TakeIssue(const BlockRecord& completion, OpenRequests& open, uint64_t& issue_ns) {
  const auto found = open.find(completion.sector);
  if (found == open.end()) return false;
  std::vector<OpenRequest>& requests = found->second;
  auto request = std::prev(requests.end());
  if (completion.service_ns != 0) {
    const uint64_t told_ns =
        completion.time_ns - std::min(completion.service_ns, completion.time_ns);
    request = std::find_if(requests.begin(), requests.end(),
                           [&](const OpenRequest& one) { return one.issue_ns == told_ns; });
    if (request == requests.end()) return false;
  }
  issue_ns = request->issue_ns;
  requests.erase(request);
  if (requests.empty()) open.erase(found);
  return true;
}

// What the records of a disk tell.
struct Seen {
  explicit Seen(const ColumnMemory& notes) : requests(notes), completions_ns(notes) {}

  Column<Stretch> requests;            // whole ones
  Column<uint64_t> completions_ns;     // all
  std::vector<uint64_t> only_ends_ns;  // completions without an issue
  OpenRequests open;                   // issues without a completion
  uint64_t longest_ns = 0;             // service
  uint64_t last_completed_issue_ns = 0;
};

Seen Match(std::span<const BlockRecord> records, uint64_t start_ns, const ColumnMemory& notes) {
  Seen seen(notes);
  for (const BlockRecord& record : records) {
    if (!record.complete) {
      seen.open[record.sector].push_back({record.time_ns, record.thread});
      continue;
    }
    seen.completions_ns.push_back(record.time_ns);
    uint64_t issue_ns = 0;
    if (!TakeIssue(record, seen.open, issue_ns)) {
      if (record.service_ns == 0) {
        seen.only_ends_ns.push_back(record.time_ns);
        continue;
      }
      issue_ns = std::max(start_ns, record.time_ns - std::min(record.service_ns, record.time_ns));
    }
    seen.longest_ns = std::max(seen.longest_ns, record.time_ns - issue_ns);
    seen.last_completed_issue_ns = std::max(seen.last_completed_issue_ns, issue_ns);
    seen.requests.push_back({issue_ns, record.time_ns});
  }
  return seen;
}

// Of what came after a request that has no completion; made only where there is one.
class Later {
 public:
  explicit Later(std::span<const BlockRecord> records) {
    for (const BlockRecord& record : records) {
      if (record.complete) continue;
      of_sector_.emplace_back(record.sector, record.time_ns);
      of_thread_.emplace_back(record.thread, record.time_ns);
    }
    std::sort(of_sector_.begin(), of_sector_.end());
    std::sort(of_thread_.begin(), of_thread_.end());
  }
  // The next request for that sector, or by that thread; UINT64_MAX: there is none.
  uint64_t OfSector(uint64_t sector, uint64_t time_ns) const {
    return After(of_sector_, sector, time_ns);
  }
  uint64_t OfThread(EntityId thread, uint64_t time_ns) const {
    return After(of_thread_, thread, time_ns);
  }

 private:
  using Times = std::vector<std::pair<uint64_t, uint64_t>>;
  static uint64_t After(const Times& times, uint64_t whose, uint64_t time_ns) {
    const auto next = std::upper_bound(times.begin(), times.end(), std::pair(whose, time_ns));
    return next != times.end() && next->first == whose ? next->second : UINT64_MAX;
  }
  Times of_sector_;
  Times of_thread_;
};

// The first time by which a request without a completion must have been done. After that time
// nothing is known of it. UINT64_MAX: it may still be under way.
uint64_t DoneBy(uint64_t sector, const OpenRequest& request, const Seen& seen, const Later& later,
                GoesOn goes_on) {
  // A sector is asked for again once it is there.
  uint64_t done_ns = later.OfSector(sector, request.issue_ns);
  // Of several requests of a thread a wait may have been for another one.
  const uint64_t goes_on_ns = goes_on(request.thread, request.issue_ns);
  if (later.OfThread(request.thread, request.issue_ns) >= goes_on_ns)
    done_ns = std::min(done_ns, goes_on_ns);
  // A request issued later has completed: then this one most likely had, by the next completion.
  if (request.issue_ns < seen.last_completed_issue_ns)
    done_ns = std::min(done_ns, *std::lower_bound(seen.completions_ns.begin(),
                                                  seen.completions_ns.end(), request.issue_ns));
  if (seen.longest_ns > 0)
    done_ns = std::min(done_ns, request.issue_ns + kLongestServices * seen.longest_ns);
  return done_ns;
}

}  // namespace

// A sweep over their ends.
std::vector<Stretch> Overlapping(std::span<const Stretch> stretches, int depth,
                                 const ColumnMemory& notes) {
  struct Change {
    uint64_t time_ns = 0;
    int by = 0;
  };
  Column<Change> changes(notes);
  for (const Stretch& stretch : stretches) {
    if (stretch.from_ns >= stretch.to_ns) continue;
    changes.push_back({stretch.from_ns, 1});
    changes.push_back({stretch.to_ns, -1});
  }
  // At one time those that begin come first, so that stretches that touch are one.
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.by > b.by;
  });
  std::vector<Stretch> found;
  int overlap = 0;
  for (const auto& [time_ns, change] : changes) {
    const bool was = overlap >= depth;
    overlap += change;
    if (!was && overlap >= depth) found.push_back({time_ns, time_ns});
    if (was && overlap < depth) found.back().to_ns = time_ns;
  }
  std::erase_if(found, [](const Stretch& one) { return one.from_ns == one.to_ns; });
  return found;
}

DiskTimes BusyTimes(std::span<const BlockRecord> records, std::span<const Stretch> disk_waits,
                    const Pauses& pauses, uint64_t start_ns, uint64_t end_ns, GoesOn goes_on,
                    const ColumnMemory& notes) {
  Seen seen = Match(records, start_ns, notes);
  DiskTimes times;
  for (const uint64_t done_ns : seen.only_ends_ns) {
    // It was under way when the recording began, if that was not too long ago.
    const uint64_t longest_ns = seen.longest_ns > 0 ? seen.longest_ns : done_ns;
    const uint64_t since_ns = done_ns - std::min(longest_ns, done_ns);
    if (since_ns > start_ns) ++times.requests_without_end;
    seen.requests.push_back({std::max(start_ns, since_ns), done_ns});
  }
  const Later later(seen.open.empty() ? std::span<const BlockRecord>() : records);
  for (const auto& [sector, requests] : seen.open) {
    for (const OpenRequest& request : requests) {
      const uint64_t known_until_ns = pauses.NextPause(request.issue_ns, end_ns);
      const uint64_t done_ns = DoneBy(sector, request, seen, later, goes_on);
      if (done_ns < known_until_ns) ++times.requests_without_end;
      seen.requests.push_back({request.issue_ns, std::min(done_ns, known_until_ns)});
    }
  }
  times.busy = Overlapping(seen.requests, 1, notes);
  // Threads may wait for requests that are not yet handed to the disk.
  times.several = Overlapping(disk_waits, 2, notes);
  std::ranges::copy(Overlapping(seen.requests, 2, notes), std::back_inserter(times.several));
  times.several = Overlapping(times.several, 1, notes);
  return times;
}

}  // namespace gordian
