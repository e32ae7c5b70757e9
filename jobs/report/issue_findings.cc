// SPDX-License-Identifier: Apache-2.0
#include "jobs/report/issue_findings.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/findings/finding.h"
#include "analyzer/findings/ranking.h"
#include "base/time_units.h"
#include "jobs/phases/phase_time.h"
#include "jobs/report/issue_sentences.h"
#include "jobs/report/thresholds.h"
#include "report/cpu_users.h"
#include "report/limits.h"
#include "report/thresholds.h"
#include "report/vertex_names.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kWaitsTold = 3;
constexpr int kMostFindings = 20;

FindingKind KindOf(IssueKind kind) {
  switch (kind) {
    case IssueKind::kBottleneck:
      return FindingKind::kBottleneck;
    case IssueKind::kImbalance:
      return FindingKind::kImbalance;
    case IssueKind::kGaps:
      return FindingKind::kGap;
    case IssueKind::kOutliers:
      break;
  }
  return FindingKind::kOutlier;
}

class IssueFindings {
 public:
  IssueFindings(const JobAnalysis& analysis, const JobRecording& recording, pb::Report& report)
      : analysis_(analysis), recording_(recording), report_(report), names_(report) {}

  void Add() {
    const int before = report_.findings_size();
    for (const Issue& issue : analysis_.issues.issues) {
      pb::ReportIssue& told = *report_.add_issues();
      Fill(issue, told);
      if (report_.findings_size() == before + kMostFindings) continue;
      WriteFinding(FindingOf(issue), report_);
      told.set_finding(static_cast<uint32_t>(report_.findings_size()));
    }
    RankFindings(report_);
    for (pb::Finding& finding : *report_.mutable_findings()) TellCauses(finding);
  }

 private:
  void Fill(const Issue& issue, pb::ReportIssue& row) const {
    row.set_kind(FactsOf(KindOf(issue.kind)).name);
    row.set_title(TitleOf(analysis_, issue));
    if (issue.type != kNoId) row.set_type(issue.type);
    for (const IssuePhase& one : issue.phases) row.add_phases(one.phase);
    for (ResourceId id = 0; id < analysis_.job.resources.size(); ++id) {
      const auto& types = issue.resources;
      if (std::find(types.begin(), types.end(), analysis_.job.resources[id].type) != types.end())
        row.add_resources(id);
    }
    row.set_gain(issue.gain);
    const Phase& of_job = analysis_.job.phases[issue.job];
    row.set_makespan_s(static_cast<double>(of_job.end_ns - of_job.start_ns) / kNsPerSecond *
                       (1 - issue.gain));
  }

  Finding FindingOf(const Issue& issue) const {
    Finding finding{.kind = KindOf(issue.kind),
                    .share = issue.gain,
                    .upper_bound_gain = issue.gain < 1 ? 1 / (1 - issue.gain)
                                                       : std::numeric_limits<double>::infinity(),
                    .confidence = issue.confidence,
                    .title = TitleOf(analysis_, issue),
                    .why = WhyOf(analysis_, issue),
                    .advice = AdviceOf(analysis_, issue),
                    .doubts = issue.doubts};
    for (const IssuePhase& one : issue.phases) finding.phases.push_back(one.phase);
    // What threads did between phases, the times of a phase do not tell.
    if (recording_.timeline && !issue.phases.empty() && issue.kind != IssueKind::kGaps)
      TellWaits(issue.phases.front().phase, finding);
    return finding;
  }

  // The threads of the phase that matters most: their waits may explain it.
  void TellWaits(PhaseId id, Finding& finding) const {
    const PhaseTime time = TimeOf(analysis_.job.phases[id], *recording_.timeline);
    const auto all_ns = static_cast<double>(time.all_ns());
    if (time.threads == 0 || all_ns == 0) return;
    std::vector<std::string> words;
    const auto tell = [&](uint64_t ns, const std::string& what) {
      const double share = static_cast<double>(ns) / all_ns;
      if (share >= kWorthASentence) words.push_back(absl::StrCat(PercentText(share), " ", what));
    };
    tell(time.run_ns, "running");
    std::set<uint32_t> explaining;
    const size_t ran = words.size();
    tell(time.runnable_ns, "ready to run without a CPU");
    if (words.size() > ran) {
      for (int i = 0; i < report_.findings_size(); ++i) {
        const pb::Finding& known = report_.findings(i);
        if (FactsOf(known).lacks_cpus && !known.apart())
          explaining.insert(static_cast<uint32_t>(i + 1));
      }
    }
    const size_t most = words.size() + kWaitsTold;
    for (const PhaseWait& wait : time.waits) {
      if (wait.waker == kNobody || words.size() == most) continue;
      const uint32_t vertex = recording_.vertex_of_entity[wait.waker];
      const size_t before = words.size();
      tell(wait.wait_ns, absl::StrCat("waiting for ", names_.Name(vertex)));
      const uint32_t place = PlaceOfFindingWith(vertex);
      if (words.size() > before && place != 0) explaining.insert(place);
    }
    if (words.empty()) return;
    finding.why.push_back(absl::StrCat("The time of ", PathOf(analysis_.job, id), ": ",
                                       absl::StrJoin(words, ", "), "."));
    finding.explained_by.assign(explaining.begin(), explaining.end());
  }

  // From 1; 0: there is no such finding.
  uint32_t PlaceOfFindingWith(uint32_t vertex) const {
    for (int i = 0; i < report_.findings_size(); ++i) {
      const auto& members = report_.findings(i).members();
      if (IsLimit(report_.findings(i)) &&
          std::find(members.begin(), members.end(), vertex) != members.end())
        return static_cast<uint32_t>(i + 1);
    }
    return 0;
  }

  void TellCauses(pb::Finding& finding) const {
    for (const uint32_t rank : finding.explained_by()) {
      const pb::Finding& cause = report_.findings(static_cast<int>(rank) - 1);
      const bool lacks_cpus = FactsOf(cause).lacks_cpus;
      finding.add_why(absl::StrCat(
          lacks_cpus ? "Who had the CPUs, finding " : "What holds those it waits for, finding ",
          rank, ": ", cause.title(), lacks_cpus ? " " : "",
          lacks_cpus ? CpuUsersSentence(cause) : ""));
    }
  }

  const JobAnalysis& analysis_;
  const JobRecording& recording_;
  pb::Report& report_;
  const VertexNames names_;
};

}  // namespace

void AddIssueFindings(const JobAnalysis& analysis, const JobRecording& recording,
                      pb::Report& report) {
  IssueFindings(analysis, recording, report).Add();
}

}  // namespace gordian
