// SPDX-License-Identifier: Apache-2.0
#include "report/time_limits.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "report/event_waits.h"
#include "report/finding_threads.h"
#include "report/limits.h"

namespace gordian {
namespace {

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
