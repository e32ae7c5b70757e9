// SPDX-License-Identifier: Apache-2.0
#include "report/weighted_stacks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "report/vertex_names.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

WeightedStack Of(const pb::ReportVertex& vertex, const VertexNames& names) {
  return {.process = vertex.process().empty() ? "?" : CleanText(vertex.process()),
          .thread = names.Name(vertex.id())};
}

}  // namespace

std::vector<WeightedStack> WeightedStacks(const pb::Report& report, const StackSums& sums,
                                          const Code& code) {
  const VertexNames names(report);
  std::vector<WeightedStack> stacks;
  for (const pb::ReportEdge& edge : report.edges()) {
    const pb::ReportVertex* waiter = names.Find(edge.from());
    // A device's idle time is not a thread's wait.
    if (waiter == nullptr || !IsThreadKind(waiter->kind()) || !(edge.own_s() > 0)) continue;
    WeightedStack stack = Of(*waiter, names);
    stack.waits_for = names.Name(edge.to());
    const std::vector<PathShare> paths =
        MergePaths(sums.Of(edge.from(), edge.to(), StackSide::kWaiter), code);
    for (const PathShare& path : paths) {
      stack.path = path.path;
      stack.seconds = path.share * edge.own_s();
      stack.samples = path.samples;
      stacks.push_back(stack);
    }
    if (!paths.empty()) continue;
    stack.seconds = edge.own_s();
    stacks.push_back(std::move(stack));
  }
  for (const pb::ReportVertex& vertex : report.vertices()) {
    for (const PathShare& path :
         MergePaths(sums.Of(vertex.id(), vertex.id(), StackSide::kRunning), code)) {
      WeightedStack stack = Of(vertex, names);
      stack.path = path.path;
      stack.seconds = path.estimate_ns / kNsPerSecond;
      stack.samples = path.samples;
      stacks.push_back(std::move(stack));
    }
  }
  return stacks;
}

}  // namespace gordian
