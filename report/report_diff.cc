// SPDX-License-Identifier: Apache-2.0
#include "report/report_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "report/finding_keys.h"
#include "report/limits.h"
#include "report/thresholds.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// The name alone says it, unless two processes share it.
class KeyNames {
 public:
  void Add(const VertexKeys& keys) {
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

// Per second of recording.
struct EdgeRates {
  double weight = 0;
  double own = 0;
  double waits = 0;
};
using EdgeTable = std::map<std::pair<VertexKey, VertexKey>, EdgeRates>;

// A finding in the recordings of a side.
struct SideFinding {
  const pb::Finding* best = nullptr;  // of the highest rank
  uint32_t recordings = 0;
  uint32_t first_limits = 0;  // of them: those whose first limit it is
  double shares = 0;          // sums
  double gains = 0;

  double share() const { return shares / recordings; }
  double gain() const { return gains / recordings; }
};
using SideFindings = std::map<FindingKey, SideFinding>;

struct Side {
  std::set<VertexKey> in_scope;  // that belong to the target
  EdgeTable edges;               // means over its recordings
  SideFindings findings;
  uint32_t recordings = 0;
};

void AddEdges(const pb::Report& report, const VertexKeys& keys, size_t recordings,
              EdgeTable& edges) {
  const double seconds = report.recording().seconds() * static_cast<double>(recordings);
  if (!(seconds > 0)) return;
  for (const pb::ReportEdge& edge : report.edges()) {
    const auto from = keys.find(edge.from()), to = keys.find(edge.to());
    if (from == keys.end() || to == keys.end()) continue;
    EdgeRates& rates = edges[{from->second, to->second}];
    rates.weight += edge.weight_s() / seconds;
    rates.own += edge.own_s() / seconds;
    rates.waits += static_cast<double>(edge.count()) / seconds;
  }
}

void AddFindings(const pb::Report& report, const VertexKeys& keys, SideFindings& findings) {
  std::set<FindingKey> seen;
  const pb::Finding* const first = FirstLimit(report);
  for (const pb::Finding& finding : report.findings()) {
    FindingKey key = KeyOf(finding, keys);
    if (!seen.insert(key).second) continue;  // of two of the same name the higher rank stays
    SideFinding& its = findings[std::move(key)];
    if (its.best == nullptr || finding.rank() < its.best->rank()) its.best = &finding;
    ++its.recordings;
    if (&finding == first) ++its.first_limits;
    its.shares += finding.share();
    its.gains += finding.upper_bound_gain();
  }
}

Side SideOf(std::span<const pb::Report> reports, KeyNames& names) {
  Side side;
  side.recordings = static_cast<uint32_t>(reports.size());
  for (const pb::Report& report : reports) {
    const VertexKeys keys = KeysOf(report);
    names.Add(keys);
    for (const pb::ReportVertex& vertex : report.vertices()) {
      if (vertex.in_scope() || vertex.target()) side.in_scope.insert(keys.at(vertex.id()));
    }
    AddEdges(report, keys, reports.size(), side.edges);
    AddFindings(report, keys, side.findings);
  }
  return side;
}

void AddEdgeChanges(const Side& before, const Side& after, const KeyNames& names,
                    pb::ReportDiff& diff) {
  std::set<std::pair<VertexKey, VertexKey>> all;
  for (const auto& [pair, rates] : before.edges) all.insert(pair);
  for (const auto& [pair, rates] : after.edges) all.insert(pair);
  const auto rates_in = [](const EdgeTable& table, const auto& pair) {
    const auto found = table.find(pair);
    return found == table.end() ? EdgeRates() : found->second;
  };
  std::vector<pb::EdgeChange> changes;
  for (const auto& pair : all) {
    const EdgeRates was = rates_in(before.edges, pair), is = rates_in(after.edges, pair);
    pb::EdgeChange& change = changes.emplace_back();
    change.set_from(names.Name(pair.first));
    change.set_in_scope(before.in_scope.count(pair.first) + after.in_scope.count(pair.first) > 0);
    change.set_to(names.Name(pair.second));
    change.set_before_weight(was.weight);
    change.set_after_weight(is.weight);
    change.set_change(is.weight - was.weight);
    change.set_before_own(was.own);
    change.set_after_own(is.own);
    change.set_before_waits_per_s(was.waits);
    change.set_after_waits_per_s(is.waits);
  }
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return std::abs(a.change()) > std::abs(b.change());
  });
  for (pb::EdgeChange& change : changes) *diff.add_edges() = std::move(change);
}

