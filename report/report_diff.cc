#include "report/report_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "report/limits.h"
#include "report/thresholds.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// The identity of a vertex in two recordings.
struct VertexKey {
  std::string name;
  std::string process;
  std::string kind;
  bool operator==(const VertexKey&) const = default;
  bool operator<(const VertexKey& other) const {
    return std::tie(name, process, kind) < std::tie(other.name, other.process, other.kind);
  }
};

using Keys = std::unordered_map<uint32_t, VertexKey>;

Keys KeysOf(const pb::Report& report) {
  Keys keys;
  for (const pb::ReportVertex& vertex : report.vertices()) {
    // A pool that shrinks to one thread is still the same pool.
    const std::string kind = vertex.kind() == "group" ? "thread" : vertex.kind();
    keys[vertex.id()] = {vertex.name(), vertex.process(), kind};
  }
  return keys;
}

// The name alone says it, unless two processes share it.
class KeyNames {
 public:
  void Add(const Keys& keys) {
    for (const auto& [id, key] : keys) processes_[key.name].insert(key.process);
  }
  std::string Name(const VertexKey& key) const {
    const auto found = processes_.find(key.name);
    const bool shared =
        found != processes_.end() && found->second.size() > 1 && !key.process.empty();
    return CleanText(shared ? absl::StrCat(key.process, "/", key.name) : key.name);
  }

 private:
  std::map<std::string, std::set<std::string>> processes_;
};

struct EdgeSums {
  double weight_s = 0;
  double own_s = 0;
  double count = 0;
};
// The vertices that belong to the target.
std::set<VertexKey> InScope(const pb::Report& report, const Keys& keys) {
  std::set<VertexKey> in_scope;
  for (const pb::ReportVertex& vertex : report.vertices()) {
    if (vertex.in_scope() || vertex.target()) in_scope.insert(keys.at(vertex.id()));
  }
  return in_scope;
}

using EdgeTable = std::map<std::pair<VertexKey, VertexKey>, EdgeSums>;

EdgeTable EdgesOf(const pb::Report& report, const Keys& keys) {
  EdgeTable edges;
  for (const pb::ReportEdge& edge : report.edges()) {
    const auto from = keys.find(edge.from()), to = keys.find(edge.to());
    if (from == keys.end() || to == keys.end()) continue;
    EdgeSums& sums = edges[{from->second, to->second}];
    sums.weight_s += edge.weight_s();
    sums.own_s += edge.own_s();
    sums.count += static_cast<double>(edge.count());
  }
  return edges;
}

double PerSecond(double value, const pb::Report& report) {
  const double seconds = report.recording().seconds();
  return seconds > 0 ? value / seconds : 0;
}

void AddEdgeChanges(const pb::Report& before, const pb::Report& after, const Keys& before_keys,
                    const Keys& after_keys, const KeyNames& names, pb::ReportDiff& diff) {
  const EdgeTable before_edges = EdgesOf(before, before_keys),
                  after_edges = EdgesOf(after, after_keys);
  std::set<std::pair<VertexKey, VertexKey>> all;
  for (const auto& [pair, sums] : before_edges) all.insert(pair);
  for (const auto& [pair, sums] : after_edges) all.insert(pair);

  const auto sums_in = [](const EdgeTable& table, const auto& pair) {
    const auto found = table.find(pair);
    return found == table.end() ? EdgeSums() : found->second;
  };
  std::set<VertexKey> in_scope = InScope(before, before_keys);
  in_scope.merge(InScope(after, after_keys));
  std::vector<pb::EdgeChange> changes;
  for (const auto& pair : all) {
    const EdgeSums was = sums_in(before_edges, pair), is = sums_in(after_edges, pair);
    pb::EdgeChange& change = changes.emplace_back();
    change.set_from(names.Name(pair.first));
    change.set_in_scope(in_scope.count(pair.first) > 0);
    change.set_to(names.Name(pair.second));
    change.set_before_weight(PerSecond(was.weight_s, before));
    change.set_after_weight(PerSecond(is.weight_s, after));
    change.set_change(change.after_weight() - change.before_weight());
    change.set_before_own(PerSecond(was.own_s, before));
    change.set_after_own(PerSecond(is.own_s, after));
    change.set_before_waits_per_s(PerSecond(was.count, before));
    change.set_after_waits_per_s(PerSecond(is.count, after));
  }
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return std::abs(a.change()) > std::abs(b.change());
  });
  for (pb::EdgeChange& change : changes) *diff.add_edges() = std::move(change);
}

struct FindingKey {
  std::string kind;
  std::set<VertexKey> members;
  bool operator==(const FindingKey&) const = default;
  bool operator<(const FindingKey& other) const {
    return std::tie(kind, members) < std::tie(other.kind, other.members);
  }
};

