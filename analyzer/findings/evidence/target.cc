// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/target.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/descent.h"
#include "analyzer/findings/evidence/finding_options.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/evidence/words.h"
#include "words/clean_text.h"
#include "words/command_line.h"
#include "words/quantities.h"

namespace gordian {
namespace {

using Process = std::pair<std::string, int32_t>;  // node, id

absl::Status Missing(const std::string& what) {
  return absl::NotFoundError(absl::StrCat("target: the recording holds no ", what,
                                          "; gordian analyze without it lists what is there"));
}

class UnionFind {
 public:
  explicit UnionFind(size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  uint32_t Find(uint32_t id) {
    while (parent_[id] != id) id = parent_[id] = parent_[parent_[id]];
    return id;
  }
  void Join(uint32_t a, uint32_t b) {
    a = Find(a);
    b = Find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<uint32_t> parent_;
};

bool WorksEnough(const Measures& measures, uint32_t id, double enough_ns) {
  const auto active_ns = static_cast<double>(measures.vertex(id).active_ns());
  return (active_ns > 0 && active_ns >= enough_ns) ||
         measures.OfRecording(measures.DiskWaitNs(id)) >= kMatters;
}

std::vector<char> BusiestGroup(const Measures& measures) {
  const std::vector<Vertex>& vertices = measures.graph().vertices;
  std::vector<char> works(vertices.size());
  UnionFind groups(vertices.size());
  std::map<Process, uint32_t> worker_of_process;
  for (uint32_t id = 0; id < vertices.size(); ++id) {
    const Vertex& vertex = vertices[id];
    if (!vertex.has_threads() || vertex.recorder || vertex.kernel_thread) continue;
    works[id] = WorksEnough(measures, id, kWorks * measures.span_ns());
    if (!works[id] || vertex.pid == 0) continue;
    groups.Join(id, worker_of_process.try_emplace({vertex.node, vertex.pid}, id).first->second);
  }
  for (const Edge& edge : measures.graph().edges) {
    if (works[edge.from] && works[edge.to] && measures.Matters(edge)) {
      groups.Join(edge.from, edge.to);
    }
  }

  std::map<uint32_t, uint64_t> cpu_ns_of_group;
  for (uint32_t id = 0; id < vertices.size(); ++id) {
    if (works[id]) cpu_ns_of_group[groups.Find(id)] += vertices[id].cpu_ns();
  }
  const auto busiest =
      std::max_element(cpu_ns_of_group.begin(), cpu_ns_of_group.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<char> chosen(vertices.size());
  if (busiest == cpu_ns_of_group.end()) return chosen;
  std::set<Process> processes;
  for (uint32_t id = 0; id < vertices.size(); ++id) {
    if (!works[id] || groups.Find(id) != busiest->first) continue;
    chosen[id] = 1;
    if (vertices[id].pid != 0) processes.emplace(vertices[id].node, vertices[id].pid);
  }
  // Their processes' idle threads belong to the target, too.
  for (uint32_t id = 0; id < vertices.size(); ++id) {
    if (vertices[id].has_threads() && processes.count({vertices[id].node, vertices[id].pid}) > 0)
      chosen[id] = 1;
  }
  return chosen;
}

std::string Describe(const Measures& measures, const std::vector<char>& is_target) {
  const std::vector<Vertex>& vertices = measures.graph().vertices;
  std::map<std::string, uint64_t> cpu_ns_of_process;
  uint64_t threads = 0;
  double all_cpu_ns = 0;
  double target_cpu_ns = 0;
  for (uint32_t id = 0; id < vertices.size(); ++id) {
    const auto cpu_ns = static_cast<double>(vertices[id].cpu_ns());
    all_cpu_ns += cpu_ns;
    if (!is_target[id]) continue;
    target_cpu_ns += cpu_ns;
    threads += vertices[id].threads;
    const std::string& process = vertices[id].process;
    cpu_ns_of_process[CleanText(process.empty() ? vertices[id].name : process)] +=
        vertices[id].cpu_ns();
  }
  std::vector<std::pair<uint64_t, std::string>> busiest_first;
  busiest_first.reserve(cpu_ns_of_process.size());
  for (const auto& [name, cpu_ns] : cpu_ns_of_process) busiest_first.emplace_back(cpu_ns, name);
  std::stable_sort(busiest_first.begin(), busiest_first.end(), std::greater<>());
  std::vector<std::string> names;
  names.reserve(busiest_first.size());
  for (auto& [cpu_ns, name] : busiest_first) names.push_back(std::move(name));
  if (threads == 0) return "no thread did any work";
  return absl::StrCat(Enumerate(names), ": ", FormatCount(threads, "thread"), ", ",
                      PercentText(all_cpu_ns > 0 ? target_cpu_ns / all_cpu_ns : 0),
                      " of all recorded CPU time");
}

}  // namespace

absl::Status MarkNamedTargets(const FindingOptions& options, WaitForGraph& graph) {
  const auto& pids = options.target_pids;
  const auto& comms = options.target_comms;
  const auto& cgroups = options.target_cgroup_ids;
  const auto& nodes = options.target_nodes;
  const bool by_node_alone = pids.empty() && comms.empty() && cgroups.empty();
  if (by_node_alone && nodes.empty()) return absl::OkStatus();
  for (Entity& entity : graph.entities) entity.target = false;

  const auto on_named_node = [&](const Entity& entity) {
    return nodes.empty() ||
           (entity.node < graph.nodes.size() &&
            std::find(nodes.begin(), nodes.end(), graph.nodes[entity.node]) != nodes.end());
  };
  for (const std::string& node : nodes) {
    if (std::find(graph.nodes.begin(), graph.nodes.end(), node) == graph.nodes.end())
      return Missing(absl::StrCat("node named '", node, "'"));
  }
  const auto mark = [&](const auto& is_named) {
    bool found = false;
    for (Entity& entity : graph.entities) {
      if (entity.kind != EntityKind::kThread && entity.kind != EntityKind::kVirtual) continue;
      if (!on_named_node(entity)) continue;
      if (!is_named(entity)) continue;
      entity.target = found = true;
    }
    return found;
  };
  if (by_node_alone) mark([](const Entity& e) { return !e.kernel_thread && !e.recorder; });
  for (const int32_t pid : pids) {
    if (!mark([&](const Entity& e) { return e.tgid == pid || e.tid == pid; })) {
      return Missing(absl::StrCat("process ", pid));
    }
  }
  MarkDescendants(graph);
  for (const std::string& comm : comms) {
    // The kernel may call a script by its interpreter.
    if (!mark([&](const Entity& e) { return e.name == comm || e.process_name == comm; }) &&
        !mark(
            [&](const Entity& e) { return IsCommandCalled(e.command, comm, /*exactly=*/true); })) {
      return Missing(absl::StrCat("thread or process named '", comm, "'"));
    }
  }
  for (const uint64_t cgroup : cgroups) {
    if (!mark([&](const Entity& e) { return e.cgroup_id == cgroup; })) {
      return Missing(absl::StrCat("thread of cgroup ", cgroup));
    }
  }
  return absl::OkStatus();
}

Target ChooseTarget(const Measures& measures, bool named_by_option) {
  const std::vector<Vertex>& vertices = measures.graph().vertices;
  Target target;
  target.is_target.resize(vertices.size());
  bool marked = false;
  for (uint32_t id = 0; id < vertices.size(); ++id) {
    if (vertices[id].recorder || !vertices[id].has_threads()) continue;
    target.is_target[id] = vertices[id].target;
    marked |= vertices[id].target;
  }
  target.chosen_by = named_by_option ? "option" : marked ? "recording" : "busiest group";
  if (!marked) target.is_target = BusiestGroup(measures);

  double active_ns = 0;
  for (uint32_t id = 0; id < vertices.size(); ++id) {
    if (target.is_target[id]) active_ns += static_cast<double>(vertices[id].active_ns());
  }
  const double enough_ns = kWorks * std::min(active_ns, measures.span_ns());
  for (uint32_t id = 0; id < vertices.size(); ++id) {
    if (target.is_target[id] && WorksEnough(measures, id, enough_ns)) {
      target.workers.push_back(id);
    }
  }
  target.description = Describe(measures, target.is_target);
  return target;
}

bool IsOutsider(const Measures& measures, const Target& target, uint32_t id) {
  const Vertex& vertex = measures.vertex(id);
  return vertex.has_threads() && !vertex.kernel_thread && !target.is_target[id];
}

}  // namespace gordian
