// SPDX-License-Identifier: Apache-2.0
// gordian-mpi: analyses by many processes, which mpirun or Slurm's srun starts.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/whatif_command.h"
#include "base/build_commit.h"
#include "base/parallel.h"
#include "cli/analysis_arguments.h"
#include "cli/analyze_arguments.h"
#include "cli/report_outputs.h"
#include "cli/verb.h"
#include "mpi/open_mpi_wire.h"
#include "mpi/rank_analysis.h"
#include "mpi/ranks.h"
#include "mpi/work_folder.h"
#include "trace/own_folder.h"

namespace gordian {
namespace {

constexpr char kAnalyzeExamples[] =
    "srun gordian-mpi analyze trace --html report.html\n"
    "mpirun -n 8 gordian-mpi analyze trace --comm postgres\n"
    "mpirun -n 8 gordian-mpi analyze trace --work /scratch/units --tell-units";

// For a rank's columns. A machine has as many ranks as CPUs or so; with a gigabyte each, as one
// process takes it, they would leave programs beside them little.
constexpr uint64_t kMostColumnBytes = uint64_t{192} << 20;

struct Arguments : AnalyzeArguments {
  std::string work_folder;
  int silence_s = 60;
  bool tell_units = false;
};

// Ranks of this machine below this one; set before the handler is. A handler cannot be given them.
constexpr size_t kMostLowerRanks = 1024;
std::array<pid_t, kMostLowerRanks> lower_ranks{};
size_t lower_rank_count = 0;

// mpirun ends all ranks if one dies. Then nothing but this tells the user what to do. The lowest
// rank of the machine that is left tells it, so that it is told once, even if rank 0 was the one
// that died. Only calls that are allowed in a signal's handler.
void TellOfTheEnd(int) {
  constexpr char kLine[] =
      "gordian-mpi: stopped, or a rank died; start it again: what is done is not done again\n";
  for (size_t i = 0; i < lower_rank_count; ++i)
    if (::kill(lower_ranks[i], 0) == 0 || errno == EPERM) ::_exit(kExitInterrupted);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kLine, sizeof(kLine) - 1);
  ::_exit(kExitInterrupted);
}

// On rank 0's machine only: from others the line would come once more.
void TellOfTheEndIfLowest() {
  const LowerRanks lower = LowerRanksHere();
  if (!lower.is_beside_rank_zero) return;
  lower_rank_count = std::min(lower.pids.size(), kMostLowerRanks);
  std::copy_n(lower.pids.begin(), lower_rank_count, lower_ranks.begin());
  ::signal(SIGTERM, TellOfTheEnd);
}

std::string DefaultWorkFolder() {
  const std::string caches = CacheFolder();
  return caches.empty() ? std::string() : caches + "/ranks";
}

RankRequest RequestOf(const Arguments& arguments) {
  RankRequest request{.program = VersionText("gordian-mpi " GORDIAN_VERSION),
                      .directory = arguments.directory,
                      .analysis = arguments.options};
  request.unit_memory = arguments.options.memory;
  request.unit_memory.bytes = std::min(request.unit_memory.bytes, kMostColumnBytes);
  if (request.analysis.threads == 0)
    request.analysis.threads = std::max(1, ThreadCount(0) / RanksOfThisMachine());
  if (!arguments.no_predictions)
    request.analysis.predictions =
        FixOptions{.command = WhatIfCommand(arguments.directory, arguments.options)};
  request.note = [](const std::string& line) {
    std::cerr << absl::StrCat("gordian-mpi: ", line, "\n") << std::flush;
  };
  if (arguments.tell_units)
    request.crew.tell = [](const std::string& line) {
      std::cerr << absl::StrCat("gordian-mpi: ", line, "\n") << std::flush;
    };
  return request;
}

absl::Status AnalyzeAsRankZero(Ranks& ranks, const absl::StatusOr<WorkFolder>& folder,
                               const Arguments& arguments) {
  auto outputs = ReportOutputs::Open(arguments.outputs);
  RankRequest request = RequestOf(arguments);
  request.needs_events = outputs.ok() && outputs->AnyNeeds(OutputNeed::kPage);
  return AnalyzeOnRanks(ranks, folder, request, [&](const Analysis& analysis) {
    return outputs.ok() ? outputs->Write(analysis) : outputs.status();
  });
}

int RunAnalyze(const CLI::App& command, const Arguments& arguments) {
  // As mpirun and srun tell it: a rank may die before MPI has begun.
  const char* const told_rank = std::getenv("PMIX_RANK");
  if (told_rank != nullptr && std::string_view(told_rank) == "0") ::signal(SIGTERM, TellOfTheEnd);
  auto wire = OpenMpiWire();
  if (!wire.ok()) return Fail(wire.status());
  const bool is_rank_zero = (*wire)->rank() == 0;
  if (const std::string conflict = OutputConflict(arguments.outputs); !conflict.empty()) {
    const int exit_code = is_rank_zero ? FailUsage(command, conflict) : kExitUsage;
    EndMpi();
    return exit_code;
  }
  TellOfTheEndIfLowest();
  absl::Status status;
  {
    Ranks ranks(*std::move(wire), {.silence_limit = std::chrono::seconds(arguments.silence_s)});
    const auto folder = WorkFolder::Open(arguments.work_folder, arguments.options.threads);
    status = is_rank_zero ? AnalyzeAsRankZero(ranks, folder, arguments)
                          : ServeRankZero(ranks, folder, RequestOf(arguments));
    if (arguments.tell_units && status.ok())
      std::cerr << absl::StrCat("gordian-mpi: rank ", ranks.rank(), " sent ", ranks.sent().messages,
                                " messages of ", ranks.sent().bytes, " bytes\n")
                << std::flush;
  }
  ::signal(SIGTERM, SIG_DFL);  // the outputs are there, or the failure is told
  // A rank that is gone never comes to the common end.
  const bool is_alone_now = absl::IsDeadlineExceeded(status) || absl::IsUnavailable(status);
  if (!status.ok() && (is_rank_zero || is_alone_now))
    std::cerr << absl::StrCat("gordian-mpi: ", MessageOf(status), "\n") << std::flush;
  if (is_alone_now) AbortMpi(kExitFailure);
  EndMpi();
  return status.ok() || !is_rank_zero ? kExitSuccess : kExitFailure;
}

Verb AddAnalyze(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->work_folder = DefaultWorkFolder();
  CLI::App* command = AddCommand(
      app, "analyze", "Tell what limits a recorded program, with all ranks", kAnalyzeExamples);
  AddDirectoryOption(*command, arguments->directory);
  command
      ->add_option("--work", arguments->work_folder,
                   "Where units of work are kept until the next run, on a disk of each machine")
      ->type_name("FOLDER")
      ->capture_default_str();
  command
      ->add_option("--silence", arguments->silence_s,
                   "Give up when a rank has been silent for so many seconds")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  command->add_flag("--tell-units", arguments->tell_units,
                    "A line for each unit that is begun, made, or found");
  AddAnalyzeOptions(*command, *arguments, "Beside files, no text report");
  return {command, [command, arguments] { return RunAnalyze(*command, *arguments); }};
}

// What is wrong with the command line is told before MPI begins, by each rank.
int Main(int argc, char** argv) {
  CLI::App app("Analyses recordings of many nodes with many processes.", "gordian-mpi");
  app.set_version_flag("--version", VersionText("gordian-mpi " GORDIAN_VERSION));
  app.require_subcommand(0, 1);
  app.footer("gordian-mpi VERB --help tells about one verb.\n");
  const Verb analyze = AddAnalyze(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return FailUsage(app, error.what());
  }
  if (analyze.command->parsed()) return analyze.run();
  return FailUsage(app, "what to do? a verb is missing");
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  try {
    return gordian::Main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "gordian-mpi: " << error.what() << "\n";
    return gordian::kExitFailure;
  }
}
