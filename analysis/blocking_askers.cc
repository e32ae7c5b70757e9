// SPDX-License-Identifier: Apache-2.0
#include "analysis/blocking_askers.h"

#include <algorithm>

#include "analyzer/findings/evidence/thresholds.h"
#include "report/limits.h"
#include "trace/wait_object.h"

namespace gordian {
namespace {

// In its waits for those outside: the share in which it reads one socket and no other.
double ShareInReads(uint32_t asker, const pb::Finding& finding, const pb::Report& report) {
  double all_s = 0;
  double in_reads_s = 0;
  for (const pb::ReportEdge& edge : report.edges()) {
    const bool is_for_answers =
        edge.from() == asker &&
        std::count(finding.outside().begin(), finding.outside().end(), edge.to()) > 0;
    if (!is_for_answers) continue;
    all_s += edge.own_s();
    for (const pb::WaitReason& reason : edge.reasons()) {
      // A poll waits for sockets, too, but for several.
      if (reason.reason() == WaitObjectKindName(WaitObjectKind::kSocket))
        in_reads_s += edge.own_s() * reason.share();
    }
  }
  return all_s <= 0 ? 0 : in_reads_s / all_s;
}

bool AllBlock(uint32_t asker, const pb::Finding& finding, const pb::Report& report) {
  if (asker >= static_cast<uint32_t>(report.vertices_size())) return false;
  const auto threads =
      static_cast<uint64_t>(std::max(1, report.vertices(static_cast<int>(asker)).members_size()));
  return threads == finding.let_through().at_once() &&
         ShareInReads(asker, finding, report) >= kMostOfTheTime;
}

}  // namespace

void AskForMoreBlockingAskers(pb::Report& report) {
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (!IsLimit(finding) || finding.let_through().kept() == 0) continue;
    for (pb::NaturalFix& fix : *finding.mutable_natural_fixes()) {
      if (fix.change() != "in-flight" || !AllBlock(fix.who(), finding, report)) continue;
      fix.set_change("add-thread");
      fix.set_amount(static_cast<double>(finding.let_through().kept()));
    }
  }
}

}  // namespace gordian
