// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/job.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// By thread: the target's; without any, those in the report's scope.
std::vector<uint8_t> ThreadsOfJob(const AnalyzedRecording& recording) {
  const Timeline& timeline = recording.timeline;
  std::vector<uint8_t> is_of_job(timeline.thread_count());
  bool any = false;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    is_of_job[thread] = timeline.entities()[thread].target ? 1 : 0;
    any |= is_of_job[thread] != 0;
  }
  const auto& scope = recording.report.scope().vertices();
  for (EntityId thread = 0; !any && thread < timeline.thread_count(); ++thread)
    is_of_job[thread] =
        std::find(scope.begin(), scope.end(), recording.vertex_of_entity[thread]) != scope.end();
  return is_of_job;
}

JobLife LifeOfJob(const AnalyzedRecording& recording) {
  const Timeline& timeline = recording.timeline;
  const pb::JobPath& path = recording.report.path();
  const auto start_ns = static_cast<uint64_t>(std::llround(path.start_s() * kNsPerSecond));
  const auto length_ns = static_cast<uint64_t>(std::llround(path.seconds() * kNsPerSecond));
  JobLife life = {.from_ns = timeline.start_ns() + start_ns};
  life.to_ns = std::min(timeline.end_ns(), life.from_ns + length_ns);
  // Only a whole job ends with its root. Of one that ended in a pause only the end is known, and
  // not what it waited for: what was recorded of it stands for the rest.
  for (EntityId thread = 0; path.whole() && thread < timeline.thread_count(); ++thread) {
    const Entity& entity = timeline.entities()[thread];
    if (entity.tid == path.root_pid() && entity.begin_ns < life.to_ns &&
        entity.end_ns >= life.to_ns)
      life.root = thread;
  }
  return life;
}

// So many times as fast is the whole job, if nothing changes while the recording paused.
double WithoutPauses(double gain, double recorded_s, double paused_s) {
  return gain > 0 ? (recorded_s + paused_s) / (recorded_s / gain + paused_s) : 0;
}

std::string TimeText(double seconds) {
  return FormatDuration(static_cast<uint64_t>(std::max(0.0, seconds) * kNsPerSecond));
}

// The lives of these vertices' threads, if all are processes that began within the recording.
struct ProcessLives {
  double all_ns = 0;  // added up
  double any_ns = 0;  // at least one of them lived
  size_t processes = 0;
  // On average, while there were any.
  double AtOnce() const { return any_ns > 0 ? all_ns / any_ns : 1; }
};
std::optional<ProcessLives> LivesOf(const AnalyzedRecording& recording,
                                    std::span<const AddedThreads> added) {
  const Timeline& timeline = recording.timeline;
  std::vector<std::pair<uint64_t, uint64_t>> stretches;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const uint32_t vertex = recording.vertex_of_entity[thread];
    if (std::none_of(added.begin(), added.end(),
                     [&](const AddedThreads& its) { return its.vertex == vertex; }))
      continue;
    const Entity& entity = timeline.entities()[thread];
    const bool is_process = entity.tid == entity.tgid && timeline.creator(thread) != kNobody;
    if (!is_process) return std::nullopt;
    stretches.emplace_back(entity.begin_ns, entity.end_ns);
  }
  std::sort(stretches.begin(), stretches.end());
  ProcessLives lives = {.processes = stretches.size()};
  uint64_t until_ns = 0;
  for (const auto& [begin_ns, end_ns] : stretches) {
    lives.all_ns += static_cast<double>(end_ns - begin_ns);
    if (end_ns > until_ns)
      lives.any_ns += static_cast<double>(end_ns - std::max(begin_ns, until_ns));
    until_ns = std::max(until_ns, end_ns);
  }
  return lives;
}

}  // namespace

