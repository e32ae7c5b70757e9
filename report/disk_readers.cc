// SPDX-License-Identifier: Apache-2.0
#include "report/disk_readers.h"

#include <algorithm>
#include <utility>

#include "analyzer/findings/evidence/fix_change.h"
#include "analyzer/findings/evidence/lock_advice.h"
#include "report/finding_threads.h"

namespace gordian {
namespace {

bool IsOf(const pb::NaturalFix& fix, FixChange change) {
  return fix.change() == FixChangeName(change);
}

// Fixes of threads that do not ask a disk for what it did.
bool IsAskedNoMore(const pb::NaturalFix& fix, const pb::Report& report) {
  if (!IsOf(fix, FixChange::kSkip)) return false;
  return std::any_of(report.vertices().begin(), report.vertices().end(),
                     [&](const pb::ReportVertex& vertex) {
                       return vertex.id() == fix.whom() && vertex.kind() == "disk";
                     });
}

bool MostlyRead(const Waits& waits, uint32_t vertex, const std::vector<uint32_t>& vertex_of_entity,
                const TimeRange& range) {
  const Timeline& timeline = waits.timeline();
  uint64_t reads = 0;
  uint64_t others = 0;
  for (const BlockRecord& request : timeline.block_records()) {
    if (request.complete || request.time_ns < range.from_ns || request.time_ns >= range.to_ns)
      continue;
    if (request.thread >= timeline.thread_count() ||
        vertex_of_entity[waits.Representative(request.thread)] != vertex)
      continue;
    ++(request.operation == BlockOperation::kRead ? reads : others);
  }
  return reads > others;
}

// The lock at its place, once; and no work of one for all, as a sync is.
void AskForLock(const pb::NaturalFix& skip, pb::Finding& finding) {
  pb::NaturalFix lock = skip;
  lock.set_change(FixChangeName(FixChange::kLock));
  lock.set_whom(skip.who());
  google::protobuf::RepeatedPtrField<pb::NaturalFix> fixes;
  for (const pb::NaturalFix& fix : finding.natural_fixes()) {
    if (IsOf(fix, FixChange::kSkip)) {
      *fixes.Add() = lock;
    } else if (!IsOf(fix, FixChange::kLock) && !IsOf(fix, FixChange::kBatch)) {
      *fixes.Add() = fix;
    }
  }
  *finding.mutable_natural_fixes() = std::move(fixes);
}

// Reads of a disk need no turns, so whoever has to wait for another one's has to for a lock.
void AdviseOnTheirLock(pb::Finding& finding) {
  DropAdviceWith(kIfOneSyncsForAll, finding);
  PutFirst(
      "They mostly read from the disk. If they hold a lock meanwhile: read before it is taken, or "
      "let several read at once.",
      *finding.mutable_advice());
}

}  // namespace

void AskReadersForTheirLock(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                            const TimeRange& range, pb::Report& report) {
  if (!waits.timeline().nodes().empty()) return;
  for (pb::Finding& finding : *report.mutable_findings()) {
    for (const pb::NaturalFix& fix : finding.natural_fixes()) {
      if (!IsAskedNoMore(fix, report) || !MostlyRead(waits, fix.who(), vertex_of_entity, range))
        continue;
      AskForLock(pb::NaturalFix(fix), finding);
      AdviseOnTheirLock(finding);
      break;  // a finding has one such fix
    }
  }
}

}  // namespace gordian
