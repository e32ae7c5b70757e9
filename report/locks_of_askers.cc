// SPDX-License-Identifier: Apache-2.0
#include "report/locks_of_askers.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/fix_change.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "report/finding_threads.h"
#include "report/limits.h"
#include "report/vertex_names.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// What alike threads wait for of each other, as far as it is a lock.
struct LockWaits {
  double lock_s = 0;
  double life_s = 0;            // of those that wait for it
  std::string most_waited_for;  // flock of /var/lib/queue; empty if it has no such name
};

// The kernel's own code tells a file's lock, the program's code others.
double ShareForALock(const pb::WaitReason& reason) {
  if (reason.reason() == "file lock") return reason.share();
  double share = 0;
  for (const pb::WaitObject& object : reason.objects())
    if (object.role() == "lock") share += object.share();
  return share;
}

double LifeOf(const pb::ReportVertex& vertex) {
  return vertex.run_s() + vertex.runnable_s() + vertex.wait_s();
}

std::string FileOf(const pb::WaitReason& reason) {
  if (reason.reason() != "file lock" || reason.objects().empty()) return "";
  return reason.objects(0).text();
}

LockWaits LockWaitsAmong(const std::set<uint32_t>& alike, const pb::Report& report) {
  LockWaits found;
  std::set<uint32_t> waiters;
  double most_s = 0;
  for (const pb::ReportEdge& edge : report.edges()) {
    if (!alike.contains(edge.from()) || !alike.contains(edge.to())) continue;
    for (const pb::WaitReason& reason : edge.reasons()) {
      const double lock_s = edge.own_s() * ShareForALock(reason);
      if (lock_s <= 0) continue;
      found.lock_s += lock_s;
      waiters.insert(edge.from());
      if (lock_s <= most_s) continue;
      most_s = lock_s;
      found.most_waited_for = FileOf(reason);
    }
  }
  for (const uint32_t waiter : waiters)
    found.life_s += LifeOf(report.vertices(static_cast<int>(waiter)));
  return found;
}

// The target's threads of that name, whichever processes they are of.
std::set<uint32_t> AlikeOf(const pb::ReportVertex& asker, const pb::Report& report) {
  std::set<uint32_t> alike;
  for (const pb::ReportVertex& vertex : report.vertices())
    if (vertex.target() && vertex.name() == asker.name() && IsThreadKind(vertex.kind()))
      alike.insert(vertex.id());
  return alike;
}

void Tell(const LockWaits& waits, uint32_t asker, pb::Finding& finding, pb::Report& report) {
  const double share = std::min(1.0, waits.lock_s / waits.life_s);
  AddToTitle(": ",
             absl::StrCat("they wait ", PercentText(share), " of the time for ",
                          waits.most_waited_for.empty()
                              ? "a lock"
                              : absl::StrCat("the lock of a file (", waits.most_waited_for, ")"),
                          " that one of them holds"),
             finding, report);
  finding.clear_advice();
  finding.add_advice(
      "Ask before the lock is taken, or after it was given back. Or give each thread a lock, and "
      "what it guards, of its own.");
  pb::NaturalFix& fix = *finding.add_natural_fixes();
  fix.set_change(FixChangeName(FixChange::kLock));
  fix.set_who(asker);
  fix.set_whom(asker);
  fix.set_of_wait(true);
  finding.clear_no_natural_fix_because();
}

}  // namespace

void TellLocksOfAskers(pb::Report& report) {
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (!finding.has_let_through() || !IsLimit(finding) || finding.members().empty() ||
        !finding.natural_fixes().empty())
      continue;
    const uint32_t asker = finding.members(0);
    const LockWaits waits =
        LockWaitsAmong(AlikeOf(report.vertices(static_cast<int>(asker)), report), report);
    if (waits.lock_s > 0 && waits.lock_s >= kMostOfTheTime * waits.life_s)
      Tell(waits, asker, finding, report);
  }
}

}  // namespace gordian
