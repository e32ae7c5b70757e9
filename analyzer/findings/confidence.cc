#include "analyzer/findings/confidence.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Fewer waits than this may be chance.
constexpr uint64_t kFewWaits = 20;
// Below this share doubts are not worth a sentence.
constexpr double kWorthSaying = 0.01;

class ConfidenceJudge {
 public:
  ConfidenceJudge(const Measures& measures, const VertexWords& words, const Limit& limit)
      : measures_(measures), words_(words), limit_(limit) {}

  // A part of the trust goes.
  void Doubt(double part, std::string sentence) {
    result_.value *= std::max(0.0, 1 - part);
    result_.doubts.push_back(std::move(sentence));
  }

  void Losses(const WaitForGraph& recording) {
    if (recording.missing_blocks > 0) {
      const auto missing = static_cast<double>(recording.missing_blocks);
      const double share = missing / (missing + static_cast<double>(recording.blocks));
      Doubt(std::min(0.8, 0.02 + 4 * share),
            absl::StrCat(recording.missing_blocks,
                         recording.missing_blocks == 1 ? " block of the trace files is"
                                                       : " blocks of the trace files are",
                         " missing (", PercentText(share),
                         "): some waits may be missing or blamed on the wrong thread."));
    }
    if (recording.lost == 0) return;
    const auto lost = static_cast<double>(recording.lost);
    const double share = lost / (lost + static_cast<double>(recording.events));
    Doubt(std::min(0.8, 0.02 + 4 * share),
          absl::StrCat(recording.lost, " records were lost (", PercentText(share),
                       "): some waits may be missing or blamed on the wrong thread."));
  }

  void Cycles(const WaitForGraph& recording) {
    if (recording.cyclic_links == 0) return;
    uint64_t waits = 0;
    for (const Edge& edge : recording.edges) waits += edge.count;
    const double share = static_cast<double>(recording.cyclic_links) /
                         static_cast<double>(std::max<uint64_t>(1, waits));
    Doubt(std::min(0.5, 0.02 + 2 * share),
          absl::StrCat(recording.cyclic_links,
                       " waits closed a circle and were not followed further: the weights of some "
                       "edges are too low."));
  }

  void Session(const pb::RecordingSummary& summary) {
    if (!summary.complete()) {
      Doubt(0.1, "The recording was not ended properly: its last moments are missing.");
    }
    if (summary.chains_end_at_targets()) {
      Doubt(0.1,
            "Only the target was recorded: what others wait for while the target waits for them is "
            "not known.");
    }
  }

  void UnknownTime() {
    double life_ns = 0;
    double unknown_ns = 0;
    double unknown_waker_ns = 0;
    for (const uint32_t id : limit_.members) {
      life_ns += static_cast<double>(measures_.vertex(id).life_ns);
      unknown_ns += static_cast<double>(measures_.vertex(id).unknown_ns);
      for (const Edge& edge : measures_.edges_from(id)) {
        if (measures_.vertex(edge.to).kind != VertexKind::kUnknown) continue;
        unknown_waker_ns += static_cast<double>(edge.own_ns);
      }
    }
    if (life_ns <= 0) return;
    const double unknown = std::min(1.0, unknown_ns / life_ns);
    if (unknown >= kWorthSaying) {
      Doubt(unknown, absl::StrCat("What ", words_.of_all(limit_.members), " did is not known for ",
                                  PercentText(unknown), " of the time."));
    }
    const double waker = std::min(1.0, unknown_waker_ns / life_ns);
    if (waker >= kWorthSaying) {
      Doubt(waker,
            absl::StrCat("Whom ", words_.of_all(limit_.members), " waited for is not known for ",
                         PercentText(waker), " of the time."));
    }
  }

  void UnseenCompletions() {
    for (const uint32_t id : limit_.members) {
      const Vertex& vertex = measures_.vertex(id);
      if (vertex.requests_without_end == 0 || vertex.operations == 0) continue;
      const double share =
          static_cast<double>(vertex.requests_without_end) / static_cast<double>(vertex.operations);
      if (share < kWorthSaying) continue;
      Doubt(std::min(0.8, share),
            absl::StrCat(PercentText(share), " of the requests to ", words_.of(id),
                         " were not seen to end: how busy it was is not sure."));
    }
  }

  void FewWaits() {
    if (!limit_.attack || limit_.kind == LimitKind::kSink) return;
    const Edge* edge = measures_.FindEdge(limit_.attack->from, limit_.attack->to);
    if (edge == nullptr || edge->count >= kFewWaits) return;
    Doubt(0.3, absl::StrCat("This rests on only ", FormatCount(edge->count, "wait"),
                            ": record for longer."));
  }

  void Strength() {
    const bool busy_sink =
        limit_.kind == LimitKind::kSink && measures_.BusyShare(limit_.members[0]) >= kBusy;
    const bool there_all_the_time =
        busy_sink && !measures_.BusyForAllItsShortLife(limit_.members[0]);
    if (there_all_the_time && limit_.share < 0.9) {
      Doubt(0.9 - limit_.share,
            absl::StrCat("It is busy for only ", PercentText(limit_.share),
                         " of the time: what keeps it for the rest is not seen."));
    }
    if (limit_.perhaps_idle) {
      Doubt(0.5, "Only a pool waits for it that has other work: its threads may be spare.");
    }
    if (limit_.kind == LimitKind::kOutside) {
      Doubt(0.3, "The other side was not recorded: it may be slow, or have nothing to send.");
    }
    if (limit_.kind == LimitKind::kBackground) {
      Doubt(0.3, "That it is in the background is told only from how little it runs.");
    }
    if (limit_.kind == LimitKind::kKnot && limit_.share < 0.2) {
      Doubt(0.2, "The waits of this knot are short beside the recording.");
    }
  }

  Confidence Take() { return std::move(result_); }

 private:
  const Measures& measures_;
  const VertexWords& words_;
  const Limit& limit_;
  Confidence result_;
};

}  // namespace

Confidence JudgeConfidence(const WaitForGraph& recording, const pb::RecordingSummary& summary,
                           const Measures& measures, const VertexWords& words, const Limit& limit) {
  ConfidenceJudge judge(measures, words, limit);
  judge.Losses(recording);
  judge.Cycles(recording);
  judge.Session(summary);
  judge.UnknownTime();
  judge.UnseenCompletions();
  judge.FewWaits();
  judge.Strength();
  return judge.Take();
}

}  // namespace gordian
