// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/explain.h"

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "words/quantities.h"

namespace gordian {

void Explain::AddRemoval(const char* action, uint32_t from, uint32_t to, uint64_t weight_ns,
                         const char* reason) {
  pb::ExplainStep& step = steps_.emplace_back();
  step.set_action(action);
  step.mutable_edge()->set_from(from);
  step.mutable_edge()->set_to(to);
  step.set_weight_s(SecondsOf(weight_ns));
  step.set_text(absl::StrCat(words_.of(from), " -> ", words_.of(to), ": ", reason));
}

void Explain::AddSet(const char* action, const std::vector<uint32_t>& vertices,
                     const char* reason) {
  pb::ExplainStep& step = steps_.emplace_back();
  step.set_action(action);
  for (const uint32_t id : vertices) step.add_vertices(id);
  step.set_text(absl::StrCat(words_.of_all(vertices), ": ", reason));
}

void Explain::LeftOut(std::span<const Edge> edges) {
  if (!wanted_) return;
  for (const Edge& edge : edges) {
    AddRemoval(
        "left out", edge.from, edge.to, edge.weight_ns,
        absl::StrCat("waits ", OnlyPercentText(measures_.OwnShare(edge)), " of its time").c_str());
  }
}

void Explain::Background(const std::vector<uint32_t>& members) {
  if (!wanted_) return;
  AddSet("background", members, "no device, and less than one CPU's work: taken away");
}

void Explain::Refined(const std::vector<uint32_t>& members, std::span<const RefineStep> steps) {
  if (!wanted_) return;
  using Action = RefineStep::Action;
  for (const RefineStep& step : steps) {
    std::vector<uint32_t> vertices;
    for (const uint32_t local : step.vertices) vertices.push_back(members[local]);
    switch (step.action) {
      case Action::kRemoved:
        AddRemoval("removed", members[step.edge.from], members[step.edge.to], step.edge.weight,
                   "the lightest");
        break;
      case Action::kCut:
        AddRemoval("cut", members[step.edge.from], members[step.edge.to], step.edge.weight,
                   "the cycle's weak link");
        break;
      case Action::kSplit:
        AddSet("split", vertices, "waits for no other part");
        break;
      case Action::kSingle:
        AddSet("stopped", vertices, "one vertex is left");
        break;
      case Action::kCycle:
        AddSet("stopped", vertices, "a simple cycle whose every edge matters");
        break;
      case Action::kAboveThreshold:
        AddSet("stopped", vertices, "every edge left is heavier than the threshold");
        break;
      case Action::kEqualWeights:
        AddSet("stopped", vertices, "all edges left weigh the same");
        break;
    }
  }
}

}  // namespace gordian
