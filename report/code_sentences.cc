// SPDX-License-Identifier: Apache-2.0
#include "report/code_sentences.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/stacks/modules.h"
#include "report/edge_reasons.h"
#include "report/thresholds.h"
#include "report/vertex_names.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kRunningShown = 3;
constexpr size_t kRunningFrames = 2;
constexpr int kCommandsWithCode = 2;
// A command that lives for milliseconds has few samples, and fewer than these are chance.
constexpr uint64_t kSamplesOfACommand = 20;

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

// "sort 40 %; hash 12 %".
std::string PlacesText(const std::vector<Story>& stories) {
  std::vector<std::string> places;
  for (const Story& story : stories) {
    if (story.text.empty() || story.share < kWorthNamingAsPlace || places.size() == kRunningShown)
      continue;
    places.push_back(absl::StrCat(story.text, " ", PercentText(story.share)));
  }
  return absl::StrJoin(places, "; ");
}

void TellRunning(const StackSums& sums, const Code& code, uint32_t vertex, const VertexNames& names,
                 pb::Finding& finding) {
  const std::vector<PathShare> paths =
      MergePaths(sums.Of(vertex, vertex, StackSide::kRunning), code);
  const std::vector<Story> stories = StoriesOf(paths, code, kRunningFrames);
  uint64_t samples = 0;
  for (const Story& story : stories) samples += story.samples;
  std::string places = PlacesText(stories);
  // Without names each sample is at a place of its own. That a program runs in its own file tells
  // nothing.
  if (places.empty()) {
    const std::vector<Story> modules = ModulesOf(paths, code);
    const pb::ReportVertex* const found = names.Find(vertex);
    const bool is_own = !modules.empty() && found != nullptr && modules[0].text == found->name();
    if (!is_own) places = PlacesText(modules);
  }
  if (places.empty() || (FactsOf(finding).of_job && samples < kSamplesOfACommand)) return;
  finding.add_code(absl::StrCat(WithVerb(names, vertex, "run"), " in ", places, " (",
                                FormatCount(samples, "sample"), ")"));
}

}  // namespace

void TellCode(const StackSums& sums, const Code& code, const pb::Report& report,
              pb::Finding& finding) {
  const VertexNames names(report);
  if (FactsOf(finding).works || FactsOf(finding).of_job) {
    for (const uint32_t member : finding.members()) {
      // Each of a job's commands is a vertex, and many are alike.
      if (FactsOf(finding).of_job && finding.code_size() == kCommandsWithCode) break;
      TellRunning(sums, code, member, names, finding);
    }
  }
  if (const pb::ReportEdge* edge = EdgeWithStacks(report, finding))
    TellEdge(sums, code, *edge, names, finding);
}

}  // namespace gordian
