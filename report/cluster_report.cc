// SPDX-License-Identifier: Apache-2.0
#include "report/cluster_report.h"

#include <algorithm>
#include <map>

#include "base/time_units.h"

namespace gordian {
namespace {

void AddNodes(const JoinedNodes& joined, pb::ClusterSummary& cluster) {
  for (const JoinedNode& node : joined.nodes) {
    pb::ReportNode& added = *cluster.add_nodes();
    added.set_name(node.name);
    added.set_host(node.hostname);
    added.set_cpus(node.cpus);
    added.set_events(node.events);
    added.set_lost(node.lost);
    added.set_clock_measured(node.is_clock_measured);
    added.set_clock_offset_s(static_cast<double>(node.offset_ns) / kNsPerSecond);
    added.set_measured_bound_s(SecondsOf(node.measured_bound_ns));
    added.set_clock_bound_s(SecondsOf(node.bound_ns));
    added.set_contradictions(node.contradictions);
    added.set_paused_s(SecondsOf(node.paused_ns));
  }
}

void AddLinks(const JoinedNodes& joined, const std::vector<uint32_t>& vertex_of_entity,
              pb::ClusterSummary& cluster) {
  for (const NodeLink& link : joined.links) {
    if (link.messages == 0) continue;
    pb::ReportLink& added = *cluster.add_links();
    added.set_vertex(vertex_of_entity[link.entity]);
    added.set_from(joined.nodes[link.from].name);
    added.set_to(joined.nodes[link.to].name);
    added.set_messages(link.messages);
    added.set_timed_messages(link.timed_messages);
    added.set_shortest_s(SecondsOf(link.shortest_ns));
    added.set_median_s(SecondsOf(link.median_ns));
    added.set_longest_s(SecondsOf(link.longest_ns));
    added.set_clock_bound_s(SecondsOf(link.bound_ns));
    added.set_within_clock_bound(link.bound_ns > 0 && link.timed_messages > 0 &&
                                 link.median_ns <= link.bound_ns);
  }
}

// Of edges between threads of two nodes, and to links.
void MarkEdges(const JoinedNodes& joined, pb::Report& report) {
  std::map<std::string, double> bound_of;
  for (const JoinedNode& node : joined.nodes) bound_of[node.name] = SecondsOf(node.bound_ns);
  std::map<uint32_t, double> bound_of_link;
  for (const pb::ReportLink& link : report.cluster().links()) {
    bound_of_link[link.vertex()] = link.clock_bound_s();
  }
  for (pb::ReportEdge& edge : *report.mutable_edges()) {
    const pb::ReportVertex& from = report.vertices(static_cast<int>(edge.from()));
    const pb::ReportVertex& to = report.vertices(static_cast<int>(edge.to()));
    double bound_s = 0;
    if (const auto link = bound_of_link.find(edge.to()); link != bound_of_link.end()) {
      bound_s = link->second;
    } else if (!from.node().empty() && !to.node().empty() && from.node() != to.node()) {
      bound_s = bound_of[from.node()] + bound_of[to.node()];
    }
    if (bound_s == 0 || edge.count() == 0) continue;
    edge.set_clock_bound_s(bound_s);
    edge.set_within_clock_bound(edge.own_s() / static_cast<double>(edge.count()) <= bound_s);
  }
}

}  // namespace

void AddCluster(const JoinedNodes& joined, const std::vector<std::string>& left_out,
                const std::vector<uint32_t>& vertex_of_entity, pb::Report& report) {
  pb::ClusterSummary& cluster = *report.mutable_cluster();
  cluster.set_reference(joined.reference);
  AddNodes(joined, cluster);
  AddLinks(joined, vertex_of_entity, cluster);
  for (const std::string& line : left_out) cluster.add_left_out(line);
  const MatchedWaits& waits = joined.waits;
  cluster.set_packet_waits(waits.waits);
  cluster.set_waited_s(SecondsOf(waits.wait_ns));
  cluster.set_matched_waits(waits.matched);
  cluster.set_waited_matched_s(SecondsOf(waits.matched_ns));
  cluster.set_tcp_waits(waits.tcp);
  cluster.set_matched_tcp_waits(waits.tcp_matched);
  cluster.set_matched_other_waits(waits.other_matched);
  cluster.set_sure_other_waits(waits.other_sure);
  MarkEdges(joined, report);
}

std::vector<NamedCount> ClusterCounts(const JoinedNodes& joined, size_t left_out) {
  const MatchedWaits& waits = joined.waits;
  uint64_t contradictions = 0;
  uint64_t unmeasured = 0;
  uint64_t wrong = 0;
  for (const JoinedNode& node : joined.nodes) {
    contradictions += node.contradictions;
    // If messages contradict it all the same, it was measured, and that cannot be true.
    const bool is_wrong = !node.is_clock_measured && node.contradictions > 0;
    unmeasured += !node.is_clock_measured && !is_wrong;
    wrong += is_wrong;
  }
  std::vector<NamedCount> counts{{"nodes_left_out", left_out},
                                 {"nodes_without_clock", unmeasured},
                                 {"nodes_with_wrong_clock", wrong},
                                 {"messages_before_their_sending", contradictions},
                                 {"messages_by_last_writer", waits.by_last_writer},
                                 {"messages_in_mixed_batches", waits.in_mixed_batches},
                                 {"messages_by_kernel", waits.by_kernel},
                                 {"messages_not_sent", waits.not_sent},
                                 {"messages_from_outside", waits.outside},
                                 {"messages_without_packet", waits.without_packet},
                                 {"datagrams_unsure", waits.other_matched - waits.other_sure}};
  std::erase_if(counts, [](const NamedCount& count) { return count.value == 0; });
  return counts;
}

}  // namespace gordian
