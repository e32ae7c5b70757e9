// SPDX-License-Identifier: Apache-2.0
// Properties that hold for the findings of any graph, even a strange one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "analyzer/findings/findings.h"
#include "analyzer/findings/graph_table.h"

namespace gordian {
namespace {

constexpr uint64_t kSpanNs = 1'000'000;

uint64_t AnyTime() { return static_cast<uint64_t>(*rc::gen::inRange(0, 1'000'001)); }

Entity AnyEntity(int32_t tid) {
  Entity entity;
  entity.kind = *rc::gen::element(EntityKind::kThread, EntityKind::kThread, EntityKind::kThread,
                                  EntityKind::kThread, EntityKind::kVirtual, EntityKind::kDisk,
                                  EntityKind::kNic, EntityKind::kTimer, EntityKind::kIrq,
                                  EntityKind::kRemote, EntityKind::kUnknown);
  entity.name = *rc::gen::element<std::string>("a", "b", "worker-1", "worker-2", "app", "");
  entity.process_name = "app";
  entity.tid = tid;
  entity.tgid = *rc::gen::element(100, 200);
  entity.parent_tid = *rc::gen::element(0, 1);
  entity.device = static_cast<uint32_t>(tid);
  entity.recorder = *rc::gen::inRange(0, 8) == 0;
  entity.target = *rc::gen::inRange(0, 2) == 0;
  entity.kernel_thread = *rc::gen::inRange(0, 8) == 0;
  entity.end_ns = kSpanNs;
  entity.run_ns = AnyTime();
  entity.runnable_ns = (kSpanNs - entity.run_ns) / 4;
  entity.wait_ns = kSpanNs - entity.run_ns - entity.runnable_ns;
  entity.busy_ns = entity.run_ns;
  return entity;
}

WaitForGraph AnyGraph() {
  WaitForGraph graph;
  graph.end_ns = kSpanNs;
  graph.cpus = *rc::gen::inRange(0u, 5u);
  graph.events = 1000;
  graph.lost = static_cast<uint64_t>(*rc::gen::element(0, 0, 10, 100000));
  graph.cyclic_links = static_cast<uint64_t>(*rc::gen::element(0, 0, 7));
  const auto count = *rc::gen::inRange(1u, 14u);
  for (uint32_t i = 0; i < count; ++i) {
    graph.entities.push_back(AnyEntity(static_cast<int32_t>(1000 + i)));
    if (i > 0 && *rc::gen::inRange(0, 6) == 0) {
      graph.entities.back().merged_into = *rc::gen::inRange(0u, i);
    }
  }
  const bool dense = *rc::gen::arbitrary<bool>();
  for (uint32_t from = 0; from < count; ++from) {
    for (uint32_t to = 0; to < count; ++to) {
      if (*rc::gen::inRange(0, dense ? 2 : 6) != 0) continue;
      const uint64_t own_ns = AnyTime();
      graph.edges.push_back({from, to,
                             own_ns + AnyTime() * static_cast<uint64_t>(*rc::gen::inRange(0, 3)),
                             own_ns, static_cast<uint64_t>(*rc::gen::inRange(1, 100)), own_ns});
    }
  }
  return graph;
}

struct AnyOptions {
  GraphOptions merging;
  FindingOptions finding;
};

AnyOptions GenerateOptions() {
  AnyOptions any;
  any.merging.merge_similar = *rc::gen::arbitrary<bool>();
  FindingOptions& options = any.finding;
  options.threshold = *rc::gen::element(0.0, 0.05, 0.2, 0.9);
  options.max_vertices = *rc::gen::element(0, 0, 1, 3);
  options.keep_background = *rc::gen::arbitrary<bool>();
  options.explain = *rc::gen::arbitrary<bool>();
  options.recording.set_complete(*rc::gen::arbitrary<bool>());
  options.recording.set_chains_end_at_targets(*rc::gen::inRange(0, 4) == 0);
  return any;
}

pb::Report Judged(const WaitForGraph& graph, const AnyOptions& options) {
  return MergeAndJudge(graph, options.merging, options.finding).value();
}

std::string Names(const pb::Report& report, const pb::Finding& finding) {
  std::multiset<std::string> names;
  for (const uint32_t id : finding.members()) {
    const pb::ReportVertex& vertex = report.vertices(static_cast<int>(id));
    names.insert(vertex.kind() + " " + vertex.name() + " " + std::to_string(vertex.tid()));
  }
  std::string text = finding.kind();
  for (const std::string& name : names) text += ", " + name;
  return text;
}

// Short-lived threads do not count: their virtual thread stands for them.
bool OnlyRecorders(const WaitForGraph& graph, const pb::Report& report, uint32_t vertex) {
  bool any = false;
  for (const uint32_t thread : report.vertices(static_cast<int>(vertex)).members()) {
    if (graph.entities[thread].merged_into != kNobody) return false;
    if (!graph.entities[thread].recorder) return false;
    any = true;
  }
  return any;
}

// The order is another one: ranks do not count there.
RC_GTEST_PROP(FindingProperties, OfAPartAreThoseOfItsReport, ()) {
  WaitForGraph graph = AnyGraph();
  const AnyOptions options = GenerateOptions();
  RC_ASSERT(MarkNamedTargets(options.finding, graph).ok());
  const MergedGraph merged = BuildGraph(graph, options.merging).value();
  const pb::Report report = Judge(graph, merged, options.finding);
  const PartJudgement part = JudgePart(graph, merged, options.finding);

  using Found = std::pair<std::string, std::vector<uint32_t>>;
  std::multiset<Found> told;
  for (const pb::Finding& finding : report.findings())
    told.insert({finding.kind(), {finding.members().begin(), finding.members().end()}});
  std::multiset<Found> found;
  for (const PartJudgement::Found& one : part.found)
    found.insert({FactsOf(one.kind).name, one.members});
  RC_ASSERT(found == told);

  double work_s = 0;
  for (const pb::ReportVertex& vertex : report.vertices()) {
    if (vertex.target()) work_s += vertex.run_s() + vertex.runnable_s();
  }
  RC_ASSERT(part.work_s == work_s);
}

RC_GTEST_PROP(FindingProperties, AreWellFormed, ()) {
  const WaitForGraph graph = AnyGraph();
  const AnyOptions options = GenerateOptions();
  const pb::Report report = Judged(graph, options);
  RC_ASSERT(!report.verdict().empty());
  for (const pb::ReportThread& thread : report.threads()) {
    const pb::ReportVertex& vertex = report.vertices(static_cast<int>(thread.vertex()));
    RC_ASSERT(std::count(vertex.members().begin(), vertex.members().end(), thread.id()) == 1);
  }
  const std::set<uint32_t> scope(report.scope().vertices().begin(),
                                 report.scope().vertices().end());
  std::set<std::pair<uint32_t, uint32_t>> edges;
  for (const pb::ReportEdge& edge : report.edges()) edges.emplace(edge.from(), edge.to());

  for (const pb::Finding& finding : report.findings()) {
    RC_ASSERT(!finding.title().empty());
    RC_ASSERT(!finding.why().empty());
    RC_ASSERT(finding.members_size() > 0);
    RC_ASSERT(finding.confidence() >= 0 && finding.confidence() <= 1);
    RC_ASSERT(finding.upper_bound_gain() >= 1);
    RC_ASSERT(finding.share() >= 0 && finding.share() <= 1);
    const std::set<uint32_t> members(finding.members().begin(), finding.members().end());
    RC_ASSERT(members.size() == static_cast<size_t>(finding.members_size()));
    for (const uint32_t id : members) {
      if (!finding.apart()) RC_ASSERT(scope.count(id) == 1);
    }
    for (const uint32_t id : members) RC_ASSERT(!OnlyRecorders(graph, report, id));
    for (const pb::EdgeRef& edge : finding.edges()) {
      RC_ASSERT(members.count(edge.from()) == 1 && members.count(edge.to()) == 1);
      RC_ASSERT(edges.count({edge.from(), edge.to()}) == 1);
    }
    for (const pb::RuledOut& out : finding.ruled_out()) RC_ASSERT(members.count(out.vertex()) == 0);
  }
}

RC_GTEST_PROP(FindingProperties, SameInputSameOutput, ()) {
  const WaitForGraph graph = AnyGraph();
  const AnyOptions options = GenerateOptions();
  RC_ASSERT(Judged(graph, options).SerializeAsString() ==
            Judged(graph, options).SerializeAsString());
}

RC_GTEST_PROP(FindingProperties, MergedEdgesHoldAllTime, ()) {
  const WaitForGraph graph = AnyGraph();
  const pb::Report report = Judged(graph, GenerateOptions());
  double before_s = 0;
  double after_s = 0;
  for (const Edge& edge : graph.edges) before_s += static_cast<double>(edge.weight_ns) / 1e9;
  for (const pb::ReportEdge& edge : report.edges()) after_s += edge.weight_s();
  RC_ASSERT(std::abs(before_s - after_s) < 1e-9);
}

RC_GTEST_PROP(FindingProperties, DoNotDependOnTheOrderOfTheEntities, ()) {
  const WaitForGraph graph = AnyGraph();
  const AnyOptions options = GenerateOptions();
  const auto count = static_cast<uint32_t>(graph.entities.size());
  std::vector<EntityId> place(count);
  std::iota(place.begin(), place.end(), 0u);
  std::rotate(place.begin(), place.begin() + *rc::gen::inRange(0u, count), place.end());
  WaitForGraph turned = graph;
  for (EntityId id = 0; id < count; ++id) {
    turned.entities[place[id]] = graph.entities[id];
    EntityId& merged_into = turned.entities[place[id]].merged_into;
    if (merged_into != kNobody) merged_into = place[merged_into];
  }
  for (Edge& edge : turned.edges) {
    edge.from = place[edge.from];
    edge.to = place[edge.to];
  }
  std::sort(turned.edges.begin(), turned.edges.end(), [](const Edge& a, const Edge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  const pb::Report expected = Judged(graph, options);
  const pb::Report report = Judged(turned, options);
  RC_ASSERT(report.findings_size() == expected.findings_size());
  for (int i = 0; i < report.findings_size(); ++i) {
    RC_ASSERT(report.findings(i).title() == expected.findings(i).title());
    RC_ASSERT(Names(report, report.findings(i)) == Names(expected, expected.findings(i)));
  }
}

}  // namespace
}  // namespace gordian
