// SPDX-License-Identifier: Apache-2.0
// A sleep: a thread that mostly sleeps on timers while there is work, or while others wait for it.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/gain.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/kinds/kinds.h"
#include "analyzer/findings/kinds/knot_advice.h"
#include "words/quantities.h"

namespace gordian {
namespace {

Limit SleepOf(const Evidence& evidence, uint32_t id) {
  Limit sleep{.kind = FindingKind::kSleep,
              .members = {id},
              .waiter = evidence.waiters[id].heaviest,
              .share = evidence.measures.TimerShare(id),
              .waited_for = evidence.waiters[id].share};
  for (const Edge& edge : evidence.measures.edges_from(id)) {
    if (evidence.vertex(edge.to).kind != VertexKind::kTimer) continue;
    if (sleep.attack && sleep.attack->own_ns >= edge.own_ns) continue;
    sleep.attack = ScopeEdge{id, edge.to, edge.weight_ns, edge.own_ns, sleep.share};
  }
  return sleep;
}

// Never free: at work, or waiting for the sleeper.
bool IsNeverFree(const Evidence& evidence, const ScopeEdge& wait) {
  const double strands = std::max(1u, evidence.vertex(wait.from).strands);
  const double works = evidence.ActiveNs(wait.from) / (evidence.measures.span_ns() * strands);
  return works + wait.share >= kAllTheTime;
}

// A thread outside of the target, with the target's requests in hand all the time, waits for the
// sleeper: then it is as much of the limit, and all that the target's people know of it.
void TakeInWhoBringsTheRequests(const Evidence& evidence, Limit& sleep) {
  const uint32_t sleeper = sleep.members.front();
  if (!sleep.waiter || !IsOutsider(evidence.measures, evidence.target, sleeper) ||
      !IsOutsider(evidence.measures, evidence.target, sleep.waiter->from))
    return;
  const uint32_t between = sleep.waiter->from;
  if (evidence.measures.Asks(sleeper, between)) return;
  if (evidence.waiters[between].share < kMostOfTheTime || !IsNeverFree(evidence, *sleep.waiter))
    return;
  sleep.members = {std::min(sleeper, between), std::max(sleeper, between)};
}

uint32_t SleeperOf(const Limit& limit) {
  return limit.attack ? limit.attack->from : limit.members.front();
}

bool IsThroughAnother(const Limit& limit) { return limit.members.size() > 1; }

std::optional<Limit> SleepOfVertex(const Evidence& evidence, uint32_t id) {
  const Measures& measures = evidence.measures;
  if (!evidence.IsRecordedThread(id) || !evidence.Concerns(id) || !measures.IsSleeper(id))
    return std::nullopt;
  Limit sleep = SleepOf(evidence, id);
  if (evidence.IsHeldUpFor(sleep.waited_for)) {
    sleep.perhaps_idle = !evidence.IsNeeded(id);
    TakeInWhoBringsTheRequests(evidence, sleep);
    return sleep;
  }
  if (evidence.AsksByTheClock(id)) return sleep;
  // It is a worker only if it does a good part of the work: more than a look now and then for new
  // work.
  const double active_ns = evidence.ActiveNs(id);
  const bool works =
      active_ns >= kMatters * measures.span_ns() && active_ns >= kMattersMuch * evidence.work_ns;
  if (!works) return std::nullopt;
  return sleep;
}

// A sleeping member holds up some of these threads, or asks others in between: that is no
// background.
std::optional<Limit> SleepOfLightCircle(const Evidence& evidence, const Circle& circle) {
  std::optional<Limit> longest;
  for (const uint32_t id : circle.members) {
    const double waited_for = evidence.waiters[id].share;
    const bool holds_up =
        waited_for >= evidence.options.threshold && evidence.measures.SleepHoldsUp(id, waited_for);
    if (!evidence.measures.IsSleeper(id) || (!holds_up && !evidence.AsksByTheClock(id))) continue;
    Limit sleep = SleepOf(evidence, id);
    TakeInWhoBringsTheRequests(evidence, sleep);
    if (!longest || sleep.share >= longest->share) longest = std::move(sleep);
  }
  return longest;
}

// A client outside of the target waits for a thread of it that mostly sleeps: in such a circle
// nobody works while the other waits.
bool KeepsAClientWaiting(const Evidence& evidence, const Limit& sleep) {
  return sleep.waiter && evidence.IsTarget(sleep.members.front()) &&
         IsOutsider(evidence.measures, evidence.target, sleep.waiter->from) &&
         sleep.share >= kMostOfTheTime;
}

void SleepOfMembers(const Evidence& evidence, const Limit& limit, Suffering& found) {
  if (limit.edges.empty()) return;  // of a circle
  for (const uint32_t id : limit.members) {
    if (!evidence.vertex(id).has_threads() || !evidence.measures.IsSleeper(id)) continue;
    Limit sleep = SleepOf(evidence, id);
    sleep.waiter.reset();
    sleep.waited_for = 0;
    for (const ScopeEdge& edge : limit.edges) {  // heaviest first
      if (edge.to != id || edge.from == id || evidence.vertex(edge.from).is_device()) continue;
      sleep.waited_for = std::max(sleep.waited_for, edge.share);
      if (!sleep.waiter) sleep.waiter = edge;
    }
    if (sleep.waiter && !evidence.measures.SleepHoldsUp(id, sleep.waited_for)) continue;
    TakeInWhoBringsTheRequests(evidence, sleep);
    const bool is_worse = CostOf(sleep) > limit.share || KeepsAClientWaiting(evidence, sleep);
    (is_worse ? found.before : found.after).push_back(std::move(sleep));
  }
}

std::string SleepTitle(const Case& it) {
  const uint32_t id = SleeperOf(it.limit);
  const std::string share = PercentText(it.limit.share);
  const bool is_group = it.IsGroup(id);
  if (IsThroughAnother(it.limit)) {
    const uint32_t between = it.limit.waiter->from;
    const bool several = it.IsGroup(between);
    return absl::StrCat("The limit is outside of the target: ",
                        it.Does(between, "is never free: ", "are never free: "),
                        PercentText(it.limit.waiter->share),
                        several ? " of the time they wait for " : " of the time it waits for ",
                        it.Name(id), is_group ? ", which sleep." : ", which sleeps.");
  }
  if (it.IsOutside(id) && it.limit.waiter) {
    return absl::StrCat("The limit is outside of the target: ", it.Does(id, "sleeps ", "sleep "),
                        share, " of the time while ",
                        it.Does(it.limit.waiter->from, "waits", "wait"), " for ",
                        is_group ? "them." : "it.");
  }
  if (it.limit.waited_for >= kMatters) {
    return absl::StrCat(it.Does(id, "sleeps ", "sleep "), share,
                        " of the time while others wait for ", is_group ? "them." : "it.");
  }
  return absl::StrCat(it.Does(id, "has", "have"), " work to do but ",
                      is_group ? "sleep " : "sleeps ", share, " of the time.");
}

std::vector<std::string> SleepWhy(const Case& it) {
  const uint32_t id = SleeperOf(it.limit);
  const std::string runs = OnlyPercentText(it.measures().CpuShare(id));
  if (!it.limit.waiter) {
    return {absl::StrCat(it.Does(id, "does a good part of the work, yet runs ",
                                 "do a good part of the work, yet run "),
                         runs, " of the time.")};
  }
  return {it.WaitSentence(*it.limit.waiter),
          absl::StrCat(it.Does(id, "itself runs ", "themselves run "), runs, " of the time.")};
}

// The target's thread that waits longest for a thread outside of the target.
std::optional<uint32_t> TargetThatWaitsFor(const Case& it, uint32_t outsider) {
  const Edge* longest = nullptr;
  for (const Edge& edge : it.measures().graph().edges) {
    if (edge.to != outsider || edge.own_ns == 0 || !it.evidence.IsTarget(edge.from) ||
        !it.vertex(edge.from).has_threads())
      continue;
    if (longest == nullptr || edge.own_ns > longest->own_ns) longest = &edge;
  }
  if (longest == nullptr) return std::nullopt;
  return longest->from;
}

// Who waits for the sleeper's answers, as a client of its program does.
std::optional<uint32_t> ClientOf(const Case& it, uint32_t sleeper) {
  if (!it.limit.waiter) return std::nullopt;
  const uint32_t waiter = it.limit.waiter->from;
  if (it.measures().Asks(sleeper, waiter)) return std::nullopt;
  const int32_t pid = it.vertex(waiter).pid;
  const bool is_of_another = pid != 0 && pid != it.vertex(sleeper).pid;
  if (!is_of_another && !it.measures().Asks(waiter, sleeper)) return std::nullopt;
  return waiter;
}

std::vector<std::string> SleepAdvice(const Case& it) {
  std::vector<std::string> advice;
  if (IsThroughAnother(it.limit)) {
    const uint32_t between = it.limit.waiter->from;
    advice.push_back(
        absl::StrCat("Let more threads or processes do the work of ", it.Name(between),
                     ", or let each wait for several answers at a time (asynchronous calls)."));
    if (const auto asker = TargetThatWaitsFor(it, between))
      advice.push_back(absl::StrCat("If ", it.Name(between),
                                    " can serve several requests at a time: let ", it.Name(*asker),
                                    " send more of them at a time."));
  } else if (it.IsOutside(SleeperOf(it.limit))) {
    const uint32_t id = SleeperOf(it.limit);
    const bool is_asked = it.limit.waiter && it.measures().Asks(it.limit.waiter->from, id);
    const std::string more =
        "send more of them at a time (more connections, a larger pool or limit of requests under "
        "way), until it is busy.";
    if (is_asked) {
      if (auto holding = AdviceOnHolding(it, it.limit.waiter->from))
        advice.push_back(*std::move(holding));
      advice.push_back(absl::StrCat("It answers requests, each after a while: ", more));
      return advice;
    }
    if (it.limit.waiter && it.measures().Asks(id, it.limit.waiter->from))
      return {"It asks, and sleeps in between: let it ask more often, or more at a time."};
    if (AreHelpersOfTarget(it, id))
      advice.push_back(
          absl::StrCat("If it answers one request at a time: begin more like ", it.Name(id), "."));
    advice.push_back(absl::StrCat("If it answers requests, each after a while: ", more));
  } else if (const auto client = ClientOf(it, SleeperOf(it.limit))) {
    advice.push_back(absl::StrCat("If it answers requests of ", it.Name(*client),
                                  ", each after a while: let more of them be under way (a larger "
                                  "pool, more connections or threads)."));
  }
  advice.push_back(
      "If it polls: let the thread that makes the work wake it (condition variable, eventfd, poll) "
      "instead of sleeping.");
  advice.push_back("If it must sleep: sleep shorter. If it is a rate limit: raise it.");
  return advice;
}

void DoubtSleep(const Case& it, Confidence& confidence) {
  DoubtFewWaits(it, confidence);
  DoubtIdleWaiters(it, confidence);
}

NaturalFixes SleepFixes(const Case& it) {
  const uint32_t id = SleeperOf(it.limit);
  if (IsThroughAnother(it.limit)) return {{MoreThreads(it, it.limit.waiter->from)}, ""};
  if (IsMemberOutside(it, id)) {
    const std::optional<uint32_t> waiter = TargetThatWaitsFor(it, id);
    if (!waiter) return NoFix("no thread of the target is seen to wait for it");
    NaturalFixes found = {{MoreInFlight(*waiter)}, ""};
    // Asked over a pipe each, a helper takes one request at a time: more of them need more helpers.
    if (AreHelpersOfTarget(it, id) && !it.measures().Asks(*waiter, id))
      found.fixes.push_back(MoreThreads(it, id));
    return found;
  }
  NaturalFixes found;
  found.fixes.push_back({.change = FixChange::kTimer, .who = id, .amount = kShorterSleep});
  if (ThreadsOf(it, id) > 1) {
    found.fixes.push_back(MoreThreads(it, id));
    found.fixes.back().advice =
        "If it serves requests, each after a while: let more threads do that.";
  }
  return found;
}

}  // namespace

KindRow SleepKind() {
  return {.kind = FindingKind::kSleep,
          .facts = {.name = "sleep", .in_words = "sleeping", .if_gone = "if it did not sleep"},
          .is_passive = true,
          .of_vertex = SleepOfVertex,
          .of_light_circle = SleepOfLightCircle,
          .of_members = SleepOfMembers,
          .title = SleepTitle,
          .why = SleepWhy,
          .advice = SleepAdvice,
          .upper_bound = BoundOfWait,
          .doubts = DoubtSleep,
          .fixes = SleepFixes};
}

}  // namespace gordian
