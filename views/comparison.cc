// SPDX-License-Identifier: Apache-2.0
#include "views/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "report/finding_keys.h"
#include "report/report_diff.h"
#include "report/vertex_names.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// A name is of one thread wherever it runs: its process is told where names do not differ.
using ProcessesOfName = std::map<std::string, std::set<std::string>>;

std::string NameOf(const VertexKey& key, const ProcessesOfName& processes) {
  const bool is_shared = processes.at(key.name).size() > 1 && !key.process.empty();
  return CleanText(is_shared ? absl::StrCat(key.process, "/", key.name) : key.name);
}

void AddUse(const pb::ReportVertex& vertex, double seconds, ComparedUse& use) {
  use.threads += static_cast<uint64_t>(std::max(1, vertex.members_size()));
  if (!(seconds > 0)) return;
  use.run += (IsThreadKind(vertex.kind()) ? vertex.run_s() : vertex.busy_s()) / seconds;
  use.runnable += vertex.runnable_s() / seconds;
  use.wait += vertex.wait_s() / seconds;
}

double ChangeOf(const ComparedName& name) {
  return std::max({std::abs(name.after.run - name.before.run),
                   std::abs(name.after.runnable - name.before.runnable),
                   std::abs(name.after.wait - name.before.wait)});
}

std::vector<ComparedName> UsesOf(const pb::Report& before, const pb::Report& after) {
  std::map<VertexKey, ComparedName> uses;
  ProcessesOfName processes;
  const auto add = [&uses, &processes](const pb::Report& report, ComparedUse ComparedName::*side) {
    const VertexKeys keys = KeysOf(report);
    for (const pb::ReportVertex& vertex : report.vertices()) {
      const VertexKey& key = keys.at(vertex.id());
      processes[key.name].insert(key.process);
      ComparedName& name = uses[key];
      name.kind = key.kind;
      name.in_scope |= vertex.in_scope() || vertex.target();
      AddUse(vertex, report.recording().seconds(), name.*side);
    }
  };
  add(before, &ComparedName::before);
  add(after, &ComparedName::after);
  std::vector<ComparedName> list;
  for (auto& [key, name] : uses) {
    name.name = NameOf(key, processes);
    list.push_back(std::move(name));
  }
  std::stable_sort(list.begin(), list.end(), [](const ComparedName& a, const ComparedName& b) {
    return ChangeOf(a) > ChangeOf(b);
  });
  return list;
}

}  // namespace

ComparedReports CompareReports(const pb::Report& before, const pb::Report& after) {
  ComparedReports compared{.diff = DiffReports(before, after), .uses = UsesOf(before, after)};
  auto& edges = *compared.diff.mutable_edges();
  if (const auto most = static_cast<int>(kMostComparedEdges); edges.size() > most) {
    compared.edges_left_out = static_cast<uint64_t>(edges.size() - most);
    edges.DeleteSubrange(most, edges.size() - most);
  }
  if (compared.uses.size() > kMostComparedUses) {
    compared.uses_left_out = compared.uses.size() - kMostComparedUses;
    compared.uses.resize(kMostComparedUses);
  }
  return compared;
}

}  // namespace gordian
