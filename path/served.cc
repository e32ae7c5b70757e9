// SPDX-License-Identifier: Apache-2.0
#include "path/served.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "path/thresholds.h"

namespace gordian {
namespace {

class ServedFinder {
 public:
  ServedFinder(const Timeline& timeline, const JobProcesses& processes, const PathJob& job)
      : timeline_(timeline), processes_(processes), job_(job) {}

  ServedOutsiders Find() {
    ServedOutsiders found;
    if (!FindForked()) return found;
    talks_.resize(forked_.size());
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) LookAtWaits(thread);
    const absl::flat_hash_map<ProcessId, Children> children = ChildrenByParent();
    uint64_t most = 0;
    for (ProcessId id = 0; id < forked_.size(); ++id) {
      if (forked_[id] == 0) continue;
      const ProcessId parent = processes_.process(id).parent;
      const Children& siblings = children.at(parent);
      if (!Serve(siblings)) {
        forked_[id] = 0;
        continue;
      }
      ++found.processes;
      if (siblings.forked <= most) continue;
      most = siblings.forked;
      found.parent = parent;
    }
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      if (forked_[processes_.Of(thread)] != 0)
        found.busy_ns += BusyNs(timeline_, thread, job_.from_ns, job_.to_ns);
    }
    return found;
  }

 private:
  struct Children {
    uint64_t forked = 0;
    uint64_t talk = 0;
  };

  // Children of one process that run its program do alike. A busy client is not asleep when its
  // answer comes, so not each of them is seen to talk.
  static bool Serve(const Children& siblings) {
    return static_cast<double>(siblings.talk) >= kTalkForAll * static_cast<double>(siblings.forked);
  }

  absl::flat_hash_map<ProcessId, Children> ChildrenByParent() const {
    absl::flat_hash_map<ProcessId, Children> children;
    for (ProcessId id = 0; id < forked_.size(); ++id) {
      if (forked_[id] == 0) continue;
      Children& siblings = children[processes_.process(id).parent];
      ++siblings.forked;
      siblings.talk += talks_[id];
    }
    return children;
  }

  // Born within the job, and ended before its parent, without an exec.
  bool FindForked() {
    const auto most_ns =
        static_cast<uint64_t>(kShortCommand * static_cast<double>(job_.to_ns - job_.from_ns));
    forked_.resize(processes_.all().size());
    bool are_any = false;
    for (ProcessId id = 0; id < forked_.size(); ++id) {
      const PathProcess& process = processes_.process(id);
      const bool is_of_job = job_.members[id] != 0 && id != job_.root && process.born;
      if (!is_of_job || process.commands != 1 || process.parent == kNoProcess) continue;
      if (job_.members[process.parent] == 0 || process.recorder_until_ns != 0) continue;
      if (process.end_ns - process.begin_ns > most_ns) continue;
      forked_[id] = 1;
      are_any = true;
    }
    return are_any;
  }

  bool IsOutsider(EntityId thread) const {
    const ProcessId id = processes_.Of(thread);
    return job_.members[id] == 0 && !processes_.process(id).is_kernel &&
           processes_.process(id).recorder_until_ns == 0;
  }

  void LookAtWaits(EntityId thread) {
    const ProcessId own = processes_.Of(thread);
    const bool is_forked = forked_[own] != 0;
    if (!is_forked && !IsOutsider(thread)) return;
    if (is_forked && talks_[own] != 0) return;
    for (auto at = timeline_.SegmentsFrom(thread, job_.from_ns);
         !at.done() && at.start_ns() < job_.to_ns; at.Next()) {
      const ThreadSegment& segment = at.segment();
      if (segment.kind != SegmentKind::kWait) continue;
      if (segment.cause == WaitCause::kNic && is_forked) talks_[own] = 1;
      if (segment.cause != WaitCause::kThread || segment.waker >= timeline_.thread_count())
        continue;
      const ProcessId other = processes_.Of(segment.waker);
      if (is_forked && IsOutsider(segment.waker)) talks_[own] = 1;
      if (!is_forked && forked_[other] != 0) talks_[other] = 1;
    }
  }

  const Timeline& timeline_;
  const JobProcesses& processes_;
  const PathJob& job_;
  std::vector<uint8_t> forked_;  // by process
  std::vector<uint8_t> talks_;   // by process
};

}  // namespace

ServedOutsiders FindServed(const Timeline& timeline, const JobProcesses& processes,
                           const PathJob& job) {
  return ServedFinder(timeline, processes, job).Find();
}

}  // namespace gordian
