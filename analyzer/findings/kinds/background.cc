// SPDX-License-Identifier: Apache-2.0
// Background: a circle that holds the program up for only a small part of its time.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/closed_circle.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/kinds/kinds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// That is work under way, too.
bool WaitsForAnswers(const Evidence& evidence, const Circle& circle) {
  return std::any_of(circle.members.begin(), circle.members.end(),
                     [&](uint32_t id) { return evidence.WaitsForAnswers(id); });
}

std::optional<Limit> BackgroundOfLightCircle(const Evidence& evidence, const Circle& circle) {
  if (IsClosedCircle(evidence, circle.members) || WaitsForAnswers(evidence, circle))
    return std::nullopt;
  Limit limit{.kind = FindingKind::kBackground, .members = circle.members, .edges = circle.edges};
  SortHeaviestFirst(limit.edges);
  limit.attack = limit.edges.front();
  for (const uint32_t id : circle.members) {
    limit.share += evidence.measures.OfRecording(evidence.vertex(id).cpu_ns());
  }
  limit.share = std::min(1.0, limit.share);
  limit.waited_for = circle.waited_for;
  return limit;
}

std::string BackgroundTitle(const Case& it) {
  return absl::StrCat(it.evidence.words.of_all(it.limit.members),
                      it.limit.members.size() == 1
                          ? " hardly works: its own waits are background."
                          : " hardly work: their waits for each other are background.");
}

std::vector<std::string> BackgroundWhy(const Case& it) {
  return {
      absl::StrCat("They use ", PercentText(it.limit.share),
                   " of one CPU together and no device: their work does not grow with the load.")};
}

std::vector<std::string> BackgroundAdvice(const Case&) {
  return {"Nothing, unless others wait for it: then shorten what it does meanwhile."};
}

double NoGain(const Case&) { return 1; }

void DoubtBackground(const Case& it, Confidence& confidence) {
  DoubtFewWaits(it, confidence);
  confidence.Doubt(kDoubt, "That it is in the background is told only from how little it runs.");
}

NaturalFixes NoFixNeeded(const Case&) { return {}; }

}  // namespace

KindRow BackgroundKind() {
  return {.kind = FindingKind::kBackground,
          .facts = {.name = "background",
                    .in_words = "work in the background",
                    .if_gone = "if these waits were gone",
                    .limits = false},
          .of_light_circle = BackgroundOfLightCircle,
          .title = BackgroundTitle,
          .why = BackgroundWhy,
          .advice = BackgroundAdvice,
          .upper_bound = NoGain,
          .doubts = DoubtBackground,
          .fixes = NoFixNeeded};
}

}  // namespace gordian
