#include "jobs/report/issue_findings.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/time_units.h"
#include "jobs/phases/phase_time.h"
#include "jobs/report/issue_sentences.h"
#include "report/cpu_users.h"
#include "report/vertex_names.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Of the makespan: issues that gain as much stand before the knots.
constexpr double kMuch = 0.05;
// Of a phase's time: waits for one other that are worth a word.
constexpr double kWorthTelling = 0.10;
constexpr size_t kWaitsTold = 3;
constexpr size_t kMostFindings = 20;

const char* KindWord(IssueKind kind) {
  switch (kind) {
    case IssueKind::kBottleneck:
      return "bottleneck";
    case IssueKind::kImbalance:
      return "imbalance";
    case IssueKind::kOutliers:
      return "outlier";
  }
  return "";
}

class IssueFindings {
 public:
  IssueFindings(const JobAnalysis& analysis, const JobRecording& recording, pb::Report& report)
      : analysis_(analysis), recording_(recording), report_(report), names_(report) {}

  void Add() {
    std::vector<Row> much;
    std::vector<Row> little;
    for (const Issue& issue : analysis_.issues.issues) {
      const int index = report_.issues_size();
      pb::ReportIssue& told = *report_.add_issues();
      Fill(issue, told);
      if (much.size() + little.size() == kMostFindings) continue;
      (issue.gain >= kMuch ? much : little).push_back({FindingOf(issue, told), index});
    }
    Merge(std::move(much), std::move(little));
  }

 private:
  struct Row {
    pb::Finding finding;
    int issue = -1;  // of report_.issues; -1: it is none
  };

  void Fill(const Issue& issue, pb::ReportIssue& row) const {
    row.set_kind(KindWord(issue.kind));
    row.set_title(TitleOf(analysis_, issue));
    if (issue.type != kNoId) row.set_type(issue.type);
    for (const IssuePhase& one : issue.phases) row.add_phases(one.phase);
    for (ResourceId id = 0; id < analysis_.job.resources.size(); ++id) {
      const auto& types = issue.resources;
      if (std::find(types.begin(), types.end(), analysis_.job.resources[id].type) != types.end())
        row.add_resources(id);
    }
    row.set_gain(issue.gain);
    row.set_makespan_s(static_cast<double>(analysis_.issues.trust.recorded_ns) / kNsPerSecond *
                       (1 - issue.gain));
  }

  pb::Finding FindingOf(const Issue& issue, const pb::ReportIssue& row) const {
    pb::Finding finding;
    finding.set_kind(row.kind());
    finding.set_title(row.title());
    finding.set_share(issue.gain);
    finding.set_upper_bound_gain(issue.gain < 1 ? 1 / (1 - issue.gain)
                                                : std::numeric_limits<double>::infinity());
    finding.set_confidence(issue.confidence);
    *finding.mutable_phases() = row.phases();
    for (std::string& why : WhyOf(analysis_, issue)) finding.add_why(std::move(why));
    for (const std::string& doubt : issue.doubts) finding.add_doubts(doubt);
    for (std::string& advice : AdviceOf(analysis_, issue)) finding.add_advice(std::move(advice));
    if (recording_.timeline && !issue.phases.empty())
      TellWaits(issue.phases.front().phase, finding);
    return finding;
  }

  // What the threads of the phase that matters most did: whose wait explains it?
  void TellWaits(PhaseId id, pb::Finding& finding) const {
    const PhaseTime time = TimeOf(analysis_.job.phases[id], *recording_.timeline);
    const auto all_ns = static_cast<double>(time.all_ns());
    if (time.threads == 0 || all_ns == 0) return;
    std::vector<std::string> words;
    const auto tell = [&](uint64_t ns, const std::string& what) {
      const double share = static_cast<double>(ns) / all_ns;
      if (share >= kWorthTelling) words.push_back(absl::StrCat(PercentText(share), " ", what));
    };
    tell(time.run_ns, "running");
    std::set<uint32_t> explaining;
    const size_t ran = words.size();
    tell(time.runnable_ns, "ready to run without a CPU");
    if (words.size() > ran) {
      for (const pb::Finding& known : report_.findings())
        if (known.kind() == "starvation" && !known.apart()) explaining.insert(known.rank());
    }
    const size_t most = words.size() + kWaitsTold;
    for (const PhaseWait& wait : time.waits) {
      if (wait.waker == kNobody || words.size() == most) continue;
      const uint32_t vertex = recording_.vertex_of_entity[wait.waker];
      const pb::Finding* knot = FindingWith(vertex);
      const size_t before = words.size();
      tell(wait.wait_ns, absl::StrCat("waiting for ", names_.Name(vertex)));
      if (words.size() > before && knot) explaining.insert(knot->rank());
    }
    if (words.empty()) return;
    finding.add_why(absl::StrCat("The time of ", PathOf(analysis_.job, id), ": ",
                                 absl::StrJoin(words, ", "), "."));
    finding.mutable_explained_by()->Add(explaining.begin(), explaining.end());
  }

  const pb::Finding* FindingWith(uint32_t vertex) const {
    for (const pb::Finding& finding : report_.findings()) {
      if (finding.apart() || finding.kind() == "background") continue;
      const auto& members = finding.members();
      if (std::find(members.begin(), members.end(), vertex) != members.end()) return &finding;
    }
    return nullptr;
  }

  void Merge(std::vector<Row> much, std::vector<Row> little) {
    const bool issue_first = !much.empty();
    std::vector<Row> all = std::move(much);
    std::vector<Row> behind;
    for (pb::Finding& finding : *report_.mutable_findings()) {
      const bool limits = !finding.apart() && finding.kind() != "background";
      (limits ? all : behind).push_back({std::move(finding)});
    }
    std::move(little.begin(), little.end(), std::back_inserter(all));
    std::move(behind.begin(), behind.end(), std::back_inserter(all));
    Rank(all);
    if (issue_first) report_.set_verdict(all.front().finding.title());
    report_.clear_findings();
    for (Row& row : all) *report_.add_findings() = std::move(row.finding);
  }

  void Rank(std::vector<Row>& all) {
    std::map<uint32_t, uint32_t> moved;  // old rank -> new one
    for (uint32_t i = 0; i < all.size(); ++i) {
      pb::Finding& finding = all[i].finding;
      if (all[i].issue < 0) moved[finding.rank()] = i + 1;
      finding.set_rank(i + 1);
      if (all[i].issue >= 0) report_.mutable_issues(all[i].issue)->set_finding(i + 1);
    }
    for (Row& row : all) {
      auto& explained_by = *row.finding.mutable_explained_by();
      if (explained_by.empty()) continue;
      for (uint32_t& rank : explained_by) {
        rank = moved[rank];
        row.finding.add_why(Because(rank, all[rank - 1].finding));
      }
    }
  }

  static std::string Because(uint32_t rank, const pb::Finding& cause) {
    if (cause.kind() != "starvation")
      return absl::StrCat("What holds those it waits for, finding ", rank, ": ", cause.title());
    return absl::StrCat("Who had the CPUs, finding ", rank, ": ", cause.title(), " ",
                        CpuUsersSentence(cause));
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