std::map<FindingKey, const pb::Finding*> FindingsOf(const pb::Report& report, const Keys& keys) {
  std::map<FindingKey, const pb::Finding*> findings;
  for (const pb::Finding& finding : report.findings()) {
    FindingKey key{finding.kind(), {}};
    for (const uint32_t member : finding.members()) {
      const auto found = keys.find(member);
      if (found != keys.end()) key.members.insert(found->second);
    }
    findings.emplace(std::move(key), &finding);  // of two of the same name the higher rank stays
  }
  return findings;
}

pb::FindingChange ChangeOf(const FindingKey& key, const pb::Finding* was, const pb::Finding* is,
                           const KeyNames& names) {
  pb::FindingChange change;
  change.set_change(!was ? "new" : !is ? "gone" : "stays");
  change.set_kind(key.kind);
  change.set_limit(IsLimit(is ? *is : *was));
  change.set_title(is ? is->title() : was->title());
  for (const VertexKey& member : key.members) change.add_members(names.Name(member));
  if (was) {
    change.set_before_rank(was->rank());
    change.set_before_share(was->share());
    change.set_before_gain(was->upper_bound_gain());
  }
  if (is) {
    change.set_after_rank(is->rank());
    change.set_after_share(is->share());
    change.set_after_gain(is->upper_bound_gain());
  }
  return change;
}

void AddFindingChanges(const std::map<FindingKey, const pb::Finding*>& before,
                       const std::map<FindingKey, const pb::Finding*>& after, const KeyNames& names,
                       pb::ReportDiff& diff) {
  std::vector<pb::FindingChange> changes;
  for (const auto& [key, is] : after) {
    const auto was = before.find(key);
    changes.push_back(ChangeOf(key, was == before.end() ? nullptr : was->second, is, names));
  }
  for (const auto& [key, was] : before) {
    if (after.count(key) == 0) changes.push_back(ChangeOf(key, was, nullptr, names));
  }
  const auto place = [](const pb::FindingChange& change) {
    const uint32_t rank = change.after_rank() != 0 ? change.after_rank() : change.before_rank();
    return std::tuple(!change.limit(), rank, change.after_rank() == 0);
  };
  std::stable_sort(changes.begin(), changes.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
  for (pb::FindingChange& change : changes) *diff.add_findings() = std::move(change);
}

// The highest ranked finding that limits something, with its key.
std::pair<FindingKey, const pb::Finding*> FirstLimit(
    const std::map<FindingKey, const pb::Finding*>& findings) {
  std::pair<FindingKey, const pb::Finding*> first{{}, nullptr};
  for (const auto& [key, finding] : findings) {
    if (!IsLimit(*finding)) continue;
    if (!first.second || finding->rank() < first.second->rank()) first = {key, finding};
  }
  return first;
}

// A title as a part of a sentence.
std::string Quoted(const pb::Finding& finding) {
  std::string title = CleanText(finding.title());
  while (!title.empty() && title.back() == '.') title.pop_back();
  return absl::StrCat("\"", title, "\"");
}

std::string VerdictOf(const std::map<FindingKey, const pb::Finding*>& before,
                      const std::map<FindingKey, const pb::Finding*>& after) {
  const auto [was_key, was] = FirstLimit(before);
  const auto [is_key, is] = FirstLimit(after);
  if (!was && !is) return "Neither recording shows what limits the program.";
  if (!is)
    return absl::StrCat("The limit is gone: ", Quoted(*was), " was it, and now nothing is found.");
  if (!was)
    return absl::StrCat("There is a limit now where none was found before: ", Quoted(*is), ".");
  if (was_key != is_key)
    return absl::StrCat("The limit has moved from ", Quoted(*was), " to ", Quoted(*is), ".");
  const double change = is->share() - was->share();
  if (std::abs(change) < kSameShare)
    return absl::StrCat("The limit is the same: ", Quoted(*is), ", for ", PercentText(is->share()),
                        " of the recording.");
  return absl::StrCat("The limit is the same, ", Quoted(*is), ", but its share has ",
                      change < 0 ? "fallen" : "grown", " from ", PercentText(was->share()), " to ",
                      PercentText(is->share()), " of the recording.");
}

}  // namespace

pb::ReportDiff DiffReports(const pb::Report& before, const pb::Report& after) {
  pb::ReportDiff diff;
  *diff.mutable_before() = before.recording();
  *diff.mutable_after() = after.recording();
  const Keys before_keys = KeysOf(before), after_keys = KeysOf(after);
  KeyNames names;
  names.Add(before_keys);
  names.Add(after_keys);
  const auto before_findings = FindingsOf(before, before_keys),
             after_findings = FindingsOf(after, after_keys);
  diff.set_verdict(VerdictOf(before_findings, after_findings));
  AddFindingChanges(before_findings, after_findings, names, diff);
  AddEdgeChanges(before, after, before_keys, after_keys, names, diff);
  return diff;
}

}  // namespace gordian
