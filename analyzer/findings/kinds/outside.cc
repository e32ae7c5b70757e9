// SPDX-License-Identifier: Apache-2.0
// The limit is outside of the recording: a remote peer, an interrupt without an explanation, an
// unrecorded thread, the way between two nodes.
#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/gain.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/kinds/kinds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::optional<Limit> OutsideOfVertex(const Evidence& evidence, uint32_t id) {
  const WaitedFor& waited_for = evidence.waiters[id];
  if (evidence.vertex(id).is_device() || evidence.IsRecordedThread(id) ||
      !evidence.IsHeldUpFor(waited_for.share))
    return std::nullopt;
  return Limit{.kind = FindingKind::kOutside,
               .members = {id},
               .attack = waited_for.heaviest,
               .share = waited_for.share,
               .waited_for = waited_for.share,
               .perhaps_idle = !evidence.IsNeeded(id)};
}

// The way from one node to another.
bool IsLink(const Case& it) { return it.vertex(it.first()).kind == VertexKind::kLink; }

std::string OutsideTitle(const Case& it) {
  const std::string waiter = it.limit.attack ? it.Name(it.limit.attack->from) : "the target";
  const std::string share = PercentText(it.limit.share);
  const std::string& name = it.Name(it.first());
  return IsLink(it) ? absl::StrCat("The way between the nodes is the limit: ", waiter, " waits ",
                                   share, " of the time while messages are on ", name, ".")
                    : absl::StrCat("The limit is outside of the recording: ", waiter, " waits ",
                                   share, " of the time for ", name, ".");
}

std::vector<std::string> OutsideWhy(const Case& it) {
  std::vector<std::string> why;
  if (it.limit.attack) why.push_back(it.WaitSentence(*it.limit.attack));
  if (IsLink(it)) {
    why.push_back(
        "This time begins when a message is sent, and ends when the thread it is for is woken.");
  }
  return why;
}

std::vector<std::string> OutsideAdvice(const Case& it) {
  if (IsLink(it)) {
    return {
        "Keep several requests in flight, or ask for more at a time: then the way is paid once.",
        "Bring the two nodes closer together; look for lost packets, full queues and delayed "
        "acknowledgements on the way."};
  }
  return {"Record the other side, too. If it sends the load: it may simply not send more."};
}

void DoubtOutside(const Case& it, Confidence& confidence) {
  DoubtFewWaits(it, confidence);
  DoubtIdleWaiters(it, confidence);
  confidence.Doubt(
      kDoubt, IsLink(it)
                  ? "What happens on the way was not recorded: it may be the network or a queue."
                  : "The other side was not recorded: it may be slow, or have nothing to send.");
}

NaturalFixes OutsideFixes(const Case& it) {
  if (IsLink(it)) return NoFixOfLink(it, it.first());
  if (!it.vertex(it.first()).has_threads())
    return NoFix("what was not recorded cannot be replayed");
  return {{MoreClients(it.first())}, ""};
}

}  // namespace

KindRow OutsideKind() {
  return {.kind = FindingKind::kOutside,
          .facts = {.name = "outside",
                    .in_words = "something outside of the recording",
                    .if_gone = "if this wait were gone"},
          .is_passive = true,
          .of_vertex = OutsideOfVertex,
          .title = OutsideTitle,
          .why = OutsideWhy,
          .advice = OutsideAdvice,
          .upper_bound = BoundOfWait,
          .doubts = DoubtOutside,
          .fixes = OutsideFixes};
}

}  // namespace gordian
