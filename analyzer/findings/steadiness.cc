// SPDX-License-Identifier: Apache-2.0
// Whether findings hold in the parts of their recording, too.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/findings.h"
#include "analyzer/findings/ranking.h"
#include "analyzer/findings/sureness.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// One of the same kind, about most of the same vertices.
bool HoldsIn(const pb::Finding& finding, const PartJudgement& part) {
  const auto is_like_it = [&](const PartJudgement::Found& other) {
    if (FactsOf(other.kind).name != finding.kind()) return false;
    const auto common =
        std::count_if(finding.members().begin(), finding.members().end(), [&](uint32_t member) {
          return std::find(other.members.begin(), other.members.end(), member) !=
                 other.members.end();
        });
    return static_cast<double>(common) >= kMostOfTheTime * finding.members_size();
  };
  return std::any_of(part.found.begin(), part.found.end(), is_like_it);
}

// The whole recording, in which it held, counts as one part more: a finding that no part is long
// enough to show is doubtful, but was seen.
double ShareWithTheWhole(const HeldIn& fared) {
  const double parts = static_cast<double>(fared.parts);
  return (fared.held_share * parts + 1) / (parts + 1);
}

}  // namespace

std::vector<HeldIn> HowFindingsFared(const pb::Report& whole,
                                     std::span<const PartJudgement> parts) {
  std::vector<HeldIn> fared(static_cast<size_t>(whole.findings_size()));
  double all_work_s = 0;
  std::vector<double> held_work_s(fared.size());
  for (const PartJudgement& part : parts) {
    if (part.work_s == 0) continue;
    all_work_s += part.work_s;
    for (size_t i = 0; i < fared.size(); ++i) {
      ++fared[i].parts;
      if (!HoldsIn(whole.findings(static_cast<int>(i)), part)) continue;
      ++fared[i].held;
      held_work_s[i] += part.work_s;
    }
  }
  for (size_t i = 0; i < fared.size(); ++i) {
    if (all_work_s > 0) fared[i].held_share = held_work_s[i] / all_work_s;
  }
  return fared;
}

void DoubtUnsteadyFindings(std::span<const HeldIn> held_in, pb::Report& report) {
  for (size_t i = 0; i < held_in.size(); ++i) {
    pb::Finding& finding = *report.mutable_findings(static_cast<int>(i));
    const KindFacts& facts = FactsOf(finding);
    if (!facts.limits || held_in[i].held_share >= kSteady) continue;
    finding.set_confidence(finding.confidence() * ShareWithTheWhole(held_in[i]));
    finding.set_sure(SurenessWord(finding.confidence()));
    finding.add_doubts(absl::StrCat("It holds in ", held_in[i].held, " of ", held_in[i].parts,
                                    " parts of the recording that are equally long: look at these "
                                    "alone (--from, --to)."));
  }
  RankFindings(report);
}

void DoubtAfterALongPause(const LongestPause& pause, pb::Report& report) {
  const auto seen_ns = static_cast<double>(pause.of_ns - std::min(pause.ns, pause.of_ns));
  if (seen_ns >= kSteady * static_cast<double>(pause.of_ns)) return;
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (!FactsOf(finding).limits) continue;
    finding.set_confidence(finding.confidence() * kTrustBesideALongPause);
    finding.set_sure(SurenessWord(finding.confidence()));
    finding.add_doubts(absl::StrCat("The recording paused for ", FormatDuration(pause.ns), " of ",
                                    FormatDuration(pause.of_ns),
                                    " in a row to keep to its budget: it may have been otherwise "
                                    "then. Record again with a larger --budget."));
  }
  RankFindings(report);
}

}  // namespace gordian
