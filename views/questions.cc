// SPDX-License-Identifier: Apache-2.0
#include "views/questions.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "report/vertex_names.h"
#include "whatif/wait_questions.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr uint32_t kNoVertex = std::numeric_limits<uint32_t>::max();

uint32_t VertexOfId(uint64_t id) {
  return static_cast<uint32_t>(std::min<uint64_t>(id, kNoVertex));
}

QuestionGroup GroupOfWait(const pb::Report& report, uint32_t from, uint32_t to) {
  const VertexNames names(report);
  QuestionGroup group{.of = "selected",
                      .title = absl::StrCat(names.Name(from), " waits for ", names.Phrase(to)),
                      .found = QuestionsOfWait(report, from, to)};
  for (const pb::ReportEdge& edge : report.edges()) {
    if (edge.from() == from && edge.to() == to)
      absl::StrAppend(&group.title, ": ", SecondsText(edge.own_s()), " in ",
                      FormatCount(edge.count(), "wait"));
  }
  return group;
}

QuestionGroup GroupOfVertex(const pb::Report& report, uint32_t vertex) {
  return {.of = "selected",
          .title = VertexNames(report).Name(vertex),
          .found = QuestionsOfVertex(report, vertex)};
}

void AddPicked(const Analysis& analysis, const PickedThing& picked,
               std::vector<QuestionGroup>& groups) {
  const pb::Report& report = analysis.report();
  const auto& vertex_of = analysis.merged_graph().vertex_of_entity;
  switch (picked.kind) {
    case PickedThing::Kind::kNothing:
      return;
    case PickedThing::Kind::kWait:
      groups.push_back(GroupOfWait(report, VertexOfId(picked.id), VertexOfId(picked.whom)));
      return;
    case PickedThing::Kind::kVertex:
      groups.push_back(GroupOfVertex(report, VertexOfId(picked.id)));
      return;
    case PickedThing::Kind::kEntity:
      groups.push_back(
          GroupOfVertex(report, picked.id < vertex_of.size() ? vertex_of[picked.id] : kNoVertex));
      return;
  }
}

}  // namespace

std::vector<QuestionGroup> QuestionsOn(const Analysis& analysis, const PickedThing& picked) {
  const pb::Report& report = analysis.report();
  std::vector<QuestionGroup> groups;
  AddPicked(analysis, picked, groups);
  size_t findings = 0;
  for (const pb::Finding& finding : report.findings()) {
    if (finding.apart() || findings == kMostAskedFindings) continue;
    FixQuestions found = QuestionsOf(report, finding);
    if (found.questions.empty() && found.none_because.empty()) continue;
    ++findings;
    groups.push_back({.of = "finding",
                      .title = finding.title(),
                      .finding = finding.rank(),
                      .found = std::move(found)});
  }
  groups.push_back({.of = "machine", .title = "The machine", .found = QuestionsOfMachine(report)});
  return groups;
}

}  // namespace gordian
