// SPDX-License-Identifier: Apache-2.0
#include "live/fill_frame.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "participation/quality.h"
#include "participation/recorded_participation.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kMostWaits = 20;
constexpr int kMostVertices = 50;

const std::string& LabelOf(const pb::Report& report, uint32_t vertex) {
  return report.vertices(static_cast<int>(vertex)).label();
}

void AddFindings(const pb::Report& report, pb::LiveFrame& frame) {
  for (const pb::Finding& finding : report.findings()) {
    if (finding.apart()) continue;
    pb::LiveFinding& told = *frame.add_findings();
    told.set_kind(finding.kind());
    told.set_title(finding.title());
    for (const uint32_t member : finding.members()) told.add_members(LabelOf(report, member));
    told.set_share(finding.share());
    told.set_upper_bound_gain(finding.upper_bound_gain());
    told.set_sure(finding.sure());
    *told.mutable_why() = finding.why();
    *told.mutable_advice() = finding.advice();
  }
}

void AddWaits(const pb::Report& report, pb::LiveFrame& frame) {
  std::vector<const pb::ReportEdge*> edges;
  for (const pb::ReportEdge& edge : report.edges())
    if (report.vertices(static_cast<int>(edge.from())).in_scope()) edges.push_back(&edge);
  std::stable_sort(edges.begin(), edges.end(),
                   [](const auto* a, const auto* b) { return a->weight_s() > b->weight_s(); });
  double others_s = 0;
  for (size_t i = kMostWaits; i < edges.size(); ++i) others_s += edges[i]->weight_s();
  frame.set_other_waits_s(others_s);
  if (edges.size() > kMostWaits) edges.resize(kMostWaits);
  for (const pb::ReportEdge* edge : edges) {
    pb::LiveWait& told = *frame.add_waits();
    told.set_from(LabelOf(report, edge->from()));
    told.set_to(LabelOf(report, edge->to()));
    told.set_weight_s(edge->weight_s());
    told.set_own_s(edge->own_s());
    told.set_count(edge->count());
    told.set_longest_s(edge->longest_s());
  }
}

std::vector<uint8_t> TargetThreads(const Analysis& analysis) {
  std::vector<uint8_t> is_target;
  for (EntityId thread = 0; thread < analysis.timeline().thread_count(); ++thread)
    is_target.push_back(analysis.wait_for_graph().entities[thread].target ? 1 : 0);
  return is_target;
}

// By vertex.
std::vector<double> ParticipationOfVertices(const Analysis& analysis) {
  const std::vector<uint8_t> is_target = TargetThreads(analysis);
  const WindowParticipation window =
      ParticipationWithin({.timeline = analysis.timeline(), .is_target = is_target},
                          analysis.range().from_ns, analysis.range().to_ns);
  std::vector<double> of_vertex(static_cast<size_t>(analysis.report().vertices_size()));
  for (const StayParticipation& stay : window.stays)
    of_vertex[analysis.merged_graph().vertex_of_entity[stay.thread]] += stay.cp;
  return of_vertex;
}

// Those that do anything.
void AddVertices(const Analysis& analysis, double length_s, pb::LiveFrame& frame) {
  const pb::Report& report = analysis.report();
  const std::vector<double> participation = ParticipationOfVertices(analysis);
  std::vector<const pb::ReportVertex*> vertices;
  for (const pb::ReportVertex& vertex : report.vertices())
    if (vertex.members_size() > 0 &&
        (vertex.run_s() + vertex.runnable_s() > 0 || participation[vertex.id()] > 0))
      vertices.push_back(&vertex);
  std::stable_sort(vertices.begin(), vertices.end(), [&](const auto* a, const auto* b) {
    return std::tuple(participation[a->id()], a->target(), a->run_s() + a->runnable_s()) >
           std::tuple(participation[b->id()], b->target(), b->run_s() + b->runnable_s());
  });
  if (vertices.size() > kMostVertices) vertices.resize(kMostVertices);
  for (const pb::ReportVertex* vertex : vertices) {
    pb::LiveVertex& told = *frame.add_vertices();
    told.set_label(vertex->label());
    told.set_kind(vertex->kind());
    told.set_target(vertex->target());
    told.set_threads(static_cast<uint32_t>(vertex->members_size()));
    told.set_run_share(vertex->run_s() / length_s);
    told.set_runnable_share(vertex->runnable_s() / length_s);
    told.set_wait_share(vertex->wait_s() / length_s);
    told.set_participation(participation[vertex->id()]);
  }
}

std::string NodeName(const WaitForGraph& graph, uint32_t node) {
  return node < graph.nodes.size() ? graph.nodes[node] : "";
}

void AddResources(const WaitForGraph& graph, double length_s, pb::LiveFrame& frame) {
  std::map<uint32_t, uint64_t> run_ns_of_node;
  for (const Entity& entity : graph.entities)
    if (entity.kind == EntityKind::kThread)
      run_ns_of_node[entity.node] += entity.run_ns + entity.spin_ns;
  for (const auto& [node, run_ns] : run_ns_of_node) {
    pb::LiveResource& cpus = *frame.add_resources();
    cpus.set_node(NodeName(graph, node));
    cpus.set_what("cpus");
    cpus.set_use(SecondsOf(run_ns) / length_s);
    cpus.set_capacity(node < graph.node_cpus.size() ? graph.node_cpus[node] : graph.cpus);
  }
  for (const Entity& entity : graph.entities) {
    const bool is_disk = entity.kind == EntityKind::kDisk;
    if ((!is_disk && entity.kind != EntityKind::kNic) || entity.operations == 0) continue;
    pb::LiveResource& device = *frame.add_resources();
    device.set_node(NodeName(graph, entity.node));
    device.set_what(is_disk ? "disk" : "net");
    device.set_name(entity.name);
    device.set_bytes_per_s(static_cast<double>(entity.bytes) / length_s);
    device.set_operations_per_s(static_cast<double>(entity.operations) / length_s);
    device.set_use(is_disk ? SecondsOf(entity.busy_ns) / length_s : device.bytes_per_s());
    if (is_disk) device.set_capacity(1);
  }
}

