// SPDX-License-Identifier: Apache-2.0
// Starvation: threads of a limit that are ready to run and get no CPU.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/findings/evidence/cpu_advice.h"
#include "analyzer/findings/evidence/full_cpus.h"
#include "analyzer/findings/evidence/gain.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/kinds/kinds.h"
#include "base/time_units.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// All its waits in the circle, not the heaviest alone: a thread that waits a quarter of the time
// for a lock and another for the disk waits for half of it.
double WaitsWithin(const Limit& circle, uint32_t id) {
  double share = 0;
  for (const ScopeEdge& edge : circle.edges) {
    if (edge.from == id) share += edge.share;
  }
  return share;
}

// Of a busy thread alone, which no circle holds, its own work and the target's must fill them. Its
// clients' work beside it is what makes it busy, and halving its own is worth more than CPUs.
bool CpusAreFull(const Evidence& evidence, const Limit& limit) {
  if (!limit.edges.empty()) return WorkFillsTheCpus(evidence, limit);
  double cpu_ns = 0;
  for (uint32_t id = 0; id < evidence.target.is_target.size(); ++id)
    if (evidence.IsTarget(id) || limit.has_member(id))
      cpu_ns += static_cast<double>(evidence.vertex(id).cpu_ns());
  return cpu_ns >= kFullCpu * evidence.measures.span_ns() * evidence.measures.cpus();
}

bool OthersAreRecorded(const Evidence& evidence) {
  return !evidence.options.recording.chains_end_at_targets();
}

bool CpusWereFree(const Evidence& evidence) {
  return evidence.measures.machine_cpu_share() < kNearlyAll;
}

struct Wakes {
  double count = 0;
  double ready_ns = 0;
};

// If CPUs are free and no time without a CPU is long, CPUs are not scarce. The woken thread waits
// until the processor comes out of its sleep, or until an earlier thread's wake is done.
std::optional<Wakes> SlowWakes(const Evidence& evidence, const std::vector<uint32_t>& members) {
  if (!OthersAreRecorded(evidence) || !CpusWereFree(evidence)) return std::nullopt;
  uint64_t ready_ns = 0;
  uint64_t waits = 0;
  for (const uint32_t id : members) {
    ready_ns += evidence.vertex(id).runnable_ns;
    for (const Edge& edge : evidence.measures.edges_from(id)) waits += edge.count;
  }
  if (waits == 0 || ready_ns / waits > kQuickWakeNs) return std::nullopt;
  return Wakes{static_cast<double>(waits), static_cast<double>(ready_ns)};
}
std::optional<Wakes> SlowWakes(const Case& it) { return SlowWakes(it.evidence, it.limit.members); }

// Where CPUs are scarce, all lack them for a like part of the time in which they want one, however
// long that is.
bool IsShortOfCpus(const Measures& measures, uint32_t id) {
  const Vertex& vertex = measures.vertex(id);
  const auto wanted_ns = static_cast<double>(vertex.active_ns());
  return measures.RunnableShare(id) >= kStarved ||
         (measures.MeanRunnableShare(id) >= kMatters &&
          static_cast<double>(vertex.runnable_ns) >= kStarved * wanted_ns);
}

// Of circles and of threads that work.
void StarvationOfMembers(const Evidence& evidence, const Limit& limit, Suffering& found) {
  const Measures& measures = evidence.measures;
  const bool works = FactsOf(limit.kind).works;
  if (limit.edges.empty() && !works) return;
  Limit starved{.kind = FindingKind::kStarvation, .waited_for = limit.waited_for};
  double of_limit = works ? measures.CpuShare(limit.members[0]) : limit.share;
  double of_cpus = 0;  // like of_limit, of all the members' time
  for (const uint32_t id : limit.members) {
    if (!evidence.vertex(id).has_threads() || !IsShortOfCpus(measures, id)) continue;
    starved.members.push_back(id);
    starved.share = std::max(starved.share, measures.RunnableShare(id));
    of_cpus = std::max(of_cpus, measures.MeanRunnableShare(id));
    of_limit = std::max(of_limit, WaitsWithin(limit, id));
  }
  if (starved.share < kStarved) return;
  // Slow wakes go with the waits: they are no cause of their own, however much they add up to.
  const bool worse =
      !SlowWakes(evidence, starved.members) && (CpusAreFull(evidence, limit) || of_cpus > of_limit);
  (worse ? found.before : found.after).push_back(std::move(starved));
}

