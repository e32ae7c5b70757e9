// SPDX-License-Identifier: Apache-2.0
// A sink: a thread whose own work is the limit.
#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/full_cpus.h"
#include "analyzer/findings/evidence/gain.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/kinds/kinds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::optional<Limit> SinkOfVertex(const Evidence& evidence, uint32_t id) {
  if (!evidence.IsRecordedThread(id) || !evidence.Concerns(id)) return std::nullopt;
  const Measures& measures = evidence.measures;
  const WaitedFor& waited_for = evidence.waiters[id];
  Limit limit{.kind = FindingKind::kSink,
              .members = {id},
              .attack = waited_for.heaviest,
              .waited_for = waited_for.share};
  if (measures.BusyShare(id) >= kBusy) {
    limit.share = measures.BusyShare(id);
    limit.hides_waiters = true;
    return limit;
  }
  // It works now and then; while it works, others cannot.
  const bool now_and_then = measures.IsSleeper(id) && evidence.IsHeldUpFor(waited_for.share) &&
                            !measures.SleepHoldsUp(id, waited_for.share);
  if (!now_and_then) return std::nullopt;
  limit.share = waited_for.share;
  limit.hides_waiters = limit.share >= kBusy;
  return limit;
}

// Threads of a pool wait for each other, and yet no CPU is ever free: shorter waits would gain
// nothing, as all that can be done is being done.
std::optional<Limit> SinkOfFullCpus(const Evidence& evidence, const Limit& circle) {
  if (!WorkFillsTheCpus(evidence, circle) || !WaitsCostNoCpu(evidence, circle)) return std::nullopt;
  std::optional<uint32_t> most;
  for (const uint32_t id : circle.members) {
    if (!evidence.IsRecordedThread(id)) continue;
    if (!most || evidence.vertex(id).cpu_ns() > evidence.vertex(*most).cpu_ns()) most = id;
  }
  if (!most) return std::nullopt;
  // (Times that others measured, in an imported graph, may add up to more than the CPUs have.)
  const double share =
      std::min(1.0, evidence.measures.OfRecording(evidence.vertex(*most).cpu_ns()) /
                        evidence.measures.cpus());
  if (share < kMostOfTheTime) return std::nullopt;
  return Limit{
      .kind = FindingKind::kSink, .members = {*most}, .share = share, .of_all_cpus = share};
}

// A circle may hold a thread that works most of the time while the others stand, and then waits for
// them to make work: a collector of garbage, which fills the time between with waiting. Overlapping
// it gains less than less work of it. (If several work that much they do so side by side.)
void SinkOfMembers(const Evidence& evidence, const Limit& limit, Suffering& found) {
  if (limit.edges.empty()) return;  // of a circle
  std::vector<Limit> sinks;
  for (const uint32_t id : limit.members) {
    if (!evidence.IsRecordedThread(id) || evidence.vertex(id).strands > 1) continue;
    Limit sink{
        .kind = FindingKind::kSink, .members = {id}, .share = evidence.measures.CpuShare(id)};
    for (const ScopeEdge& edge : limit.edges) {  // heaviest first
      if (edge.to != id || edge.from == id || evidence.vertex(edge.from).is_device()) continue;
      sink.waited_for = std::max(sink.waited_for, edge.share);
      if (!sink.attack) sink.attack = edge;
    }
    if (sink.share >= kBusy && sink.share > limit.share && evidence.IsHeldUpFor(sink.waited_for))
      sinks.push_back(std::move(sink));
  }
  if (sinks.size() == 1) {
    found.before.push_back(std::move(sinks.front()));
  } else if (std::optional<Limit> sink = SinkOfFullCpus(evidence, limit)) {
    found.before.push_back(*std::move(sink));
  }
}

bool FillsTheCpus(const Case& it) { return it.limit.of_all_cpus > 0; }

// The others of its group do much less: what limits is work of one at a time.
bool IsOneOfItsGroup(const Case& it) {
  const Vertex& vertex = it.vertex(it.first());
  const double mean = it.measures().OfRecording(vertex.active_ns()) / std::max(1u, vertex.strands);
  return vertex.strands > 1 && mean < kNearlyAll * it.measures().BusyShare(it.first());
}

bool WorksNowAndThen(const Case& it) {
  return !FillsTheCpus(it) && it.measures().BusyShare(it.first()) < kBusy;
}

std::string SinkTitle(const Case& it) {
  const uint32_t id = it.first();
  const std::string name = it.Name(id);
  const std::string share = PercentText(it.limit.share);
  if (FillsTheCpus(it)) {
    return absl::StrCat("The CPUs are the limit: ", it.Does(id, "uses ", "use "), share,
                        " of them, and they are hardly ever free.");
  }
  if (WorksNowAndThen(it)) {
    return absl::StrCat(name, " holds others up whenever it works: they wait ", share,
                        " of the time for it.");
  }
  const double runs = it.measures().CpuShare(id);
  const double ready = it.measures().RunnableShare(id);
  const bool waits = it.measures().WaitShare(id) >= kMattersMuch;
  const std::string and_waits = waits && it.limit.attack ? ", and others wait for it."
                                : waits                  ? "."
                                                         : " and waits for hardly anything.";
  // A thread that is ready and has no CPU is not busy.
  const std::string does =
      ready > runs
          ? absl::StrCat("runs ", PercentText(runs), " of the time, is ready to run for another ",
                         PercentText(ready), ", and waits for hardly anything.")
          : absl::StrCat("is busy ", share, " of the time", it.IsOutside(id) ? "." : and_waits);
  return it.IsOutside(id) ? absl::StrCat("The limit is outside of the target: ", name, " ", does)
                          : absl::StrCat(name, " is the limit: ",
                                         IsOneOfItsGroup(it) ? "its busiest thread " : "it ", does);
}

