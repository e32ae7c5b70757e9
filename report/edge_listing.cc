// SPDX-License-Identifier: Apache-2.0
#include "report/edge_listing.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "absl/strings/numbers.h"
#include "report/vertex_names.h"

namespace gordian {
namespace {

using Ids = std::set<uint32_t>;

// Empty `wanted`: all.
absl::StatusOr<Ids> Matching(const pb::Report& report, const VertexNames& names,
                             const std::string& wanted) {
  Ids ids;
  if (wanted.empty()) {
    for (const pb::ReportVertex& vertex : report.vertices()) ids.insert(vertex.id());
    return ids;
  }
  bool is_label = false;
  for (const uint32_t vertex : names.Called(wanted)) {
    ids.insert(vertex);
    is_label |= names.Name(vertex) == wanted;
  }
  // A thread that is drawn together with others has no vertex of its own.
  int32_t tid = 0;
  const bool is_tid = !is_label && absl::SimpleAtoi(wanted, &tid) && tid > 0;
  for (const pb::ReportThread& thread : report.threads()) {
    if (is_tid && thread.tid() == tid) ids.insert(thread.vertex());
  }
  if (ids.empty()) return names.NoneCalled(wanted);
  return ids;
}

}  // namespace

pb::ListedEdge ListEdge(const pb::ReportEdge& edge, const VertexNames& names) {
  pb::ListedEdge listed;
  listed.set_from(names.Name(edge.from()));
  listed.set_to(names.Name(edge.to()));
  if (const pb::ReportVertex* from = names.Find(edge.from())) listed.set_from_tid(from->tid());
  if (const pb::ReportVertex* to = names.Find(edge.to())) listed.set_to_tid(to->tid());
  listed.set_weight_s(edge.weight_s());
  listed.set_own_s(edge.own_s());
  listed.set_cascaded_s(std::max(0.0, edge.weight_s() - edge.own_s()));
  listed.set_count(edge.count());
  listed.set_longest_s(edge.longest_s());
  *listed.mutable_reasons() = edge.reasons();
  listed.set_clock_bound_s(edge.clock_bound_s());
  listed.set_within_clock_bound(edge.within_clock_bound());
  return listed;
}

absl::StatusOr<std::vector<const pb::ReportEdge*>> FindEdges(const pb::Report& report,
                                                             const EdgeFilter& filter) {
  const VertexNames names(report);
  const auto from = Matching(report, names, filter.from), to = Matching(report, names, filter.to);
  if (!from.ok()) return from.status();
  if (!to.ok()) return to.status();
  std::vector<const pb::ReportEdge*> edges;
  for (const pb::ReportEdge& edge : report.edges()) {
    if (from->count(edge.from()) > 0 && to->count(edge.to()) > 0) edges.push_back(&edge);
  }
  std::sort(edges.begin(), edges.end(), [](const pb::ReportEdge* a, const pb::ReportEdge* b) {
    return std::tuple(-a->weight_s(), a->from(), a->to()) <
           std::tuple(-b->weight_s(), b->from(), b->to());
  });
  return edges;
}

absl::StatusOr<pb::EdgeListing> ListEdges(const pb::Report& report, const EdgeFilter& filter) {
  const auto edges = FindEdges(report, filter);
  if (!edges.ok()) return edges.status();
  const VertexNames names(report);
  pb::EdgeListing listing;
  for (const pb::ReportEdge* edge : *edges) *listing.add_edges() = ListEdge(*edge, names);
  return listing;
}

}  // namespace gordian
