// SPDX-License-Identifier: Apache-2.0
// Data that a kernel held back until an acknowledgement came (nodes/held_back.h).
#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/gain.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/kinds/kinds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::optional<Limit> HeldBackOfVertex(const Evidence& evidence, uint32_t id) {
  if (evidence.vertex(id).kind != VertexKind::kHeldBack) return std::nullopt;
  const WaitedFor& waited_for = evidence.waiters[id];
  if (!evidence.IsHeldUpFor(waited_for.share) || !waited_for.heaviest) return std::nullopt;
  return Limit{.kind = FindingKind::kHeldBack,
               .members = {id},
               .attack = waited_for.heaviest,
               .share = waited_for.share,
               .waited_for = waited_for.share,
               .hides_waiters = true};
}

std::string HeldBackTitle(const Case& it) {
  return absl::StrCat(it.Does(it.limit.attack->from, "waits ", "wait "),
                      PercentText(it.limit.share), " of the time for ", it.Name(it.first()),
                      ": a kernel keeps it until a delayed acknowledgement comes.");
}

std::vector<std::string> HeldBackWhy(const Case& it) {
  return {it.WaitSentence(*it.limit.attack),
          "The sender writes a message in small pieces. Its kernel keeps a small piece while an "
          "earlier one is not acknowledged (Nagle's algorithm); the receiver's kernel acknowledges "
          "late, as it waits for an answer to send along. Nobody works meanwhile."};
}

std::vector<std::string> HeldBackAdvice(const Case&) {
  return {
      "Let the sender set TCP_NODELAY on the connection.",
      "Or let it write each message at once: one buffer, writev, or MSG_MORE for all pieces but "
      "the last.",
      "Several requests under way hide the delay; a faster network or more CPUs do not."};
}

// A peer that was not recorded may as well have sent it just then.
void DoubtHeldBack(const Case& it, Confidence& confidence) {
  DoubtFewWaits(it, confidence);
  if (it.vertex(it.first()).name != kHeldBackOfPeer) return;
  confidence.Doubt(kDoubt,
                   "The sender was not recorded: it may as well work for the 40 ms that an "
                   "acknowledgement is delayed.");
}

NaturalFixes HeldBackFixes(const Case& it) {
  NaturalFixes natural;
  natural.fixes.push_back(
      {.change = FixChange::kAsync, .who = it.limit.attack->from, .whom = it.first()});
  return natural;
}

}  // namespace

KindRow HeldBackKind() {
  return {.kind = FindingKind::kHeldBack,
          .facts = {.name = "held_back",
                    .in_words = "data held back for an acknowledgement",
                    .if_gone = "if no data were held back"},
          .of_vertex = HeldBackOfVertex,
          .title = HeldBackTitle,
          .why = HeldBackWhy,
          .advice = HeldBackAdvice,
          .upper_bound = BoundOfWait,
          .doubts = DoubtHeldBack,
          .fixes = HeldBackFixes};
}

}  // namespace gordian
