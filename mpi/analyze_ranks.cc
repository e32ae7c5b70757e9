// SPDX-License-Identifier: Apache-2.0
// gordian-mpi analyze.
#include <memory>
#include <optional>
#include <string>

#include "analysis/whatif_command.h"
#include "cli/analysis_arguments.h"
#include "cli/analyze_arguments.h"
#include "cli/report_outputs.h"
#include "mpi/rank_program.h"

namespace gordian {
namespace {

constexpr char kExamples[] =
    "srun gordian-mpi analyze trace --html report.html\n"
    "mpirun -n 8 gordian-mpi analyze trace --comm postgres\n"
    "mpirun -n 8 gordian-mpi analyze trace --work /scratch/units --tell-units";

struct RankAnalyzeArguments : AnalyzeArguments {
  RankArguments ranks;
};

int RunAnalyze(const CLI::App& command, const RankAnalyzeArguments& arguments) {
  std::optional<ReportOutputs> outputs;
  RankQuestion question{.directory = arguments.directory, .options = arguments.options};
  question.prepare = [&](RankRequest& request) {
    if (const std::string conflict = OutputConflict(arguments.outputs); !conflict.empty())
      return absl::InvalidArgumentError(conflict);
    auto opened = ReportOutputs::Open(arguments.outputs);
    if (!opened.ok()) return opened.status();
    request.needs_events = opened->AnyNeeds(OutputNeed::kPage);
    request.needs_flights = request.needs_events || !arguments.no_predictions;
    if (!arguments.no_predictions)
      request.analysis.predictions =
          FixOptions{.command = WhatIfCommand(arguments.directory, arguments.options)};
    outputs.emplace(*std::move(opened));
    return absl::OkStatus();
  };
  question.ask = [&](const RankWork& work, const RankRequest& request) {
    auto recording = work.settle();
    if (!recording.ok()) return recording.status();
    const auto analysis = AnalysisOf(work, *std::move(recording), request.analysis);
    return analysis.ok() ? outputs->Write(*analysis) : analysis.status();
  };
  return RunOnRanks(command, arguments.ranks, question);
}

}  // namespace

Verb AddRankAnalyze(CLI::App& app) {
  const auto arguments = std::make_shared<RankAnalyzeArguments>();
  CLI::App* command =
      AddCommand(app, "analyze", "Tell what limits a recorded program, with all ranks", kExamples);
  AddDirectoryOption(*command, arguments->directory);
  AddRankOptions(*command, arguments->ranks);
  AddAnalyzeOptions(*command, *arguments, "Beside files, no text report");
  return {command, [command, arguments] { return RunAnalyze(*command, *arguments); }};
}

}  // namespace gordian
