// SPDX-License-Identifier: Apache-2.0
#include "jobs/report/issue_sentences.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "jobs/report/thresholds.h"
#include "jobs/report/use_during.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kPhasesTold = 3;
constexpr size_t kResourcesTold = 3;

std::string Seconds(double ns) { return SecondsText(ns / 1e9); }

double DurationOf(const Job& job, PhaseId id) {
  const Phase& phase = job.phases[id];
  return phase.end_ns > phase.start_ns ? static_cast<double>(phase.end_ns - phase.start_ns) : 0;
}

std::string ResourceWords(const Job& job, const Issue& issue) {
  std::vector<std::string> names;
  for (const ResourceTypeId type : issue.resources) names.push_back(job.model.resources[type].name);
  return absl::StrJoin(names, " and ");
}

bool IsBlocking(const Job& job, const Issue& issue) {
  return std::all_of(issue.resources.begin(), issue.resources.end(), [&](ResourceTypeId type) {
    return job.model.resources[type].kind == ResourceKind::kBlocking;
  });
}

std::string Saving(const Issue& issue) {
  return absl::StrCat(PercentText(issue.gain), " less time");
}

// The job that gains.
std::string JobWords(const Job& job, const Issue& issue) {
  return job.jobs.empty() ? "the job" : job.model.types[job.phases[issue.job].type].name;
}

std::string BottleneckTitle(const Job& job, const Issue& issue) {
  const std::string who = TypeWords(job, issue.type);
  const std::string what = ResourceWords(job, issue);
  switch (HoldOf(issue)) {
    case Hold::kBlocked:
      return absl::StrCat(who, " is blocked by ", what, ": without it ", JobWords(job, issue),
                          " would take up to ", Saving(issue), ".");
    case Hold::kSelfLimited:
      return absl::StrCat(who, " uses all the ", what, " it can by itself: spread wider, ",
                          JobWords(job, issue), " would take up to ", Saving(issue), ".");
    case Hold::kSaturated:
      return absl::StrCat(who, " is limited by ", what, ": with more of it ", JobWords(job, issue),
                          " would take up to ", Saving(issue), ".");
  }
  return "";
}

std::string ImbalanceTitle(const Job& job, const Issue& issue) {
  return absl::StrCat(TypeWords(job, issue.type), " phases of one ",
                      TypeWords(job, issue.scope_type), " last differently: evenly spread, ",
                      JobWords(job, issue), " would take up to ", Saving(issue), ".");
}

std::string OutlierTitle(const Job& job, const Issue& issue) {
  if (issue.phases.empty()) return ImbalanceTitle(job, issue);
  const IssuePhase& worst = issue.phases.front();
  return absl::StrCat(
      PathOf(job, worst.phase), " takes ", GainText(worst.of_group), " as long as its like",
      issue.phase_count > 1 ? absl::StrCat(" (and ", issue.phase_count - 1, " more stragglers)")
                            : "",
      ": without, ", JobWords(job, issue), " would take up to ", Saving(issue), ".");
}

// "before Job/Execute begins", "at the end of Worker phases, after all within them ended"
std::string WhereOf(const Job& job, const Issue& issue) {
  const IssuePhase& longest = issue.phases.front();
  const bool one = issue.phase_count == 1;
  const std::string who =
      one ? PathOf(job, longest.phase) : absl::StrCat(TypeWords(job, issue.type), " phases");
  if (longest.gap_at_end)
    return absl::StrCat("at the end of ", who, ", after all within ", one ? "it" : "them",
                        " ended");
  return absl::StrCat("before ", who, one ? " begins" : " begin");
}

std::string GapTitle(const Job& job, const Issue& issue) {
  const std::string share = PercentText(issue.gain);
  if (issue.type == kNoId || issue.phases.empty())
    return absl::StrCat(share, " of ", JobWords(job, issue),
                        "'s time lies between its phases: no known phase runs then.");
  return absl::StrCat(share, " of ", JobWords(job, issue), "'s time goes by ", WhereOf(job, issue),
                      ", and no known phase runs meanwhile.");
}

Range TimeOfGap(const Job& job, const IssuePhase& gap) {
  const Phase& phase = job.phases[gap.phase];
  const uint64_t end_ns = gap.gap_at_end ? phase.end_ns : phase.start_ns;
  return {end_ns - std::min(end_ns, static_cast<uint64_t>(gap.shorter_ns)), end_ns};
}

