#include "analyzer/findings/ruled_out.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kMostRuledOut = 5;
constexpr double kLooksBig = 0.50;
constexpr double kNothingToDo = 0.01;

struct Suspect {
  uint32_t id;
  double size;
  bool runs;  // else it waits
};

class RulingOut {
 public:
  RulingOut(const Measures& measures, const VertexWords& words, const Scope& scope,
            const Target& target, const Limit& limit)
      : measures_(measures), words_(words), scope_(scope), target_(target), limit_(limit) {}

  pb::RuledOut Explain(const Suspect& suspect) const {
    pb::RuledOut ruled_out;
    ruled_out.set_vertex(suspect.id);
    ruled_out.set_what(suspect.runs ? Runs(suspect) : Waits(suspect));
    ruled_out.set_reason(Reason(suspect));
    return ruled_out;
  }

 private:
  std::string Runs(const Suspect& suspect) const {
    return absl::StrCat(words_.does(suspect.id, "is busy ", "are busy "), PercentText(suspect.size),
                        " of the time");
  }

  std::string Waits(const Suspect& suspect) const {
    const Edge* longest = nullptr;
    for (const Edge& edge : measures_.edges_from(suspect.id)) {
      if (longest == nullptr || edge.own_ns > longest->own_ns) longest = &edge;
    }
    return absl::StrCat(words_.does(suspect.id, "waits ", "wait "), PercentText(suspect.size),
                        " of the time", longest == nullptr ? "" : ", mostly for ",
                        longest == nullptr          ? ""
                        : longest->to == suspect.id ? "its own kind"
                                                    : words_.of(longest->to));
  }

  std::string Reason(const Suspect& suspect) const {
    if (!suspect.runs && measures_.BusyShare(suspect.id) < kNothingToDo) {
      return absl::StrCat("it has nothing to do: it runs only ",
                          PercentText(measures_.BusyShare(suspect.id)), " of the time");
    }
    if (const Edge* edge = LongestWaitOfMembersFor(suspect.id)) {
      return absl::StrCat(words_.does(edge->from, "waits", "wait"), " for it only ",
                          PercentText(measures_.OwnShare(*edge)), " of the time");
    }
    if (!target_.is_target[suspect.id] && !scope_.contains[suspect.id]) {
      return "it is not of the target, and nothing of the target waits for it";
    }
    const std::string nobody = limit_.members.size() == 1
                                   ? words_.does(limit_.members[0], "does not", "do not")
                                   : absl::StrCat(words_.of_all(limit_.members), " do not");
    return absl::StrCat(nobody, " wait for it, so ", suspect.runs ? "less work" : "shorter waits",
                        " there would not help");
  }

  // Of threads: that a device idles until it gets work from somebody holds up nobody.
  const Edge* LongestWaitOfMembersFor(uint32_t id) const {
    const Edge* longest = nullptr;
    for (const uint32_t member : limit_.members) {
      if (!measures_.vertex(member).has_threads()) continue;
      const Edge* edge = measures_.FindEdge(member, id);
      if (edge == nullptr || edge->own_ns == 0) continue;
      if (longest == nullptr || measures_.OwnShare(*edge) > measures_.OwnShare(*longest)) {
        longest = edge;
      }
    }
    return longest;
  }

  const Measures& measures_;
  const VertexWords& words_;
  const Scope& scope_;
  const Target& target_;
  const Limit& limit_;
};

}  // namespace

std::vector<pb::RuledOut> RuleOut(const Measures& measures, const VertexWords& words,
                                  const Scope& scope, const Target& target,
                                  const std::vector<Limit>& limits, const Limit& limit) {
  std::vector<char> is_limit(measures.graph().vertices.size());
  for (const Limit& other : limits) {
    for (const uint32_t id : other.members) is_limit[id] = 1;
  }
  std::vector<Suspect> suspects;
  for (uint32_t id = 0; id < is_limit.size(); ++id) {
    const Vertex& vertex = measures.vertex(id);
    if (is_limit[id] || !vertex.has_threads() || vertex.recorder) continue;
    const bool concerns = target.is_target[id] || scope.contains[id];
    const double busy = measures.CpuShare(id);
    const double waits = measures.WaitShare(id);
    if (busy >= kLooksBig) {
      suspects.push_back({id, busy, true});
    } else if (concerns && waits >= kLooksBig) {
      suspects.push_back({id, waits, false});
    }
  }
  // First those that work, then idle pools; within each the biggest.
  const auto idle = [&](const Suspect& s) { return measures.BusyShare(s.id) < kNothingToDo; };
  std::stable_sort(suspects.begin(), suspects.end(), [&](const Suspect& a, const Suspect& b) {
    if (idle(a) != idle(b)) return idle(b);
    return a.size > b.size;
  });
  if (suspects.size() > kMostRuledOut) suspects.resize(kMostRuledOut);

  const RulingOut ruling_out(measures, words, scope, target, limit);
  std::vector<pb::RuledOut> ruled_out;
  ruled_out.reserve(suspects.size());
  for (const Suspect& suspect : suspects) ruled_out.push_back(ruling_out.Explain(suspect));
  return ruled_out;
}

}  // namespace gordian
