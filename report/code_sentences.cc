// SPDX-License-Identifier: Apache-2.0
#include "report/code_sentences.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "report/edge_reasons.h"
#include "report/thresholds.h"
#include "report/vertex_names.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kRunningShown = 3;
constexpr size_t kRunningFrames = 2;

// The heaviest story with any text; an empty text if there is no such story.
Story HeaviestStory(std::span<const StackSum> sums, const Code& code) {
  for (Story& story : StoriesOf(MergePaths(sums, code), code)) {
    if (!story.text.empty()) return std::move(story);
  }
  return {};
}

std::string ShareAndSamples(const Story& story) {
  return absl::StrCat("(", PercentText(story.share), " of it, ",
                      FormatCount(story.samples, "sample"), ")");
}

const pb::ReportEdge* FindEdge(const pb::Report& report, const pb::EdgeRef& wanted) {
  for (const pb::ReportEdge& edge : report.edges()) {
    if (edge.from() == wanted.from() && edge.to() == wanted.to()) return &edge;
  }
  return nullptr;
}

const pb::ReportEdge* EdgeWithStacks(const pb::Report& report, const pb::Finding& finding) {
  const auto if_stacks = [&](const pb::EdgeRef& ref) -> const pb::ReportEdge* {
    const pb::ReportEdge* edge = FindEdge(report, ref);
    return edge != nullptr && edge->waiter_samples() + edge->waker_samples() > 0 ? edge : nullptr;
  };
  if (finding.has_edge()) {
    if (const pb::ReportEdge* edge = if_stacks(finding.edge())) return edge;
  }
  for (const pb::EdgeRef& ref : finding.edges()) {
    if (const pb::ReportEdge* edge = if_stacks(ref)) return edge;
  }
  return nullptr;
}

// "main waits", "worker-* (16 threads) wait".
std::string WithVerb(const VertexNames& names, uint32_t vertex, std::string_view verb) {
  const pb::ReportVertex* found = names.Find(vertex);
  const bool are_many = found != nullptr && found->members_size() > 1;
  return absl::StrCat(names.Name(vertex), " ", absl::string_view(verb.data(), verb.size()),
                      are_many ? "" : "s");
}

void TellEdge(const StackSums& sums, const Code& code, const pb::ReportEdge& edge,
              const VertexNames& names, pb::Finding& finding) {
  const std::string from_waits = WithVerb(names, edge.from(), "wait");
  const Story waits = HeaviestStory(sums.Of(edge.from(), edge.to(), StackSide::kWaiter), code);
  if (!waits.text.empty())
    finding.add_code(absl::StrCat(from_waits, " for ", names.Name(edge.to()), " in ",
                                  StoryWithObject(waits.text, edge.reasons()), " ",
                                  ShareAndSamples(waits)));
  if (!edge.reasons().empty())
    finding.add_code(absl::StrCat(from_waits, " in ", ReasonsAndObjectsText(edge.reasons())));
  const Story wakes = HeaviestStory(sums.Of(edge.from(), edge.to(), StackSide::kWaker), code);
  if (!wakes.text.empty())
    finding.add_code(absl::StrCat(WithVerb(names, edge.to(), "end"), " these waits in ", wakes.text,
                                  " ", ShareAndSamples(wakes)));
}

void TellRunning(const StackSums& sums, const Code& code, uint32_t vertex, const VertexNames& names,
                 pb::Finding& finding) {
  std::vector<std::string> places;
  uint64_t samples = 0;
  for (const Story& story : StoriesOf(
           MergePaths(sums.Of(vertex, vertex, StackSide::kRunning), code), code, kRunningFrames)) {
    samples += story.samples;
    if (story.text.empty() || story.share < kWorthNamingAsPlace || places.size() == kRunningShown)
      continue;
    places.push_back(absl::StrCat(story.text, " ", PercentText(story.share)));
  }
  if (places.empty()) return;
  finding.add_code(absl::StrCat(WithVerb(names, vertex, "run"), " in ", absl::StrJoin(places, "; "),
                                " (", FormatCount(samples, "sample"), ")"));
}

}  // namespace

void TellCode(const StackSums& sums, const Code& code, const pb::Report& report,
              pb::Finding& finding) {
  const VertexNames names(report);
  if (FactsOf(finding).works || FactsOf(finding).of_job) {
    for (const uint32_t member : finding.members()) TellRunning(sums, code, member, names, finding);
  }
  if (const pb::ReportEdge* edge = EdgeWithStacks(report, finding))
    TellEdge(sums, code, *edge, names, finding);
}

}  // namespace gordian
