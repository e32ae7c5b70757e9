// SPDX-License-Identifier: Apache-2.0
#include "path/job_path.h"

#include <algorithm>
#include <optional>

#include "path/account.h"
#include "path/brief.h"
#include "path/job.h"
#include "path/processes.h"
#include "path/served.h"
#include "path/stretches.h"
#include "path/thresholds.h"
#include "path/verdict.h"
#include "path/walk.h"
#include "path/width.h"

namespace gordian {
namespace {

constexpr uint32_t kMostStretches = 1000;  // a screen shows no more
constexpr size_t kMostStarts = 16;         // of a piece; more tell no more

class PathFinder {
 public:
  PathFinder(const Timeline& timeline, const JobPathOptions& options)
      : timeline_(timeline),
        options_(options),
        processes_(timeline),
        job_(FindJob(timeline, processes_, options)),
        walker_(timeline, processes_, job_) {}

  JobPath Find() {
    JobPath path;
    if (job_.busy_ns == 0 || job_.to_ns <= job_.from_ns) return path;
    Describe(path);
    if (!path.exists) return path;
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      if (job_.members[processes_.Of(thread)] != 0) threads_.push_back(thread);
    }
    if (path.is_job) TellServed(path);
    path.brief = FindBrief(timeline_, processes_, job_);
    path.is_of_starts = path.is_job && !path.is_server && path.brief.share >= kMostlyBrief;
    MeasureWork(path);
    WalkPieces();
    if (path.is_whole)
      path.stretches = StretchesOf(lanes_.back().steps, processes_, kMostStretches);
    PathAccount account(processes_, job_, path.cpus, options_.strip_bins);
    WidthSweep(timeline_, processes_, job_).Run(job_.from_ns, job_.to_ns, [&](const JobLoad& load) {
      account.Add(load, lanes_);
    });
    account.Tell(path);
    path.gain_bound = GainBound(path);
    return path;
  }

 private:
  void Describe(JobPath& path) const {
    path.short_lived_share =
        static_cast<double>(job_.short_lived_ns) / static_cast<double>(job_.busy_ns);
    path.exists = options_.whatever_it_is || path.short_lived_share >= kPartlyAJob;
    path.is_job = path.short_lived_share >= kIsAJob;
    path.is_whole = job_.is_whole;
    if (job_.root != kNoProcess) {
      path.root = processes_.process(job_.root).leader;
      path.root_program = processes_.programs()[processes_.ProgramOf(job_.root)];
    }
    path.from_ns = job_.from_ns;
    path.to_ns = job_.to_ns;
    path.cpus = timeline_.cpus();
    path.narrow = NarrowWidth(path.cpus);
    path.commands = job_.short_lived_runs;
  }

  void TellServed(JobPath& path) const {
    const ServedOutsiders served = FindServed(timeline_, timeline_.questions(), processes_, job_);
    if (served.processes == 0) return;
    const auto busy_ns = static_cast<double>(served.busy_ns);
    path.served_share = busy_ns / static_cast<double>(job_.busy_ns);
    path.is_server = path.served_share >= kIsAJob * path.short_lived_share;
    path.server = processes_.programs()[processes_.ProgramOf(served.parent)];
    path.served_processes = served.processes;
    path.served_busy_ns = busy_ns / static_cast<double>(served.processes);
  }

  // Work by program, and the thread that has most of it.
  void MeasureWork(JobPath& path) const {
    std::vector<double> cpu_ns(processes_.programs().size());
    for (const EntityId thread : threads_) {
      const ProcessId process = processes_.Of(thread);
      const uint64_t from_ns =
          std::max(job_.from_ns, processes_.process(process).recorder_until_ns);
      for (auto at = timeline_.SegmentsFrom(thread, from_ns);
           !at.done() && at.start_ns() < job_.to_ns; at.Next()) {
        const SegmentKind kind = at.segment().kind;
        if (kind != SegmentKind::kRun && kind != SegmentKind::kSpin) continue;
        const uint64_t end_ns = std::min(at.end_ns(), job_.to_ns);
        const uint64_t begin_ns = std::max(at.start_ns(), from_ns);
        if (begin_ns >= end_ns) continue;
        const CommandId command = processes_.CommandBefore(process, end_ns);
        const auto ns = static_cast<double>(end_ns - begin_ns);
        cpu_ns[processes_.commands()[command].program] += ns;
        path.work_ns += ns;
      }
      const auto piece_ns = static_cast<double>(BusyNs(timeline_, thread, from_ns, job_.to_ns));
      if (piece_ns > path.longest_piece_ns) {
        path.longest_piece_ns = piece_ns;
        path.longest_piece = processes_.programs()[processes_.ProgramOf(process)];
      }
    }
    for (ProgramId id = 0; id < cpu_ns.size(); ++id) {
      if (cpu_ns[id] > 0) path.cpu_programs.push_back({processes_.programs()[id], cpu_ns[id]});
    }
    std::stable_sort(path.cpu_programs.begin(), path.cpu_programs.end(),
                     [](const ProgramTime& a, const ProgramTime& b) { return a.ns > b.ns; });
  }

