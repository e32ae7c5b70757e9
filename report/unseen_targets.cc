// SPDX-License-Identifier: Apache-2.0
#include "report/unseen_targets.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/findings/ranking.h"
#include "analyzer/findings/sureness.h"
#include "analyzer/timeline/lives.h"
#include "report/report_counters.h"
#include "report/thresholds.h"
#include "words/clean_text.h"

namespace gordian {

void TellUnseenTargets(const Timeline& timeline, pb::Report& report) {
  if (timeline.node_count() > 1) return;
  const auto& targets = timeline.session().targets();
  const std::vector<pb::Target> named(targets.begin(), targets.end());
  std::vector<std::string> unseen = NamesOfUnseen(named, timeline.entities());
  if (unseen.empty()) return;
  for (std::string& name : unseen) name = CleanText(name);
  pb::ReportCounter& counter = AddCounter("targets_not_seen", unseen.size(), report);
  for (const std::string& name : unseen) counter.add_examples(name);
  if (report.scope().chosen_by() != "busiest group") return;
  for (pb::Finding& finding : *report.mutable_findings()) {
    finding.set_confidence(finding.confidence() * kTrustWithoutTheTarget);
    finding.set_sure(SurenessWord(finding.confidence()));
    *finding.add_doubts() =
        absl::StrCat("You asked about ", absl::StrJoin(unseen, ", "),
                     ", of which no thread was seen: this is about the busiest threads instead.");
  }
  RankFindings(report);
}

}  // namespace gordian
