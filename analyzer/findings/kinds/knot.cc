// SPDX-License-Identifier: Apache-2.0
// A knot: threads and devices that wait for each other, and for nothing else for long.
#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/gain.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/kinds/kinds.h"
#include "analyzer/findings/kinds/knot_advice.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kMostEdgesTold = 5;

// The heaviest wait of a thread, not of a device: its users let a device idle. Waits of the target
// for itself, devices and the kernel come before waits for outsiders, which are hard to mend. A
// group counts as its average thread: otherwise a pool whose many threads wait for work would
// outweigh the thread that makes the work wait.
ScopeEdge EdgeToAttack(const Evidence& evidence, const std::vector<ScopeEdge>& heaviest_first) {
  const auto worth = [&](const ScopeEdge& edge) {
    if (!evidence.vertex(edge.from).has_threads()) return 0;
    if (edge.share < evidence.options.threshold) return 1;
    const bool outsider = IsOutsider(evidence.measures, evidence.target, edge.to);
    return evidence.IsTarget(edge.from) && !outsider ? 3 : 2;
  };
  const auto weight_of_one = [&](const ScopeEdge& edge) {
    return static_cast<double>(edge.weight_ns) / std::max(1u, evidence.vertex(edge.from).strands);
  };
  return *std::max_element(
      heaviest_first.begin(), heaviest_first.end(), [&](const ScopeEdge& a, const ScopeEdge& b) {
        return worth(a) != worth(b) ? worth(a) < worth(b) : weight_of_one(a) < weight_of_one(b);
      });
}

// A thread may wait longest for work, but a wait for a disk is a wait for the thread's own request.
// So if several threads hand work to each other, the heaviest wait may be only the other end of the
// wait for the disk.
std::optional<ScopeEdge> DiskWaitOf(const Evidence& evidence, const Limit& circle) {
  const ScopeEdge& attack = *circle.attack;
  if (circle.members.size() < 3 || attack.from == attack.to ||
      !evidence.vertex(attack.to).has_threads())
    return std::nullopt;
  for (const ScopeEdge& edge : circle.edges) {  // heaviest first
    const bool by_target =
        evidence.IsTarget(edge.from) && !evidence.vertex(edge.from).kernel_thread;
    if (by_target && evidence.vertex(edge.to).kind == VertexKind::kDisk && edge.share >= kMatters)
      return edge;
  }
  return std::nullopt;
}

std::optional<Limit> KnotOfCircle(const Evidence& evidence, const Circle& circle) {
  Limit limit{.kind = FindingKind::kKnot, .members = circle.members, .edges = circle.edges};
  SortHeaviestFirst(limit.edges);
  limit.attack = EdgeToAttack(evidence, limit.edges);
  limit.share = limit.attack->share;
  limit.disk_wait = DiskWaitOf(evidence, limit);
  limit.waited_for = circle.waited_for;
  return limit;
}

// Of a group whose members wait for each other most: the other members of the knot it waits for.
std::string AndForWhom(const Case& it) {
  for (const ScopeEdge& edge : it.limit.edges) {  // heaviest first
    if (edge.from != it.limit.attack->from || edge.to == edge.from) continue;
    return absl::StrCat(" and ", PercentText(it.ShareOfAllTime(edge)), " for ", it.Name(edge.to));
  }
  return "";
}

// Who waits for others of its kind waits for what they do with what they share: where that is to
// sleep, both ends of the limit are told.
std::string AndSleeps(const Case& it) {
  const uint32_t id = it.limit.attack->from;
  if (!it.measures().IsSleeper(id)) return "";
  return absl::StrCat(", and sleeps ", PercentText(it.measures().TimerShare(id)));
}

std::string AndForTheDisk(const Case& it) {
  const std::optional<ScopeEdge>& wait = it.limit.disk_wait;
  if (!wait) return "";
  return absl::StrCat(", the heaviest for a disk that of ", it.Name(wait->from), " for ",
                      it.Name(wait->to));
}

