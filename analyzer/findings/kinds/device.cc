// SPDX-License-Identifier: Apache-2.0
// A saturated disk or network interface. Busy is not full: a disk that has one request at a time
// may well do more at once (latency.cc).
#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/gain.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/kinds/kinds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Several requests are under way, or several threads wait, in most of its busy time. An interface
// is busy for as long as its bytes take at its full speed.
bool IsFull(const Vertex& device) {
  return device.kind != VertexKind::kDisk ||
         static_cast<double>(device.several_ns) >=
             kMostOfTheTime * static_cast<double>(device.busy_ns);
}

std::optional<Limit> DeviceOfVertex(const Evidence& evidence, uint32_t id) {
  const Vertex& device = evidence.vertex(id);
  if (!device.is_device() || !IsFull(device)) return std::nullopt;
  const WaitedFor& waited_for = evidence.waiters[id];
  const double busy = evidence.measures.BusyShare(id);
  if (!evidence.IsHeldUpFor(waited_for.share) || busy < 1 - evidence.options.threshold)
    return std::nullopt;
  return Limit{.kind = FindingKind::kDevice,
               .members = {id},
               .attack = waited_for.heaviest,
               .share = busy,
               .waited_for = waited_for.share,
               .hides_waiters = true};
}

std::string DeviceTitle(const Case& it) {
  return absl::StrCat(it.Name(it.first()), " is saturated: it is busy ",
                      PercentText(it.limit.share), " of the time.");
}

std::vector<std::string> DeviceWhy(const Case& it) {
  std::vector<std::string> why;
  if (it.limit.attack) why.push_back(it.WaitSentence(*it.limit.attack));
  why.push_back(
      "Something is in flight nearly all the time: earlier or more parallel requests gain "
      "nothing.");
  return why;
}

std::vector<std::string> DeviceAdvice(const Case&) {
  return {"Give it less to do: cache, compress, batch small requests into large ones.",
          "Or take a faster device, or spread the data over several."};
}

void DoubtDevice(const Case& it, Confidence& confidence) { DoubtFewWaits(it, confidence); }

NaturalFixes DeviceFixes(const Case& it) {
  if (it.vertex(it.first()).kind != VertexKind::kDisk)
    return NoFix("a replay cannot try a faster network");
  return {{{.change = FixChange::kScale, .who = it.first(), .amount = kLessWork, .of_wait = false}},
          ""};
}

}  // namespace

KindRow DeviceKind() {
  return {.kind = FindingKind::kDevice,
          .facts = {.name = "device",
                    .in_words = "a saturated device",
                    .if_gone = "if the device took no time"},
          .of_vertex = DeviceOfVertex,
          .title = DeviceTitle,
          .why = DeviceWhy,
          .advice = DeviceAdvice,
          .upper_bound = BoundOfWork,
          .doubts = DoubtDevice,
          .fixes = DeviceFixes};
}

}  // namespace gordian
