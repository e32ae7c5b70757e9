// SPDX-License-Identifier: Apache-2.0
#include "requests/sent_by_clock.h"

#include <algorithm>
#include <map>

namespace gordian {
namespace {

constexpr size_t kRequestsLookedAt = 1000;
// Runs in a row that preemption cuts. More come from a thread that never sleeps: it has work all
// the time.
constexpr int kMostRuns = 64;

}  // namespace

bool IsSentByClock(const Timeline& timeline, EntityId asker, uint64_t sent_ns) {
  uint64_t at_ns = sent_ns;
  for (int i = 0; i < kMostRuns && at_ns > timeline.entities()[asker].begin_ns; ++i) {
    const SegmentCursor segments = timeline.SegmentsFrom(asker, at_ns - 1);
    if (segments.done() || segments.start_ns() >= at_ns) return false;
    const ThreadSegment& segment = segments.segment();
    if (segment.kind == SegmentKind::kWait) return segment.cause == WaitCause::kTimer;
    if (segment.kind != SegmentKind::kRun && segment.kind != SegmentKind::kRunnable) return false;
    at_ns = segment.start_ns;
  }
  return false;
}

std::vector<SentByClock> FindSentByClock(const Timeline& timeline, const FoundRequests& found,
                                         std::span<const uint8_t> is_target) {
  std::vector<const Request*> asked;
  for (const auto* requests : {&found.requests, &found.others}) {
    for (const Request& request : *requests) {
      const bool is_its = request.client < is_target.size() && is_target[request.client] != 0;
      if (is_its && request.client != request.thread) asked.push_back(&request);
    }
  }
  std::map<EntityId, SentByClock> by_asker;
  const size_t stride = std::max<size_t>(1, asked.size() / kRequestsLookedAt);
  for (size_t i = 0; i < asked.size(); i += stride) {
    const Request& request = *asked[i];
    SentByClock& sent = by_asker[request.client];
    sent.asker = request.client;
    ++sent.requests;
    if (IsSentByClock(timeline, request.client, request.start_ns)) ++sent.by_clock;
    if (request.thread != kNobody) sent.servers.push_back(request.thread);
  }
  std::vector<SentByClock> all;
  for (auto& [asker, sent] : by_asker) {
    std::sort(sent.servers.begin(), sent.servers.end());
    sent.servers.erase(std::unique(sent.servers.begin(), sent.servers.end()), sent.servers.end());
    all.push_back(std::move(sent));
  }
  return all;
}

}  // namespace gordian