// Waits that go on over the range's end: what they are for is not known yet.
uint64_t OpenWaits(const Analysis& analysis) {
  const Timeline& timeline = analysis.timeline();
  const uint64_t end_ns = analysis.range().to_ns;
  uint64_t open = 0;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const Entity& entity = timeline.entities()[thread];
    if (!analysis.wait_for_graph().entities[thread].target) continue;
    if (entity.end_ns < end_ns || entity.begin_ns >= end_ns) continue;
    const SegmentCursor at = timeline.SegmentsFrom(thread, end_ns - 1);
    if (at.done()) continue;
    const ThreadSegment& segment = at.segment();
    const bool waits = segment.kind == SegmentKind::kWait || segment.kind == SegmentKind::kSpin;
    open += waits && (at.end_ns() > end_ns || segment.open_end != 0) ? 1 : 0;
  }
  return open;
}

void AddQuality(const Analysis& analysis, pb::LiveFrame& frame) {
  const pb::Report& report = analysis.report();
  pb::LiveQuality& quality = *frame.mutable_quality();
  quality.set_lost(analysis.timeline().lost());
  quality.set_paused_s(SecondsOf(analysis.timeline().pauses().total_ns()));
  quality.set_open_waits(OpenWaits(analysis));
  double all_s = 0;
  double unknown_s = 0;
  for (const pb::ReportThread& thread : report.threads()) {
    if (!thread.target()) continue;
    all_s += thread.run_s() + thread.runnable_s() + thread.wait_s() + thread.spin_s() +
             thread.unknown_s();
    unknown_s += thread.unknown_s();
  }
  if (all_s > 0) quality.set_unknown_share(unknown_s / all_s);
  double waits_s = 0;
  double without_cause_s = 0;
  for (const pb::ReportEdge& edge : report.edges()) {
    if (!report.vertices(static_cast<int>(edge.from())).target()) continue;
    waits_s += edge.own_s();
    if (report.vertices(static_cast<int>(edge.to())).kind() == "unknown")
      without_cause_s += edge.own_s();
  }
  if (waits_s > 0) quality.set_without_cause_share(without_cause_s / waits_s);
  const RecordingQuality known = QualityOf(analysis.timeline(), TargetThreads(analysis),
                                           analysis.range().from_ns, analysis.range().to_ns);
  if (known.range_ns > 0)
    quality.set_stalled_share(static_cast<double>(known.stalled_ns) /
                              static_cast<double>(known.range_ns));
  for (const pb::ReportCounter& counter : report.counters()) {
    if (counter.value() == 0 || counter.severity() == "info") continue;
    pb::LiveCount& count = *quality.add_counts();
    count.set_name(counter.name());
    count.set_value(counter.value());
    count.set_severity(counter.severity());
    count.set_advice(counter.advice());
  }
}

}  // namespace

std::optional<int64_t> RealtimeAt(const Timeline& timeline, uint64_t time_ns) {
  const pb::Session& session = timeline.session();
  if (session.clocks().empty()) return std::nullopt;
  const pb::ClockPair& clock = session.clocks(session.clocks_size() - 1);
  const uint64_t clock_ns = timeline.pauses().ClockTime(time_ns);
  return clock.realtime_ns() + static_cast<int64_t>(clock_ns - clock.monotonic_ns());
}

pb::LiveFrame FrameOf(const Analysis& analysis) {
  const pb::Report& report = analysis.report();
  const TimeRange& range = analysis.range();
  const double length_s = SecondsOf(range.length_ns());
  pb::LiveFrame frame;
  if (const auto at_ns = RealtimeAt(analysis.timeline(), range.to_ns))
    frame.set_at(FormatRealtime(*at_ns));
  frame.set_from_s(SecondsOf(range.from_ns - analysis.timeline().start_ns()));
  frame.set_to_s(SecondsOf(range.to_ns - analysis.timeline().start_ns()));
  frame.set_verdict(report.verdict());
  frame.set_target(report.scope().description());
  frame.set_session(report.recording().name());
  AddFindings(report, frame);
  AddWaits(report, frame);
  AddVertices(analysis, length_s, frame);
  AddResources(analysis.wait_for_graph(), length_s, frame);
  AddQuality(analysis, frame);
  return frame;
}

std::string IdentityOfFirst(const pb::Report& report) {
  for (const pb::Finding& finding : report.findings()) {
    if (finding.apart()) continue;
    std::vector<std::string> names;
    for (const uint32_t member : finding.members()) {
      const pb::ReportVertex& vertex = report.vertices(static_cast<int>(member));
      names.push_back(absl::StrCat(vertex.kind(), " ", vertex.node(), " ", vertex.process(), " ",
                                   vertex.name()));
    }
    std::sort(names.begin(), names.end());
    std::string identity = finding.kind();
    for (const std::string& name : names) absl::StrAppend(&identity, "\n", name);
    return identity;
  }
  return "";
}

}  // namespace gordian