std::string StarvationTitle(const Case& it) {
  const std::string share = PercentText(it.limit.share);
  if (it.limit.members.size() > 1) {
    return absl::StrCat(it.evidence.words.of_all(it.limit.members),
                        " are ready to run but get no CPU for up to ", share, " of the time.");
  }
  const uint32_t id = it.first();
  if (it.measures().RunsSeldom(id)) {
    return absl::StrCat(it.Name(id), " want to run only now and then, and get no CPU for ", share,
                        " of that time.");
  }
  return absl::StrCat(it.Does(id, "is ready to run but gets", "are ready to run but get"),
                      " no CPU for ", share, " of the time.");
}

std::vector<std::string> StarvationWhy(const Case& it) {
  const Measures& measures = it.measures();
  std::vector<std::string> why;
  for (const uint32_t id : it.limit.members) {
    const Vertex& vertex = it.vertex(id);
    const double strands = std::max(1u, vertex.strands);
    why.push_back(
        absl::StrCat(it.Name(id), strands > 1 ? " on average run " : " runs ",
                     PercentText(measures.OfRecording(vertex.cpu_ns()) / strands),
                     " of the time and ", strands > 1 ? "wait" : "waits", " for a CPU another ",
                     PercentText(measures.OfRecording(vertex.runnable_ns) / strands), "."));
  }
  if (!OthersAreRecorded(it.evidence)) {
    why.push_back("What others used of the CPUs meanwhile was not recorded (--only).");
    return why;
  }
  why.push_back(absl::StrCat("All that was recorded uses ",
                             PercentText(measures.machine_cpu_share()), " of ",
                             FormatCount(measures.cpus(), "CPU"), "."));
  if (const std::optional<Wakes> wakes = SlowWakes(it)) {
    why.push_back(absl::StrFormat(
        "CPUs were free all the same: it is woken %.0f times a second, and each time it takes "
        "%.2g µs until it runs.",
        wakes->count * kNsPerSecond / measures.span_ns(), wakes->ready_ns / wakes->count / 1e3));
  }
  return why;
}

std::vector<std::string> StarvationAdvice(const Case& it) {
  if (SlowWakes(it)) {
    return {
        "More CPUs would not help: let it be woken less often, by handing more over at a time "
        "(batches, several requests for each wake)."};
  }
  std::vector<std::string> advice;
  if (!OthersAreRecorded(it.evidence)) {
    advice.push_back(
        "Record once without --only: then the report says who had the CPUs meanwhile.");
  }
  advice.push_back(kMoreCpus);
  return advice;
}

void DoubtStarvation(const Case&, Confidence&) {}

std::vector<double> RunNsByNode(const WaitForGraph& recording, size_t nodes) {
  std::vector<double> run_ns(nodes);
  for (const Entity& entity : recording.entities) {
    if (entity.kind == EntityKind::kThread && entity.node < nodes)
      run_ns[entity.node] += static_cast<double>(entity.run_ns);
  }
  return run_ns;
}

// Each node of starving threads has CPUs of its own.
NaturalFixes StarvationFixes(const Case& it) {
  const WaitForGraph& recording = it.evidence.recording;
  NaturalFixes found;
  const size_t nodes = std::max<size_t>(1, recording.nodes.size());
  const std::vector<double> run_ns = RunNsByNode(recording, nodes);
  for (size_t node = 0; node < nodes; ++node) {
    const bool is_alone = recording.nodes.empty();
    const std::string name = is_alone ? "" : recording.nodes[node];
    const double cpus = is_alone ? it.measures().cpus() : recording.node_cpus[node];
    const bool starves =
        std::any_of(it.limit.members.begin(), it.limit.members.end(), [&](uint32_t id) {
          return is_alone || it.vertex(id).node.empty() || it.vertex(id).node == name;
        });
    if (!starves || run_ns[node] < kNearlyAll * it.measures().span_ns() * cpus) continue;
    found.fixes.push_back(
        {.change = FixChange::kCpus, .amount = kMoreOfIt * cpus, .node = name, .of_wait = false});
  }
  if (found.fixes.empty()) return NoFix("CPUs were free, and a replay cannot try fewer wakes");
  return found;
}

}  // namespace

KindRow StarvationKind() {
  return {.kind = FindingKind::kStarvation,
          .facts = {.name = "starvation",
                    .in_words = "too little CPU",
                    .if_gone = "if a CPU were always free",
                    .lacks_cpus = true},
          .of_members = StarvationOfMembers,
          .title = StarvationTitle,
          .why = StarvationWhy,
          .advice = StarvationAdvice,
          .upper_bound = BoundOfWaitForCpus,
          .doubts = DoubtStarvation,
          .fixes = StarvationFixes};
}

}  // namespace gordian
