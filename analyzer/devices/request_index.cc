// SPDX-License-Identifier: Apache-2.0
#include "analyzer/devices/request_index.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace gordian {

// A completion belongs to the issue that it tells by its service time; if it tells none, to the
// newest open one of its sector. Both are read in order of time.
RequestIndex::RequestIndex(const Timeline& timeline) {
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, std::vector<PathRequest>> open;
  for (const BlockRecord& record : timeline.block_records()) {
    std::vector<PathRequest>& issues = open[{record.device, record.sector}];
    if (!record.complete) {
      issues.push_back({record.time_ns, record.thread});
      continue;
    }
    Completion done{.device = record.device, .issuer = record.thread, .done_ns = record.time_ns};
    if (record.service_ns != 0) {
      done.issue_ns = record.time_ns - std::min(record.service_ns, record.time_ns);
      const auto issue = std::find_if(
          issues.begin(), issues.end(),
          [&done](const PathRequest& request) { return request.issue_ns == done.issue_ns; });
      if (issue != issues.end()) {
        done.issuer = issue->issuer;
        issues.erase(issue);
      }
    } else if (!issues.empty()) {
      done.issue_ns = issues.back().issue_ns;
      done.issuer = issues.back().issuer;
      issues.pop_back();
    } else {
      continue;  // its beginning is not known
    }
    by_time_.push_back(done);
  }
  by_issuer_ = by_time_;
  std::stable_sort(by_time_.begin(), by_time_.end(), [](const auto& a, const auto& b) {
    return std::tie(a.device, a.done_ns) < std::tie(b.device, b.done_ns);
  });
  std::stable_sort(by_issuer_.begin(), by_issuer_.end(), [](const auto& a, const auto& b) {
    return std::tie(a.device, a.issuer, a.done_ns) < std::tie(b.device, b.issuer, b.done_ns);
  });
}

std::optional<PathRequest> RequestIndex::Find(uint32_t device, EntityId thread, uint64_t from_ns,
                                              uint64_t to_ns) const {
  auto after = std::upper_bound(
      by_issuer_.begin(), by_issuer_.end(), std::tie(device, thread, to_ns),
      [](const auto& wanted, const Completion& completion) {
        return wanted < std::tie(completion.device, completion.issuer, completion.done_ns);
      });
  if (after != by_issuer_.begin()) {
    const Completion& last = *--after;
    if (last.device == device && last.issuer == thread && last.done_ns >= from_ns)
      return PathRequest{last.issue_ns, last.issuer};
  }
  auto any = std::upper_bound(by_time_.begin(), by_time_.end(), std::tie(device, to_ns),
                              [](const auto& wanted, const Completion& completion) {
                                return wanted < std::tie(completion.device, completion.done_ns);
                              });
  if (any == by_time_.begin()) return std::nullopt;
  const Completion& last = *--any;
  if (last.device != device || last.done_ns < from_ns) return std::nullopt;
  return PathRequest{last.issue_ns, last.issuer};
}

std::optional<PathRequest> RequestThatWoke(const Timeline& timeline, const RequestIndex& requests,
                                           EntityId thread, uint64_t woken_ns) {
  if (woken_ns == 0) return std::nullopt;
  const SegmentCursor at = timeline.SegmentsFrom(thread, woken_ns - 1);
  if (at.done() || at.end_ns() != woken_ns) return std::nullopt;
  const ThreadSegment& wait = at.segment();
  const std::vector<Entity>& entities = timeline.entities();
  if (wait.cause != WaitCause::kDisk || wait.waker >= entities.size()) return std::nullopt;
  auto request = requests.Find(entities[wait.waker].device, thread, at.start_ns(), woken_ns);
  const bool is_known = request && request->issuer < timeline.thread_count() &&
                        request->issue_ns < woken_ns &&
                        entities[request->issuer].node == entities[thread].node;
  return is_known ? request : std::nullopt;
}

}  // namespace gordian
