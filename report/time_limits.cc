// SPDX-License-Identifier: Apache-2.0
#include "report/time_limits.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "report/finding_threads.h"
#include "report/limits.h"
#include "trace/wait_object.h"

namespace gordian {
namespace {

struct EventWaits {
  double share = 0;     // of the edge's waits
  double heaviest = 0;  // that of the heaviest kind
  std::string event;    // in words, of that kind
};

// Only what another thread, program or machine can end before the clock does.
std::string EventInWords(const std::string& object) {
  if (object == WaitObjectKindName(WaitObjectKind::kFutex)) return "another thread (a futex)";
  if (object == WaitObjectKindName(WaitObjectKind::kSocket)) return "a socket";
  if (object == WaitObjectKindName(WaitObjectKind::kPipe)) return "a pipe";
  if (object == WaitObjectKindName(WaitObjectKind::kEventFd)) return "an eventfd";
  if (object == WaitObjectKindName(WaitObjectKind::kEpoll) ||
      object == WaitObjectKindName(WaitObjectKind::kDescriptors))
    return "events of its descriptors";
  return "";
}

EventWaits EventWaitsOf(const pb::ReportEdge& edge) {
  EventWaits found;
  for (const pb::WaitReason& reason : edge.reasons()) {
    for (const pb::WaitObject& object : reason.objects()) {
      const std::string event = EventInWords(object.object());
      if (event.empty()) continue;
      found.share += object.share();
      if (object.share() <= found.heaviest) continue;
      found.heaviest = object.share();
      found.event = event;
    }
  }
  return found;
}

const pb::ReportEdge* SleepOf(const pb::Finding& finding, const pb::Report& report) {
  for (const pb::ReportEdge& edge : report.edges()) {
    if (edge.from() != finding.edge().from() || edge.to() != finding.edge().to()) continue;
    const bool is_timed = edge.to() < static_cast<uint32_t>(report.vertices_size()) &&
                          report.vertices(static_cast<int>(edge.to())).kind() == "timer";
    return is_timed ? &edge : nullptr;
  }
  return nullptr;
}

}  // namespace

void TellTimeLimits(pb::Report& report) {
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (!IsLimit(finding) || finding.kind() != "sleep" || !finding.has_edge()) continue;
    const pb::ReportEdge* const sleep = SleepOf(finding, report);
    if (sleep == nullptr) continue;
    const EventWaits waits = EventWaitsOf(*sleep);
    if (waits.share < kMostOfTheTime) continue;
    PutFirst(
        absl::StrCat("It waits for ", waits.event,
                     ", and a time limit ends that. If it is for a lock or an answer, see why that "
                     "comes too late: who holds the lock, in which order locks are taken, what was "
                     "lost or turned away. If it is a timer of an event loop (a rate limit, the "
                     "delay of a retry): make it shorter."),
        *finding.mutable_advice());
  }
}

}  // namespace gordian
