// SPDX-License-Identifier: Apache-2.0
#include "analysis/sleep_of_requests_finding.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/finding.h"
#include "analyzer/findings/ranking.h"
#include "report/finding_threads.h"
#include "report/limits.h"
#include "report/vertex_names.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Requests are followed by the waits that samples explain, and are not all of the program's work.
constexpr double kConfidence = 0.7;

// Who asks the sleeper, always so many at a time: the way that all have to go.
const LetThrough* NarrowWayTo(EntityId sleeper, std::span<const LetThrough> let_through) {
  for (const LetThrough& some : let_through) {
    if (some.full_share >= kMostOfTheTime &&
        std::binary_search(some.servers.begin(), some.servers.end(), sleeper))
      return &some;
  }
  return nullptr;
}

// Of a pace, or of a delay, as wanted.
constexpr double kShorterTimer = 0.1;

bool IsTold(const SleepOfRequests& sleep) {
  return sleep.sleeper != kNobody && sleep.share >= kMostOfTheTime && sleep.open >= 1;
}

std::string OwnTimerTitle(const SleepOfRequests& sleep, const std::string& sleeper) {
  return absl::StrCat(sleeper, " is the limit: it delays requests to port ", sleep.port,
                      " by its own timer for ", PercentText(sleep.share), " of their time.");
}

std::string TimesOfRequests(const SleepOfRequests& sleep) {
  return absl::StrCat(FormatCount(sleep.requests, "request"), " to port ", sleep.port, " took ",
                      SecondsText(sleep.mean_s), " on average, and ",
                      absl::StrFormat("%.1f", sleep.open), " of them were open at a time.");
}

constexpr char kOwnTimerAdvice[] =
    "If it limits their rate, raise that limit. If it gathers requests or polls, let it wait for "
    "less long, or wake it when there is something to do.";

}  // namespace

bool TellOwnTimer(const SleepOfRequests& sleep, const std::vector<uint32_t>& vertex_of_entity,
                  pb::Report& report) {
  if (!IsTold(sleep) || !sleep.is_own_timer) return false;
  const uint32_t vertex = vertex_of_entity[sleep.sleeper];
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (!IsLimit(finding) || (finding.kind() != "knot" && finding.kind() != "sleep")) continue;
    const std::vector<uint32_t> about = MembersAndWaiterOf(finding);
    if (std::find(about.begin(), about.end(), vertex) == about.end()) continue;
    SetTitle(OwnTimerTitle(sleep, VertexNames(report).Phrase(vertex)), finding, report);
    PutFirst(
        absl::StrCat(TimesOfRequests(sleep),
                     " They stand behind nobody: it sleeps with them at hand, and goes on with "
                     "each when a timer of its own ends."),
        *finding.mutable_why());
    finding.clear_advice();
    finding.add_advice(kOwnTimerAdvice);
    finding.clear_natural_fixes();
    finding.clear_no_natural_fix_because();
    pb::NaturalFix& fix = *finding.add_natural_fixes();
    fix.set_change("timer");
    fix.set_who(vertex);
    fix.set_amount(kShorterTimer);
    return true;
  }
  return false;
}

void TellSleepOfRequests(const SleepOfRequests& sleep, std::span<const LetThrough> let_through,
                         const std::vector<uint32_t>& vertex_of_entity, pb::Report& report) {
  if (!IsTold(sleep) || FirstLimit(report) != nullptr) return;
  const VertexNames names(report);
  const uint32_t vertex = vertex_of_entity[sleep.sleeper];
  const std::string& sleeper = names.Phrase(vertex);
  const pb::ReportVertex& who = report.vertices(static_cast<int>(vertex));
  const bool several = who.members_size() > 1;
  Finding finding{.kind = FindingKind::kSleep,
                  .members = {vertex},
                  .share = sleep.share,
                  .upper_bound_gain = 1 / std::max(1 - sleep.share, kMatters),
                  .confidence = kConfidence};
  if (!who.target()) finding.outside = {vertex};
  finding.title =
      absl::StrCat(who.target() ? "Requests" : "The limit is outside of the target: requests",
                   " to port ", sleep.port, " wait ", PercentText(sleep.share),
                   " of their time for ", sleeper, several ? ", which sleep." : ", which sleeps.");
  finding.why.push_back(absl::StrCat(TimesOfRequests(sleep),
                                     " gordian requests shows how they come to ", sleeper, "."));
  const LetThrough* const way = NarrowWayTo(sleep.sleeper, let_through);
  if (sleep.is_own_timer) {
    if (who.target()) finding.title = OwnTimerTitle(sleep, sleeper);
    finding.advice.emplace_back(kOwnTimerAdvice);
    finding.natural_fixes.fixes.push_back(
        {.change = FixChange::kTimer, .who = vertex, .amount = kShorterTimer});
  } else if (way != nullptr) {
    const std::string program = CleanText(way->program);
    finding.why.push_back(absl::StrCat(
        program, " has ", FormatCount(way->most, "request"), " at a time under way to it for ",
        PercentText(way->full_share), " of the time, and hardly ever more."));
    finding.advice.push_back(absl::StrCat("Let ", program,
                                          " ask it for several at a time, or do not wait for it "
                                          "before the answer."));
    finding.natural_fixes.fixes.push_back({.change = FixChange::kInFlight,
                                           .who = vertex_of_entity[way->askers.front()],
                                           .amount = 2});
  } else {
    finding.advice.push_back(
        "If it polls, let the thread that makes the work wake it. If it must sleep, sleep shorter, "
        "or do not wait for it before the answer.");
    finding.natural_fixes.none_because = "nothing shows what it sleeps for";
  }
  WriteFinding(finding, report);
  RankFindings(report);
}

}  // namespace gordian
