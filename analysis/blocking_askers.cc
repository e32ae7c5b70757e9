// SPDX-License-Identifier: Apache-2.0
#include "analysis/blocking_askers.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "report/limits.h"
#include "trace/wait_object.h"

namespace gordian {
namespace {

const pb::ReportVertex* VertexOfId(uint32_t id, const pb::Report& report) {
  return id < static_cast<uint32_t>(report.vertices_size()) ? &report.vertices(static_cast<int>(id))
                                                            : nullptr;
}

// In its waits for those who are not of the target: the share in which it reads one socket and no
// other.
double ShareInReads(uint32_t asker, const pb::Report& report) {
  double all_s = 0;
  double in_reads_s = 0;
  for (const pb::ReportEdge& edge : report.edges()) {
    const pb::ReportVertex* const asked = VertexOfId(edge.to(), report);
    if (edge.from() != asker || edge.to() == asker || asked == nullptr || asked->target()) continue;
    all_s += edge.own_s();
    for (const pb::WaitReason& reason : edge.reasons()) {
      // A poll waits for sockets, too, but for several.
      if (reason.reason() == WaitObjectKindName(WaitObjectKind::kSocket))
        in_reads_s += edge.own_s() * reason.share();
    }
  }
  return all_s <= 0 ? 0 : in_reads_s / all_s;
}

uint64_t ThreadsOf(const pb::ReportVertex& vertex) {
  return static_cast<uint64_t>(std::max(1, vertex.members_size()));
}

// Each thread waits for one answer at a time, so no more requests than threads are ever under way.
void BoundByThreads(double threads, pb::NaturalFix& fix, pb::Finding& finding) {
  const auto at_once = static_cast<double>(finding.let_through().at_once());
  const double times = std::ceil(threads / at_once);
  if (threads <= at_once || times >= fix.amount()) return;
  fix.set_amount(times);
  finding.add_advice(absl::StrCat("Each of its ", threads,
                                  " threads waits for one answer at a time: for more than ",
                                  threads, " requests under way it needs more threads, too."));
}

}  // namespace

void AskForMoreBlockingAskers(pb::Report& report, const AskersOfWay& askers_of_way) {
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (!IsLimit(finding) || finding.let_through().kept() == 0) continue;
    for (pb::NaturalFix& fix : *finding.mutable_natural_fixes()) {
      if (fix.change() != "in-flight") continue;
      const pb::ReportVertex* const asker = VertexOfId(fix.who(), report);
      if (asker == nullptr || ShareInReads(fix.who(), report) < kMostOfTheTime) continue;
      if (ThreadsOf(*asker) != finding.let_through().at_once()) {
        BoundByThreads(static_cast<double>(askers_of_way(finding.let_through())), fix, finding);
        continue;
      }
      fix.set_change("add-thread");
      fix.set_amount(static_cast<double>(finding.let_through().kept()));
    }
  }
}

}  // namespace gordian