// Of several jobs: who used the full resource meanwhile. Empty for one job, or if nobody knows.
std::string UsersAmongJobs(const JobAnalysis& analysis, const Issue& issue) {
  const Job& job = analysis.job;
  if (job.jobs.empty() || issue.saturated_ns == 0) return "";
  std::vector<Range> times;
  for (const IssuePhase& one : issue.phases)
    times.push_back({job.phases[one.phase].start_ns, job.phases[one.phase].end_ns});
  std::vector<std::string> users;
  for (const JobShare& one : SharesOfJobs(analysis, issue.resources, times)) {
    const std::string name =
        one.job == kNoId ? "others" : job.model.types[job.phases[one.job].type].name;
    users.push_back(absl::StrCat(name, " ", PercentText(one.share)));
  }
  return users.empty()
             ? ""
             : absl::StrCat("Of what was used meanwhile: ", absl::StrJoin(users, ", "), ".");
}

void WhyBottleneck(const JobAnalysis& analysis, const Issue& issue, std::vector<std::string>& why) {
  const std::string what = ResourceWords(analysis.job, issue);
  if (issue.blocked_ns > 0)
    why.push_back(absl::StrCat("Its phases were blocked by ", what, " for ",
                               Seconds(static_cast<double>(issue.blocked_ns)), " in sum."));
  if (issue.saturated_ns > 0)
    why.push_back(absl::StrCat("Its phases used ", what, " while it was full for ",
                               Seconds(static_cast<double>(issue.saturated_ns)), " in sum."));
  if (const std::string users = UsersAmongJobs(analysis, issue); !users.empty())
    why.push_back(users);
  if (issue.self_limited_ns > 0)
    why.push_back(absl::StrCat("Its phases used as much ", what, " as the model lets each use for ",
                               Seconds(static_cast<double>(issue.self_limited_ns)), " in sum."));
}

// Empty if nobody knows.
std::string UseWords(const JobAnalysis& analysis, const Issue& issue) {
  std::vector<Range> gaps;
  for (const IssuePhase& gap : issue.phases) gaps.push_back(TimeOfGap(analysis.job, gap));
  const std::vector<ShareOfUse> shares = UseDuring(analysis, gaps);
  if (shares.empty()) return "";
  std::vector<std::string> used;
  for (const ShareOfUse& one : shares) {
    if (used.size() == kResourcesTold) break;
    used.push_back(absl::StrCat(one.resource, " ", PercentText(one.share),
                                one.of_capacity ? "" : " of the most seen"));
  }
  return absl::StrCat(" Meanwhile resources were used: ", absl::StrJoin(used, ", "), ".",
                      shares.front().share < analysis.options.telling.hardly_used
                          ? " So hardly anything worked: the job waited for something."
                          : "");
}

void WhyGap(const JobAnalysis& analysis, const Issue& issue, std::vector<std::string>& why) {
  const Job& job = analysis.job;
  std::vector<std::string> longest;
  for (const IssuePhase& gap : issue.phases) {
    if (longest.size() == kPhasesTold) break;
    const uint64_t job_start_ns = job.phases[0].start_ns;
    const uint64_t start_ns = std::max(TimeOfGap(job, gap).begin, job_start_ns);
    longest.push_back(absl::StrCat(Seconds(static_cast<double>(gap.shorter_ns)), " ",
                                   gap.gap_at_end ? "at the end of " : "before ",
                                   PathOf(job, gap.phase), " (from ",
                                   Seconds(static_cast<double>(start_ns - job_start_ns)), " on)"));
  }
  if (longest.empty()) return;
  why.push_back(absl::StrCat(issue.phase_count > 1 ? "The longest: " : "It is ",
                             absl::StrJoin(longest, ", "), ".", UseWords(analysis, issue)));
}

void WhyGroup(const JobAnalysis& analysis, const Issue& issue, std::vector<std::string>& why) {
  if (issue.worst_scope != kNoId && issue.worst_scope != 0)
    why.push_back(absl::StrCat(
        "Most is lost in ", PathOf(analysis.job, issue.worst_scope),
        GainText(issue.slowdown) != GainText(1)
            ? absl::StrCat(", which takes ", GainText(issue.slowdown), " as long for it")
            : "",
        "."));
}

