#include "analyzer/findings/advice.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/wording.h"

namespace gordian {
namespace {

bool WaitsBack(const Limit& limit) {
  for (const ScopeEdge& edge : limit.edges) {
    if (edge.from == limit.attack->to && edge.to == limit.attack->from) return true;
  }
  return false;
}

bool HasDisk(const Measures& measures, const Limit& limit) {
  return std::any_of(limit.members.begin(), limit.members.end(),
                     [&](uint32_t id) { return measures.vertex(id).kind == VertexKind::kDisk; });
}

void AdviseOnDisk(const std::string& waiter, const std::string& disk, pb::Finding& finding) {
  finding.add_advice(absl::StrCat("If ", waiter, " writes or syncs: let it go on while ", disk,
                                  " works (asynchronous writes, a thread for the sync), or sync "
                                  "several requests at once."));
  finding.add_advice("If it reads: read ahead, or several blocks in parallel.");
}

}  // namespace

void AdviseOnKnot(const Measures& measures, const VertexWords& words, const Target& target,
                  const Limit& limit, pb::Finding& finding) {
  const ScopeEdge& attack = *limit.attack;
  const std::string& from = words.of(attack.from);
  const std::string& to = words.of(attack.to);
  const Vertex& waiter = measures.vertex(attack.from);
  const Vertex& waited = measures.vertex(attack.to);

  if (!limit.apart && IsOutsider(measures, target, attack.to)) {
    finding.add_advice(
        absl::StrCat("Send more at a time: more connections or requests in flight from ", to,
                     ", until ", from, " no longer waits for it."));
    return;
  }
  // The kernel's threads wait for the disk in the name of others.
  const bool for_disk =
      waited.kind == VertexKind::kDisk || (waited.kernel_thread && HasDisk(measures, limit));
  if (for_disk) return AdviseOnDisk(from, to, finding);
  if (waited.kind == VertexKind::kNic) {
    finding.add_advice(
        "Keep several requests in flight instead of waiting for each answer, or fetch "
        "ahead.");
    finding.add_advice("Look at the other end: it may be slow, or not send more.");
    return;
  }
  if (attack.from == attack.to) {
    if (HasDisk(measures, limit)) {
      finding.add_advice(
          "If one of them writes or syncs for all (a shared log, group commit) or holds a lock "
          "meanwhile: let the "
          "others go on, sync less often, or put the data on a faster disk.");
    }
    finding.add_advice(
        "If they share a lock: shorten what is done under it, split it (per bucket, per "
        "core), or read without it.");
    finding.add_advice(
        "If they lend each other something scarce (the connections of a pool): let there be more "
        "of it.");
    finding.add_advice(
        "If they meet at a barrier: deal the work out in smaller pieces, so that none "
        "finishes late.");
    return;
  }
  // First: it is surely not for work.
  if (limit.disk_wait)
    AdviseOnDisk(words.of(limit.disk_wait->from), words.of(limit.disk_wait->to), finding);
  const std::string more =
      waited.kind == VertexKind::kGroup ? "or more such threads" : absl::StrCat("or a second ", to);
  finding.add_advice(absl::StrCat("Let ", from, " go on without waiting for ", to,
                                  ": a queue between them, more requests at a time, ", more, "."));
  if (waiter.strands != waited.strands && WaitsBack(limit)) {
    finding.add_advice(
        "If they take turns in phases: do one's work during the other's, or share it out more "
        "evenly.");
  }
  finding.add_advice("If it is a lock: shorten what is done under it, or split it.");
}

}  // namespace gordian
