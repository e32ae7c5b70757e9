// SPDX-License-Identifier: Apache-2.0
#include "path/account.h"

#include <algorithm>

#include "path/verdict.h"

namespace gordian {
namespace {

constexpr size_t kCommandsTold = 10;

double Length(uint64_t from_ns, uint64_t to_ns) { return static_cast<double>(to_ns - from_ns); }

}  // namespace

uint32_t NarrowWidth(uint32_t cpus) { return std::max(2u, (cpus + 1) / 2) - 1; }

PathAccount::PathAccount(const JobProcesses& processes, const PathJob& job, uint32_t cpus,
                         uint32_t strip_bins)
    : processes_(processes),
      job_(job),
      twins_(processes, job),
      cpus_(std::max(cpus, 1u)),
      narrow_(NarrowWidth(cpus)),
      bins_(job.to_ns > job.from_ns ? std::max(strip_bins, 1u) : 0),
      shares_(processes.programs().size()),
      others_ns_(processes.programs().size()),
      asked_ns_(processes.programs().size()),
      commands_(processes.commands().size()),
      straggler_ns_(processes.commands().size()) {
  for (std::vector<double>& by_program : loss_ns_) by_program.resize(processes.programs().size());
}

template <typename Use>
void PathAccount::ForEachBin(uint64_t from_ns, uint64_t to_ns, Use use) {
  const double bin_ns = Length(job_.from_ns, job_.to_ns) / static_cast<double>(bins_.size());
  double from = Length(job_.from_ns, from_ns);
  const double to = Length(job_.from_ns, to_ns);
  for (auto bin = static_cast<size_t>(from / bin_ns); bin < bins_.size() && from < to; ++bin) {
    const double end = std::min(to, bin_ns * static_cast<double>(bin + 1));
    if (end > from) use(bins_[bin], end - from);
    from = std::max(from, end);
  }
}

void PathAccount::AddWidth(const JobLoad& load) {
  ForEachBin(load.from_ns, load.to_ns, [&load](Bin& bin, double ns) {
    bin.sums.running += load.running * ns;
    bin.sums.ready += load.ready * ns;
    bin.sums.disk += load.disk * ns;
    bin.sums.others += static_cast<double>(load.others.size()) * ns;
  });
}

void PathAccount::Add(const JobLoad& load, std::vector<PathLane>& lanes) {
  AddWidth(load);
  while (first_lane_ < lanes.size() && lanes[first_lane_].to_ns <= load.from_ns) ++first_lane_;
  for (size_t i = first_lane_; i < lanes.size() && lanes[i].from_ns < load.to_ns; ++i) {
    PathLane& lane = lanes[i];
    while (lane.next < lane.steps.size()) {
      const PathStep& step = lane.steps[lane.next];
      const uint64_t from_ns = std::max(step.from_ns, load.from_ns);
      const uint64_t to_ns = std::min(step.to_ns, load.to_ns);
      if (from_ns < to_ns) {
        const bool is_first_of_step = step.from_ns >= load.from_ns || load.from_ns == job_.from_ns;
        if (is_first_of_step) AddToStrip(step, lane.weight);
        AddStep(step, load, from_ns, to_ns, lane.weight);
      }
      if (step.to_ns > load.to_ns) break;
      ++lane.next;
    }
  }
}

// The job's own demand for CPUs tells a loss, not whether a CPU idles: another program's use of it
// changes nothing of what the job could do by itself. What others take away is told apart.
PathLoss PathAccount::LossOf(const PathStep& step, const JobLoad& load, bool is_alone) const {
  switch (step.state) {
    case PathState::kDisk:
      return PathLoss::kDisk;
    case PathState::kNetwork:
    case PathState::kTimer:
      return PathLoss::kIdle;
    case PathState::kRecorder:
    case PathState::kOther:
    case PathState::kUnknown:
      return PathLoss::kUntold;
    case PathState::kRun:
    case PathState::kReady:
      break;
  }
  if (step.is_outside) return PathLoss::kOutside;
  if (load.running + load.ready >= cpus_) return PathLoss::kFull;
  if (!is_alone) return PathLoss::kNarrow;
  if (twins_.TwinOf(step.command) != kNoProcess) return PathLoss::kBarrier;
  return step.took_turn ? PathLoss::kTurns : PathLoss::kSerial;
}

void PathAccount::AddToStrip(const PathStep& step, double weight) {
  const ProgramId program = processes_.commands()[step.command].program;
  ForEachBin(std::max(step.from_ns, job_.from_ns), std::min(step.to_ns, job_.to_ns),
             [&](Bin& bin, double part_ns) { bin.path_ns[program] += weight * part_ns; });
}

void PathAccount::AddStep(const PathStep& step, const JobLoad& load, uint64_t from_ns,
                          uint64_t to_ns, double weight) {
  const double ns = weight * Length(from_ns, to_ns);
  const PathCommand& command = processes_.commands()[step.command];
  const bool works = step.state == PathState::kRun || step.state == PathState::kReady;
  const bool is_alone =
      !step.is_outside && (works || step.state == PathState::kDisk) && load.width() <= narrow_;
  const auto add = [ns, is_alone](Share& share) {
    share.ns += ns;
    if (is_alone) share.alone_ns += ns;
  };
  add(shares_[command.program][step.is_outside ? 1 : 0][static_cast<size_t>(step.state)]);
  add(commands_[step.command]);

  const double taken = works ? AddTaken(step, load, to_ns, ns) : 0;
  const PathLoss loss = LossOf(step, load, is_alone);
  const double lost_ns = (1 - taken) * ns;
  if (loss == PathLoss::kOutside && step.served != kNobody) {
    loss_ns_[static_cast<size_t>(loss)][ProgramAt(step.answers, to_ns)] += lost_ns;
    asked_ns_[ProgramAt(step.served, to_ns)] += lost_ns;
    return;
  }
  loss_ns_[static_cast<size_t>(loss)][command.program] += lost_ns;
  if (loss == PathLoss::kBarrier) straggler_ns_[step.command] += (1 - taken) * ns;
}

ProgramId PathAccount::ProgramAt(EntityId thread, uint64_t time_ns) const {
  const CommandId command = processes_.CommandBefore(processes_.Of(thread), time_ns);
  return processes_.commands()[command].program;
}

// What other programs took away. The recorder's part is no finding: without it the job would be
// faster, but nobody records for ever.
double PathAccount::AddTaken(const PathStep& step, const JobLoad& load, uint64_t to_ns, double ns) {
  double taken = load.TakenByOthers(cpus_);
  // An outsider that works for the job lacks a CPU as a whole, or not at all.
  if (step.is_outside)
    taken = step.state == PathState::kReady && load.running + load.others.size() >= cpus_ ? 1 : 0;
  if (taken == 0 || load.others.empty()) return 0;
  const ProgramId program = processes_.commands()[step.command].program;
  const double each_ns = taken * ns / static_cast<double>(load.others.size());
  for (const EntityId other : load.others) {
    const ProcessId process = processes_.Of(other);
    const bool is_recorder = processes_.IsRecorder(process, to_ns);
    const PathLoss loss = is_recorder ? PathLoss::kUntold : PathLoss::kStarved;
    loss_ns_[static_cast<size_t>(loss)][program] += each_ns;
    if (is_recorder) continue;
    const CommandId its = processes_.CommandBefore(process, to_ns);
    others_ns_[processes_.commands()[its].program] += each_ns;
  }
  return taken;
}

std::vector<ProgramTime> PathAccount::MostFirst(const std::vector<double>& ns_of_program) const {
  std::vector<ProgramTime> times;
  for (ProgramId id = 0; id < ns_of_program.size(); ++id) {
    if (ns_of_program[id] > 0) times.push_back({processes_.programs()[id], ns_of_program[id]});
  }
  std::stable_sort(times.begin(), times.end(),
                   [](const ProgramTime& a, const ProgramTime& b) { return a.ns > b.ns; });
  return times;
}

void PathAccount::TellShares(JobPath& path) const {
  for (ProgramId program = 0; program < shares_.size(); ++program) {
    for (const bool is_outside : {false, true}) {
      for (size_t state = 0; state < kPathStates; ++state) {
        const Share& share = shares_[program][is_outside ? 1 : 0][state];
        if (share.ns <= 0) continue;
        path.length_ns += share.ns;
        path.shares.push_back({.program = processes_.programs()[program],
                               .is_outside = is_outside,
                               .state = static_cast<PathState>(state),
                               .ns = share.ns,
                               .alone_ns = share.alone_ns});
      }
    }
  }
  std::stable_sort(path.shares.begin(), path.shares.end(),
                   [](const ProgramShare& a, const ProgramShare& b) { return a.ns > b.ns; });
}

void PathAccount::TellStrip(JobPath& path) const {
  const double bin_ns = Length(job_.from_ns, job_.to_ns) / static_cast<double>(bins_.size());
  for (const Bin& bin : bins_) {
    WidthBin& told = path.strip.emplace_back(bin.sums);
    for (double* sum : {&told.running, &told.ready, &told.disk, &told.others}) *sum /= bin_ns;
    path.width += told.running / static_cast<double>(bins_.size());
    std::vector<double> ns_of_program(processes_.programs().size());
    for (const auto& [program, ns] : bin.path_ns) ns_of_program[program] = ns;
    const std::vector<ProgramTime> times = MostFirst(ns_of_program);
    if (!times.empty()) told.program = times.front().program;
  }
}

void PathAccount::TellCommands(JobPath& path) const {
  std::vector<CommandId> order;
  for (CommandId id = 0; id < commands_.size(); ++id) {
    if (commands_[id].ns > 0) order.push_back(id);
  }
  std::stable_sort(order.begin(), order.end(),
                   [this](CommandId a, CommandId b) { return commands_[a].ns > commands_[b].ns; });
  if (order.size() > kCommandsTold) order.resize(kCommandsTold);
  for (const CommandId id : order) {
    const PathCommand& command = processes_.commands()[id];
    path.longest_on_path.push_back({.leader = processes_.process(command.process).leader,
                                    .program = processes_.programs()[command.program],
                                    .is_outside = job_.members[command.process] == 0,
                                    .from_ns = command.from_ns,
                                    .to_ns = command.to_ns,
                                    .path_ns = commands_[id].ns,
                                    .alone_ns = commands_[id].alone_ns});
  }
}

// Of the straggler that held the job up longest.
void PathAccount::TellBarrier(JobPath& path) const {
  const auto most = std::max_element(straggler_ns_.begin(), straggler_ns_.end());
  if (most == straggler_ns_.end() || *most <= 0) return;
  const auto straggler = static_cast<CommandId>(most - straggler_ns_.begin());
  const CommandId twin = twins_.TwinOf(straggler);
  const ProcessId parent = processes_.CommonAncestor(processes_.commands()[straggler].process,
                                                     processes_.commands()[twin].process);
  if (parent != kNoProcess)
    path.barrier_parent = processes_.programs()[processes_.ProgramOf(parent)];
  path.runs_go_on = twins_.HasSuccessor(straggler);
}

void PathAccount::TellVerdict(JobPath& path) const {
  for (size_t loss = 0; loss < kPathLosses; ++loss) {
    for (const double ns : loss_ns_[loss]) path.loss_ns[loss] += ns;
  }
  path.verdict = VerdictOf(path.loss_ns, path.length_ns);
  path.loss_programs = MostFirst(loss_ns_[static_cast<size_t>(path.verdict)]);
  path.others = MostFirst(others_ns_);
  path.askers = MostFirst(asked_ns_);
  if (path.verdict == PathLoss::kBarrier) TellBarrier(path);
}

void PathAccount::Tell(JobPath& path) const {
  TellShares(path);
  TellStrip(path);
  TellCommands(path);
  TellVerdict(path);
}

}  // namespace gordian