// The job as a whole is in the title; phases that would hardly change tell nothing.
void WhyPhases(const JobAnalysis& analysis, const Issue& issue, std::vector<std::string>& why) {
  std::vector<std::string> words;
  for (const IssuePhase& one : issue.phases) {
    const double duration_ns = DurationOf(analysis.job, one.phase);
    const auto shorter_ns = static_cast<double>(one.shorter_ns);
    if (words.size() == kPhasesTold ||
        shorter_ns < analysis.options.telling.least_shorter * duration_ns)
      break;
    if (one.phase == 0) continue;
    words.push_back(absl::StrCat(PathOf(analysis.job, one.phase), " (took ", Seconds(duration_ns),
                                 ", could take ", Seconds(duration_ns - shorter_ns), ")"));
  }
  if (!words.empty())
    why.push_back(absl::StrCat("Most would gain ", absl::StrJoin(words, ", "), "."));
}

}  // namespace

// As much of its path as no other type shares: Gather/Worker/Thread.
std::string TypeWords(const Job& job, PhaseTypeId type) {
  if (type == kNoId) return job.jobs.empty() ? "The whole job" : "Everything together";
  std::string words = job.model.types[type].name;
  for (PhaseTypeId above = job.model.types[type].parent; above != kNoId;
       above = job.model.types[above].parent) {
    const std::string ending = absl::StrCat("/", words);
    size_t alike = 0;
    for (PhaseTypeId other = 0; other < job.model.types.size(); ++other) {
      const std::string path = PathOf(job.model, other);
      alike += path.size() >= ending.size() &&
               path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
    }
    if (alike <= 1) break;
    words = absl::StrCat(job.model.types[above].name, ending);
  }
  return words;
}

std::string TitleOf(const JobAnalysis& analysis, const Issue& issue) {
  switch (issue.kind) {
    case IssueKind::kBottleneck:
      return BottleneckTitle(analysis.job, issue);
    case IssueKind::kImbalance:
      return ImbalanceTitle(analysis.job, issue);
    case IssueKind::kOutliers:
      return OutlierTitle(analysis.job, issue);
    case IssueKind::kGaps:
      return GapTitle(analysis.job, issue);
  }
  return "";
}

std::vector<std::string> WhyOf(const JobAnalysis& analysis, const Issue& issue) {
  std::vector<std::string> why;
  if (issue.kind == IssueKind::kBottleneck) {
    WhyBottleneck(analysis, issue, why);
  } else if (issue.kind == IssueKind::kGaps) {
    WhyGap(analysis, issue, why);
    return why;
  } else {
    WhyGroup(analysis, issue, why);
  }
  WhyPhases(analysis, issue, why);
  return why;
}

std::vector<std::string> AdviceOf(const JobAnalysis& analysis, const Issue& issue) {
  const std::string who = issue.type != kNoId         ? TypeWords(analysis.job, issue.type)
                          : analysis.job.jobs.empty() ? "the whole job"
                                                      : "all jobs";
  const std::string what = ResourceWords(analysis.job, issue);
  switch (issue.kind) {
    case IssueKind::kBottleneck:
      if (IsBlocking(analysis.job, issue))
        return {absl::StrCat("Find what makes ", what, " last, or what need not wait for it.")};
      if (HoldOf(issue) == Hold::kSelfLimited)
        return {absl::StrCat("Let ", who, " use more of ", what,
                             ": more threads, or less work in each.")};
      return {absl::StrCat("Let ", who, " need less of ", what,
                           " for the same work, or give it more.")};
    case IssueKind::kImbalance:
      return {absl::StrCat("Share the work of ", who,
                           " out by its cost, or let those that are done take some.")};
    case IssueKind::kOutliers:
      return {"Look at what those few waited for, and at what else ran where they did."};
    case IssueKind::kGaps:
      return {
          "If the program works there: tell its steps (log lines and a rule in the model, or "
          "probes), so that findings can tell them, too.",
          "If it waits there: look at who starts the next step (a scheduler, a resource manager, "
          "a timer) and what that waits for."};
  }
  return {};
}

}  // namespace gordian
