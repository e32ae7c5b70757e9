// SPDX-License-Identifier: Apache-2.0
// What all verbs of gordian-mpi do: begin MPI, ask the ranks, tell what went wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "cli/verb.h"
#include "mpi/rank_analysis.h"

namespace gordian {

struct RankArguments {
  std::string work_folder;
  int silence_s = 60;
  bool tell_units = false;
};

// --work, --silence and --tell-units. `arguments` must outlive the parse.
void AddRankOptions(CLI::App& command, RankArguments& arguments);

// One question, as rank 0 asks it.
struct RankQuestion {
  std::string directory;
  AnalysisOptions options;
  // Before the work: opens outputs, and says what they need. May be empty.
  std::function<absl::Status(RankRequest& request)> prepare;
  // Writes the answer. What it calls InvalidArgument is wrong with the command line.
  std::function<absl::Status(const RankWork& work, const RankRequest& request)> ask;
};

// Of every rank. Returns the exit code.
int RunOnRanks(const CLI::App& command, const RankArguments& arguments,
               const RankQuestion& question);

Verb AddRankAnalyze(CLI::App& app);
Verb AddRankTraffic(CLI::App& app);
Verb AddRankParticipation(CLI::App& app);
Verb AddRankSlice(CLI::App& app);
Verb AddRankQuery(CLI::App& app);
Verb AddRankPhases(CLI::App& app);

}  // namespace gordian
