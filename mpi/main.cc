// SPDX-License-Identifier: Apache-2.0
// gordian-mpi: questions to recordings by many processes, which mpirun or Slurm's srun starts.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <vector>

#include "base/build_commit.h"
#include "mpi/free_memory.h"
#include "mpi/rank_program.h"

namespace gordian {
namespace {

constexpr Verb (*kRankVerbs[])(CLI::App& app) = {AddRankAnalyze, AddRankParticipation,
                                                 AddRankTraffic, AddRankSlice,
                                                 AddRankQuery,   AddRankPhases};

// What is wrong with the command line is told before MPI begins, by each rank.
int Main(int argc, char** argv) {
  CLI::App app("Asks recordings of many nodes with many processes.", "gordian-mpi");
  app.set_version_flag("--version", VersionText("gordian-mpi " GORDIAN_VERSION));
  app.require_subcommand(0, 1);
  app.footer("gordian-mpi VERB --help tells about one verb.\n");
  std::vector<Verb> verbs;
  for (const auto add : kRankVerbs) verbs.push_back(add(app));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    const auto parsed = app.get_subcommands();
    return FailUsage(parsed.empty() ? app : *parsed.back(), error.what());
  }
  for (const Verb& verb : verbs) {
    if (verb.command->parsed()) return verb.run();
  }
  return FailUsage(app, "what to do? a verb is missing");
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  gordian::GiveBackFreedBlocks();
  try {
    return gordian::Main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "gordian-mpi: " << error.what() << "\n";
    return gordian::kExitFailure;
  }
}
