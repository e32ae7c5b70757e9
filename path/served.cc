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
  ServedFinder(const Timeline& timeline, std::span<const QuestionCount> questions,
               const JobProcesses& processes, const PathJob& job)
      : timeline_(timeline), questions_(questions), processes_(processes), job_(job) {}

  ServedOutsiders Find() {
    ServedOutsiders found;
    if (!FindShortLived()) return found;
    talks_.resize(short_lived_.size());
    CountQuestions();
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) LookAtWaits(thread);
    const absl::flat_hash_map<ProcessId, Children> children = ChildrenByParent();
    std::vector<uint8_t> serves(short_lived_.size());
    uint64_t most = 0;
    for (const ProcessId id : processes_.parents_first()) {
      if (short_lived_[id] == 0) continue;
      const ProcessId parent = processes_.process(id).parent;
      const Children& siblings = children.at(parent);
      const bool works_for_all = IsAskedForAll(parent, siblings) || serves[parent] != 0;
      serves[id] = works_for_all || (IsForked(id) && Serve(siblings)) ? 1 : 0;
      if (serves[id] == 0) continue;
      ++found.processes;
      if (siblings.born <= most) continue;
      most = siblings.born;
      found.parent = parent;
    }
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      if (serves[processes_.Of(thread)] != 0)
        found.busy_ns += BusyNs(timeline_, thread, job_.from_ns, job_.to_ns);
    }
    return found;
  }

 private:
  struct Children {
    uint64_t born = 0;
    uint64_t forked = 0;  // of these, without a program of their own
    uint64_t talk = 0;    // of the forked
  };

  bool IsForked(ProcessId id) const {
    return short_lived_[id] != 0 && processes_.process(id).commands == 1;
  }

  // Children of one process that run its program do alike. A busy client is not asleep when its
  // answer comes, so not each of them is seen to talk.
  static bool Serve(const Children& siblings) {
    return static_cast<double>(siblings.talk) >= kTalkForAll * static_cast<double>(siblings.forked);
  }

  // Outsiders ask their parent about as often as it begins one, and it hands on what they say
  // (CGI).
  bool IsAskedForAll(ProcessId parent, const Children& children) const {
    return static_cast<double>(questions_to_[parent]) >=
           kTalkForAll * static_cast<double>(children.born);
  }

  // Packets tell them.
  void CountQuestions() {
    questions_to_.resize(short_lived_.size());
    for (const QuestionCount& asked : questions_) {
      if (asked.answerer >= timeline_.thread_count()) continue;
      const ProcessId answerer = processes_.Of(asked.answerer);
      const bool is_from_outside =
          asked.asker >= timeline_.thread_count() || IsOutsider(asked.asker);
      if (job_.members[answerer] != 0 && is_from_outside) questions_to_[answerer] += asked.count;
    }
  }

  absl::flat_hash_map<ProcessId, Children> ChildrenByParent() const {
    absl::flat_hash_map<ProcessId, Children> children;
    for (ProcessId id = 0; id < short_lived_.size(); ++id) {
      if (short_lived_[id] == 0) continue;
      Children& siblings = children[processes_.process(id).parent];
      ++siblings.born;
      if (!IsForked(id)) continue;
      ++siblings.forked;
      siblings.talk += talks_[id];
    }
    return children;
  }

  // Born within the job, and ended before its parent.
  bool FindShortLived() {
    const auto most_ns =
        static_cast<uint64_t>(kShortCommand * static_cast<double>(job_.to_ns - job_.from_ns));
    short_lived_.resize(processes_.all().size());
    bool are_any = false;
    for (ProcessId id = 0; id < short_lived_.size(); ++id) {
      const PathProcess& process = processes_.process(id);
      const bool is_of_job = job_.members[id] != 0 && id != job_.root && process.born;
      if (!is_of_job || process.parent == kNoProcess) continue;
      if (job_.members[process.parent] == 0 || process.recorder_until_ns != 0) continue;
      if (process.end_ns - process.begin_ns > most_ns) continue;
      short_lived_[id] = 1;
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
    const bool is_forked = IsForked(own);
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
      if (!is_forked && IsForked(other)) talks_[other] = 1;
    }
  }

  const Timeline& timeline_;
  const std::span<const QuestionCount> questions_;
  const JobProcesses& processes_;
  const PathJob& job_;
  std::vector<uint8_t> short_lived_;    // by process, like those that follow
  std::vector<uint8_t> talks_;          // of the forked
  std::vector<uint64_t> questions_to_;  // by outsiders
};

}  // namespace

ServedOutsiders FindServed(const Timeline& timeline, std::span<const QuestionCount> questions,
                           const JobProcesses& processes, const PathJob& job) {
  return ServedFinder(timeline, questions, processes, job).Find();
}

}  // namespace gordian