std::string KnotTitle(const Case& it) {
  const ScopeEdge& attack = *it.limit.attack;
  const std::string waits =
      absl::StrCat(it.Does(attack.from, "waits ", "wait "), PercentText(it.ShareOfAllTime(attack)),
                   " of the time for ");
  if (it.IsOutside(attack.to) && it.evidence.IsTarget(attack.from)) {
    return absl::StrCat("The limit is outside of the target: ", waits, it.Name(attack.to), ".");
  }
  if (it.vertex(attack.to).kind == VertexKind::kNic) {
    return absl::StrCat("The other end of the network is the limit: ", waits, it.Name(attack.to),
                        ", which is not saturated.");
  }
  if (attack.from == attack.to) {
    return absl::StrCat("The threads of ", it.Name(attack.from), " hold each other up: each waits ",
                        PercentText(attack.share), " of the time for another", AndForWhom(it),
                        AndSleeps(it), ".");
  }
  if (it.limit.members.size() == 2) {
    return absl::StrCat(it.Name(attack.from), " and ", it.Name(attack.to),
                        " hold each other up: when one works, the other waits.");
  }
  return absl::StrCat(it.evidence.words.of_all_by_name(it.limit.members),
                      " wait for each other in a circle; the heaviest wait is that of ",
                      it.Name(attack.from), " for ", it.Name(attack.to), AndForTheDisk(it), ".");
}

// Of a member's waits for threads outside of the knot, too light to be followed: the threads that
// members of a pool wait for while it is their turn. Otherwise they mostly wait for each other.
std::optional<ScopeEdge> HeaviestWayOut(const Case& it) {
  std::optional<ScopeEdge> heaviest;
  for (const uint32_t id : it.limit.members) {
    for (const Edge& edge : it.measures().edges_from(id)) {
      if (it.limit.has_member(edge.to) || !it.vertex(edge.to).has_threads() ||
          it.measures().OwnShare(edge) < kMatters)
        continue;
      if (heaviest && heaviest->weight_ns >= edge.weight_ns) continue;
      heaviest =
          ScopeEdge{edge.from, edge.to, edge.weight_ns, edge.own_ns, it.measures().OwnShare(edge)};
    }
  }
  return heaviest;
}

std::vector<std::string> KnotWhy(const Case& it) {
  std::vector<std::string> why;
  const std::vector<ScopeEdge>& edges = it.limit.edges;
  for (size_t i = 0; i < std::min(edges.size(), kMostEdgesTold); ++i) {
    why.push_back(it.WaitSentence(edges[i]));
  }
  if (edges.size() > kMostEdgesTold) {
    why.push_back(absl::StrCat("It also has lighter waits: ", edges.size() - kMostEdgesTold, "."));
  }
  if (const std::optional<ScopeEdge> way_out = HeaviestWayOut(it)) {
    why.push_back(absl::StrCat("Besides, ", it.WaitSentence(*way_out)));
  } else {
    why.push_back(
        "Its members wait for nothing else for long: a change elsewhere would not make them "
        "faster.");
  }
  for (const uint32_t id : it.limit.members) {
    if (it.IsOutside(id))
      why.push_back(absl::StrCat(it.Does(id, "is", "are"), " not of the target."));
  }
  return why;
}

void DoubtKnot(const Case& it, Confidence& confidence) {
  DoubtFewWaits(it, confidence);
  if (it.limit.share < kMattersMuch) {
    confidence.Doubt(kDoubt, "The waits of this knot are short beside the recording.");
  }
}

}  // namespace

KindRow KnotKind() {
  return {
      .kind = FindingKind::kKnot,
      .facts = {.name = "knot", .in_words = "a knot of waits", .if_gone = "if this wait were gone"},
      .of_circle = KnotOfCircle,
      .title = KnotTitle,
      .why = KnotWhy,
      .advice = KnotAdvice,
      .upper_bound = BoundOfWait,
      .doubts = DoubtKnot,
      .fixes = KnotFixes};
}

}  // namespace gordian