const SideFinding* FindIn(const SideFindings& findings, const FindingKey& key) {
  const auto found = findings.find(key);
  return found == findings.end() ? nullptr : &found->second;
}

pb::FindingChange ChangeOf(const FindingKey& key, const SideFinding* was, const SideFinding* is,
                           const KeyNames& names) {
  pb::FindingChange change;
  const pb::Finding& shown = is ? *is->best : *was->best;
  change.set_change(!was ? "new" : !is ? "gone" : "stays");
  change.set_kind(key.kind);
  change.set_limit(IsLimit(shown));
  change.set_title(shown.title());
  for (const VertexKey& member : key.members) change.add_members(names.Name(member));
  if (was) {
    change.set_before_rank(was->best->rank());
    change.set_before_share(was->share());
    change.set_before_gain(was->gain());
    change.set_before_recordings(was->recordings);
  }
  if (is) {
    change.set_after_rank(is->best->rank());
    change.set_after_share(is->share());
    change.set_after_gain(is->gain());
    change.set_after_recordings(is->recordings);
  }
  return change;
}

void AddFindingChanges(const SideFindings& before, const SideFindings& after, const KeyNames& names,
                       pb::ReportDiff& diff) {
  std::vector<pb::FindingChange> changes;
  for (const auto& [key, is] : after)
    changes.push_back(ChangeOf(key, FindIn(before, key), &is, names));
  for (const auto& [key, was] : before) {
    if (after.count(key) == 0) changes.push_back(ChangeOf(key, &was, nullptr, names));
  }
  const auto place = [](const pb::FindingChange& change) {
    const uint32_t rank = change.after_rank() != 0 ? change.after_rank() : change.before_rank();
    return std::tuple(!change.limit(), rank, change.after_rank() == 0);
  };
  std::stable_sort(changes.begin(), changes.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
  for (pb::FindingChange& change : changes) *diff.add_findings() = std::move(change);
}

// The limit that comes first in most recordings; nothing if most have none.
std::pair<FindingKey, const SideFinding*> FirstLimitOf(const Side& side) {
  std::pair<FindingKey, const SideFinding*> first{{}, nullptr};
  uint32_t without = side.recordings;
  for (const auto& [key, finding] : side.findings) {
    without -= finding.first_limits;
    if (finding.first_limits == 0) continue;
    const auto place = [](const SideFinding& its) {
      return std::pair(-static_cast<int64_t>(its.first_limits), its.best->rank());
    };
    if (!first.second || place(finding) < place(*first.second)) first = {key, &finding};
  }
  if (first.second && without > first.second->first_limits) first.second = nullptr;
  return first;
}

// A title as a part of a sentence.
std::string Quoted(const SideFinding& finding) {
  std::string title = CleanText(finding.best->title());
  while (!title.empty() && title.back() == '.') title.pop_back();
  return absl::StrCat("\"", title, "\"");
}

std::string VerdictOf(const Side& before, const Side& after) {
  const auto [was_key, was] = FirstLimitOf(before);
  const auto [is_key, is] = FirstLimitOf(after);
  const bool one_each = before.recordings == 1 && after.recordings == 1;
  if (!was && !is)
    return one_each ? "Neither recording shows what limits the program."
                    : "The recordings do not show what limits the program.";
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

pb::ReportDiff DiffReports(std::span<const pb::Report> before, std::span<const pb::Report> after) {
  pb::ReportDiff diff;
  *diff.mutable_before() = before.front().recording();
  *diff.mutable_after() = after.front().recording();
  for (const pb::Report& report : before) *diff.add_before_recordings() = report.recording();
  for (const pb::Report& report : after) *diff.add_after_recordings() = report.recording();
  KeyNames names;
  const Side was = SideOf(before, names), is = SideOf(after, names);
  diff.set_verdict(VerdictOf(was, is));
  AddFindingChanges(was.findings, is.findings, names, diff);
  AddEdgeChanges(was, is, names, diff);
  return diff;
}

pb::ReportDiff DiffReports(const pb::Report& before, const pb::Report& after) {
  return DiffReports(std::span(&before, 1), std::span(&after, 1));
}

}  // namespace gordian
