// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/report_graph.h"

#include "base/time_units.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

void WriteThreads(const WaitForGraph& recording, const Measures& measures, const Target& target,
                  pb::Report& report) {
  for (EntityId id = 0; id < recording.entities.size(); ++id) {
    const Entity& entity = recording.entities[id];
    if (entity.kind != EntityKind::kThread) continue;
    const uint32_t vertex = measures.graph().vertex_of_entity[id];
    pb::ReportThread& thread = *report.add_threads();
    thread.set_id(id);
    thread.set_tid(entity.tid);
    thread.set_pid(entity.tgid);
    thread.set_name(CleanText(entity.name));
    thread.set_process(CleanText(entity.process_name));
    thread.set_run_s(SecondsOf(entity.run_ns));
    thread.set_runnable_s(SecondsOf(entity.runnable_ns));
    thread.set_wait_s(SecondsOf(entity.wait_ns));
    thread.set_spin_s(SecondsOf(entity.spin_ns));
    thread.set_unknown_s(SecondsOf(entity.unknown_ns));
    thread.set_target(target.is_target[vertex] != 0);
    thread.set_vertex(vertex);
    if (entity.node < recording.nodes.size())
      thread.set_node(CleanText(recording.nodes[entity.node]));
  }
}

void WriteVertices(const WaitForGraph& recording, const Measures& measures,
                   const VertexLabels& labels, const Scope& scope, const Target& target,
                   pb::Report& report) {
  for (uint32_t id = 0; id < measures.graph().vertices.size(); ++id) {
    const Vertex& vertex = measures.vertex(id);
    pb::ReportVertex& out = *report.add_vertices();
    out.set_id(id);
    out.set_name(CleanText(vertex.name));
    out.set_label(labels.label(id));
    out.set_kind(std::string(VertexKindName(vertex.kind)));
    out.set_tid(vertex.tid);
    out.set_pid(vertex.pid);
    out.set_process(CleanText(vertex.process));
    out.set_node(CleanText(vertex.node));
    out.set_container(CleanText(vertex.container));
    for (const EntityId member : vertex.members) {
      if (recording.entities[member].kind == EntityKind::kThread) out.add_members(member);
    }
    out.set_target(target.is_target[id] != 0);
    out.set_in_scope(scope.contains[id] != 0);
    out.set_run_s(SecondsOf(vertex.cpu_ns()));
    out.set_runnable_s(SecondsOf(vertex.runnable_ns));
    out.set_wait_s(SecondsOf(vertex.wait_ns));
    out.set_busy_s(SecondsOf(vertex.busy_ns));
  }
}

}  // namespace

void WriteGraph(const WaitForGraph& recording, const Measures& measures, const VertexLabels& labels,
                const Scope& scope, const Target& target, pb::Report& report) {
  pb::RecordingSummary& summary = *report.mutable_recording();
  const bool forwards = recording.end_ns > recording.start_ns;
  summary.set_seconds(forwards ? SecondsOf(recording.end_ns - recording.start_ns) : 0);
  summary.set_cpus(recording.cpus);
  summary.set_events(recording.events);
  summary.set_lost(recording.lost);
  summary.set_missing_blocks(recording.missing_blocks);
  double unknown_s = 0;
  for (const uint32_t id : scope.vertices) unknown_s += SecondsOf(measures.vertex(id).unknown_ns);
  summary.set_unknown_s(unknown_s);

  WriteThreads(recording, measures, target, report);
  WriteVertices(recording, measures, labels, scope, target, report);
  for (const Edge& edge : measures.graph().edges) {
    pb::ReportEdge& out = *report.add_edges();
    out.set_from(edge.from);
    out.set_to(edge.to);
    out.set_weight_s(SecondsOf(edge.weight_ns));
    out.set_own_s(SecondsOf(edge.own_ns));
    out.set_count(edge.count);
    out.set_longest_s(SecondsOf(edge.longest_ns));
  }
}

}  // namespace gordian
