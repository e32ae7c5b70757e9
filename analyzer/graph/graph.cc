// SPDX-License-Identifier: Apache-2.0
#include "analyzer/graph/graph.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "analyzer/cascade/edge_totals.h"
#include "analyzer/graph/graphs_of_parts.h"
#include "analyzer/graph/group_rule.h"
#include "analyzer/graph/similar_threads.h"

namespace gordian {
namespace {

VertexKind KindOf(EntityKind kind) {
  switch (kind) {
    case EntityKind::kThread:
      return VertexKind::kThread;
    case EntityKind::kVirtual:
      return VertexKind::kGroup;
    case EntityKind::kDisk:
      return VertexKind::kDisk;
    case EntityKind::kNic:
      return VertexKind::kNic;
    case EntityKind::kTimer:
      return VertexKind::kTimer;
    case EntityKind::kIrq:
      return VertexKind::kIrq;
    case EntityKind::kRemote:
      return VertexKind::kRemote;
    case EntityKind::kLink:
      return VertexKind::kLink;
    case EntityKind::kHeldBack:
      return VertexKind::kHeldBack;
    case EntityKind::kUnknown:
      return VertexKind::kUnknown;
  }
  return VertexKind::kUnknown;
}

// A set of entities on its way to be a vertex. The strands come first among the members.
struct Draft {
  std::string name;  // empty: its only strand's
  bool group = false;
  std::vector<EntityId> strands;
  std::vector<EntityId> short_lived;
};

// The entity that stands for this one. Chains are short. If a damaged recording makes a circle,
// every entity in it stands for itself.
EntityId StrandOf(const WaitForGraph& graph, EntityId id) {
  constexpr int kLongestChain = 8;
  EntityId strand = id;
  for (int step = 0; step < kLongestChain; ++step) {
    const EntityId next = graph.entities[strand].merged_into;
    if (next >= graph.entities.size() || next == strand) return strand;
    strand = next;
  }
  return id;
}

std::vector<Draft> DraftVertices(const WaitForGraph& graph, const GraphOptions& options,
                                 const GroupMatcher* groups, std::vector<MergeNote>& notes) {
  std::vector<Draft> drafts;
  std::map<std::string, size_t> draft_of_group;
  std::vector<EntityId> candidates;
  for (EntityId id = 0; id < graph.entities.size(); ++id) {
    const Entity& entity = graph.entities[id];
    if (StrandOf(graph, id) != id) continue;
    const bool threads = entity.kind == EntityKind::kThread || entity.kind == EntityKind::kVirtual;
    const bool may_match = groups != nullptr && threads;
    if (const std::string* group =
            may_match ? groups->GroupOf(id, entity.name, entity.process_name) : nullptr) {
      const auto [place, is_new] = draft_of_group.try_emplace(*group, drafts.size());
      if (is_new) drafts.push_back({*group, true, {}, {}});
      drafts[place->second].strands.push_back(id);
    } else if (options.merge_similar && entity.kind == EntityKind::kThread) {
      candidates.push_back(id);
    } else {
      drafts.push_back({"", entity.kind == EntityKind::kVirtual, {id}, {}});
    }
  }

  std::vector<char> merged(graph.entities.size());
  for (SimilarThreads& similar : FindSimilarThreads(graph, candidates, options, notes)) {
    for (const EntityId id : similar.members) merged[id] = 1;
    drafts.push_back({std::move(similar.name), true, std::move(similar.members), {}});
  }
  for (const EntityId id : candidates) {
    if (!merged[id]) drafts.push_back({"", false, {id}, {}});
  }
  return drafts;
}

// By label, then by thread id; entity ids decide only between twins.
void SortDrafts(const WaitForGraph& graph, std::vector<Draft>& drafts) {
  for (Draft& draft : drafts) {
    std::sort(draft.strands.begin(), draft.strands.end(), [&](EntityId a, EntityId b) {
      const Entity& first = graph.entities[a];
      const Entity& second = graph.entities[b];
      return std::tie(first.tid, first.start_time_ns, first.name, a) <
             std::tie(second.tid, second.start_time_ns, second.name, b);
    });
    if (draft.name.empty()) draft.name = graph.entities[draft.strands[0]].name;
  }
  const auto key = [&](const Draft& draft) {
    const Entity& first = graph.entities[draft.strands[0]];
    const bool threads = first.kind == EntityKind::kThread || first.kind == EntityKind::kVirtual;
    return std::make_tuple(threads ? 0 : 1 + static_cast<int>(first.kind),
                           std::cref(draft.name).get(), first.node, first.tgid, first.tid,
                           first.start_time_ns, first.device, draft.strands[0]);
  };
  std::sort(drafts.begin(), drafts.end(),
            [&](const Draft& a, const Draft& b) { return key(a) < key(b); });
}

// The sums over the strands and whose target they are: all that differs from one time to another.
void ForgetTimes(Vertex& vertex) {
  for (uint64_t* const sum :
       {&vertex.run_ns, &vertex.runnable_ns, &vertex.wait_ns, &vertex.spin_ns, &vertex.unknown_ns,
        &vertex.life_ns, &vertex.busy_ns, &vertex.several_ns, &vertex.operations,
        &vertex.requests_without_end, &vertex.most_run_ns, &vertex.most_active_ns})
    *sum = 0;
  vertex.busiest_tid = 0;
  vertex.target = false;
}

void AddStrand(const Entity& entity, Vertex& vertex) {
  vertex.run_ns += entity.run_ns;
  vertex.runnable_ns += entity.runnable_ns;
  vertex.wait_ns += entity.wait_ns;
  vertex.spin_ns += entity.spin_ns;
  vertex.unknown_ns += entity.unknown_ns;
  vertex.busy_ns += entity.busy_ns;
  vertex.several_ns += entity.several_ns;
  vertex.operations += entity.operations;
  vertex.requests_without_end += entity.requests_without_end;
  if (entity.end_ns > entity.begin_ns) vertex.life_ns += entity.end_ns - entity.begin_ns;
  const uint64_t cpu_ns = entity.run_ns + entity.spin_ns;
  vertex.most_run_ns = std::max(vertex.most_run_ns, cpu_ns);
  if (cpu_ns + entity.runnable_ns > vertex.most_active_ns) {
    vertex.most_active_ns = cpu_ns + entity.runnable_ns;
    vertex.busiest_tid = entity.tid;
  }
}

Vertex MakeVertex(const WaitForGraph& graph, const Draft& draft) {
  const Entity& first = graph.entities[draft.strands[0]];
  Vertex vertex;
  vertex.kind = draft.group ? VertexKind::kGroup : KindOf(first.kind);
  vertex.name = draft.name;
  vertex.process = first.process_name;
  vertex.container = first.container;
  vertex.tid = vertex.kind == VertexKind::kThread ? first.tid : 0;
  vertex.pid = first.tgid;
  if (first.kind != EntityKind::kLink && first.node < graph.nodes.size())
    vertex.node = graph.nodes[first.node];
  vertex.strands = static_cast<uint32_t>(draft.strands.size());
  vertex.recorder = true;
  vertex.kernel_thread = true;
  for (const EntityId id : draft.strands) {
    const Entity& entity = graph.entities[id];
    AddStrand(entity, vertex);
    vertex.members.push_back(id);
    vertex.target |= entity.target;
    vertex.recorder &= entity.recorder;
    vertex.kernel_thread &= entity.kernel_thread;
    if (entity.tgid != vertex.pid || entity.node != first.node) vertex.pid = 0;
    if (entity.process_name != vertex.process) vertex.process.clear();
    if (entity.node != first.node) vertex.node.clear();
    if (entity.container != first.container) vertex.container.clear();
  }
  for (const EntityId id : draft.short_lived) {
    vertex.members.push_back(id);
    vertex.target |= graph.entities[id].target;
  }
  for (const EntityId id : vertex.members) {
    if (graph.entities[id].kind == EntityKind::kThread) ++vertex.threads;
  }
  return vertex;
}

void TakeTimesOf(const WaitForGraph& part, Vertex& vertex) {
  ForgetTimes(vertex);
  for (const EntityId id : vertex.members) {
    const Entity& entity = part.entities[id];
    vertex.target |= entity.target;
    if (StrandOf(part, id) == id) AddStrand(entity, vertex);
  }
}

// There may be millions, of which few are left.
std::vector<Edge> MergeEdges(const WaitForGraph& graph, const std::vector<uint32_t>& vertex_of,
                             size_t vertices) {
  EdgeTotals merged(vertices, graph.start_ns, graph.end_ns);
  for (Edge edge : graph.edges) {
    edge.from = vertex_of[edge.from];
    edge.to = vertex_of[edge.to];
    merged.Add(edge);
  }
  return merged.TakeSorted();
}

// Threads of one vertex may ask each other, too: that tells no vertex from another.
std::vector<QuestionCount> MergeQuestions(const WaitForGraph& graph,
                                          const std::vector<uint32_t>& vertex_of) {
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> counts;
  for (const QuestionCount& question : graph.questions) {
    const uint32_t asker = vertex_of[question.asker];
    const uint32_t answerer = vertex_of[question.answerer];
    if (asker != answerer) counts[{asker, answerer}] += question.count;
  }
  std::vector<QuestionCount> questions;
  questions.reserve(counts.size());
  for (const auto& [pair, count] : counts) questions.push_back({pair.first, pair.second, count});
  return questions;
}

// Everything except edges and questions. `groups` may be null.
MergedGraph BuildVertices(const WaitForGraph& graph, const GraphOptions& options,
                          const GroupMatcher* groups) {
  MergedGraph merged;
  std::vector<Draft> drafts = DraftVertices(graph, options, groups, merged.merge_notes);
  SortDrafts(graph, drafts);

  merged.vertex_of_entity.resize(graph.entities.size());
  for (uint32_t vertex = 0; vertex < drafts.size(); ++vertex) {
    for (const EntityId id : drafts[vertex].strands) merged.vertex_of_entity[id] = vertex;
  }
  for (EntityId id = 0; id < graph.entities.size(); ++id) {
    const EntityId strand = StrandOf(graph, id);
    if (strand == id) continue;
    merged.vertex_of_entity[id] = merged.vertex_of_entity[strand];
    drafts[merged.vertex_of_entity[id]].short_lived.push_back(id);
  }
  for (const Draft& draft : drafts) merged.vertices.push_back(MakeVertex(graph, draft));
  return merged;
}

}  // namespace

std::string_view VertexKindName(VertexKind kind) {
  switch (kind) {
    case VertexKind::kThread:
      return "thread";
    case VertexKind::kGroup:
      return "group";
    case VertexKind::kDisk:
      return "disk";
    case VertexKind::kNic:
      return "nic";
    case VertexKind::kTimer:
      return "timer";
    case VertexKind::kIrq:
      return "irq";
    case VertexKind::kRemote:
      return "remote";
    case VertexKind::kLink:
      return "link";
    case VertexKind::kHeldBack:
      return "held_back";
    case VertexKind::kUnknown:
      return "unknown";
  }
  return "unknown";
}

absl::StatusOr<MergedGraph> BuildGraph(const WaitForGraph& graph, const GraphOptions& options) {
  MergedGraph merged = BuildVertices(graph, options, nullptr);
  if (!options.groups.empty()) {
    const absl::StatusOr<GroupMatcher> groups = GroupMatcher::Make(options.groups, merged);
    if (!groups.ok()) return groups.status();
    merged = BuildVertices(graph, options, &*groups);
  }
  merged.edges = MergeEdges(graph, merged.vertex_of_entity, merged.vertices.size());
  merged.questions = MergeQuestions(graph, merged.vertex_of_entity);
  return merged;
}

MergedGraph BuildGraphLike(const MergedGraph& whole, const WaitForGraph& part) {
  MergedGraph merged;
  BuildGraphLikeInto(whole, part, merged);
  return merged;
}

void BuildGraphLikeInto(const MergedGraph& whole, const WaitForGraph& part, MergedGraph& merged) {
  merged.merge_notes.clear();
  merged.vertex_of_entity = whole.vertex_of_entity;
  merged.vertices = whole.vertices;
  for (Vertex& vertex : merged.vertices) TakeTimesOf(part, vertex);
  merged.edges = MergeEdges(part, merged.vertex_of_entity, merged.vertices.size());
  merged.questions = MergeQuestions(part, merged.vertex_of_entity);
}

}  // namespace gordian