std::vector<std::string> SinkWhy(const Case& it) {
  const uint32_t id = it.first();
  const Vertex& vertex = it.vertex(id);
  const Measures& measures = it.measures();
  std::vector<std::string> why = {
      absl::StrCat(it.Does(id, "runs ", "run "), PercentText(measures.CpuShare(id)),
                   it.IsGroup(id) ? " of the time and are ready to run for another "
                                  : " of the time and is ready to run for another ",
                   PercentText(measures.RunnableShare(id)), ".")};
  if (vertex.strands > 1) {
    why.push_back(
        absl::StrCat("That is its busiest thread, ", vertex.busiest_tid, "; on average its ",
                     vertex.strands, " threads are busy ",
                     PercentText(measures.OfRecording(vertex.active_ns()) / vertex.strands), "."));
  }
  if (it.limit.attack) why.push_back(it.WaitSentence(*it.limit.attack));
  if (FillsTheCpus(it)) {
    why.push_back(
        "Its threads also wait for each other, but while no CPU is free shorter waits gain "
        "nothing.");
  }
  if (measures.BusyForAllItsShortLife(id)) {
    why.push_back(absl::StrCat("It was there for ",
                               OnlyPercentText(measures.OfRecording(vertex.life_ns)),
                               " of the recording, and busy all that time: the work before and "
                               "after it does not overlap with it."));
  }
  return why;
}

std::vector<std::string> SinkAdvice(const Case& it) {
  const uint32_t id = it.first();
  std::vector<std::string> advice;
  if (it.measures().BusyForAllItsShortLife(id)) {
    advice.push_back(
        "If it is one of several jobs: start it first, beside the others, or split it into parts.");
  }
  if (it.IsOutside(id)) {
    advice.push_back(absl::StrCat("Give ", it.Name(id),
                                  " more threads or more CPUs, or drive the load from another "
                                  "machine: the target could do more."));
    return advice;
  }
  advice.push_back(absl::StrCat("Profile ", it.Name(id), " on the CPU and make its code cheaper."));
  if (FillsTheCpus(it)) {
    advice.push_back("Or give it more CPUs.");
    return advice;
  }
  advice.push_back(WorksNowAndThen(it)
                       ? "Or let it work less often, in smaller pieces, or beside the others."
                       : "Or share its work among more threads. Do this before you mend any wait.");
  return advice;
}

double SinkBound(const Case& it) { return WorksNowAndThen(it) ? BoundOfWait(it) : BoundOfWork(it); }

void DoubtSink(const Case& it, Confidence& confidence) {
  if (FillsTheCpus(it) || WorksNowAndThen(it) || it.measures().BusyForAllItsShortLife(it.first()) ||
      it.limit.share >= kAllTheTime)
    return;
  confidence.Doubt(kAllTheTime - it.limit.share,
                   absl::StrCat("It is busy for ", OnlyPercentText(it.limit.share),
                                " of the time: its work does not explain the rest."));
}

// Whether it is there for nearly all of the recording.
bool IsThereAllTheTime(const Case& it, uint32_t vertex) {
  double life_ns = 0;
  const std::vector<Entity>& entities = it.evidence.recording.entities;
  for (EntityId id = 0; id < entities.size(); ++id) {
    const Entity& entity = entities[id];
    const bool counts =
        entity.kind == EntityKind::kThread && it.measures().graph().vertex_of_entity[id] == vertex;
    if (counts)
      life_ns += static_cast<double>(entity.run_ns + entity.runnable_ns + entity.wait_ns +
                                     entity.spin_ns + entity.unknown_ns);
  }
  return life_ns >= kNearlyAll * it.measures().span_ns();
}

NaturalFixes SinkFixes(const Case& it) {
  const uint32_t id = it.first();
  NaturalFixes found;
  if (IsMemberOutside(it, id)) {
    found.fixes.push_back(MoreClients(id));
  } else if (!IsThereAllTheTime(it, id)) {
    return NoFix("it was there for only part of the recording, which is no steady rate");
  } else {
    found.fixes.push_back(
        {.change = FixChange::kRun, .who = id, .amount = kLessWork, .of_wait = false});
  }
  // Its work may be to wake all of a pool where one has something to do.
  const std::optional<ScopeEdge>& attack = it.limit.attack;
  if (attack && it.vertex(attack->from).has_threads() && it.vertex(attack->from).threads > 1)
    found.fixes.push_back(FewerWakes(attack->from));
  return found;
}

}  // namespace

KindRow SinkKind() {
  return {.kind = FindingKind::kSink,
          .facts = {.name = "sink",
                    .in_words = "one thread's own work",
                    .if_gone = "if its work took no time",
                    .works = true},
          .of_vertex = SinkOfVertex,
          .of_members = SinkOfMembers,
          .title = SinkTitle,
          .why = SinkWhy,
          .advice = SinkAdvice,
          .upper_bound = SinkBound,
          .doubts = DoubtSink,
          .fixes = SinkFixes};
}

}  // namespace gordian
