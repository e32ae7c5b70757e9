// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/ruled_out.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kMostRuledOut = 5;

struct Suspect {
  uint32_t id;
  double size;
  bool runs;  // else it waits
};

class RulingOut {
 public:
  explicit RulingOut(const Case& it) : it_(it), measures_(it.measures()) {}

  RuledOut Explain(const Suspect& suspect) const {
    return {suspect.id, suspect.runs ? Runs(suspect) : Waits(suspect), Reason(suspect)};
  }

 private:
  std::string Runs(const Suspect& suspect) const {
    return absl::StrCat(it_.Does(suspect.id, "is busy ", "are busy "), PercentText(suspect.size),
                        " of the time");
  }

  std::string Waits(const Suspect& suspect) const {
    const Edge* longest = LongestWaitOf(suspect.id);
    return absl::StrCat(it_.Does(suspect.id, "waits ", "wait "), PercentText(suspect.size),
                        " of the time", longest == nullptr ? "" : ", mostly for ",
                        longest == nullptr          ? ""
                        : longest->to == suspect.id ? "its own kind"
                                                    : it_.Name(longest->to));
  }

  std::string Reason(const Suspect& suspect) const {
    if (!suspect.runs && measures_.BusyShare(suspect.id) < kWorks) {
      return absl::StrCat("it has nothing to do: it runs ",
                          OnlyPercentText(measures_.BusyShare(suspect.id)), " of the time");
    }
    if (!suspect.runs) {
      // It may be held up by the members with something that it need not have waited for, such as a
      // lock. So it is no limit, but a shorter wait may well help it.
      if (const auto via = WayToMembers(suspect.id)) return HeldUp(*via, suspect.id);
    }
    if (const Edge* edge = LongestWaitOfMembersFor(suspect.id)) {
      return absl::StrCat(it_.Does(edge->from, "waits", "wait"), " for it ",
                          OnlyPercentText(measures_.OwnShare(*edge)), " of the time");
    }
    if (!it_.evidence.IsTarget(suspect.id) && !it_.evidence.scope.contains[suspect.id]) {
      return "it is not of the target, and nothing of the target waits for it";
    }
    const std::string members =
        it_.limit.members.size() == 1
            ? it_.Does(it_.limit.members[0], "does not", "do not")
            : absl::StrCat(it_.evidence.words.of_all(it_.limit.members), " do not");
    return absl::StrCat(members, " wait for it, so ", suspect.runs ? "less work" : "shorter waits",
                        " there would not help");
  }

  const Edge* LongestWaitOf(uint32_t id) const {
    const Edge* longest = nullptr;
    for (const Edge& edge : measures_.edges_from(id)) {
      if (longest == nullptr || edge.own_ns > longest->own_ns) longest = &edge;
    }
    return longest;
  }

  // Threads that wake each other when a lock comes free wait for their own kind, but in the end for
  // who held it: that is in the weights. Null if these waits end among themselves.
  const Edge* BehindItsOwnKind(const Edge& own_kind) const {
    const Edge* longest = nullptr;
    for (const Edge& edge : measures_.edges_from(own_kind.from)) {
      if (edge.to == own_kind.to) continue;
      if (longest == nullptr || edge.weight_ns > longest->weight_ns) longest = &edge;
    }
    return longest != nullptr && longest->weight_ns >= own_kind.own_ns ? longest : nullptr;
  }

  // From each to whom it waits longest for, until a member. Returns who waits for that member: the
  // first itself, or somebody in between. Nothing if that way leads elsewhere.
  std::optional<uint32_t> WayToMembers(uint32_t from) const {
    uint32_t at = from;
    for (size_t step = 0; step < measures_.graph().vertices.size(); ++step) {
      const Edge* longest = LongestWaitOf(at);
      if (longest != nullptr && longest->to == at) longest = BehindItsOwnKind(*longest);
      if (longest == nullptr || longest->own_ns == 0) return std::nullopt;
      if (it_.limit.has_member(longest->to)) return at;
      at = longest->to;
      if (!measures_.vertex(at).has_threads()) return std::nullopt;
    }
    return std::nullopt;  // a circle of others
  }

  std::string HeldUp(uint32_t via, uint32_t suspect) const {
    const std::string members = it_.evidence.words.of_all(it_.limit.members);
    return via == suspect ? absl::StrCat("it is held up by ", members)
                          : absl::StrCat("it is held up by ", members, " through ", it_.Name(via));
  }

  // Only threads: a device that idles until a thread gives it work holds up no thread.
  const Edge* LongestWaitOfMembersFor(uint32_t id) const {
    const Edge* longest = nullptr;
    for (const uint32_t member : it_.limit.members) {
      if (!measures_.vertex(member).has_threads()) continue;
      const Edge* edge = measures_.FindEdge(member, id);
      if (edge == nullptr || edge->own_ns == 0) continue;
      if (longest == nullptr || measures_.OwnShare(*edge) > measures_.OwnShare(*longest)) {
        longest = edge;
      }
    }
    return longest;
  }

  const Case& it_;
  const Measures& measures_;
};

}  // namespace

std::vector<RuledOut> RuleOut(const Case& it, const std::vector<Limit>& limits) {
  const Measures& measures = it.measures();
  std::vector<char> is_limit(measures.graph().vertices.size());
  for (const Limit& other : limits) {
    for (const uint32_t id : other.members) is_limit[id] = 1;
  }
  std::vector<Suspect> suspects;
  for (uint32_t id = 0; id < is_limit.size(); ++id) {
    const Vertex& vertex = measures.vertex(id);
    if (is_limit[id] || !vertex.has_threads() || vertex.recorder) continue;
    const bool concerns = it.evidence.IsTarget(id) || it.evidence.scope.contains[id];
    const double busy = measures.CpuShare(id);
    const double waits = measures.WaitShare(id);
    if (busy >= kMostOfTheTime) {
      suspects.push_back({id, busy, true});
    } else if (concerns && waits >= kMostOfTheTime) {
      suspects.push_back({id, waits, false});
    }
  }
  // First those that work, then idle pools; within each the biggest.
  const auto idle = [&](const Suspect& s) { return measures.BusyShare(s.id) < kWorks; };
  std::stable_sort(suspects.begin(), suspects.end(), [&](const Suspect& a, const Suspect& b) {
    if (idle(a) != idle(b)) return idle(b);
    return a.size > b.size;
  });
  if (suspects.size() > kMostRuledOut) suspects.resize(kMostRuledOut);

  const RulingOut ruling_out(it);
  std::vector<RuledOut> ruled_out;
  ruled_out.reserve(suspects.size());
  for (const Suspect& suspect : suspects) ruled_out.push_back(ruling_out.Explain(suspect));
  return ruled_out;
}

}  // namespace gordian
