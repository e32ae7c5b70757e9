// SPDX-License-Identifier: Apache-2.0
#include "report/code_stacks.h"

#include <algorithm>
#include <set>
#include <utility>

#include "report/code_sentences.h"
#include "report/edge_reasons.h"
#include "report/missing_names.h"

namespace gordian {
namespace {

using Stacks = google::protobuf::RepeatedPtrField<pb::CodeStack>;
using EdgeIds = std::pair<uint32_t, uint32_t>;

uint64_t SamplesOf(std::span<const PathShare> paths) {
  uint64_t samples = 0;
  for (const PathShare& path : paths) samples += path.samples;
  return samples;
}

// Returns the samples behind all of them.
uint64_t Put(const std::vector<PathShare>& paths, size_t most, CodeTable& table, Stacks& out) {
  for (size_t i = 0; i < std::min(most, paths.size()); ++i) table.Put(paths[i], *out.Add());
  return SamplesOf(paths);
}

// Of the findings' edges, and the heaviest others.
std::set<EdgeIds> ChosenEdges(const pb::Report& report, size_t most) {
  std::vector<EdgeIds> ids;
  for (const pb::Finding& finding : report.findings()) {
    if (finding.has_edge()) ids.emplace_back(finding.edge().from(), finding.edge().to());
    for (const pb::EdgeRef& edge : finding.edges()) ids.emplace_back(edge.from(), edge.to());
  }
  std::vector<const pb::ReportEdge*> edges;
  for (const pb::ReportEdge& edge : report.edges()) edges.push_back(&edge);
  std::stable_sort(edges.begin(), edges.end(),
                   [](const auto* a, const auto* b) { return a->weight_s() > b->weight_s(); });
  for (const pb::ReportEdge* edge : edges) ids.emplace_back(edge->from(), edge->to());
  std::set<EdgeIds> chosen;
  for (const EdgeIds& edge : ids) {
    if (chosen.size() < most) chosen.insert(edge);
  }
  return chosen;
}

}  // namespace

uint32_t CodeTable::IndexOf(uint32_t frame) {
  const auto [place, is_new] = indices_.try_emplace(frame, static_cast<uint32_t>(table_.size()));
  if (!is_new) return place->second;
  const CodeFrame& known = code_.frame(frame);
  pb::CodeFrame& put = *table_.Add();
  put.set_function(known.function);
  put.set_file(known.file);
  put.set_line(known.line);
  put.set_module(known.module);
  put.set_kernel(known.kernel);
  put.set_inlined(known.inlined);
  put.set_label(FrameNameAndLine(known));
  return place->second;
}

void CodeTable::Put(const PathShare& path, pb::CodeStack& out) {
  for (const uint32_t frame : path.path) out.add_frames(IndexOf(frame));
  out.set_share(path.share);
  out.set_samples(path.samples);
}

void AddCode(const StackSums& sums, const Code& code, const WaitThings& things,
             const CodeOptions& options, pb::Report& report) {
  const VertexNames names(report);
  CodeTable table(code, *report.mutable_code());
  const std::set<EdgeIds> chosen = ChosenEdges(report, options.most_edges);
  for (pb::ReportEdge& edge : *report.mutable_edges()) {
    if (chosen.count({edge.from(), edge.to()}) == 0) continue;
    const std::vector<PathShare> waiter =
        MergePaths(sums.Of(edge.from(), edge.to(), StackSide::kWaiter), code);
    const std::vector<PathShare> waker =
        MergePaths(sums.Of(edge.from(), edge.to(), StackSide::kWaker), code);
    edge.set_waiter_samples(Put(waiter, options.most_stacks, table, *edge.mutable_waiter_stacks()));
    edge.set_waker_samples(Put(waker, options.most_stacks, table, *edge.mutable_waker_stacks()));
    PutReasons(sums, code, things, names, edge.from(), edge.to(), *edge.mutable_reasons());
  }
  for (pb::ReportVertex& vertex : *report.mutable_vertices()) {
    const std::vector<PathShare> running =
        MergePaths(sums.Of(vertex.id(), vertex.id(), StackSide::kRunning), code);
    vertex.set_running_samples(
        Put(running, options.most_stacks, table, *vertex.mutable_running_stacks()));
  }
  for (pb::Finding& finding : *report.mutable_findings()) TellCode(sums, code, report, finding);
  AddMissingNames(code, report);
}

void ListStacks(const StackSums& sums, const Code& code, const WaitThings& things,
                const VertexNames& names, const pb::ReportEdge& edge, pb::EdgeStacks& listing) {
  CodeTable table(code, *listing.mutable_code());
  const std::vector<PathShare> waiter =
      MergePaths(sums.Of(edge.from(), edge.to(), StackSide::kWaiter), code);
  const std::vector<PathShare> waker =
      MergePaths(sums.Of(edge.from(), edge.to(), StackSide::kWaker), code);
  listing.set_waiter_samples(Put(waiter, waiter.size(), table, *listing.mutable_waiter_stacks()));
  listing.set_waker_samples(Put(waker, waker.size(), table, *listing.mutable_waker_stacks()));
  PutReasons(sums, code, things, names, edge.from(), edge.to(), *listing.mutable_reasons());
}

}  // namespace gordian
