// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/kinds/knot_advice.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/lock_advice.h"
#include "analyzer/findings/evidence/thresholds.h"

namespace gordian {
namespace {

bool WaitsBack(const Limit& limit) {
  return std::any_of(limit.edges.begin(), limit.edges.end(), [&](const ScopeEdge& edge) {
    return edge.from == limit.attack->to && edge.to == limit.attack->from;
  });
}

bool HasDisk(const Case& it) {
  return std::any_of(it.limit.members.begin(), it.limit.members.end(),
                     [&](uint32_t id) { return it.vertex(id).kind == VertexKind::kDisk; });
}

void AdviseOnDisk(const std::string& waiter, const std::string& disk,
                  std::vector<std::string>& advice) {
  advice.push_back(absl::StrCat("If ", waiter, " writes or syncs: let it go on while ", disk,
                                " works (asynchronous writes, a thread for the sync), or sync "
                                "several requests at once."));
  advice.push_back("If it reads: read ahead, or several blocks in parallel.");
}

std::vector<std::string> AdviceOnAlike(bool has_disk, bool asks) {
  const std::string scarce =
      "If they share something scarce (the connections of a pool): provide more of it.";
  std::vector<std::string> advice;
  if (asks) advice.push_back(scarce);
  if (has_disk) {
    advice.push_back(absl::StrCat(kIfOneSyncsForAll,
                                  " (a shared log, group commit) or holds a lock meanwhile: let "
                                  "the others go on, sync less often, or use a faster disk."));
  }
  advice.push_back(
      "If they share a lock: shorten the code under it, split it (per bucket, per core), or read "
      "without it.");
  if (!asks) advice.push_back(scarce);
  advice.push_back(
      "If they meet at a barrier: deal out the work in smaller pieces, so that all threads finish "
      "together.");
  return advice;
}

}  // namespace

std::optional<std::string> AdviceOnHolding(const Case& it, uint32_t asker) {
  const std::optional<ScopeEdge>& wait = it.evidence.waiters[asker].heaviest;
  if (!wait || wait->from == asker || wait->share < kMostOfTheTime) return std::nullopt;
  const int32_t pid = it.vertex(asker).pid;
  if (pid == 0 || it.vertex(wait->from).pid != pid) return std::nullopt;
  if (it.measures().Asks(wait->from, asker)) return std::nullopt;
  return absl::StrCat(it.Does(wait->from, "waits", "wait"), " for ", it.Name(asker), kIfForALock,
                      it.Name(asker), " ask before it takes the lock, or after it gave it back.");
}

std::vector<std::string> KnotAdvice(const Case& it) {
  const ScopeEdge& attack = *it.limit.attack;
  const std::string& from = it.Name(attack.from);
  const std::string& to = it.Name(attack.to);
  const Vertex& waited = it.vertex(attack.to);

  // Recorded threads that hold each other up are no other end, whosever they are.
  if (attack.from == attack.to && waited.has_threads())
    return AdviceOnAlike(HasDisk(it), it.evidence.WaitsForAnswers(attack.from));
  if (it.IsOutside(attack.to) && it.measures().Asks(attack.from, attack.to)) {
    std::vector<std::string> advice;
    if (auto holding = AdviceOnHolding(it, attack.from)) advice.push_back(*std::move(holding));
    advice.push_back(absl::StrCat("Send more at a time to ", to,
                                  ": more connections or requests in flight, until it is busy."));
    return advice;
  }
  if (it.IsOutside(attack.to)) {
    return {absl::StrCat("Send more at a time: more connections or requests in flight from ", to,
                         ", until ", from, " no longer waits for it.")};
  }
  std::vector<std::string> advice;
  // The kernel's threads wait for the disk in the name of others.
  if (waited.kind == VertexKind::kDisk || (waited.kernel_thread && HasDisk(it))) {
    AdviseOnDisk(from, to, advice);
    return advice;
  }
  if (waited.kind == VertexKind::kNic && it.measures().Asks(attack.to, attack.from)) {
    return {absl::StrCat("It waits for requests from there: let the clients send more at a time.")};
  }
  if (waited.kind == VertexKind::kNic) {
    return {"Keep several requests in flight instead of waiting for each answer, or fetch ahead.",
            "Look at the other end: it may be slow, or not send more."};
  }
  // First: it is surely not for work.
  if (it.limit.disk_wait)
    AdviseOnDisk(it.Name(it.limit.disk_wait->from), it.Name(it.limit.disk_wait->to), advice);
  const std::string more =
      it.IsGroup(attack.to) ? "or more such threads" : absl::StrCat("or a second ", to);
  advice.push_back(absl::StrCat("Let ", from, " go on without waiting for ", to,
                                ": a queue between them, more requests at a time, ", more, "."));
  if (it.vertex(attack.from).strands != waited.strands && WaitsBack(it.limit)) {
    advice.push_back(
        "If they take turns in phases: do one's work during the other's, or share it out more "
        "evenly.");
  }
  advice.push_back("If it is a lock: shorten the code under it, or split it.");
  return advice;
}

}  // namespace gordian
