// SPDX-License-Identifier: Apache-2.0
// A disk that has one request at a time: it is waited for, but nothing shows that it is full.
#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/gain.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/kinds/kinds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::optional<Limit> LatencyOfVertex(const Evidence& evidence, uint32_t id) {
  if (evidence.vertex(id).kind != VertexKind::kDisk) return std::nullopt;
  const WaitedFor& waited_for = evidence.waiters[id];
  const double busy = evidence.measures.BusyShare(id);
  if (!evidence.IsHeldUpFor(waited_for.share) || busy < 1 - evidence.options.threshold)
    return std::nullopt;
  return Limit{.kind = FindingKind::kLatency,
               .members = {id},
               .attack = waited_for.heaviest,
               .share = busy,
               .waited_for = waited_for.share,
               .hides_waiters = true};
}

std::string LatencyTitle(const Case& it) {
  const std::string& disk = it.Name(it.first());
  if (!it.limit.attack) {
    return absl::StrCat("One request at a time keeps ", disk, " in use ",
                        PercentText(it.limit.share), " of the time.");
  }
  return absl::StrCat(it.Does(it.limit.attack->from, "waits", "wait"), " for ", disk,
                      ", one request at a time, ", PercentText(it.limit.share), " of the time.");
}

std::vector<std::string> LatencyWhy(const Case& it) {
  std::vector<std::string> why;
  if (it.limit.attack) why.push_back(it.WaitSentence(*it.limit.attack));
  const Vertex& disk = it.vertex(it.first());
  why.push_back(
      absl::StrCat("The disk has a second request, or a second thread that waits for it, only ",
                   PercentText(it.measures().OfRecording(disk.several_ns)),
                   " of the time: it is slow to answer, and nothing shows that it is full."));
  return why;
}

std::vector<std::string> LatencyAdvice(const Case&) {
  return {"Let several requests be under way: from several threads, asynchronously, or read ahead.",
          "Or ask less often: batch small requests and commits, sync once for many of them.",
          "A disk that answers sooner helps as well; one of more throughput alone does not."};
}

void DoubtLatency(const Case& it, Confidence& confidence) { DoubtFewWaits(it, confidence); }

NaturalFixes LatencyFixes(const Case& it) {
  NaturalFixes natural;
  if (it.limit.attack) {
    natural.fixes.push_back(
        {.change = FixChange::kAsync, .who = it.limit.attack->from, .whom = it.first()});
  }
  natural.fixes.push_back(
      {.change = FixChange::kScale, .who = it.first(), .amount = kLessWork, .of_wait = false});
  return natural;
}

}  // namespace

KindRow LatencyKind() {
  return {.kind = FindingKind::kLatency,
          .facts = {.name = "latency",
                    .in_words = "a slow answer of a disk",
                    .if_gone = "if no thread waited for the disk"},
          .of_vertex = LatencyOfVertex,
          .title = LatencyTitle,
          .why = LatencyWhy,
          .advice = LatencyAdvice,
          .upper_bound = BoundOfWork,
          .doubts = DoubtLatency,
          .fixes = LatencyFixes};
}

}  // namespace gordian