bool BeginMoreAtOnce(const AnalyzedRecording& recording, Changes& changes) {
  for (MoreAtOnce& more : changes.more_at_once) more.of_job = true;
  std::vector<AddedThreads>& added = changes.added_threads;
  if (added.empty() || !changes.more_at_once.empty()) return false;
  const std::optional<ProcessLives> lives = LivesOf(recording, added);
  if (!lives || lives->processes < 2) return false;
  uint32_t more_at_once = 0;  // of all of them
  for (const AddedThreads& its : added) more_at_once += its.count;
  const double times = 1 + more_at_once / lives->AtOnce();
  MoreAtOnce more = {.vertex = added.front().vertex,
                     .times = static_cast<uint32_t>(std::ceil(times)),
                     .more_threads = true,
                     .of_job = true,
                     .most = times};
  for (const AddedThreads& other : std::span(added).subspan(1)) more.others.push_back(other.vertex);
  changes.more_at_once.push_back(std::move(more));
  added.clear();
  return true;
}

// Whether a thread on its path slept once for half of its time: then it ends by the clock, as a
// server that is tried for four seconds, and its end tells nothing of its throughput.
bool EndsByTheClock(const AnalyzedRecording& recording) {
  const Timeline& timeline = recording.timeline;
  const pb::JobPath& path = recording.report.path();
  const double half_ns = path.seconds() * kNsPerSecond / 2;
  std::set<int32_t> asleep;
  for (const pb::PathStretch& stretch : path.stretches())
    if (stretch.state() == "timer") asleep.insert(stretch.pid());
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    if (!asleep.contains(timeline.entities()[thread].tgid)) continue;
    for (SegmentCursor at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      const bool sleeps =
          at.segment().kind == SegmentKind::kWait && at.segment().cause == WaitCause::kTimer;
      if (sleeps && static_cast<double>(at.end_ns() - at.start_ns()) > half_ns) return true;
    }
  }
  return false;
}

bool IsJob(const AnalyzedRecording& recording) {
  const pb::JobPath& path = recording.report.path();
  return path.is_job() || (path.whole() && !EndsByTheClock(recording));
}

NamedProgress JobProgress(const AnalyzedRecording& recording) {
  const std::string root = CleanText(recording.report.path().root());
  return {.marks = JobMarks(recording.timeline, ThreadsOfJob(recording), LifeOfJob(recording)),
          .what = root.empty() ? "the job's work" : absl::StrCat("the work of the job ", root),
          .is_job = true};
}

// What happened in a pause may gain nothing, or as much as the rest.
void TellJob(const AnalyzedRecording& recording, pb::WhatIf& answer) {
  const pb::JobPath& path = recording.report.path();
  pb::WhatIfJob& job = *answer.mutable_job();
  job.set_root(CleanText(path.root()));
  const JobLife life = LifeOfJob(recording);
  job.set_whole(path.whole());
  job.set_seconds(path.seconds());
  if (job.whole()) {
    const Pauses& pauses = recording.timeline.pauses();
    const uint64_t by_clock_ns = pauses.ClockTime(life.to_ns) - pauses.ClockTime(life.from_ns);
    job.set_paused_s(SecondsOf(by_clock_ns - std::min(by_clock_ns, life.to_ns - life.from_ns)));
  }
  if (job.paused_s() > 0) {
    const auto whole = [&](double gain) {
      return WithoutPauses(gain, job.seconds(), job.paused_s());
    };
    answer.set_low(std::min(answer.low(), whole(answer.low())));
    answer.set_high(std::max(answer.high(), whole(answer.high())));
    answer.set_expected(std::sqrt(answer.expected() * whole(answer.expected())));
  }
  TellJobTimes(answer);
}

void TellJobTimes(pb::WhatIf& answer) {
  if (!answer.has_job()) return;
  pb::WhatIfJob& job = *answer.mutable_job();
  const double seconds = job.seconds() + job.paused_s();
  const auto after = [&](double gain) { return gain > 0 ? seconds / gain : 0; };
  job.set_seconds_after(after(answer.expected()));
  job.set_least_seconds_after(after(answer.high()));
  job.set_most_seconds_after(after(answer.low()));
}

std::string JobTimesText(const pb::WhatIfJob& job) {
  return absl::StrCat(TimeText(job.seconds() + job.paused_s()), " → ",
                      TimeText(job.seconds_after()));
}

}  // namespace gordian
