// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/doubts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

double LossDoubt(double share) { return std::min(1.0, kLossWeighs * share); }

void DoubtLosses(const WaitForGraph& recording, Confidence& confidence) {
  if (recording.missing_blocks > 0) {
    const auto missing = static_cast<double>(recording.missing_blocks);
    const double share = missing / (missing + static_cast<double>(recording.blocks));
    confidence.Doubt(LossDoubt(share),
                     absl::StrCat(recording.missing_blocks,
                                  recording.missing_blocks == 1 ? " block of the trace files is"
                                                                : " blocks of the trace files are",
                                  " missing (", PercentText(share),
                                  "): some waits may be missing or blamed on the wrong thread."));
  }
  if (recording.lost == 0) return;
  const auto lost = static_cast<double>(recording.lost);
  const double share = lost / (lost + static_cast<double>(recording.events));
  confidence.Doubt(LossDoubt(share),
                   absl::StrCat(recording.lost, " records were lost (", PercentText(share),
                                "): some waits may be missing or blamed on the wrong thread."));
}

void DoubtCircles(const WaitForGraph& recording, Confidence& confidence) {
  if (recording.cyclic_links == 0) return;
  uint64_t waits = 0;
  for (const Edge& edge : recording.edges) waits += edge.count;
  const double share = static_cast<double>(recording.cyclic_links) /
                       static_cast<double>(std::max<uint64_t>(1, waits));
  confidence.Doubt(LossDoubt(share),
                   absl::StrCat(recording.cyclic_links,
                                " waits closed a circle and were not followed further: the weights "
                                "of some edges are too low."));
}

void DoubtSession(const pb::RecordingSummary& summary, Confidence& confidence) {
  if (!summary.complete()) {
    confidence.Doubt(kSmallDoubt,
                     "The recording was not ended properly: its last moments are missing.");
  }
  if (summary.chains_end_at_targets()) {
    confidence.Doubt(
        kSmallDoubt,
        "Only the target was recorded: what others wait for while the target waits for them is "
        "not known.");
  }
}

void DoubtUnknownTime(const Case& it, Confidence& confidence) {
  double life_ns = 0;
  double unknown_ns = 0;
  double unknown_waker_ns = 0;
  for (const uint32_t id : it.limit.members) {
    life_ns += static_cast<double>(it.vertex(id).life_ns);
    unknown_ns += static_cast<double>(it.vertex(id).unknown_ns);
    for (const Edge& edge : it.measures().edges_from(id)) {
      if (it.vertex(edge.to).kind != VertexKind::kUnknown) continue;
      unknown_waker_ns += static_cast<double>(edge.own_ns);
    }
  }
  if (life_ns <= 0) return;
  const std::string members = it.evidence.words.of_all(it.limit.members);
  const double unknown = std::min(1.0, unknown_ns / life_ns);
  if (unknown >= kWorthADoubt) {
    confidence.Doubt(unknown, absl::StrCat("What ", members, " did is not known for ",
                                           PercentText(unknown), " of the time."));
  }
  const double waker = std::min(1.0, unknown_waker_ns / life_ns);
  if (waker >= kWorthADoubt) {
    confidence.Doubt(waker, absl::StrCat("Whom ", members, " waited for is not known for ",
                                         PercentText(waker), " of the time."));
  }
}

void DoubtUnseenCompletions(const Case& it, Confidence& confidence) {
  for (const uint32_t id : it.limit.members) {
    const Vertex& vertex = it.vertex(id);
    if (vertex.requests_without_end == 0 || vertex.operations == 0) continue;
    const double share =
        static_cast<double>(vertex.requests_without_end) / static_cast<double>(vertex.operations);
    if (share < kWorthADoubt) continue;
    confidence.Doubt(std::min(1.0, share),
                     absl::StrCat(PercentText(share), " of the requests to ", it.Name(id),
                                  " were not seen to end: how busy it was is not sure."));
  }
}

}  // namespace

void Confidence::Doubt(double part, std::string sentence) {
  value *= std::max(0.0, 1 - part);
  doubts.push_back(std::move(sentence));
}

void DoubtFewWaits(const Case& it, Confidence& confidence) {
  if (!it.limit.attack) return;
  const Edge* edge = it.measures().FindEdge(it.limit.attack->from, it.limit.attack->to);
  if (edge == nullptr || edge->count >= kManyWaits) return;
  confidence.Doubt(kDoubt, absl::StrCat("This rests on only ", FormatCount(edge->count, "wait"),
                                        ": record for longer."));
}

void DoubtIdleWaiters(const Case& it, Confidence& confidence) {
  if (!it.limit.perhaps_idle) return;
  confidence.Doubt(kLargeDoubt,
                   "Only a pool waits for it that has other work: its threads may be spare.");
}

Confidence SharedDoubts(const Case& it) {
  Confidence confidence;
  DoubtLosses(it.evidence.recording, confidence);
  DoubtCircles(it.evidence.recording, confidence);
  DoubtSession(it.evidence.options.recording, confidence);
  DoubtUnknownTime(it, confidence);
  DoubtUnseenCompletions(it, confidence);
  return confidence;
}

}  // namespace gordian
