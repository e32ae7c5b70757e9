// SPDX-License-Identifier: Apache-2.0
#include "report/held_locks.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/lock_advice.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "report/finding_threads.h"
#include "report/limits.h"
#include "report/vertex_names.h"
#include "words/quantities.h"

namespace gordian {
namespace {

const pb::ReportVertex* VertexOf(uint32_t id, const pb::Report& report) {
  return id < static_cast<uint32_t>(report.vertices_size()) ? &report.vertices(static_cast<int>(id))
                                                            : nullptr;
}

double ShareOfLife(const pb::ReportEdge& edge, const pb::Report& report) {
  const pb::ReportVertex* const from = VertexOf(edge.from(), report);
  if (from == nullptr) return 0;
  const double life_s = from->run_s() + from->runnable_s() + from->wait_s();
  return life_s <= 0 ? 0 : std::min(1.0, edge.own_s() / life_s);
}

// Of the edge's waits, as far as the function that waits tells.
double ShareFor(const char* role, const pb::ReportEdge& edge) {
  double share = 0;
  for (const pb::WaitReason& reason : edge.reasons()) {
    for (const pb::WaitObject& object : reason.objects()) {
      if (object.role() == role) share += object.share();
    }
  }
  return share;
}
double ShareForLocks(const pb::ReportEdge& edge) { return ShareFor("lock", edge); }

// Of threads of the target that wait for it.
const pb::ReportEdge* LongestWaitFor(uint32_t vertex, const pb::Report& report) {
  const pb::ReportEdge* longest = nullptr;
  for (const pb::ReportEdge& edge : report.edges()) {
    const pb::ReportVertex* const from = VertexOf(edge.from(), report);
    if (edge.to() != vertex || edge.from() == vertex || from == nullptr || !from->target())
      continue;
    if (longest == nullptr || edge.own_s() > longest->own_s()) longest = &edge;
  }
  return longest;
}

bool IsOutside(uint32_t vertex, const pb::Finding& finding) {
  return std::find(finding.outside().begin(), finding.outside().end(), vertex) !=
         finding.outside().end();
}

// Of the target, and waits longest for those outside.
const pb::ReportEdge* AskOf(const pb::Finding& finding, const pb::Report& report) {
  const pb::ReportEdge* longest = nullptr;
  for (const pb::ReportEdge& edge : report.edges()) {
    const pb::ReportVertex* const from = VertexOf(edge.from(), report);
    if (from == nullptr || !from->target() || !IsOutside(edge.to(), finding)) continue;
    if (longest == nullptr || edge.own_s() > longest->own_s()) longest = &edge;
  }
  return longest;
}

const pb::ReportEdge* LockWaitFor(uint32_t holder, const pb::Report& report) {
  const pb::ReportEdge* longest = nullptr;
  for (const pb::ReportEdge& edge : report.edges()) {
    const pb::ReportVertex* const from = VertexOf(edge.from(), report);
    const bool is_wait = edge.to() == holder && edge.from() != holder && from->target();
    if (!is_wait || ShareForLocks(edge) < kMostOfTheTime ||
        ShareOfLife(edge, report) < kMostOfTheTime)
      continue;
    if (longest == nullptr || edge.own_s() > longest->own_s()) longest = &edge;
  }
  return longest;
}

}  // namespace

void TellHeldLocks(pb::Report& report) {
  const VertexNames names(report);
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (!IsLimit(finding) || finding.kind() != "sleep" || finding.outside().empty()) continue;
    const pb::ReportEdge* const ask = AskOf(finding, report);
    if (ask == nullptr) continue;
    const pb::ReportEdge* const any = LongestWaitFor(ask->from(), report);
    // They wait for work.
    if (any != nullptr && ShareFor("condition variable", *any) >= kMostOfTheTime)
      DropAdviceWith(kIfForALock, finding);
    const pb::ReportEdge* const wait = LockWaitFor(ask->from(), report);
    if (wait == nullptr) continue;
    const auto several = [&](uint32_t id) { return VertexOf(id, report)->members_size() > 1; };
    const std::string& holder = names.Phrase(ask->from());
    const bool holds_alone = !several(ask->from());
    SetTitle(absl::StrCat(holder,
                          holds_alone ? " holds a lock while it waits for "
                                      : " hold a lock while they wait for ",
                          names.Phrase(ask->to()), ", outside of the target; ",
                          names.Phrase(wait->from()), several(wait->from()) ? " wait " : " waits ",
                          PercentText(ShareOfLife(*wait, report)), " of the time for that lock."),
             finding, report);
    DropAdviceWith(kIfForALock, finding);
    PutFirst(
        absl::StrCat("Let ", holder,
                     holds_alone ? " ask before it takes the lock, or after it gave it back."
                                 : " ask before they take the lock, or after they gave it back."),
        *finding.mutable_advice());
    if (std::count(finding.members().begin(), finding.members().end(), ask->from()) == 0)
      finding.add_members(ask->from());
    std::sort(finding.mutable_members()->begin(), finding.mutable_members()->end());
  }
}

}  // namespace gordian
