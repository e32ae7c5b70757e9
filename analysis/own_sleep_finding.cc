// SPDX-License-Identifier: Apache-2.0
#include "analysis/own_sleep_finding.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/finding.h"
#include "analyzer/findings/ranking.h"
#include "report/limits.h"
#include "report/vertex_names.h"
#include "trace/wait_object.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// A guess: an idle program that looks at a clock now and then does the same.
constexpr double kOwnSleepConfidence = 0.4;

// Of the time in which a vertex waits, as far as samples tell what for.
struct OwnWaits {
  double asleep_s = 0;
  double for_input_s = 0;
  double all_s = 0;
  uint32_t timer = 0;         // for which it waits longest
  double longest_s = 0;       // there
  uint64_t at_a_time_ns = 0;  // its heaviest sleep; 0: until a given time
  double heaviest_s = 0;
};

struct OwnSleeper {
  uint32_t vertex = 0;
  double share = 0;  // of the time
  OwnWaits waited;
};

bool BringsWork(const std::string& object) {
  for (const WaitObjectKind kind :
       {WaitObjectKind::kPipe, WaitObjectKind::kSocket, WaitObjectKind::kEpoll,
        WaitObjectKind::kEventFd, WaitObjectKind::kDevice, WaitObjectKind::kOtherFile,
        WaitObjectKind::kDescriptors}) {
    if (object == WaitObjectKindName(kind)) return true;
  }
  return false;
}

void AddOwnWait(const pb::ReportEdge& edge, OwnWaits& waited) {
  if (edge.reasons().empty()) return;
  waited.all_s += edge.own_s();
  double asleep_s = 0;
  for (const pb::WaitReason& reason : edge.reasons()) {
    for (const pb::WaitObject& object : reason.objects()) {
      const double its_s = edge.own_s() * object.share();
      if (BringsWork(object.object())) waited.for_input_s += its_s;
      if (object.object() != WaitObjectKindName(WaitObjectKind::kTimer)) continue;
      asleep_s += its_s;
      if (its_s <= waited.heaviest_s) continue;
      waited.heaviest_s = its_s;
      waited.at_a_time_ns = static_cast<uint64_t>(std::max<int64_t>(0, object.number()));
    }
  }
  waited.asleep_s += asleep_s;
  if (asleep_s <= waited.longest_s) return;
  waited.longest_s = asleep_s;
  waited.timer = edge.to();
}

std::vector<OwnWaits> OwnWaitsOf(const pb::Report& report) {
  std::vector<OwnWaits> waited(static_cast<size_t>(report.vertices_size()));
  for (const pb::ReportEdge& edge : report.edges()) {
    if (edge.from() < waited.size()) AddOwnWait(edge, waited[edge.from()]);
  }
  return waited;
}

// Who works most first; none if they do less than most of the work, or if others wait for input.
std::vector<OwnSleeper> OwnSleepersOf(const pb::Report& report) {
  const std::vector<OwnWaits> all = OwnWaitsOf(report);
  std::vector<OwnSleeper> sleepers;
  double run_s = 0, run_by_sleepers_s = 0;
  for (const pb::ReportVertex& vertex : report.vertices()) {
    if (!vertex.in_scope() || !vertex.target() || vertex.id() >= all.size()) continue;
    const OwnWaits& waited = all[vertex.id()];
    if (waited.all_s > 0 && waited.for_input_s >= kMostOfTheTime * waited.all_s) return {};
    run_s += vertex.run_s();
    const double life_s = vertex.run_s() + vertex.runnable_s() + vertex.wait_s();
    if (life_s <= 0 || waited.asleep_s < kMostOfTheTime * life_s) continue;
    run_by_sleepers_s += vertex.run_s();
    sleepers.push_back({vertex.id(), std::min(1.0, waited.asleep_s / life_s), waited});
  }
  if (run_s <= 0 || run_by_sleepers_s < kMostOfTheTime * run_s) return {};
  std::stable_sort(sleepers.begin(), sleepers.end(), [&](const OwnSleeper& a, const OwnSleeper& b) {
    return report.vertices(static_cast<int>(a.vertex)).run_s() >
           report.vertices(static_cast<int>(b.vertex)).run_s();
  });
  return sleepers;
}

std::string OwnSleepSentence(const pb::Report& report, const VertexNames& names,
                             const OwnSleeper& sleeper) {
  const bool several = report.vertices(static_cast<int>(sleeper.vertex)).members_size() > 1;
  return absl::StrCat(
      names.Phrase(sleeper.vertex), several ? " sleep " : " sleeps ", PercentText(sleeper.share),
      " of the time",
      sleeper.waited.at_a_time_ns == 0
          ? ""
          : absl::StrCat(", ", FormatDuration(sleeper.waited.at_a_time_ns), " at a time"),
      ".");
}

}  // namespace

pb::Finding* TellOwnSleep(pb::Report& report) {
  if (FirstLimit(report) != nullptr || report.scope().chosen_by() == "busiest group")
    return nullptr;
  const std::vector<OwnSleeper> sleepers = OwnSleepersOf(report);
  if (sleepers.empty()) return nullptr;
  const VertexNames names(report);
  const OwnSleeper& first = sleepers.front();
  Finding finding{.kind = FindingKind::kSleep,
                  .members = {first.vertex},
                  .attack = Finding::Wait{first.vertex, first.waited.timer},
                  .share = first.share,
                  .upper_bound_gain = 1 / std::max(1 - first.share, kMatters),
                  .confidence = kOwnSleepConfidence,
                  .title = OwnSleepSentence(report, names, first)};
  finding.why.push_back(
      "Who waits for work is woken by it. Who sleeps finds it only afterwards, and no thread of "
      "the target waits for work from outside.");
  for (size_t i = 1; i < sleepers.size(); ++i)
    finding.why.push_back(OwnSleepSentence(report, names, sleepers[i]));
  finding.advice = {
      "If it polls: let the thread that makes the work wake it (condition variable, eventfd, poll) "
      "instead of sleeping.",
      "If it must sleep: sleep shorter. If it is a rate limit: raise it.",
      "If it has nothing to do meanwhile, this is no limit."};
  finding.doubts = {"Nothing shows whether there is work while it sleeps."};
  finding.natural_fixes.fixes.push_back(
      {.change = FixChange::kTimer, .who = first.vertex, .amount = kShorterSleep});
  WriteFinding(finding, report);
  RankFindings(report);
  auto& findings = *report.mutable_findings();
  return &*std::find_if(findings.begin(), findings.end(), IsLimit);
}

}  // namespace gordian
