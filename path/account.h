// SPDX-License-Identifier: Apache-2.0
// What the path's steps were, and what they lost, summed up beside the job's width. Inner to the
// library.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "path/twins.h"
#include "path/walk.h"
#include "path/width.h"

namespace gordian {

// A walk over a piece of the job's time, for which it stands with its weight. The walks over one
// piece together have weight one.
struct PathLane {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  std::vector<PathStep> steps;  // in order of time, without gaps
  double weight = 1;
  size_t next = 0;  // the first step that is not accounted for as a whole
};

class PathAccount {
 public:
  PathAccount(const JobProcesses& processes, const PathJob& job, uint32_t cpus,
              uint32_t strip_bins);

  // In order of time. `lanes` in order of their pieces.
  void Add(const JobLoad& load, std::vector<PathLane>& lanes);
  // Fills shares, losses, strip, commands and all that belongs to the verdict.
  void Tell(JobPath& path) const;

 private:
  struct Share {
    double ns = 0;
    double alone_ns = 0;
  };
  struct Bin {
    WidthBin sums;  // thread times
    absl::flat_hash_map<ProgramId, double> path_ns;
  };

  void AddWidth(const JobLoad& load);
  void AddToStrip(const PathStep& step, double weight);
  void AddStep(const PathStep& step, const JobLoad& load, uint64_t from_ns, uint64_t to_ns,
               double weight);
  double AddTaken(const PathStep& step, const JobLoad& load, uint64_t to_ns, double ns);
  ProgramId ProgramAt(EntityId thread, uint64_t time_ns) const;
  PathLoss LossOf(const PathStep& step, const JobLoad& load, bool is_alone) const;
  template <typename Use>
  void ForEachBin(uint64_t from_ns, uint64_t to_ns, Use use);

  void TellShares(JobPath& path) const;
  void TellStrip(JobPath& path) const;
  void TellCommands(JobPath& path) const;
  void TellVerdict(JobPath& path) const;
  void TellBarrier(JobPath& path) const;
  std::vector<ProgramTime> MostFirst(const std::vector<double>& ns_of_program) const;

  const JobProcesses& processes_;
  const PathJob& job_;
  const TwinCommands twins_;
  const uint32_t cpus_;
  const uint32_t narrow_;
  std::vector<Bin> bins_;
  // By program, whether it is outside, and state.
  std::vector<std::array<std::array<Share, kPathStates>, 2>> shares_;
  std::array<std::vector<double>, kPathLosses> loss_ns_;  // by program
  std::vector<double> others_ns_;                         // by program
  std::vector<double> asked_ns_;  // by program of the job: it waited for outsiders that worked
  std::vector<Share> commands_;
  std::vector<double> straggler_ns_;  // by command
  size_t first_lane_ = 0;
};

// So few threads at once that half of the CPUs or more are not used; at least one.
uint32_t NarrowWidth(uint32_t cpus);

}  // namespace gordian