  // The last stretch between pauses is walked from the root's end. All other time is cut into
  // pieces, and no piece goes over a pause.
  void WalkPieces() {
    uint64_t to_ns = job_.to_ns;
    std::optional<PathLane> last;
    if (job_.is_whole) {
      last.emplace(PathLane{.from_ns = FloorOf(to_ns), .to_ns = to_ns});
      last->steps =
          walker_.Walk({processes_.process(job_.root).leader, to_ns}, last->from_ns, to_ns);
      to_ns = last->from_ns;
    }
    const uint64_t piece_ns = (job_.to_ns - job_.from_ns) / kPathPieces + 1;
    for (uint64_t from_ns = job_.from_ns; from_ns < to_ns;) {
      const uint64_t pause_ns = timeline_.pauses().NextPause(from_ns + 1, to_ns);
      const uint64_t end_ns = std::min({from_ns + piece_ns, to_ns, pause_ns + 1});
      WalkPiece(from_ns, end_ns);
      from_ns = end_ns;
    }
    if (last) lanes_.push_back(*std::move(last));
  }

  uint64_t FloorOf(uint64_t time_ns) const {
    return std::max(job_.from_ns, timeline_.pauses().LastResume(time_ns));
  }

  void WalkPiece(uint64_t from_ns, uint64_t to_ns) {
    std::vector<PathStart> starts = ActiveBefore(from_ns, to_ns);
    if (starts.size() > kMostStarts) {
      for (size_t i = 0; i < kMostStarts; ++i) starts[i] = starts[i * starts.size() / kMostStarts];
      starts.resize(kMostStarts);
    }
    if (starts.empty()) starts.push_back(NextActive(from_ns, to_ns));
    for (const PathStart& start : starts) {
      lanes_.push_back({.from_ns = from_ns,
                        .to_ns = to_ns,
                        .steps = walker_.Walk(start, from_ns, to_ns),
                        .weight = 1 / static_cast<double>(starts.size())});
    }
  }

  static bool IsActive(const ThreadSegment& segment) {
    return segment.kind == SegmentKind::kRun || segment.kind == SegmentKind::kRunnable ||
           IsDiskWait(segment);
  }

  std::vector<PathStart> ActiveBefore(uint64_t from_ns, uint64_t to_ns) const {
    std::vector<PathStart> starts;
    for (const EntityId thread : threads_) {
      const Entity& entity = timeline_.entities()[thread];
      if (entity.begin_ns >= to_ns || entity.end_ns < to_ns || entity.end_ns <= from_ns) continue;
      const SegmentCursor at = timeline_.SegmentsFrom(thread, to_ns - 1);
      if (at.done() || at.start_ns() >= to_ns || !IsActive(at.segment())) continue;
      // The wait for a disk goes on: its end tells the request.
      starts.push_back({thread, IsDiskWait(at.segment()) ? at.end_ns() : to_ns});
    }
    return starts;
  }

  // Where no thread works at the end of a piece: the one that works first after it, or that worked
  // last in it.
  PathStart NextActive(uint64_t from_ns, uint64_t to_ns) const {
    PathStart next{.thread = kNobody, .at_ns = UINT64_MAX};
    PathStart last{.thread = threads_.front(), .at_ns = 0};
    for (const EntityId thread : threads_) {
      const Entity& entity = timeline_.entities()[thread];
      for (auto at = timeline_.SegmentsFrom(thread, from_ns); !at.done(); at.Next()) {
        if (at.start_ns() >= next.at_ns) break;
        if (!IsActive(at.segment())) continue;
        if (at.start_ns() >= to_ns && entity.begin_ns < to_ns) {
          next = {thread, at.start_ns()};
        } else if (at.end_ns() > last.at_ns && at.start_ns() < to_ns) {
          last = {thread, to_ns};
        }
      }
    }
    return next.thread != kNobody ? next : last;
  }

  const Timeline& timeline_;
  const JobPathOptions& options_;
  const JobProcesses processes_;
  const PathJob job_;
  PathWalker walker_;
  std::vector<EntityId> threads_;  // of the job
  std::vector<PathLane> lanes_;    // in order of their pieces
};

}  // namespace

JobPath FindJobPath(const Timeline& timeline, const JobPathOptions& options) {
  return PathFinder(timeline, options).Find();
}

}  // namespace gordian
