// SPDX-License-Identifier: Apache-2.0
#include "analysis/sent_by_clock_finding.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "report/event_waits.h"
#include "report/finding_threads.h"
#include "report/limits.h"
#include "report/vertex_names.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Of one vertex, to the servers that a finding is about.
struct Clocked {
  uint32_t asker = 0;
  uint32_t server = 0;
  uint64_t requests = 0;
  uint64_t by_clock = 0;
};

// The asker with most requests.
Clocked MostClockedOf(const pb::Finding& finding, std::span<const SentByClock> sent,
                      const std::vector<uint32_t>& vertex_of_entity) {
  std::vector<Clocked> all;
  for (const SentByClock& some : sent) {
    const auto server = std::find_if(some.servers.begin(), some.servers.end(), [&](EntityId id) {
      return std::count(finding.outside().begin(), finding.outside().end(), vertex_of_entity[id]) >
             0;
    });
    if (server == some.servers.end()) continue;
    const uint32_t asker = vertex_of_entity[some.asker];
    auto known = std::find_if(all.begin(), all.end(),
                              [&](const Clocked& one) { return one.asker == asker; });
    if (known == all.end())
      known = all.insert(all.end(), {.asker = asker, .server = vertex_of_entity[*server]});
    known->requests += some.requests;
    known->by_clock += some.by_clock;
  }
  const auto most =
      std::max_element(all.begin(), all.end(),
                       [](const Clocked& a, const Clocked& b) { return a.requests < b.requests; });
  return most == all.end() ? Clocked{} : *most;
}

// Of the time of a vertex: its waits for events that a timer ended. A thread that sleeps does
// nothing else meanwhile, so its waits tell all; the timers of an event loop run beside its waits
// for answers.
double TimerShareOf(uint32_t id, const pb::Report& report) {
  const pb::ReportVertex& vertex = report.vertices(static_cast<int>(id));
  double timers_s = 0;
  for (const pb::ReportEdge& edge : report.edges()) {
    const bool is_timed = edge.to() < static_cast<uint32_t>(report.vertices_size()) &&
                          report.vertices(static_cast<int>(edge.to())).kind() == "timer";
    if (edge.from() == id && is_timed) timers_s += edge.own_s() * EventWaitsOf(edge).share;
  }
  const double life_s = vertex.run_s() + vertex.runnable_s() + vertex.wait_s();
  return life_s <= 0 ? 0 : std::min(1.0, timers_s / life_s);
}

// No pace is higher than its own work allows.
double WorkShareOf(uint32_t id, const pb::Report& report) {
  const pb::ReportVertex& vertex = report.vertices(static_cast<int>(id));
  const double work_s = vertex.run_s() + vertex.runnable_s();
  const double life_s = work_s + vertex.wait_s();
  return life_s <= 0 ? 1 : work_s / life_s;
}

void Tell(const Clocked& clocked, pb::Finding& finding, pb::Report& report) {
  const VertexNames names(report);
  const bool several = report.vertices(static_cast<int>(clocked.asker)).members_size() > 1;
  const std::string& server = names.Phrase(clocked.server);
  const double share =
      static_cast<double>(clocked.by_clock) / static_cast<double>(clocked.requests);
  SetTitle(
      absl::StrCat(names.Phrase(clocked.asker), several ? " ask " : " asks ", server,
                   several ? " by their own clock: they send " : " by its own clock: it sends ",
                   PercentText(share),
                   several ? " of their requests when a timer ends, and wait "
                           : " of its requests when a timer ends, and waits ",
                   PercentText(TimerShareOf(clocked.asker, report)), " of the time for that."),
      finding, report);
  if (std::count(finding.members().begin(), finding.members().end(), clocked.asker) == 0)
    finding.add_members(clocked.asker);
  std::sort(finding.mutable_members()->begin(), finding.mutable_members()->end());
  finding.clear_advice();
  finding.add_advice(
      "If the timer limits a rate, is a pause between requests, or the time in which a batch is "
      "gathered: make it shorter. While requests go by the clock, faster answers let no more of "
      "them go.");
  finding.add_advice("If that pace is wanted, this is no limit.");
  finding.set_upper_bound_gain(1 / std::max(1 / kMostGain, WorkShareOf(clocked.asker, report)));
  finding.clear_natural_fixes();
  pb::NaturalFix& fix = *finding.add_natural_fixes();
  fix.set_change("timer");
  fix.set_who(clocked.asker);
  fix.set_amount(kShorterSleep);
  finding.clear_no_natural_fix_because();
}

}  // namespace

void TellSentByClock(std::span<const SentByClock> sent,
                     const std::vector<uint32_t>& vertex_of_entity, pb::Report& report) {
  for (pb::Finding& finding : *report.mutable_findings()) {
    const bool waits = finding.kind() == "sleep" || finding.kind() == "knot";
    if (!IsLimit(finding) || !waits || finding.outside().empty() || finding.has_let_through())
      continue;
    const Clocked clocked = MostClockedOf(finding, sent, vertex_of_entity);
    if (clocked.requests < kManyWaits ||
        static_cast<double>(clocked.by_clock) <
            kMostOfTheTime * static_cast<double>(clocked.requests) ||
        TimerShareOf(clocked.asker, report) < kMattersMuch)
      continue;
    Tell(clocked, finding, report);
  }
}

}  // namespace gordian
